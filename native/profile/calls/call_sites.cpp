/// Calls by the place in the program that made them.
///
/// A place is a return address. If the address lies in the MPI library's own Fortran layer, the place is the first
/// frame of the stack beyond that layer. If it lies in mpi4py, the place is the line of Python that called mpi4py.
#include "profile/calls/call_sites.hpp"
#include "base/hash.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>

#include <cstring>

#include "profile/calls/recorder.hpp"
#include "profile/preload/objects.hpp"
#include "profile/preload/slow_path.hpp"
#include "profile/process/process.hpp"

namespace waywiser::profile {

struct CallSite {
    const void* caller;  ///< null: unused
    Id id;
    bool within_mpi;  ///< the caller is the MPI library itself: only the stack shows the program's place
    state::CallSiteRecord* record;
};

namespace {

constexpr std::size_t kFirstTable = 256;
constexpr std::size_t kLargestTable = std::size_t{1} << 16U;
constexpr int kDeepestStack = 16;

/// The address of this byte is the caller of all calls from places that do not fit into the largest table.
constinit const char kElsewhere = 0;

constexpr std::size_t kMostModules = 256;

constinit const state::ModuleRecord* modules[kMostModules] = {};
constinit std::size_t module_count = 0;
constinit const state::ModuleRecord* other_modules = nullptr;
constinit const state::ModuleRecord* other_places = nullptr;
constinit std::uint64_t last_module = 0;

/// The file that contains an address, as the dynamic loader has it; null for code outside files.
const link_map* module_at(const void* address) {
    Dl_info info{};
    void* map = nullptr;
    return dladdr1(address, &info, &map, RTLD_DL_LINKMAP) == 0 ? nullptr : static_cast<const link_map*>(map);
}

/// True for the libraries of an MPI: libmpi, libmpifort, libmpi_usempif08, libmpi_cxx, …
bool is_mpi(const link_map* map) {
    if (map == nullptr) return false;
    const char* slash = std::strrchr(map->l_name, '/');
    return std::strncmp(slash == nullptr ? map->l_name : slash + 1, "libmpi", 6) == 0;
}

/// Places beyond the table's limit share one entry.
const state::ModuleRecord* others(const state::ModuleRecord*& created, const char* path) {
    if (created != nullptr) return created;
    state::ModuleRecord record;
    copy_line(record.path, path);
    return created = new_module(record);
}

const state::ModuleRecord* module_record(const link_map& map) {
    // The dynamic loader has no name for the program itself.
    char own[sizeof(state::ModuleRecord::path)] = {};
    const bool named = map.l_name[0] != '\0';
    if (!named && readlink("/proc/self/exe", own, sizeof own - 1) < 0) return nullptr;
    const char* path = named ? map.l_name : own;
    for (std::size_t i = 0; i < module_count; ++i) {
        if (modules[i]->base == map.l_addr && std::strcmp(modules[i]->path, path) == 0) return modules[i];
    }
    if (module_count == kMostModules) return others(other_modules, state::kOtherModules);
    state::ModuleRecord record;
    record.base = map.l_addr;
    copy_line(record.path, path);
    const state::ModuleRecord* created = new_module(record);
    if (created != nullptr) modules[module_count++] = created;
    return created;
}

/// Callers hold the recorder's lock.
Place place_in(const link_map* map, const void* caller) {
    if (const PythonLine* line = python_line(caller)) return {.module = line->function->id, .address = line->line};
    if (caller == &kElsewhere) {
        const state::ModuleRecord* shared = others(other_places, state::kOtherPlaces);
        return {.module = shared == nullptr ? 0 : shared->id};
    }
    const state::ModuleRecord* module = map == nullptr ? nullptr : module_record(*map);
    if (module != nullptr && module == other_modules) return {.module = module->id};
    const auto address = reinterpret_cast<std::uintptr_t>(caller);
    return module == nullptr ? Place{.address = address}
                             : Place{.module = module->id, .address = address - module->base};
}

state::CallSiteRecord* new_record(const ThreadState& thread, const void* caller, Id id, const link_map* map) {
    const Locked lock(slow_path);
    auto* record = process_state()->allocate<state::CallSiteRecord>();
    if (record == nullptr) return nullptr;
    const Place place = place_in(map, caller);
    record->header.thread = thread.index;
    record->module = place.module;
    record->address = place.address;
    record->function = static_cast<std::uint64_t>(id) + 1;
    copy_name(record->name, id);
    StateFile::publish(record->header, state::Kind::call_site);
    return record;
}

std::size_t first_slot(const void* caller, Id id, std::size_t size) {
    const auto bits = reinterpret_cast<std::uintptr_t>(caller) * 1024 + static_cast<std::size_t>(id);
    return static_cast<std::size_t>(bits * kGolden >> 32U) & (size - 1);
}

CallSite* find(CallSite* table, std::size_t size, const void* caller, Id id) {
    std::size_t i = first_slot(caller, id, size);
    while (table[i].caller != nullptr && (table[i].caller != caller || table[i].id != id)) i = (i + 1) & (size - 1);
    return &table[i];
}

bool grow(ThreadState& thread) {
    const std::size_t size = thread.sites_size == 0 ? kFirstTable : 2 * thread.sites_size;
    if (size > kLargestTable) return false;
    auto* table = static_cast<CallSite*>(zeroed_pages(size * sizeof(CallSite)));
    if (table == nullptr) return false;
    for (std::size_t i = 0; i < thread.sites_size; ++i) {
        const CallSite& site = thread.sites[i];
        if (site.caller != nullptr) *find(table, size, site.caller, site.id) = site;
    }
    if (thread.sites != nullptr) munmap(thread.sites, thread.sites_size * sizeof(CallSite));
    thread.sites = table;
    thread.sites_size = size;
    return true;
}

CallSite* site_of(ThreadState& thread, const void* caller, Id id) {
    if (thread.sites_size > 0) {
        CallSite* site = find(thread.sites, thread.sites_size, caller, id);
        if (site->caller != nullptr) return site;
    }
    const bool full = 2 * (thread.sites_count + 1) > thread.sites_size;
    if (full && caller != &kElsewhere && !grow(thread)) {
        return thread.sites_size == kLargestTable ? site_of(thread, &kElsewhere, id) : nullptr;
    }
    const link_map* map = python_line(caller) == nullptr ? module_at(caller) : nullptr;
    if (map != nullptr && note_mpi4py(map->l_name, caller)) return site_of(thread, python_caller(caller), id);
    const bool within_mpi = is_mpi(map);
    CallSite* site = find(thread.sites, thread.sites_size, caller, id);
    *site = {.caller = caller,
             .id = id,
             .within_mpi = within_mpi,
             .record = within_mpi ? nullptr : new_record(thread, caller, id, map)};
    ++thread.sites_count;
    return site;
}

}  // namespace

constinit CodeRange mpi_code;

CodeRange code_around(const void* address) {
    CodeRange code;
    each_object([&](const dl_phdr_info& info) {
        const Object object(info);
        const ElfW(Phdr)* segment = object.contains(address) ? object.segment_of(address) : nullptr;
        if (segment == nullptr) return false;
        code = {.begin = reinterpret_cast<std::uintptr_t>(object.place(segment->p_vaddr)), .bytes = segment->p_memsz};
        return true;
    });
    return code;
}

const state::ModuleRecord* new_module(const state::ModuleRecord& module) {
    auto* record = process_state()->allocate<state::ModuleRecord>();
    if (record == nullptr) return nullptr;
    // The assignment below must not change the header that allocate() has set.
    const state::RecordHeader header = record->header;
    *record = module;
    record->header = header;
    record->id = ++last_module;
    StateFile::publish(record->header, state::Kind::module);
    return record;
}

const void* beyond_mpi(const void* caller) {
    void* frames[kDeepestStack];
    const int depth = backtrace(frames, kDeepestStack);
    int i = 0;
    while (i < depth && frames[i] != caller) ++i;
    while (i < depth && is_mpi(module_at(frames[i]))) ++i;
    return i < depth ? frames[i] : nullptr;
}

Place place_of(const void* caller) {
    // This call waits for the loader's lock, so it must precede the recorder's lock.
    const link_map* map = python_line(caller) == nullptr ? module_at(caller) : nullptr;
    if (is_mpi(map)) {
        mpi_code = code_around(caller);
        return {.passed_on = true, .beyond = beyond_mpi(caller)};
    }
    if (map != nullptr && note_mpi4py(map->l_name, caller)) {
        return {.passed_on = true, .beyond = python_caller(caller)};
    }
    const Locked lock(slow_path);
    return place_in(map, caller);
}

void count_site(ThreadState& thread, Id id, const void* caller, std::uint64_t sent, std::uint64_t posted, Spent spent) {
    const CallSite* site = site_of(thread, mpi4py_code.contains(caller) ? python_caller(caller) : caller, id);
    if (site != nullptr && site->within_mpi) {
        const void* beyond = beyond_mpi(caller);
        site = beyond == nullptr ? nullptr : site_of(thread, beyond, id);
    }
    if (site == nullptr || site->record == nullptr) {
        count_unrecorded();
        return;
    }
    state::CallSiteRecord& record = *site->record;
    record.calls += 1;
    record.ticks += spent.call;
    record.sync_ticks += spent.sync;
    if (spent.call > record.max_ticks) record.max_ticks = spent.call;
    record.bytes += sent;
    record.receive_bytes += posted;
}

}  // namespace waywiser::profile
