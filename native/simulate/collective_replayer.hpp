/// Collectives as messages: the schedules of native/collectives, simulated step by step.
#pragma once

#include <cstdint>
#include <optional>

#include "simulate/collective_choice.hpp"
#include "simulate/point_to_point.hpp"
#include "simulate/reductions.hpp"

namespace waywiser::simulate {

class CollectiveReplayer {
public:
    /// All arguments must outlive the object.
    CollectiveReplayer(Common& common, PointToPoint& messages, Schedule& schedule, Remarks& remarks)
        : common_(common), messages_(messages), schedule_(schedule), remarks_(remarks), choice_(common, remarks) {}

    /// Sets up the player's part, which is complete once the player has executed all rounds and has met all needs.
    /// \param described  a collective over an object that the player's rank knows
    /// \param tag  tag of the messages
    void begin(Actor& actor, const Description& described, std::int32_t tag);
    /// A barrier of all traced ranks, as in MPI_Finalize.
    void join_all(Actor& actor);
    /// Posts and sends the messages of the next round, if the player takes part in a collective.
    void proceed(Actor& actor);

    // Collectives in switches (reductions.cpp).
    /// The waiter to set for the actor to be woken; null if all members have arrived.
    [[nodiscard]] std::uint32_t* what_wakes(const Need& result);
    void take_result(Actor& actor, const Need& result);
    /// A rank that has not arrived.
    [[nodiscard]] std::optional<std::uint32_t> partner_of(const Need& result);

private:
    static CollectivePart& cleared(Actor& actor, std::uint32_t context, std::int32_t tag);
    void add_step(Actor& actor, int round, std::uint32_t from, std::uint32_t to, std::uint64_t bytes);
    void take_part(Actor& actor, const Group& group, std::uint32_t context, collectives::Collective collective,
                   const Description& described, std::int32_t tag);
    void plan(Actor& actor, const Group& group, collectives::Collective collective, collectives::Operation operation);
    void between_groups(Actor& actor, const Description& described, const JobObject& over, std::int32_t tag);
    void meet_neighbours(Actor& actor, const Description& described, const RankObject& over, std::int32_t tag);
    void reduce(Actor& actor, const Group& group);

    Common& common_;
    PointToPoint& messages_;
    Schedule& schedule_;
    Remarks& remarks_;
    CollectiveChoice choice_;
    Reductions reductions_;
};

}  // namespace waywiser::simulate
