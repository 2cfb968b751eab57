#include "profile/preload/exports.hpp"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <strings.h>

#include <cstring>
#include <initializer_list>

#include "profile/preload/library.hpp"
#include "profile/preload/next_call.hpp"
#include "profile/preload/objects.hpp"

namespace waywiser::profile {
namespace {

constexpr unsigned char kInSight = STT_FUNC;
constexpr unsigned char kOutOfSight = STT_SECTION;

constexpr std::size_t kMostProviders = 32;

/// The loader's counts of loaded and unloaded objects at the last comparison of names.
constinit unsigned long long loaded = 0;
constinit unsigned long long unloaded = 0;

unsigned char type_of(const ElfW(Sym) & symbol) { return symbol.st_info & 0xfU; }

/// True for a call's name, with or without the P of the profiling interface.
bool names_call(const char* name) { return strncasecmp(*name == 'P' ? name + 1 : name, "mpi_", 4) == 0; }

bool is_wrapper(const ElfW(Sym) & symbol, const char* name) {
    const unsigned char type = type_of(symbol);
    return (type == kInSight || type == kOutOfSight) && names_call(name);
}

/// True for another preloaded library of Waywiser's, whose visible names depend on the same MPI library.
bool is_ours(const Object& object) {
    const char* name = object.first_text(DT_SONAME);
    return name != nullptr && std::strncmp(name, "libwaywiser-", 12) == 0;
}

/// The process's MPI library, libraries on top of it (Fortran), and other tools.
struct Providers {
    Object objects[kMostProviders];
    std::size_t count = 0;
    bool mpi = false;

    Providers() {
        const SymbolName library("PMPI_Init");
        const SymbolName any[] = {library, SymbolName("MPI_Init"), SymbolName("mpi_init_"),
                                  SymbolName("mpi_init_f08_")};
        each_object_after_profiler([&](const Object& object) {
            if (is_ours(object)) return false;
            for (const SymbolName& name : any) {
                if (object.find(name) == nullptr) continue;
                mpi = mpi || object.find(library) != nullptr;
                objects[count++] = object;
                break;
            }
            return count == kMostProviders;
        });
    }

    [[nodiscard]] bool have(const char* name) const {
        if (!mpi) return false;
        const SymbolName symbol_name(name);
        for (std::size_t i = 0; i < count; ++i) {
            if (objects[i].find(symbol_name) != nullptr) return true;
        }
        return false;
    }
};

/// Makes memory writable for the lifetime of this object.
class Writable {
public:
    Writable(const void* from, const void* to, int protection) : protection_(protection) {
        const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
        begin_ = reinterpret_cast<std::uintptr_t>(from) & ~(page - 1);
        bytes_ = reinterpret_cast<std::uintptr_t>(to) - begin_;
        done_ = mprotect(reinterpret_cast<void*>(begin_), bytes_, protection | PROT_WRITE) == 0;
    }
    ~Writable() {
        if (done_) mprotect(reinterpret_cast<void*>(begin_), bytes_, protection_);
    }
    Writable(const Writable&) = delete;
    Writable& operator=(const Writable&) = delete;

