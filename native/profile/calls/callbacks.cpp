#include "profile/calls/callbacks.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>

#include "profile/preload/exports.hpp"
#include "profile/preload/objects.hpp"

namespace waywiser::profile {
namespace {

/// Return addresses that were looked up, direct-mapped: twice the address, plus one for the program's.
constinit std::uint64_t known[1024] = {};

bool begins_with(const char* name, const char* prefix) { return std::strncmp(name, prefix, std::strlen(prefix)) == 0; }

/// An object that cannot be searched also counts as MPI's: a missing record is better than a wrong one.
bool belongs_to_mpi(const Object& object) {
    const ElfW(Sym)* end = object.end_of_defined();
    if (end == nullptr) return true;
    for (const ElfW(Sym)* symbol = object.first_defined(); symbol != end; ++symbol) {
        if (symbol->st_shndx == SHN_UNDEF) continue;
        const char* name = object.name_of(*symbol);
        if (begins_with(name, "mca_") || begins_with(name, "_ZTVN3MPI") || wraps(name)) return true;
    }
    return false;
}

/// Code that lies in no file was made by the program (Julia's, Numba's).
bool look_up(const void* return_address) {
    bool programs = true;
    each_object([&](const dl_phdr_info& info) {
        const Object object(info);
        if (!object.contains(return_address)) return false;
        programs = !belongs_to_mpi(object);
        return true;
    });
    return programs;
}

}  // namespace

bool called_by_program(const void* return_address) {
    const auto address = reinterpret_cast<std::uint64_t>(return_address);
    std::uint64_t& entry = known[(address >> 10U ^ address) % (sizeof known / sizeof *known)];
    const std::uint64_t found = __atomic_load_n(&entry, __ATOMIC_RELAXED);
    if (found >> 1U == address) return (found & 1U) != 0;
    const bool programs = look_up(return_address);
    __atomic_store_n(&entry, address << 1U | (programs ? 1U : 0U), __ATOMIC_RELAXED);
    return programs;
}

void something_was_unloaded() {
    for (std::uint64_t& entry : known) __atomic_store_n(&entry, 0, __ATOMIC_RELAXED);
}

}  // namespace waywiser::profile
