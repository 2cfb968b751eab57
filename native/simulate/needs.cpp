/// The needs that calls must meet before they can end.
#include "simulate/replayer.hpp"

namespace waywiser::simulate {

bool Replayer::meet_needs(Actor& actor) {
    for (;;) {
        for (; actor.at < actor.needs.size(); ++actor.at) {
            const Need need = actor.needs[actor.at];
            const bool is_met = need.kind() == Need::Kind::message ? messages_.take(actor, need) : met(actor, need);
            if (!is_met) return await_needs(actor);
        }
        actor.needs.clear();
        actor.at = 0;
        if (!actor.in_collective) return true;
        collectives_.proceed(actor);
    }
}

/// Arranges that the actor is woken once, when all of its needs can be met. \return false if the actor is parked
bool Replayer::await_needs(Actor& actor) {
    messages_.proceed_in_call(actor);
    for (std::size_t i = actor.at; i < actor.needs.size(); ++i) {
        if (std::uint32_t* waiter = what_wakes(actor.needs[i])) schedule_.await(actor.number, *waiter);
    }
    if (!schedule_.is_parked(actor.number)) schedule_.enqueue(actor.number);
    return false;
}

/// Lets the actor continue before all its needs are met: the unmet ones must not wake it.
void Replayer::stop_waiting(Actor& actor) {
    for (std::size_t i = actor.at; i < actor.needs.size(); ++i) {
        std::uint32_t* waiter = what_wakes(actor.needs[i]);
        if (waiter != nullptr && *waiter == actor.number) *waiter = kNothing;
    }
    schedule_.stop_waiting(actor.number);
}

/// The waiter field that must hold the actor to wake it; null if the need can be met.
std::uint32_t* Replayer::what_wakes(const Need& need) {
    switch (need.kind()) {
        case Need::Kind::message:
        case Need::Kind::sent: return messages_.what_wakes(need);
        case Need::Kind::agent: {
            Actor& agent = actors_[need.index()];
            return agent.finished ? nullptr : &agent.waiter;
        }
        case Need::Kind::reduction: return collectives_.what_wakes(need);
        case Need::Kind::lock: {
            LockRequest& request = locks_[need.index()];
            return request.granted ? nullptr : &request.waiter;
        }
        default: return nullptr;
    }
}

/// True if a need other than a message is met; the actor has then waited until that moment.
bool Replayer::met(Actor& actor, const Need& need) {
    if (what_wakes(need) != nullptr) return false;
    switch (need.kind()) {
        case Need::Kind::timestamp: actor.wait_until(timestamps_[need.index()], 0); break;
        case Need::Kind::sent: messages_.end_send(actor, need); break;
        case Need::Kind::agent: {
            const Actor& agent = actors_[need.index()];
            actor.wait_until(agent.now, agent.now.ns() - agent.transfer_ns);
            free_agents_.push_back(need.index());
            break;
        }
        case Need::Kind::reduction: collectives_.take_result(actor, need); break;
        case Need::Kind::lock: {
            const LockRequest& request = locks_[need.index()];
            actor.wait_until(request.answer, request.freed_ns);
            locks_.forget(need.index());
            break;
        }
        default: break;
    }
    return true;
}

}  // namespace waywiser::simulate
