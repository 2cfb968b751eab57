/// Transport of clocks: each of the program's communicators has a private one, which carries a stamp for each message.
///
/// A stamp is sent before its message or right after it, without blocking. So once a message has arrived, its stamp has
/// been sent. Stamps of one sender arrive in the order in which it sent its messages, which is the order in which they
/// match (MPI-4.1, section 3.5). The n-th message of a source with a tag therefore has the n-th stamp of that source
/// with that tag.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collectives/nodes.hpp"
#include "mpi/open_receives.hpp"
#include "profile/tracing/listener.hpp"
#include "virtual/clock.hpp"
#include "virtual/locks.hpp"

namespace waywiser::virtual_clocks {

using profile::Handle;

/// The transport of clocks has failed in MPI, so that calls can no longer be followed.
class Lost : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The MPI library's functions for the transport of clocks, which bypass every tool.
struct Mpi {
    const profile::Library* library = nullptr;
    Handle byte = nullptr;
    void* status_ignore = nullptr;
    int (*isend)(const void*, int, Handle, int, int, Handle, Handle*) = nullptr;
    int (*irecv)(void*, int, Handle, int, int, Handle, Handle*) = nullptr;
    int (*test)(Handle*, int*, void*) = nullptr;
    int (*cancel)(Handle*) = nullptr;
    int (*request_free)(Handle*) = nullptr;
    int (*allgather)(const void*, int, Handle, void*, int, Handle, Handle) = nullptr;
    int (*iallgather)(const void*, int, Handle, void*, int, Handle, Handle, Handle*) = nullptr;
    int (*comm_split)(Handle, int, int, Handle*) = nullptr;
    int (*comm_free)(Handle*) = nullptr;

    /// \return true if the library has all of them
    bool take(const profile::ListenerServices& services);
};

/// Memory that a transfer uses until it is complete.
template <class Value>
struct Transfer {
    Handle request = nullptr;
    std::vector<Value> values;
};

/// State that all shadow communicators of a process share.
class Travels {
public:
    std::uint64_t stamps = 0;  ///< number of stamps sent
    std::uint64_t bytes = 0;   ///< number of bytes sent

    /// Stops following on this rank. It then waits for no other rank, and sends each partner this fact instead of its
    /// time.
    /// \param reason  must remain valid; the first reason is kept
    void lose(const char* reason) {
        const char* none = nullptr;
        reason_.compare_exchange_strong(none, reason);
    }
    [[nodiscard]] bool lost() const { return reason() != nullptr; }
    [[nodiscard]] const char* reason() const { return reason_.load(std::memory_order_relaxed); }

private:
    std::atomic<const char*> reason_ = nullptr;
};

/// A receive of the program until its stamp is taken.
struct Receive {
    mpi::Selector from;
    double posted_ns = 0;
    std::uint64_t serial = 0;  ///< serial number in posting order
    std::uint64_t number = 0;  ///< number of the message among those of the source with the tag
    bool numbered = false;
};

/// The data that ranks of a communicator exchange before a collective.
struct Start {
    static constexpr double kLost_ns = -1;  ///< value of a rank that is no longer followed

    double now_ns = 0;
    double nic_ns = 0;
    std::uint64_t sent = 0;
    std::uint64_t posted = 0;
};

class ShadowCommunicator {
public:
    /// The subject of a stamp: the program's messages, the steps of collectives, the answers to long messages of steps,
    /// or waiting at locks.
    enum class Kind : std::uint8_t { message, step, grant, lock };

