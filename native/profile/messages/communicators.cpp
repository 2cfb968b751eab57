/// Records of collectives by communicator.
#include <iterator>

#include "base/hash.hpp"
#include "profile/calls/recorder.hpp"
#include "profile/messages/messages.hpp"
#include "profile/preload/slow_path.hpp"
#include "profile/process/process.hpp"
#include "profile/process/world.hpp"

namespace waywiser::profile {

namespace {

/// Sets of processes that are distinguished; the collectives on any others share one record.
constexpr std::size_t kMostCommunicators = 1024;
constexpr int kOtherCommunicators = -1;  ///< size of a communicator that is not distinguished

/// Roots of collectives that are distinguished on one thread; beyond this number, a record is for several roots.
constexpr std::size_t kMostCollectives = kCollectiveSlots / 2;

constinit state::CommunicatorRecord* known_sets[2 * kMostCommunicators] = {};
constinit std::size_t known_count = 0;

/// Identifies a communicator's processes by data that are the same on each of them.
struct Members {
    int size = 0;
    int rank = 0;
    bool remote = false;  ///< the processes are those of an intercommunicator's remote group
    std::uint64_t fingerprint = 0;
};

std::uint64_t fingerprint(const int* world_ranks, int n) {
    std::uint64_t hash = kFnvStart;
    for (int i = 0; i < n; ++i) hash = fnv1a(hash, static_cast<std::uint32_t>(world_ranks[i]));
    return hash;
}

/// World ranks of a communicator's members, in its order, stored in the thread's scratch memory.
class WorldRanks {
public:
    explicit WorldRanks(Handle comm) : size_(payload::peers(comm)) {
        const auto n = static_cast<std::size_t>(size_ > 0 ? size_ : 0);
        int* ranks = n > 0 ? scratch(0, 2 * n) : nullptr;
        if (ranks == nullptr) return;
        for (int i = 0; i < size_; ++i) ranks[i] = i;
        if (translate_ranks(comm, size_, ranks, ranks + size_)) world_ = ranks + size_;
    }

