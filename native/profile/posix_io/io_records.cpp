#include "profile/calls/recorder.hpp"
#include "profile/posix_io/posix_io.hpp"
#include "profile/preload/slow_path.hpp"

namespace waywiser::profile {
namespace {

constexpr const char* kNames[] = {
#define X(name) #name,
    WAYWISER_IO_CALLS(X)
#undef X
};

constinit state::FunctionRecord* records[kIoCalls] = {};

void add(std::uint64_t& to, std::uint64_t value) { __atomic_fetch_add(&to, value, __ATOMIC_RELAXED); }

void raise_to(std::uint64_t& largest, std::uint64_t value) {
    std::uint64_t seen = __atomic_load_n(&largest, __ATOMIC_RELAXED);
    while (seen < value &&
           !__atomic_compare_exchange_n(&largest, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

}  // namespace

void open_io_records() {
    const Locked lock(slow_path);
    if (records[0] != nullptr) return;  // MPI was initialised again.
    for (unsigned i = 0; i < kIoCalls; ++i) {
        auto* record = process_state()->allocate<state::FunctionRecord>();
        if (record == nullptr) return;
        __builtin_strncpy(record->name, kNames[i], sizeof record->name - 1);
        StateFile::publish(record->header, state::Kind::io);
        records[i] = record;
    }
}

}  // namespace waywiser::profile

using namespace waywiser::profile;

/// One record serves all threads, including those that never call MPI: atomic additions cost little beside a system
/// call.
void waywiser_record_io(unsigned call, std::uint64_t begin, std::uint64_t end, std::uint64_t bytes) {
    if (!mpi_is_up.load(std::memory_order_relaxed) || call >= kIoCalls || inside_mpi()) return;
    waywiser::state::FunctionRecord* record = records[call];
    if (record == nullptr) return;
    const std::uint64_t took = end > begin ? end - begin : 0;
    waywiser::state::Bin& bin = record->bins[waywiser::state::bin_of(bytes)];
    add(bin.calls, 1);
    add(bin.ticks, took);
    add(record->bytes, bytes);
    raise_to(record->max_ticks, took);
}