    /// Creates the shadow. Collective over the communicator. \throws Lost  if the library refuses
    ShadowCommunicator(const Mpi& mpi, Handle program_communicator, int node, Travels& travels);
    /// Frees the library's communicators at once; no operation on them is pending.
    ~ShadowCommunicator();
    ShadowCommunicator(const ShadowCommunicator&) = delete;
    ShadowCommunicator& operator=(const ShadowCommunicator&) = delete;

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] bool between_groups() const { return between_groups_; }
    [[nodiscard]] std::int64_t node_of(int rank) const { return node_of_rank_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const collectives::Nodes& nodes();

    void send(int to, Kind kind, const Stamp& stamp);
    /// Waits for a stamp. The stamp is empty if this rank is no longer followed, also because its partner is not.
    [[nodiscard]] Stamp receive(int from, Kind kind);

    /// Registers a posted receive.
    void post(Receive& receive);
    /// Sets the message of a wildcard receive. \return false if an earlier receive might have had that message
    bool resolve(Receive& receive);
    /// Removes a cancelled receive.
    void withdraw(const Receive& receive);
    /// The stamp of the receive's message; may be empty as for receive().
    [[nodiscard]] Stamp take(const Receive& receive);
    /// The next stamp with a negative tag, which no message of the program has; may be empty as for receive().
    [[nodiscard]] Stamp take(mpi::Selector from);
    /// A number for a window made of the communicator, equal on all ranks.
    [[nodiscard]] std::int32_t number_window() { return windows_++; }

    /// Nonblocking collective: notifies all ranks that this rank has reached a collective. Ranks that no longer follow
    /// take part.
    [[nodiscard]] std::unique_ptr<Transfer<Start>> gather_starts(const Start& own);
    /// Waits for the starts of the others; empty if this rank is no longer followed.
    [[nodiscard]] std::vector<Start> await_starts(std::unique_ptr<Transfer<Start>> transfer);

    /// The log of locks of windows that were made of the communicator.
    [[nodiscard]] LockLog& locks() { return locks_; }
    /// Sends this rank's lock events. The receiver knows their number.
    void send(int to, std::vector<LockEvent> events);
    /// Receives the events of send(); empty if this rank is no longer followed.
    [[nodiscard]] std::vector<LockEvent> receive_events(int from, std::size_t count);

private:
    /// Messages of a source with a tag.
    struct Stream {
        std::uint64_t claimed = 0;  ///< number of messages that receives have claimed
        std::uint64_t arrived = 0;
        std::unordered_map<std::uint64_t, Stamp> stamps;
    };

    static std::uint64_t key(mpi::Selector from) {
        return std::uint64_t{static_cast<std::uint32_t>(from.source)} << 32U | static_cast<std::uint32_t>(from.tag);
    }
    Stream& stream(mpi::Selector from) { return streams_[key(from)]; }
    void number(Receive& receive);
    void forget_if_idle(mpi::Selector from);
    /// \return false if the request has not completed in time, or this rank is no longer followed
    bool await(Handle& request);
    template <class Value>
    void reap(std::deque<std::unique_ptr<Transfer<Value>>>& transfers);
    template <class Value>
    void send(std::deque<std::unique_ptr<Transfer<Value>>>& transfers, int to, Kind kind, std::vector<Value> values);
    /// \return empty if the transfer has not arrived in time
    template <class Value>
    [[nodiscard]] std::vector<Value> receive(int from, Kind kind, std::size_t count);

    const Mpi& mpi_;
    Handle communicator_ = nullptr;
    int rank_ = 0;
    int size_ = 0;
    bool between_groups_ = false;
    std::vector<std::int64_t> node_of_rank_;   ///< nodes of the ranks to which messages go
    std::optional<collectives::Nodes> nodes_;  ///< set on first use
    std::deque<std::unique_ptr<Transfer<Stamp>>> sending_;
    std::deque<std::unique_ptr<Transfer<LockEvent>>> sending_events_;
    std::unordered_map<std::uint64_t, Stream> streams_;
    mpi::OpenReceives<std::uint64_t> open_;  ///< by serial number
    std::uint64_t serial_ = 0;
    std::int32_t windows_ = 0;
    LockLog locks_;
    std::unordered_set<int> farewells_[4];  ///< by kind: ranks that know that this rank is no longer followed
    std::deque<std::unique_ptr<Transfer<Start>>> abandoned_;  ///< transfers that no longer have a waiter
    Travels& travels_;
};

}  // namespace waywiser::virtual_clocks
