/// Stalls: a message that never comes is skipped with a remark; a deadlock is an error that names the waiting ranks.
#include <algorithm>
#include <utility>

#include "simulate/replayer.hpp"

namespace waywiser::simulate {

/// The rank that the actor waits for.
std::optional<std::uint32_t> Replayer::partner_of(Actor& actor) {
    const Need& need = actor.needs[actor.at];
    switch (need.kind()) {
        case Need::Kind::message:
        case Need::Kind::sent: return messages_.partner_of(need);
        case Need::Kind::agent: {
            Actor& agent = actors_[need.index()];
            return agent.at < agent.needs.size() ? partner_of(agent) : std::nullopt;
        }
        case Need::Kind::reduction: return collectives_.partner_of(need);
        case Need::Kind::lock: {
            const std::vector<std::uint32_t>& holders = locks_[need.index()].lock->holders();
            return holders.empty() ? std::nullopt : std::optional(holders.front());
        }
        default: return std::nullopt;
    }
}

std::string Replayer::rank_name(std::uint32_t index) const { return "rank " + std::to_string(job_.ranks[index].rank); }

/// Text of the form " in MPI_Send (main at app.c:12)".
std::string Replayer::in_call(const trace::Parameters& call) const {
    std::string text = " in " + job_.functions[call.function];
    if (call.site > 0 && call.site <= job_.call_sites.size()) {
        const std::string& place = job_.call_sites[call.site - 1].place;
        if (!place.empty()) text += " (" + place + ")";
    }
    return text;
}

std::string Replayer::describe(Actor& actor) {
    std::string text = rank_name(actor.rank) + in_call(actor.call());
    Actor* waiting = &actor;
    while (waiting->needs[waiting->at].kind() == Need::Kind::agent) {
        Actor& agent = actors_[waiting->needs[waiting->at].index()];
        if (agent.at >= agent.needs.size()) return text;
        waiting = &agent;
    }
    const Need& need = waiting->needs[waiting->at];
    if (need.kind() == Need::Kind::reduction) {
        const auto absent = partner_of(*waiting);
        return text + " waits in the switches for " + (absent ? rank_name(*absent) : "a rank without a trace");
    }
    if (need.kind() == Need::Kind::lock) {
        const auto holder = partner_of(*waiting);
        return text + " waits for a lock" + (holder ? " that " + rank_name(*holder) + " has" : "");
    }
    const bool receives = need.kind() == Need::Kind::message;
    const ChannelKey& key = messages_.key(need);
    text += receives ? " waits for a message from " + rank_name(key.source)
                     : " waits until " + rank_name(key.destination) + " receives its message";
    if (key.tag >= 0) text += " of tag " + std::to_string(key.tag);
    if (key.tag <= kBlocking) text += " within a collective";
    return text;
}

/// Treats the actor's current need as met.
void Replayer::let_go(Actor& actor) {
    remark("a call cannot end as recorded, and is taken to: " + describe(actor));
    const Need need = actor.needs[actor.at];
    Actor& waiting = need.kind() == Need::Kind::agent ? actors_[need.index()] : actor;
    stop_waiting(waiting);
    ++waiting.at;
    schedule_.enqueue(waiting.number);
}

/// The parked actors of streams.
std::vector<Actor*> Replayer::parked() {
    std::vector<Actor*> actors;
    for (std::uint32_t number = 0; number < streams_; ++number) {
        if (!actors_[number].finished) actors.push_back(&actors_[number]);
    }
    return actors;
}

/// Called when no actor is runnable. \return true if an actor is runnable now
bool Replayer::resume(double quiet_ns) {
    return schedule_.release_displaced() || messages_.proceed_until(quiet_ns) || next_lock();
}

/// True if the actor waits for a rank whose calls are over.
bool Replayer::waits_in_vain(Actor& actor) {
    const auto partner = partner_of(actor);
    return !partner || ranks_[*partner].running == 0;
}

/// A call that sends on the channel, if all such calls are alike; else an empty text.
std::string Replayer::sending_call(const ChannelKey& key) const {
    for (std::uint32_t number = 0; number < streams_; ++number) {
        const Actor& actor = actors_[number];
        for (std::size_t symbol = 0; actor.list != nullptr && symbol < actor.list->plans.size(); ++symbol) {
            const Plan& plan = actor.list->plans[symbol];
            const Link& link = actor.links[symbol];
            if (plan.kind != Plan::Kind::send || link.channel == kNothing || messages_.key(link.channel) != key)
                continue;
            return in_call(plan.stored->signature.parameters);
        }
    }
    return "";
}

}  // namespace waywiser::simulate