    [[nodiscard]] const int* begin() const { return world_; }
    [[nodiscard]] int size() const { return size_; }

private:
    int size_;
    const int* world_ = nullptr;
};

/// Length of the arithmetic progression that begins at `ranks`.
int progression(const int* ranks, int n) {
    int length = n < 2 ? n : 2;
    while (length < n && ranks[length] - ranks[length - 1] == ranks[1] - ranks[0]) ++length;
    return length;
}

void write_members(std::uint64_t communicator, const WorldRanks& ranks) {
    state::MembersRecord* block = nullptr;
    for (int i = 0; i < ranks.size();) {
        const int* at = ranks.begin() + i;
        const int length = progression(at, ranks.size() - i);
        if (block == nullptr || block->used == std::size(block->strides)) {
            block = process_state()->allocate<state::MembersRecord>();
            if (block == nullptr) return;
            block->communicator = communicator;
            StateFile::publish(block->header, state::Kind::members);
        }
        block->strides[block->used] = {.first = at[0], .stride = length > 1 ? at[1] - at[0] : 0, .count = length};
        __atomic_store_n(&block->used, block->used + 1, __ATOMIC_RELEASE);
        i += length;
    }
}

bool is_of(const state::CommunicatorRecord& record, const Members& members) {
    return record.fingerprint == members.fingerprint && record.size == members.size &&
           (record.intercommunicator != 0) == members.remote;
}

state::CommunicatorRecord** find(const Members& members) {
    std::size_t i = members.fingerprint % std::size(known_sets);
    while (known_sets[i] != nullptr && !is_of(*known_sets[i], members)) i = (i + 1) % std::size(known_sets);
    return &known_sets[i];
}

/// The record of communicators that are not distinguished.
const Members kOthers{.size = kOtherCommunicators, .rank = -1};

state::CommunicatorRecord* add(const Members& members) {
    auto* record = process_state()->allocate<state::CommunicatorRecord>();
    if (record == nullptr) return nullptr;
    record->id = ++known_count;
    record->fingerprint = members.fingerprint;
    record->size = members.size;
    record->rank = members.rank;
    record->intercommunicator = members.remote ? 1 : 0;
    return record;
}

state::CommunicatorRecord* others() {
    state::CommunicatorRecord** slot = find(kOthers);
    if (*slot == nullptr) {
        *slot = add(kOthers);
        if (*slot != nullptr) StateFile::publish((*slot)->header, state::Kind::communicator);
    }
    return *slot;
}

}  // namespace

const state::CommunicatorRecord* communicator_of(Handle comm, std::uint64_t* fingerprint_of_members) {
    const WorldRanks ranks(comm);
    if (ranks.begin() == nullptr) return nullptr;
    const Members members{.size = ranks.size(),
                          .rank = payload::rank_in(comm),
                          .remote = payload::is_intercommunicator(comm),
                          .fingerprint = fingerprint(ranks.begin(), ranks.size())};
    if (fingerprint_of_members != nullptr) *fingerprint_of_members = members.fingerprint;
    const Locked lock(slow_path);
    state::CommunicatorRecord** slot = find(members);
    if (*slot != nullptr) return *slot;
    if (known_count >= kMostCommunicators) return others();
    *slot = add(members);
    if (*slot == nullptr) return nullptr;
    copy_name_of(comm, (*slot)->name);
    StateFile::publish((*slot)->header, state::Kind::communicator);
    if (members.rank == 0 || members.remote) write_members((*slot)->id, ranks);
    return *slot;
}

std::uint64_t own_group(Handle comm) {
    const int n = payload::local_size(comm);
    int* ranks = n > 0 ? scratch(0, 2 * static_cast<std::size_t>(n)) : nullptr;
    Handle group = nullptr;
    if (ranks == nullptr || library.comm_group(comm, &group) != 0) return 0;
    for (int i = 0; i < n; ++i) ranks[i] = i;
    int* world_ranks = ranks + n;
    const bool in_world = ranks_in_world(group, n, ranks, world_ranks);
    library.group_free(&group);
    if (!in_world) return 0;
    keep_world(world_ranks, n);
    return fingerprint(world_ranks, n);
}

namespace {

struct Which {
    std::uint64_t communicator;
    std::uint64_t function;
    std::int64_t root;
};

state::CollectiveRecord** find(ThreadState& thread, const Which& which) {
    const std::uint64_t hash = (which.communicator * 1024 + which.function) * kGolden +
                               static_cast<std::uint64_t>(which.root) * 0xc2b2ae3d27d4eb4fU;
    for (std::size_t i = hash >> 40U;; ++i) {
        state::CollectiveRecord*& slot = thread.by_collective[i % kCollectiveSlots];
        if (slot == nullptr || (slot->communicator == which.communicator && slot->function == which.function &&
                                slot->root == which.root)) {
            return &slot;
        }
    }
}

state::CollectiveRecord* add(ThreadState& thread, const Which& which) {
    const Locked lock(slow_path);
    auto* record = process_state()->allocate<state::CollectiveRecord>();
    if (record == nullptr) return nullptr;
    record->header.thread = thread.index;
    record->communicator = which.communicator;
    record->function = which.function;
    copy_name(record->name, static_cast<Id>(which.function - 1));
    record->root = which.root;
    StateFile::publish(record->header, state::Kind::collective);
    ++thread.collective_count;
    return record;
}

state::CollectiveRecord* record_of(ThreadState& thread, const state::CommunicatorRecord& communicator,
                                   unsigned function, int root) {
    Which which{.communicator = communicator.id, .function = std::uint64_t{function} + 1, .root = root};
    state::CollectiveRecord** slot = find(thread, which);
    if (*slot == nullptr && root >= 0 && thread.collective_count >= kMostCollectives) {
        which.root = state::kSeveralRoots;
        slot = find(thread, which);
    }
    if (*slot == nullptr && thread.collective_count + 1 >= kCollectiveSlots) return nullptr;
    if (*slot == nullptr) *slot = add(thread, which);
    return *slot;
}

/// Fills an entry of the thread's cache. The function is not inlined, so that a look-up that finds its entry saves no
/// registers.
[[gnu::noinline]] state::CollectiveRecord* remember_record(ThreadState& thread, Handle comm, CollectiveEntry& entry,
                                                           const CollectiveEntry& requested) {
    const state::CommunicatorRecord* communicator = communicator_of(comm);
    if (communicator == nullptr) return nullptr;
    state::CollectiveRecord* record = record_of(thread, *communicator, requested.function, requested.root);
    if (record == nullptr) return nullptr;
    entry = requested;
    entry.record = record;
    return record;
}

}  // namespace

state::CollectiveRecord* collective_record(ThreadState& thread, Id id, Handle handle, int root) {
    const std::uintptr_t comm = library.key(handle);
    const std::uint64_t generation = __atomic_load_n(&communicator_generation, __ATOMIC_RELAXED);
    const auto function = static_cast<unsigned>(id);
    const std::size_t slot = (comm >> 4U ^ comm ^ std::size_t{function} * 5U ^ static_cast<std::size_t>(root) * 17U);
    CollectiveEntry& entry = thread.collectives[slot & (kCollectiveEntries - 1)];
    if (entry.comm == comm && entry.generation == generation && entry.function == function && entry.root == root) {
        return entry.record;
    }
    return remember_record(
        thread, handle, entry,
        {.comm = comm, .generation = generation, .function = function, .root = root, .record = nullptr});
}

void count_started(ThreadState& thread, const StartedPayload& payload, Spent spent) {
    if (payload.to_one) {
        count_message(thread, reinterpret_cast<Handle>(library.comm_world), payload.rank, payload.sent);
    }
    if (payload.communicator == nullptr) return;
    state::CollectiveRecord* record = record_of(thread, *payload.communicator, payload.function, payload.rank);
    if (record == nullptr) {
        count_unrecorded();
        return;
    }
    add(*record, payload.sent, payload.posted, spent);
    if (payload.spread != nullptr) count_spread(thread, *payload.spread);
}

}  // namespace waywiser::profile
