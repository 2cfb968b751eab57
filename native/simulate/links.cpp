/// Messages that share the links between nodes.
#include "simulate/replayer.hpp"

namespace waywiser::simulate {

/// When a message arrives is known once it has crossed the links.
void Replayer::take_off(std::uint32_t number, double start_ns) {
    Handshake& handshake = handshakes_[number];
    const ChannelKey& ends = channels_.key(handshake.channel);
    handshake.stage = Handshake::Stage::flies;
    contention_->send(number, {.from = static_cast<std::uint32_t>(ranks_[ends.source].node),
                               .to = static_cast<std::uint32_t>(ranks_[ends.destination].node),
                               .start_ns = start_ns,
                               .bytes = static_cast<double>(handshake.bytes)});
}

/// All ranks have run as far as they can: the next message arrives. \return false if none is under way
bool Replayer::land() {
    if (!contention_) return false;
    const auto passage = contention_->next();
    if (!passage) return false;
    Handshake& handshake = handshakes_[passage->name];
    Channel& channel = channels_[handshake.channel];
    Message& message = channel.message(handshake.number);
    Path& path = channel.path(handshake.number);
    const double later_ns = passage->latency_ns + passage->delay_ns;
    message.available_ns += later_ns;
    message.flight_ns += static_cast<float>(later_ns);
    path.latency_ns += passage->latency_ns;
    path.transfer_ns += passage->delay_ns;
    message.handshake = kNothing;
    handshake.stage = Handshake::Stage::over;
    wake(handshake.receiver);
    if (handshake.charge.eager) {
        free_handshakes_.push_back(passage->name);
    } else {
        handshake.left.ns += passage->delay_ns;
        handshake.left.path.transfer_ns += passage->delay_ns;
        wake(handshake.sender);
    }
    return true;
}

LinkUse Replayer::link_use(double makespan_ns) const {
    LinkUse use;
    if (!contention_) return use;
    use.bytes = contention_->carried_bytes();
    use.delays_ns = contention_->delays_ns();
    const std::vector<double>& capacities = contention_->network().capacities();
    for (std::size_t link = 0; link < capacities.size(); ++link) {
        use.utilisation.push_back(makespan_ns > 0 ? use.bytes[link] / (capacities[link] * makespan_ns) : 0);
    }
    return use;
}

}  // namespace waywiser::simulate
