/// A location of another tool's trace as MPI calls: each is an MPI region with the records inside it.
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
    trace::Action action;  ///< that its name tells
    bool test;             ///< asks whether something is complete
};

/// Objects that records refer to, by the numbers of the present rank.
class ForeignObjects {
public:
    virtual ~ForeignObjects() = default;
    /// \return null: it is none of MPI's
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
        std::uint64_t calls = 0;          ///< each poll counts
        std::uint64_t other_regions = 0;  ///< that are not MPI's
        std::uint64_t receives = 0;
        std::uint64_t probes = 0;
        std::uint64_t bare = 0;        ///< calls that should have a record inside and have none
        std::uint64_t unfinished = 0;  ///< requests whose end is not in the trace, or is too far away
    };

    /// \param first_request  the smallest number of a request
    ForeignStream(trace::TraceWriter& writer, ForeignObjects& objects, std::int32_t first_request);

    void enter(std::uint64_t ns, Ref region) override;
    void leave(std::uint64_t ns, Ref region, const std::vector<AttributeValue>& attributes) override;
    void record(const Record& record) override;

    /// Hands over what still waits.
    void finish();

    [[nodiscard]] const Counts& counts() const { return counts_; }
    [[nodiscard]] bool finalised() const { return finalised_; }
    /// A number larger than that of every request.
    [[nodiscard]] std::int32_t next_request() const { return next_request_; }

private:
    /// A call, which waits here until what it posted is known: a nonblocking receive's record says nothing.
    struct Call {
        trace::Parameters parameters;
        std::vector<std::int32_t> requests;
        std::vector<trace::Completion> completed;
        trace::TracedCall time;
        bool is_known = true;
    };

    struct Request {
        std::int32_t number;
        std::uint64_t call;  ///< that made it: its place in the stream
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
    std::unordered_map<std::uint64_t, Request> requests_;  ///< that are pending, by OTF2's numbers
    std::deque<Call> waiting_;
    std::uint64_t first_waiting_ = 0;  ///< place of the first of these in the stream

    ForeignRegion region_{};
    Call call_;
    std::vector<Call> posted_;  ///< within it: messages and other operations
    bool has_collective_ = false;
    std::uint64_t depth_ = 0;  ///< of regions, from the MPI region on
    std::uint64_t last_ns_ = 0;
    bool finalised_ = false;
};

}  // namespace waywiser::exchange::otf2
