/// One rank's virtual clock, advanced by the program's calls.
#pragma once

#include <pthread.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mpi/windows.hpp"
#include "virtual/collectives.hpp"
#include "virtual/settings.hpp"
#include "virtual/shadow_communicator.hpp"

namespace waywiser::virtual_clocks {

using state::TraceKey;

/// A function that was called, with its times on the virtual clock.
struct Function {
    std::string name;
    std::string operation;
    mpi::CallRole role;
    std::optional<collectives::Collective> collective;
    std::uint64_t calls = 0;
    double ns = 0;
    double waiting_ns = 0;
    double transfer_ns = 0;
};

/// Number of calls by the reason why they are not followed, or only approximately.
using Remarks = std::map<std::string, std::uint64_t>;

/// A request of the program.
struct Request {
    std::shared_ptr<ShadowCommunicator> over;
    std::optional<TraceKey> prepared;  ///< parameters of a persistent request
    std::optional<Receive> receive;
    std::unique_ptr<Transfer<Start>> starts;  ///< exchange of starts of a collective
    Collective collective;
    double over_ns = 0;  ///< completion time of the rank's own part
};

/// A window of the program.
struct Window {
    std::shared_ptr<ShadowCommunicator> over;
    std::int32_t number = 0;  ///< equal on all ranks
    mpi::PendingOperations<double> pending;
    mpi::EpochPartners with;
    std::vector<std::int32_t> locked;  ///< locked targets
};

class Rank {
public:
    /// Creates the rank's clock. Collective.
    Rank(const profile::ListenerServices& services, Settings settings, bool can_report);

    /// \return false if a rank cannot follow its calls; then no rank follows
    [[nodiscard]] bool follows() const { return follows_; }

    /// Makes a communicator's shadow. Collective over the communicator, whose creating thread may be any.
    [[nodiscard]] std::shared_ptr<ShadowCommunicator> make_shadow(Handle communicator) {
        return std::make_shared<ShadowCommunicator>(mpi_, communicator, node_, travels_);
    }
    void add(std::int32_t number, std::shared_ptr<ShadowCommunicator> created);
    void sends(const TraceKey& key, std::uint64_t begin);
    void call(const TraceKey& key, std::uint64_t begin, std::uint64_t end);
    void close(std::uint64_t begin);

    /// The rank's results, as one object.
    [[nodiscard]] std::string report() const;
    void remark(const std::string& text) { ++remarks_[text]; }
    /// Records why clocks are no longer exact. Any thread may call it.
    void lose(const char* reason) { travels_.lose(reason); }

private:
    static constexpr const char* kFailed = "a call that passes messages has failed";

    void enter(std::uint64_t begin);
    void pass(std::uint64_t until);
    [[nodiscard]] double ns_of(std::uint64_t ticks);
    [[nodiscard]] Charges charges(const ShadowCommunicator& over) const;
    /// Costs of messages to, or from, a rank of the communicator, or of its other group.
    [[nodiscard]] const machine::Messages& costs(const ShadowCommunicator& over, int peer) const;
    [[nodiscard]] std::shared_ptr<ShadowCommunicator> shadow(std::int32_t object);
    [[nodiscard]] std::vector<std::int64_t> list(std::uint32_t number) const;
    [[nodiscard]] std::vector<std::int32_t> numbers(std::uint32_t list) const;
    Request& request(std::int32_t number) { return requests_[number]; }

    void act(const TraceKey& key, const Function& function, double taken_ns);
    [[nodiscard]] bool has_failed(const TraceKey& key, const Function& function) const;
    void message(const TraceKey& key);
    void post(const TraceKey& key, Request& request);
    [[nodiscard]] double send_to(ShadowCommunicator& over, const TraceKey& key, mpi::SendMode mode);
    void take(ShadowCommunicator& over, const Receive& receive);
    void resolve(ShadowCommunicator& over, Receive& receive, std::int32_t source, std::int32_t tag);
    void finish(Request& request);
    void complete(const TraceKey& key);
    void probe(const TraceKey& key);
    void cancel(const TraceKey& key);
    void start(const TraceKey& key);
    void collective(const TraceKey& key, const Function& function, double taken_ns);
    [[nodiscard]] Collective collective_of(const TraceKey& key, const Function& function) const;
    void make_window(const TraceKey& key);
    void operate(const TraceKey& key);
    void synchronise(const TraceKey& key, const Function& function, double taken_ns);
    struct EpochCall;
    void flush(Window& window, std::int32_t target);
    void lock(Window& window, const TraceKey& key);
    void unlock(Window& window, std::int32_t target);
    void log_lock(const Window& window, std::int32_t target, LockEvent::Kind kind);
    [[nodiscard]] bool settles_locks(const TraceKey& key, const Function& function) const;
    void settle_locks(ShadowCommunicator& over);
    [[nodiscard]] double late_by_locks_ns(ShadowCommunicator& over, const std::vector<Start>& logs,
                                          std::vector<LockEvent> own);
    void log_receive(ShadowCommunicator& over, int from, const machine::Charge& charge, const Stamp& stamp,
                     double posted_ns);

    profile::ListenerServices services_;
    Settings settings_;
    Mpi mpi_;
    Travels travels_;
    Rules rules_;
    bool follows_ = false;
    int node_ = -1;
    int world_rank_ = -1;
    Clock clock_;
    state::Calibration calibration_{};  ///< latest calibration
    double ns_per_tick_ = 1;
    pthread_t thread_ = pthread_self();  ///< thread of the latest call
    std::uint64_t begin_ticks_ = 0;
    std::uint64_t end_ticks_ = 0;
    std::uint64_t exit_ticks_ = 0;       ///< end of the work that belongs to the latest call
    std::uint64_t following_ticks_ = 0;  ///< time spent on the clocks themselves
    bool polled_ = false;                ///< true if the latest call was an unsuccessful test
    std::vector<Function> functions_;
    std::map<std::int32_t, std::shared_ptr<ShadowCommunicator>> shadows_;  ///< by number of the communicator or window
    std::map<std::int32_t, Window> windows_;                               ///< by number of the window
    std::uint32_t calling_ = 0;                                            ///< TraceKey::function of the current call
    /// function of the latest call that requested a lock or learned of other ranks' waits
    std::uint32_t delayed_in_ = 0;
    std::map<std::int32_t, Request> requests_;
    std::optional<Request> early_;  ///< started request of a call that sends and waits
    std::uint64_t messages_ = 0;
    std::uint64_t handshakes_ = 0;
    double senders_ns_ = 0;  ///< time that senders would have waited for receivers
    Remarks remarks_;
};

}  // namespace waywiser::virtual_clocks
