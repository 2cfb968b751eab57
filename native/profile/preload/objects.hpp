/// Names that ELF files define and need, read from the tables of loaded objects and of files that are about to be
/// loaded.
///
/// The profiler does not ask the loader (dlsym): that would overwrite the program's dlerror() and see nothing of a
/// library that was opened with RTLD_LOCAL. Format: System V ABI, chapter 5; DT_GNU_HASH as in "GNU Hash ELF Sections"
/// by A. Roenky; versions as in the LSB, section 10.7.
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

namespace waywiser::profile {

/// A symbol's name and its hash, which is the same for all searched objects.
struct SymbolName {
    const char* text;
    std::uint32_t hash;

    explicit SymbolName(const char* name);
};

class Object {
public:
    Object() = default;

    /// An object that the loader has loaded.
    explicit Object(const dl_phdr_info& info);

    /// A file in its layout on disk, mapped whole. Nothing beyond `bytes` is read, whatever the file's tables say.
    Object(const void* file, std::size_t bytes);

    /// True if it is an ELF object of this machine.
    [[nodiscard]] explicit operator bool() const { return segments_ != nullptr; }

    /// The definition for a reference without a version; null if there is none.
    [[nodiscard]] ElfW(Sym) * find(const SymbolName& name) const;
    [[nodiscard]] ElfW(Sym) * find(const char* name) const { return find(SymbolName(name)); }

    /// Address of a symbol of a loaded object.
    [[nodiscard]] void* address(const ElfW(Sym) & symbol) const;

    [[nodiscard]] const char* name_of(const ElfW(Sym) & symbol) const { return text(symbol.st_name); }

    /// The defined symbols, which follow the undefined ones.
    [[nodiscard]] ElfW(Sym) * first_defined() const;
    [[nodiscard]] ElfW(Sym) * end_of_defined() const;

    /// The next string with `tag` (DT_NEEDED, DT_RUNPATH, …) after the entry `at`; null at the end.
    const char* next_text(ElfW(Sxword) tag, std::size_t& at) const;
    [[nodiscard]] const char* first_text(ElfW(Sxword) tag) const;

    /// The value of `tag`, 0 if there is none.
    [[nodiscard]] ElfW(Xword) value(ElfW(Sxword) tag) const;

    /// Symbolic relocations of a loaded object: of its data (DT_RELA) or of its calls (DT_JMPREL).
    struct Relocations {
        const ElfW(Rela) * begin;
        const ElfW(Rela) * end;
    };
    [[nodiscard]] Relocations relocations(ElfW(Sxword) table, ElfW(Sxword) size) const;

    /// The symbol table, indexed by number.
    [[nodiscard]] const ElfW(Sym) * symbols() const { return symbols_; }

    /// The memory at an offset of the object.
    [[nodiscard]] void* place(ElfW(Addr) offset) const { return const_cast<char*>(base_) + offset; }

    /// True for data that the loader has made read-only after its relocation.
    [[nodiscard]] bool is_sealed(const void* address) const;

    [[nodiscard]] bool contains(const void* address) const;
    [[nodiscard]] const ElfW(Phdr) * segment_of(const void* address) const;

private:
    [[nodiscard]] const char* at(ElfW(Addr) where) const;
    [[nodiscard]] bool inside(const void* from, std::size_t bytes) const;
    [[nodiscard]] const char* text(std::size_t offset) const;
    [[nodiscard]] bool is(const ElfW(Sym) & symbol, const char* name) const;
    void read_dynamic();

    const char* base_ = nullptr;
    std::size_t file_bytes_ = 0;  ///< 0: the object is loaded, so that all its addresses are valid
    const ElfW(Phdr) * segments_ = nullptr;
    std::size_t segment_count_ = 0;
    const ElfW(Dyn) * dynamic_ = nullptr;
    std::size_t dynamic_count_ = 0;
    ElfW(Sym) * symbols_ = nullptr;
    const char* strings_ = nullptr;
    const std::uint32_t* gnu_hash_ = nullptr;
    const std::uint32_t* hash_ = nullptr;
    const ElfW(Half) * versions_ = nullptr;
};

/// Calls `visit` for every loaded object until it returns true. Objects of the program's start come first, in the order
/// in which the loader searches them, followed by objects that were opened later. The loader's list cannot change
/// during the call.
template <class Visit>
void each_object(Visit visit) {
    const auto call = [](dl_phdr_info* info, std::size_t, void* visitor) -> int {
        return (*static_cast<Visit*>(visitor))(*info) ? 1 : 0;
    };
    dl_iterate_phdr(call, static_cast<void*>(&visit));
}

/// True for the profiler itself.
[[nodiscard]] bool is_profiler(const dl_phdr_info& info);

/// Calls `visit` with every object that the loader searches after the profiler.
template <class Visit>
void each_object_after_profiler(Visit visit) {
    bool after = false;
    each_object([&](const dl_phdr_info& info) {
        if (after) return static_cast<bool>(visit(Object(info)));
        after = is_profiler(info);
        return false;
    });
}

}  // namespace waywiser::profile
