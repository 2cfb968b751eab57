/// A location of another tool's trace as MPI calls, each of which is an MPI region with its records.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <queue>
#include <string>
#include <unordered_map>
#include <vector>

#include "exchange/otf2_events.hpp"
#include "trace/writing/trace_writer.hpp"

namespace waywiser::exchange::otf2 {

struct ForeignRegion {
    std::uint32_t function;
    trace::Action action;  ///< action according to the name
    bool test;             ///< the call tests for completion
};

/// Objects to which records refer, by the numbers of the current rank.
class ForeignObjects {
public:
    virtual ~ForeignObjects() = default;
    /// \return null if it is not a function of MPI
    [[nodiscard]] virtual const ForeignRegion* region(Ref ref) const = 0;
    [[nodiscard]] virtual std::uint32_t function(const std::string& name) = 0;
    [[nodiscard]] virtual std::int32_t communicator(Ref ref) = 0;
    [[nodiscard]] virtual std::int32_t window(Ref ref) = 0;
    [[nodiscard]] virtual std::uint64_t processes(Ref comm) const = 0;
    /// True if bytes of collectives are counted once for each destination.
    [[nodiscard]] virtual bool counts_destinations() const = 0;
};

class ForeignStream : public EventHandler {
public:
    struct Counts {
        std::uint64_t calls = 0;          ///< number of calls, in which each poll counts
        std::uint64_t other_regions = 0;  ///< number of regions outside MPI
        std::uint64_t receives = 0;
        std::uint64_t probes = 0;
        std::uint64_t bare = 0;        ///< number of calls that lack a required record
        std::uint64_t unfinished = 0;  ///< number of requests whose end is missing or too far away
    };

    /// \param first_request  the smallest number of a request
    ForeignStream(trace::TraceWriter& writer, ForeignObjects& objects, std::int32_t first_request);

    void enter(std::uint64_t ns, Ref region) override;
    void leave(std::uint64_t ns, Ref region, const std::vector<AttributeValue>& attributes) override;
    void record(const Record& record) override;

    /// Writes the calls that are still waiting.
    void finish();

    [[nodiscard]] const Counts& counts() const { return counts_; }
    [[nodiscard]] bool finalised() const { return finalised_; }
    /// A number larger than that of every request.
    [[nodiscard]] std::int32_t next_request() const { return next_request_; }

private:
    /// A call, which waits here until its operation is known, because the record of a nonblocking receive has no
    /// details.
    struct Call {
        trace::Parameters parameters;
        std::vector<std::int32_t> requests;
        std::vector<trace::Completion> completed;
        trace::TracedCall time;
        bool is_known = true;
    };

    struct Request {
        std::int32_t number;
        std::uint64_t call;  ///< position in the stream of the call that made it
        bool is_known;
    };

    void begin(std::uint64_t ns, const ForeignRegion& region);
    void end(std::uint64_t ns);
    void settle(std::uint64_t ns);
    trace::Parameters& post(trace::Action action);
    void post_request(std::uint64_t id, bool is_known);
    Call* complete(std::uint64_t id);
    Call* waiting_call(const Request& request);
    void forget(const Request& request);
    void test(std::uint64_t id, bool cancelled);
    void collective(trace::Parameters& call, const Record& record) const;
    [[nodiscard]] bool repeats_poll() const;
    void hand_over(bool all);

    trace::TraceWriter& writer_;
    ForeignObjects& objects_;
    Counts counts_;
    std::int32_t next_request_;
    std::priority_queue<std::int32_t, std::vector<std::int32_t>, std::greater<>> free_;
    std::unordered_map<std::uint64_t, Request> requests_;  ///< pending requests by OTF2's numbers
    std::deque<Call> waiting_;
    std::uint64_t first_waiting_ = 0;  ///< position of the first waiting call in the stream

    ForeignRegion region_{};
    Call call_;
    std::vector<Call> posted_;  ///< messages and other operations within the call
    bool has_collective_ = false;
    std::uint64_t depth_ = 0;  ///< nesting depth of regions, from the MPI region on
    std::uint64_t last_ns_ = 0;
    bool finalised_ = false;
};

}  // namespace waywiser::exchange::otf2
