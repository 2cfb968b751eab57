/// Interface of a follower, to which the program's calls are reported while it runs: the library of native/virtual, if
/// it is preloaded beside the profiler. Each call is reported with the data of a trace; it works without a trace.
#pragma once

#include <cstdint>

#include "profile/preload/library.hpp"
#include "trace/records/recording.hpp"

namespace waywiser::profile {

/// Services of the profiler for the follower.
struct FollowerServices {
    const Library* library;
    void* (*find)(const char* name);  ///< returns a definition of the MPI library; PMPI_ names bypass every tool
    const char* const* call_names;    ///< indexed by TraceKey::function - 1
    /// Copies the values of a call's list (TraceListRecord::id). \return the list's length
    std::uint64_t (*read_list)(std::uint32_t list, std::int64_t* values, std::uint64_t room);
    state::Calibration begin;  ///< calibration of the clock
};

/// Functions of a follower of calls, which do not throw. Times are ticks.
struct Follower {
    /// MPI_Init has returned. Collective.
    /// \param can_follow  true if this process's calls can be reported
    void (*open)(const FollowerServices& services, bool can_follow);
    /// A communicator was made and has this number. Collective over its processes.
    void (*communicator)(std::int32_t number, Handle communicator);
    /// A call that both sends and waits has started; the key describes its message.
    void (*sends)(const state::TraceKey& key, std::uint64_t begin);
    /// A call has ended; a poll may have found nothing.
    void (*call)(const state::TraceKey& key, std::uint64_t begin, std::uint64_t end);
    /// MPI_Finalize starts. Collective.
    void (*close)(std::uint64_t begin);
};

/// The follower; null if there is none.
extern const Follower* follower;

/// Looks for a follower if the run requests a virtual clock.
void find_follower();

/// Passes the profiler's services to the follower.
void open_follower(const state::Calibration& begin, bool can_follow);

}  // namespace waywiser::profile
