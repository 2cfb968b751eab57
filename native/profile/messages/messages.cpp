#include "profile/messages/messages.hpp"

#include <iterator>

#include "base/hash.hpp"
#include "profile/messages/topology.hpp"
#include "profile/preload/slow_path.hpp"
#include "profile/process/world.hpp"

namespace waywiser::profile {

/// A destination's share of a persistent collective.
struct Share {
    long world_rank;  ///< -1: a process outside MPI_COMM_WORLD
    std::uint64_t bytes;
};

struct Spread {
    std::size_t bytes;  ///< size of this allocation
    int count;
    Share* to;  ///< array that follows this struct
};

namespace {

std::size_t slot_of(long world_rank, std::size_t table_size) {
    // table_size is a power of two
    return static_cast<std::size_t>(static_cast<std::uint64_t>(world_rank) * kGolden >> 32U) & (table_size - 1);
}

state::Partner** find_slot(state::Partner** table, std::size_t size, long world_rank) {
    std::size_t i = slot_of(world_rank, size);
    while (table[i] != nullptr && table[i]->world_rank != world_rank) i = (i + 1) & (size - 1);
    return &table[i];
}

bool grow_partner_table(ThreadState& thread) {
    const std::size_t size = thread.table_size == 0 ? 512 : 2 * thread.table_size;
    auto* table = static_cast<state::Partner**>(zeroed_pages(size * sizeof(state::Partner*)));
    if (table == nullptr) return false;
    for (std::size_t i = 0; i < thread.table_size; ++i) {
        if (state::Partner* partner = thread.by_world_rank[i]) *find_slot(table, size, partner->world_rank) = partner;
    }
    if (thread.by_world_rank != nullptr)
        munmap(static_cast<void*>(thread.by_world_rank), thread.table_size * sizeof(state::Partner*));
    thread.by_world_rank = table;
    thread.table_size = size;
    return true;
}

state::Partner* new_partner(ThreadState& thread, long world_rank) {
    state::PartnersRecord* block = thread.partners;
    if (block == nullptr || block->used == std::size(block->partners)) {
        const Locked lock(slow_path);
        block = process_state()->allocate<state::PartnersRecord>();
        if (block == nullptr) return nullptr;
        block->header.thread = thread.index;
        StateFile::publish(block->header, state::Kind::partners);
        thread.partners = block;
    }
    state::Partner* partner = &block->partners[block->used];
    partner->world_rank = world_rank;
    __atomic_store_n(&block->used, block->used + 1, __ATOMIC_RELEASE);
    return partner;
}

state::Partner* partner_of(ThreadState& thread, long world_rank) {
    if (4 * (thread.partner_count + 1) > 3 * thread.table_size && !grow_partner_table(thread)) return nullptr;
    state::Partner** slot = find_slot(thread.by_world_rank, thread.table_size, world_rank);
    if (*slot == nullptr) {
        *slot = new_partner(thread, world_rank);
        if (*slot != nullptr) ++thread.partner_count;
    }
    return *slot;
}

/// Ranks of `comm` that Shares refer to, in their order, including MPI_PROC_NULL.
/// \param ranks  null to get the number only
int destination_ranks(Handle comm, Shares::To to, int room, int* ranks) {
    if (to == Shares::To::neighbours) return out_neighbours(comm, room, ranks);
    const int n = payload::peers(comm);
    for (int i = 0; ranks != nullptr && i < n && i < room; ++i) ranks[i] = i;
    return n;
}

/// Calls `each(i, world_rank)` for every destination of a collective's shares, with -1 for MPI_PROC_NULL, for the
/// caller itself, and for processes outside MPI_COMM_WORLD.
/// \return the number of destinations; -1 without memory
template <class Each>
int for_each_destination(Handle comm, Shares::To to, Each&& each) {
    const int n = destination_ranks(comm, to, 0, nullptr);
    if (n <= 0) return n;
    int* ranks = scratch(0, 2 * static_cast<std::size_t>(n));
    if (ranks == nullptr) return -1;
    int* world = ranks + n;
    destination_ranks(comm, to, n, ranks);
    const bool known = translate_ranks(comm, n, ranks, world);
    for (int i = 0; i < n; ++i) each(i, known && world[i] != library.world_rank ? world[i] : -1);
    return n;
}

bool make_room(DestinationsEntry& entry, int count) {
    if (count <= entry.capacity) return true;
    auto* partners =
        static_cast<state::Partner**>(zeroed_pages(static_cast<std::size_t>(count) * sizeof(state::Partner*)));
    if (partners == nullptr) return false;
    if (entry.partners != nullptr) {
        munmap(static_cast<void*>(entry.partners), static_cast<std::size_t>(entry.capacity) * sizeof(state::Partner*));
    }
    entry.partners = partners;
    entry.capacity = count;
    return true;
}

const DestinationsEntry* destinations(ThreadState& thread, Handle comm, Shares::To to) {
    const std::uintptr_t key = library.key(comm);
    const std::uint64_t generation = __atomic_load_n(&communicator_generation, __ATOMIC_RELAXED);
    DestinationsEntry& entry = thread.destinations[(key >> 4U ^ key) & (kDestinationsEntries - 1)];
    if (entry.comm == key && entry.generation == generation && entry.to == to) return &entry;
    entry.comm = 0;
    if (!make_room(entry, destination_ranks(comm, to, 0, nullptr))) return nullptr;
    bool whole = true;
    entry.count = for_each_destination(comm, to, [&](int i, int world_rank) {
        entry.partners[i] = world_rank < 0 ? nullptr : partner_of(thread, world_rank);
        whole = whole && (world_rank < 0 || entry.partners[i] != nullptr);
    });
    if (entry.count < 0 || !whole) return nullptr;
    entry.comm = key;
    entry.generation = generation;
    entry.to = to;
    return &entry;
}

void add_share(state::Partner* partner, std::uint64_t bytes) {
    if (partner == nullptr || bytes == 0) return;
    partner->collective_bytes += bytes;
    partner->collective_messages += 1;
}

}  // namespace

void keep_world(int* world_ranks, int n) {
    for (int i = 0; i < n; ++i) {
        if (world_ranks[i] < 0 || world_ranks[i] >= library.world_size) world_ranks[i] = -1;
    }
}

int destinations_of(Handle comm, Shares::To to) { return destination_ranks(comm, to, 0, nullptr); }

bool translate_ranks(Handle comm, int n, const int* ranks, int* world_ranks) {
    if (library.key(comm) == library.comm_world) {
        for (int i = 0; i < n; ++i) world_ranks[i] = ranks[i] < 0 ? -1 : ranks[i];
        return true;
    }
    Handle group = nullptr;
    const auto ask = payload::is_intercommunicator(comm) ? library.comm_remote_group : library.comm_group;
    if (ask(comm, &group) != 0) return false;
    const bool known = ranks_in_world(group, n, ranks, world_ranks);
    library.group_free(&group);
    if (known) keep_world(world_ranks, n);
    return known;
}

int world_rank_of(Handle comm, int rank) {
    int world_rank = -1;
    // MPICH returns success even after an error, if the program's own error handler has returned.
    if (rank < 0 || rank >= payload::peers(comm)) return -1;
    return translate_ranks(comm, 1, &rank, &world_rank) ? world_rank : -1;
}

namespace {

[[gnu::noinline]] void add_message_outside_world(std::uint64_t bytes) {
    state::Metrics& metrics = process_state()->header()->metrics_end;
    __atomic_fetch_add(&metrics.at<"outside_world_messages">(), 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&metrics.at<"outside_world_bytes">(), bytes, __ATOMIC_RELAXED);
}

void add_message(const PeerEntry& to, std::uint64_t bytes) {
    if (to.partner == nullptr) return add_message_outside_world(bytes);
    to.partner->bytes += bytes;
    to.partner->messages += 1;
}

/// Fills an entry of the thread's cache before the message is added. The function is not inlined, so that a message
/// with a cached entry saves no registers.
[[gnu::noinline]] void add_first_message(ThreadState& thread, Handle comm, std::uint64_t bytes, PeerEntry& entry,
                                         const PeerEntry& requested) {
    const int world_rank = world_rank_of(comm, requested.rank);
    state::Partner* partner = world_rank < 0 ? nullptr : partner_of(thread, world_rank);
    if (world_rank >= 0 && partner == nullptr) return count_unrecorded();
    entry = requested;
    entry.partner = partner;
    add_message(entry, bytes);
}

}  // namespace

void count_message(ThreadState& thread, Handle comm_handle, int rank, std::uint64_t bytes) {
    const std::uintptr_t comm = library.key(comm_handle);
    const std::uint64_t generation = __atomic_load_n(&communicator_generation, __ATOMIC_RELAXED);
    const std::size_t slot = (comm >> 4U ^ comm ^ static_cast<std::size_t>(rank)) & (kPeerEntries - 1);
    PeerEntry& entry = thread.peers[slot];
    if (entry.comm == comm && entry.rank == rank && entry.generation == generation) return add_message(entry, bytes);
    add_first_message(thread, comm_handle, bytes, entry,
                      {.comm = comm, .generation = generation, .rank = rank, .partner = nullptr});
}

void count_shares(ThreadState& thread, const CollectivePayload& payload) {
    const DestinationsEntry* to = destinations(thread, payload.comm, payload.shares.to);
    if (to == nullptr) {
        count_unrecorded();
        return;
    }
    for (int i = 0; i < to->count; ++i) {
        if (to->partners[i] != nullptr) add_share(to->partners[i], payload::share(payload.shares, i));
    }
}

Spread* spread_of(const CollectivePayload& payload) {
    if (payload.shares.to == Shares::To::nobody) return nullptr;
    const int n = destination_ranks(payload.comm, payload.shares.to, 0, nullptr);
    if (n <= 0) return nullptr;
    const std::size_t bytes = sizeof(Spread) + static_cast<std::size_t>(n) * sizeof(Share);
    auto* spread = static_cast<Spread*>(zeroed_pages(bytes));
    if (spread == nullptr) return nullptr;
    spread->bytes = bytes;
    spread->to = reinterpret_cast<Share*>(spread + 1);
    spread->count = for_each_destination(payload.comm, payload.shares.to, [&](int i, int world_rank) {
        spread->to[i] = {.world_rank = world_rank, .bytes = world_rank < 0 ? 0 : payload::share(payload.shares, i)};
    });
    return spread;
}

void count_spread(ThreadState& thread, const Spread& spread) {
    for (int i = 0; i < spread.count; ++i) {
        const auto [world_rank, bytes] = spread.to[i];
        if (bytes == 0) continue;
        state::Partner* partner = partner_of(thread, world_rank);
        if (partner == nullptr) return count_unrecorded();
        add_share(partner, bytes);
    }
}

void release(const Spread* spread) {
    if (spread != nullptr) munmap(const_cast<Spread*>(spread), spread->bytes);
}

}  // namespace waywiser::profile
