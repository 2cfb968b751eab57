#include "profile/openmp/openmp.hpp"

#include <atomic>

#include "profile/calls/recorder.hpp"
#include "profile/preload/slow_path.hpp"

namespace waywiser::profile {

namespace {

using state::OpenMpThread;

constexpr unsigned kBlocks = state::kOpenMpThreads / state::kOpenMpBlock;

constinit std::atomic<state::OpenMpRecord*> blocks[kBlocks] = {};
constinit std::atomic<bool> region_open = false;

/// The calling thread in the region that is counted.
struct Member {
    OpenMpThread* entry;  ///< null outside a region
    OpenMpThread before;  ///< copy of the entry at the start of the region
    std::uint64_t region_begin;
    std::uint64_t begin;
    std::uint64_t waited;
    std::uint64_t wait_begin;  ///< 0 while the thread works
    unsigned nested;           ///< regions that the thread has opened within the counted one
};

__attribute__((tls_model("initial-exec"))) constinit thread_local Member member{};

state::OpenMpRecord* new_block(unsigned index) {
    const Locked lock(slow_path);
    state::OpenMpRecord* block = blocks[index].load(std::memory_order_acquire);
    if (block != nullptr) return block;
    block = process_state()->allocate<state::OpenMpRecord>();
    if (block == nullptr) return nullptr;
    block->first_thread = std::uint64_t{index} * state::kOpenMpBlock;
    StateFile::publish(block->header, state::Kind::openmp);
    blocks[index].store(block, std::memory_order_release);
    return block;
}

/// The counters of a thread number; null beyond the distinguished numbers, or without memory.
OpenMpThread* entry_of(unsigned thread) {
    if (thread >= state::kOpenMpThreads) return nullptr;
    state::OpenMpRecord* block = blocks[thread / state::kOpenMpBlock].load(std::memory_order_acquire);
    if (__builtin_expect(block == nullptr, 0)) block = new_block(thread / state::kOpenMpBlock);
    return block == nullptr ? nullptr : &block->threads[thread % state::kOpenMpBlock];
}

std::uint64_t difference(std::uint64_t later, std::uint64_t earlier) { return later > earlier ? later - earlier : 0; }

/// Records the thread's part up to now as if its region ended here; a later call replaces it.
void book(std::uint64_t now) {
    const std::uint64_t inside = difference(now, member.begin);
    member.entry->regions = member.before.regions + 1;
    member.entry->busy_ticks = member.before.busy_ticks + difference(inside, member.waited);
    member.entry->barrier_ticks = member.before.barrier_ticks + member.waited;
    member.entry->present_ticks = member.before.present_ticks + difference(now, member.region_begin);
}

}  // namespace

std::uint64_t open_region() {
    if (!mpi_is_up.load(std::memory_order_relaxed) || member.entry != nullptr) return 0;
    if (region_open.exchange(true, std::memory_order_acquire)) return 0;
    return ticks();
}

/// Records the team's time with its last thread: a thread took part in the regions of all teams whose last thread does
/// not precede it. So no thread writes into others' counters.
void close_region(std::uint64_t begin, unsigned team) {
    const std::uint64_t took = difference(ticks(), begin);
    const unsigned known = team < state::kOpenMpThreads ? team : state::kOpenMpThreads;
    if (OpenMpThread* last = known == 0 ? nullptr : entry_of(known - 1)) {
        last->teams += 1;
        last->team_ticks += took;
    }
    region_open.store(false, std::memory_order_release);
}

void join_region(std::uint64_t region_begin, unsigned thread) {
    member.entry = entry_of(thread);
    if (member.entry == nullptr) return;
    member.before = *member.entry;
    member.region_begin = region_begin;
    member.begin = ticks();
    member.waited = 0;
    member.wait_begin = 0;
    member.nested = 0;
}

void begin_wait() {
    if (member.entry == nullptr || member.nested != 0) return;
    member.wait_begin = ticks();
    book(member.wait_begin);
}

void end_wait() {
    if (member.entry == nullptr || member.wait_begin == 0 || member.nested != 0) return;
    member.waited += difference(ticks(), member.wait_begin);
    member.wait_begin = 0;
}

void leave_region() {
    if (member.entry != nullptr) book(ticks());
    member.entry = nullptr;
}

void leave_region_late() {
    if (member.entry != nullptr && member.entry->regions == member.before.regions) book(ticks());
    member.entry = nullptr;
}

void count_task() {
    if (member.entry != nullptr) member.entry->tasks += 1;
}

void open_nested_region() { member.nested += 1; }

void close_nested_region() { member.nested -= 1; }

void stop_openmp() { member.entry = nullptr; }

}  // namespace waywiser::profile
