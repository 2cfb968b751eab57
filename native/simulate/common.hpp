/// State that all parts of a replay share: the tables of the trace, the machine, and data derived from both.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/large_pages.hpp"
#include "collectives/selection.hpp"
#include "mpi/protocol.hpp"
#include "simulate/intervals.hpp"
#include "simulate/members.hpp"
#include "simulate/replay.hpp"
#include "simulate/state.hpp"

namespace waywiser::simulate {

/// Properties of a function.
struct Function {
    mpi::CallRole role;
    std::string operation;
    std::optional<collectives::Collective> collective;
    bool readies = false;  ///< the function makes partitions of a message ready

    /// The protocol of the function's messages.
    [[nodiscard]] machine::Protocol protocol() const { return mpi::protocol_of(role.mode); }
};

/// Remarks, and how often each of them was made.
using Remarks = std::map<std::string, std::uint64_t>;

/// State that threads share for reading; the state of a rank is modified only by the thread that evaluates the rank.
struct Common {
    /// All arguments must outlive the object.
    ///
    /// \throws InvalidInput  the settings are not valid or do not fit the trace
    Common(const trace::TraceJob& job, const trace::CallSource& calls, const Settings& settings);

    /// True if results depend on the order in which ranks are evaluated; then a single thread evaluates all.
    [[nodiscard]] bool needs_order() const;

    /// The object with that number on an actor's rank; null if there is none.
    [[nodiscard]] RankObject* object_of(const Actor& actor, std::int32_t number) {
        return mpi::numbered(ranks[actor.rank].objects, number);
    }
    [[nodiscard]] const JobObject* job_object(const Actor& actor, std::int32_t number) {
        const RankObject* known = object_of(actor, number);
        return known == nullptr ? nullptr : &objects[known->job_object];
    }

    /// True if the times at which ranks are within calls matter: handshakes may occur, and proceed there only.
    bool in_calls = false;

    const Settings& settings;
    const trace::TraceJob& job;
    std::vector<JobObject> objects;
    const trace::CallSource& calls;
    std::vector<Function> functions;
    std::vector<PlanList> plans;  ///< indexed as the streams' lists
    std::uint32_t world = 0;      ///< context of MPI_Finalize
    Group everybody;              ///< members of that context
    LargeVector<RankState> ranks;
    std::vector<std::size_t> stream_begins;  ///< first stream of each rank, and the end after the last rank
    std::vector<std::uint32_t> part_of_rank;
    bool locks_exclude = false;          ///< true if some locks of a window are exclusive
    std::size_t nodes = 0;               ///< number of nodes with ranks
    std::vector<double> scale;           ///< factors of computation, by rank
    std::vector<IntervalTimes> factors;  ///< balanced: factors of computation, by rank and kind; empty if kinds differ
    std::vector<Intervals> quiet;        ///< without noise: computation intervals, by stream
    std::map<collectives::Collective, const collectives::Algorithm*>
        specified;                              ///< algorithms that the settings specify
    std::optional<collectives::Library> rules;  ///< rules that select the others
    std::uint64_t origin_ns = 0;
    std::size_t lost_before = 0;  ///< number of sentences in the trace
    bool incomplete = false;
    Remarks remarks;

private:
    void place_ranks();
    void make_plans();
    void adjust_computation();
    [[nodiscard]] bool may_need_handshake(const trace::StoredSignature& stored) const;
    void balance();
    template <class Visit>
    void each_interval(std::size_t stream, Visit visit) const;
};

}  // namespace waywiser::simulate
