#include "profile/tracing/traced_objects.hpp"

#include <iterator>

#include "base/hash.hpp"
#include "profile/calls/recorder.hpp"
#include "profile/messages/messages.hpp"
#include "profile/messages/topology.hpp"
#include "profile/process/handle_table.hpp"
#include "profile/process/process.hpp"
#include "profile/tracing/signatures.hpp"
#include "trace/records/recording.hpp"

namespace waywiser::profile {

constinit std::uint64_t object_generation = 1;

namespace {

/// Values of TraceObject::Kind.
enum class ObjectKind : std::uint64_t { communicator, window, file };

/// Largest number of distinguished objects; any others are unknown.
constexpr std::uint32_t kMostObjects = 16384;
constexpr std::uint32_t kWorld = 0;
constexpr std::uint32_t kSelf = 1;

/// Contexts of objects without a parent.
constexpr std::uint64_t kCreatedFirst = 1;       ///< MPI_COMM_WORLD, MPI_COMM_SELF
constexpr std::uint64_t kCreatedFromGroups = 2;  ///< and objects whose making was not seen

constinit pthread_mutex_t objects_lock = PTHREAD_MUTEX_INITIALIZER;
constinit HandleTable<std::uint32_t> by_handle;                  ///< number of the object
constinit state::TraceObjectRecord* records[kMostObjects] = {};  ///< indexed by number
constinit bool living[kMostObjects] = {};                        ///< indexed by number
constinit std::uint32_t by_context[2 * kMostObjects] = {};       ///< open-addressed: number plus 1
constinit std::uint32_t next_number = kSelf + 1;

/// The data that determine an object's context.
struct Origin {
    ObjectKind kind;
    std::uint64_t parent;   ///< context of the parent
    std::uint64_t members;  ///< fingerprint of the processes; of both groups for an intercommunicator
    std::uint64_t communicator;
    std::int64_t own_rank;
};

std::uint64_t context_of(const Origin& origin, std::uint64_t index) {
    std::uint64_t hash = splitmix(origin.parent + kGolden);
    for (const std::uint64_t part : {origin.members, static_cast<std::uint64_t>(origin.kind), index})
        hash = splitmix(hash ^ (part + kGolden));
    return hash;
}

std::uint32_t* slot_of_context(std::uint64_t context) {
    std::size_t i = context % std::size(by_context);
    while (by_context[i] != 0 && records[by_context[i] - 1]->context != context) i = (i + 1) % std::size(by_context);
    return &by_context[i];
}

state::TraceObjectRecord* new_record(const Origin& origin, std::uint64_t context, std::uint32_t number) {
    const Locked locked(slow_path);
    auto* record = process_state()->allocate<state::TraceObjectRecord>();
    if (record == nullptr) return nullptr;
    record->id = number;
    record->kind = static_cast<std::uint64_t>(origin.kind);
    record->context = context;
    record->communicator = origin.communicator;
    record->own_rank = origin.own_rank;
    StateFile::publish(record->header, state::Kind::trace_object);
    return record;
}

/// The number for the first context of an origin that no living object has.
/// \param requested  a new number; kNoNumber: the next free one
std::int32_t number_for(const Origin& origin, std::uint32_t requested) {
    for (std::uint64_t index = 0;; ++index) {
        const std::uint64_t context = context_of(origin, index);
        std::uint32_t* slot = slot_of_context(context);
        if (*slot != 0 && living[*slot - 1]) continue;
        if (*slot != 0) return static_cast<std::int32_t>(*slot - 1);
        const std::uint32_t number = requested == kNoNumber ? next_number : requested;
        if (number >= kMostObjects) return trace::kUnknown;
        records[number] = new_record(origin, context, number);
        if (records[number] == nullptr) return trace::kUnknown;
        if (requested == kNoNumber) ++next_number;
        *slot = number + 1;
        return static_cast<std::int32_t>(number);
    }
}

void forget_lookups() { __atomic_fetch_add(&object_generation, 1, __ATOMIC_RELAXED); }

/// \return number, trace::kUnknown if there is no such handle
std::int32_t forget(std::uintptr_t key) {
    const Locked locked(objects_lock);
    const std::uint32_t entry = by_handle.find(key);
    if (entry == kNoNumber) return trace::kUnknown;
    const std::uint32_t number = by_handle[entry];
    living[number] = false;
    by_handle.unlink(key);
    by_handle.release(entry);
    forget_lookups();
    return static_cast<std::int32_t>(number);
}

std::int32_t adopt(const Origin& origin, std::uintptr_t key, std::uint32_t requested = kNoNumber) {
    forget(key);  // The former object with this handle was freed unseen.
    const Locked locked(objects_lock);
    const std::uint32_t entry = by_handle.allocate();
    if (entry == kNoNumber) return trace::kUnknown;
    const std::int32_t number = number_for(origin, requested);
    if (number < 0) {
        by_handle.release(entry);
        return number;
    }
    by_handle[entry] = static_cast<std::uint32_t>(number);
    by_handle.link(key, entry);
    living[number] = true;
    forget_lookups();
    return number;
}

/// Numbers an object that the program has just made. An object beyond the table's limit is counted here and not by the
/// look-ups, which would count it repeatedly.
std::int32_t adopt_created(const Origin& origin, std::uintptr_t key) {
    const std::int32_t number = adopt(origin, key);
    if (number == trace::kUnknown) count_other_object();
    return number;
}

std::int32_t number_of(std::uintptr_t key) {
    const Locked locked(objects_lock);
    const std::uint32_t entry = by_handle.find(key);
    return entry == kNoNumber ? trace::kUnknown : static_cast<std::int32_t>(by_handle[entry]);
}

std::uint64_t parent_context(Handle comm) {
    const std::int32_t number = comm == nullptr ? trace::kUnknown : object_of(comm);
    return number < 0 ? kCreatedFromGroups : records[number]->context;
}

/// \param members  a communicator of the object's processes
Origin origin_of(ObjectKind kind, std::uint64_t parent, Handle members) {
    Origin origin{
        .kind = kind, .parent = parent, .members = 0, .communicator = 0, .own_rank = payload::rank_in(members)};
    if (const auto* communicator = communicator_of(members, &origin.members)) origin.communicator = communicator->id;
    // The sum is the same for both groups of an intercommunicator.
    if (payload::is_intercommunicator(members)) origin.members += own_group(members);
    return origin;
}

bool is_none(std::uintptr_t key) { return key == 0 || key == library.constants.comm_null; }

std::uintptr_t file_key(Handle file) { return reinterpret_cast<std::uintptr_t>(file); }

void adopt_communicator(std::uintptr_t key, Handle comm) {
    const bool is_world = key == library.comm_world;
    const bool is_first = is_world || key == library.constants.comm_self;
    const std::int32_t number =
        adopt(origin_of(ObjectKind::communicator, is_first ? kCreatedFirst : kCreatedFromGroups, comm), key,
              !is_first  ? kNoNumber
              : is_world ? kWorld
                         : kSelf);
    if (number >= 0) copy_name_of(comm, records[number]->name);
}

}  // namespace

std::int32_t find_object(ThreadState& thread, std::uintptr_t key, Handle communicator) {
    if (is_none(key)) return trace::kNone;
    if (number_of(key) == trace::kUnknown) adopt_communicator(key, communicator);
    const std::uint64_t generation = __atomic_load_n(&object_generation, __ATOMIC_RELAXED);
    const std::int32_t number = number_of(key);
    thread.objects[object_slot(key)] = {.key = key, .generation = generation, .number = number};
    return number;
}

std::int32_t window_of(Handle window) { return number_of(library.key(window)); }

std::int32_t file_of(Handle file) { return number_of(file_key(file)); }

std::int32_t new_communicator(Handle parent, Handle created) {
    const std::uintptr_t key = library.key(created);
    if (is_none(key)) return trace::kNone;
    return adopt_created(origin_of(ObjectKind::communicator, parent_context(parent), created), key);
}

std::int32_t new_duplicate(Handle parent, Handle created) {
    const std::uintptr_t key = library.key(created);
    if (is_none(key)) return trace::kNone;
    return adopt_created(origin_of(ObjectKind::communicator, parent_context(parent), parent), key);
}

std::int32_t new_window(Handle parent, Handle created) {
    return adopt_created(origin_of(ObjectKind::window, parent_context(parent), parent), library.key(created));
}

std::int32_t new_file(Handle parent, Handle created) {
    return adopt_created(origin_of(ObjectKind::file, parent_context(parent), parent), file_key(created));
}

std::uint32_t list_of_group(Handle group, Handle window) {
    int n = 0;
    Handle of_window = nullptr;
    if (library.win_get_group == nullptr || library.group_size(group, &n) != 0 || n <= 0) return 0;
    const auto count = static_cast<std::size_t>(n);
    int* ranks = scratch(0, 4 * count);
    if (ranks == nullptr || library.win_get_group(window, &of_window) != 0) return 0;
    for (int i = 0; i < n; ++i) ranks[i] = i;
    const bool known = library.group_translate_ranks(group, n, ranks, of_window, ranks + n) == 0;
    library.group_free(&of_window);
    auto* numbers = reinterpret_cast<std::int64_t*>(ranks + 2 * count);
    for (std::size_t i = 0; known && i < count; ++i) numbers[i] = ranks[count + i];
    return known ? list_of(numbers, count) : 0;
}

std::uint32_t list_of_neighbours(Handle communicator, std::int64_t* in) {
    const Neighbours around = neighbours(communicator);
    const auto room = static_cast<std::size_t>(around.in + around.out);
    int* ranks = scratch(0, 4 * room);
    if (ranks == nullptr || !all_neighbours(communicator, around, ranks)) return 0;
    auto* numbers = reinterpret_cast<std::int64_t*>(ranks + 2 * room);
    std::size_t count = 0;
    for (std::size_t i = 0; i < room; ++i) {
        if (ranks[i] < 0) continue;  // Neighbours beyond the edge of a grid have no rank.
        numbers[count++] = ranks[i];
        if (i < static_cast<std::size_t>(around.in)) ++*in;
    }
    return list_of(numbers, count);
}

std::int32_t forget_object(Handle communicator_or_window) { return forget(library.key(communicator_or_window)); }

std::int32_t forget_file(Handle file) { return forget(file_key(file)); }

void name_object(Handle communicator) {
    const std::int32_t number = object_of(communicator);
    if (number >= 0) copy_name_of(communicator, records[number]->name);
}

}  // namespace waywiser::profile