    [[nodiscard]] explicit operator bool() const { return done_; }

private:
    std::uintptr_t begin_ = 0;
    std::size_t bytes_ = 0;
    int protection_;
    bool done_ = false;
};

int protection_of(const ElfW(Phdr) * segment) {
    const ElfW(Word) flags = segment == nullptr ? PF_R : segment->p_flags;
    return ((flags & PF_R) != 0 ? PROT_READ : 0) | ((flags & PF_W) != 0 ? PROT_WRITE : 0) |
           ((flags & PF_X) != 0 ? PROT_EXEC : 0);
}

bool in_right_sight(const Object& profiler, const ElfW(Sym) & symbol, const Providers& providers) {
    const char* name = profiler.name_of(symbol);
    return !is_wrapper(symbol, name) || providers.have(name) == (type_of(symbol) == kInSight);
}

void put_in_sight(const Object& profiler, const Providers& providers) {
    ElfW(Sym)* first = profiler.first_defined();
    ElfW(Sym)* end = profiler.end_of_defined();
    while (first != end && in_right_sight(profiler, *first, providers)) ++first;
    if (first == end) return;
    const Writable table(first, end, protection_of(profiler.segment_of(first)));
    if (!table) return;
    for (ElfW(Sym)* symbol = first; symbol != end; ++symbol) {
        if (in_right_sight(profiler, *symbol, providers)) continue;
        // Only a single byte changes, because other threads may be searching the table.
        const unsigned char type = type_of(*symbol) == kInSight ? kOutOfSight : kInSight;
        __atomic_store_n(&symbol->st_info, static_cast<unsigned char>((symbol->st_info & 0xf0U) | type),
                         __ATOMIC_RELAXED);
    }
}

Object the_profiler() {
    Object profiler;
    each_object([&](const dl_phdr_info& info) {
        if (!is_profiler(info)) return false;
        profiler = Object(info);
        return true;
    });
    return profiler;
}

/// Makes a weak reference to a hidden wrapper null, as it would be without the profiler.
void unbind(const Object& object, const ElfW(Rela) & relocation, const void* wrapper) {
    auto* place = static_cast<std::uintptr_t*>(object.place(relocation.r_offset));
    // The reference is not bound before its first call.
    if (*place != reinterpret_cast<std::uintptr_t>(wrapper)) return;
    const int protection = object.is_sealed(place) ? PROT_READ : PROT_READ | PROT_WRITE;
    const Writable word(place, place + 1, protection);
    if (word) __atomic_store_n(place, 0, __ATOMIC_RELAXED);
}

void unbind_in(const Object& object, const Object& profiler) {
    const auto wrapper_out_of_sight = [&](const ElfW(Sym) & symbol) -> const void* {
        if (symbol.st_shndx != SHN_UNDEF || symbol.st_info >> 4U != STB_WEAK) return nullptr;
        const char* name = object.name_of(symbol);
        const ElfW(Sym)* ours = profiler.find(name);
        const bool out = ours != nullptr && is_wrapper(*ours, name) && type_of(*ours) == kOutOfSight;
        return out ? profiler.address(*ours) : nullptr;
    };
    for (const auto& [begin, end] :
         {object.relocations(DT_RELA, DT_RELASZ), object.relocations(DT_JMPREL, DT_PLTRELSZ)}) {
        for (const ElfW(Rela)* relocation = begin; relocation != end; ++relocation) {
            const ElfW(Sym) & symbol = object.symbols()[ELF64_R_SYM(relocation->r_info)];
            if (const void* wrapper = wrapper_out_of_sight(symbol)) unbind(object, *relocation, wrapper);
        }
    }
}

}  // namespace

void unbind_weak_references() {
    const Object profiler = the_profiler();
    each_object([&](const dl_phdr_info& info) {
        if (!is_profiler(info)) unbind_in(Object(info), profiler);
        return false;
    });
}

void update_exports() {
    // The lock of the loader's list is held throughout, so no object is loaded or unloaded meanwhile, and only one
    // thread runs this code.
    each_object([](const dl_phdr_info& info) {
        if (info.dlpi_adds == loaded && info.dlpi_subs == unloaded) return true;
        if (info.dlpi_subs != unloaded) {
            // If it was the MPI library, the next one may be loaded at another address.
            forget_next_calls();
            forget_library_if_gone();
            something_was_unloaded();
        }
        loaded = info.dlpi_adds;
        unloaded = info.dlpi_subs;
        put_in_sight(the_profiler(), Providers());
        return true;
    });
}

bool wraps(const char* name) {
    const ElfW(Sym)* symbol = names_call(name) ? the_profiler().find(name) : nullptr;
    return symbol != nullptr && is_wrapper(*symbol, name);
}

void* exported(const char* name) {
    const Object profiler = the_profiler();
    const ElfW(Sym)* symbol = profiler.find(name);
    const bool wraps = symbol != nullptr && is_wrapper(*symbol, name) && type_of(*symbol) == kInSight;
    return wraps ? profiler.address(*symbol) : nullptr;
}

}  // namespace waywiser::profile
