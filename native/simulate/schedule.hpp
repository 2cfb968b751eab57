/// Whose turn it is: an actor that lacks something is parked, and woken once when all that it lacks is there.
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
    /// One more actor, which is not parked.
    void add() { missing_.push_back(0); }

    /// The actor goes on in the next round.
    void enqueue(std::uint32_t actor) { runnable_.push_back(actor); }

    /// Nobody can go on.
    [[nodiscard]] bool idle() const { return runnable_.empty(); }

    /// All who can go on, in turn: those who are woken meanwhile come after them. Valid until the next round.
    [[nodiscard]] std::vector<std::uint32_t>& next_round() {
        round_.clear();
        round_.swap(runnable_);
        return round_;
    }

    [[nodiscard]] bool is_parked(std::uint32_t actor) const { return missing_[actor] > 0; }

    /// The actor lacks something.
    /// \param waiter  who is to be told when it is there
    void await(std::uint32_t actor, std::uint32_t& waiter) {
        if (waiter == actor) return;
        if (waiter != kNothing) crowded_.push_back(waiter);  // two threads of a rank
        waiter = actor;
        ++missing_[actor];
    }

    /// The actor goes on before all that it lacks is there.
    void stop_waiting(std::uint32_t actor) { missing_[actor] = 0; }

    /// What somebody lacks is there. \return whether there is an actor that can go on now
    bool wake(std::uint32_t& waiter) {
        const std::uint32_t actor = std::exchange(waiter, kNothing);
        return actor != kNothing && wake_up(actor);
    }

    /// Lets actors whose place another actor took look again for what they lack. \return whether there are any
    bool release_crowded() {
        std::erase_if(crowded_, [this](std::uint32_t actor) { return !is_parked(actor); });
        runnable_.insert(runnable_.end(), crowded_.begin(), crowded_.end());
        return !std::exchange(crowded_, {}).empty();
    }

private:
    [[gnu::noinline]] bool wake_up(std::uint32_t actor) {
        if (missing_[actor] == 0 || --missing_[actor] > 0) return false;
        runnable_.push_back(actor);
        return true;
    }

    std::vector<std::uint32_t> runnable_;
    std::vector<std::uint32_t> round_;
    std::vector<std::uint32_t> missing_;  ///< by actor: what cannot be met yet; 0: it is not parked
    std::vector<std::uint32_t> crowded_;  ///< actors whose place another one took where they wait
};

}  // namespace waywiser::simulate
