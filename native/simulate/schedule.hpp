/// The order of actors: an actor with unmet needs is parked, and woken once when all of them are met.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "mpi/channels.hpp"

namespace waywiser::simulate {

using mpi::kNothing;

class Schedule {
public:
    /// Adds an actor, which is not parked.
    void add() { missing_.push_back(0); }

    /// Makes the actor runnable in the next round.
    void enqueue(std::uint32_t actor) { runnable_.push_back(actor); }

    /// True if no actor is runnable.
    [[nodiscard]] bool idle() const { return runnable_.empty(); }

    /// All runnable actors, in turn; actors that are woken meanwhile come after them. Valid until the next round.
    [[nodiscard]] std::vector<std::uint32_t>& next_round() {
        round_.clear();
        round_.swap(runnable_);
        return round_;
    }

    [[nodiscard]] bool is_parked(std::uint32_t actor) const { return missing_[actor] > 0; }

    /// Parks the actor for one more need.
    /// \param waiter  field of the need for the actor to wake
    void await(std::uint32_t actor, std::uint32_t& waiter) {
        if (waiter == actor) return;
        if (waiter != kNothing) displaced_.push_back(waiter);  // Two threads of a rank wait for the same event.
        waiter = actor;
        ++missing_[actor];
    }

    /// Lets the actor continue although some needs are unmet.
    void stop_waiting(std::uint32_t actor) { missing_[actor] = 0; }

    /// Wakes the waiter of a need that is met. \return true if an actor is now runnable
    bool wake(std::uint32_t& waiter) {
        const std::uint32_t actor = std::exchange(waiter, kNothing);
        return actor != kNothing && wake_up(actor);
    }

    /// Wakes actors whose place another actor took, to check their needs again. \return true if there are any
    bool release_displaced() {
        std::erase_if(displaced_, [this](std::uint32_t actor) { return !is_parked(actor); });
        runnable_.insert(runnable_.end(), displaced_.begin(), displaced_.end());
        return !std::exchange(displaced_, {}).empty();
    }

private:
    [[gnu::noinline]] bool wake_up(std::uint32_t actor) {
        if (missing_[actor] == 0 || --missing_[actor] > 0) return false;
        runnable_.push_back(actor);
        return true;
    }

    std::vector<std::uint32_t> runnable_;
    std::vector<std::uint32_t> round_;
    std::vector<std::uint32_t> missing_;    ///< number of unmet needs by actor; 0: not parked
    std::vector<std::uint32_t> displaced_;  ///< actors whose waiter field another actor has taken
};

}  // namespace waywiser::simulate
