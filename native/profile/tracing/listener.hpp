/// Interface of a listener, to which the program's calls are reported while it runs: the library of native/virtual, if
/// it is preloaded beside the profiler. Each call is reported with the data of a trace; it works without a trace.
#pragma once

#include <cstdint>

#include "profile/preload/library.hpp"
#include "trace/records/recording.hpp"

namespace waywiser::profile {

/// Services of the profiler for the listener.
struct ListenerServices {
    const Library* library;
    void* (*find)(const char* name);  ///< returns a definition of the MPI library; PMPI_ names bypass every tool
    const char* const* call_names;    ///< indexed by TraceKey::function - 1
    /// Copies the values of a call's list (TraceListRecord::id). \return the list's length
    std::uint64_t (*read_list)(std::uint32_t list, std::int64_t* values, std::uint64_t room);
    state::Calibration begin;  ///< calibration of the clock
};

/// Functions of a listener of calls, which do not throw. Times are ticks.
struct Listener {
    /// MPI_Init has returned. Collective.
    /// \param can_report  true if this process's calls can be reported
    void (*open)(const ListenerServices& services, bool can_report);
    /// A communicator was made and has this number. Collective over its processes.
    void (*communicator)(std::int32_t number, Handle communicator);
    /// A call that both sends and waits has started; the key describes its message.
    void (*sends)(const state::TraceKey& key, std::uint64_t begin);
    /// A call has ended; a poll may have found nothing.
    void (*call)(const state::TraceKey& key, std::uint64_t begin, std::uint64_t end);
    /// MPI_Finalize starts. Collective.
    void (*close)(std::uint64_t begin);
};

/// The listener; null if there is none.
extern const Listener* listener;

/// Looks for a listener if the run requests a virtual clock.
void find_listener();

/// Passes the profiler's services to the listener.
void open_listener(const state::Calibration& begin, bool can_report);

}  // namespace waywiser::profile
