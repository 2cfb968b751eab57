#include "simulate/contention.hpp"

#include "base/error.hpp"

namespace waywiser::simulate {
namespace {

/// Delays of a smaller part of the time without them are rounding.
constexpr double kRelative = 1e-9;

Network network_of(const Interconnect& interconnect) {
    require(interconnect.topology != nullptr, "interconnect: expected a topology");
    return {*interconnect.topology, interconnect.speeds};
}

}  // namespace

Contention::Contention(const Interconnect& interconnect)
    : network_(network_of(interconnect)), flows_(network_, interconnect.tolerance) {
    carried_bytes_.resize(network_.capacities().size());
}

void Contention::send(std::uint32_t name, const Transmission& transmission) {
    const std::uint32_t way = network_.way(transmission.from, transmission.to);
    flows_.start(name, way, transmission.start_ns, transmission.bytes);
    if (name >= under_way_.size()) under_way_.resize(name + 1UL);
    under_way_[name] = {.way = way, .alone_ns = transmission.start_ns + transmission.bytes * network_.ns_per_byte(way)};
    for (const machine::Share& share : network_.links(way)) {
        carried_bytes_[share.link] += share.part * transmission.bytes;
    }
}

std::optional<Contention::Passage> Contention::next() {
    const auto end = flows_.next();
    if (!end) return std::nullopt;
    const UnderWay& message = under_way_[end->flow];
    const double delay_ns = end->at_ns - message.alone_ns;
    Passage passage{.name = end->flow, .latency_ns = network_.latency_ns(message.way)};
    if (delay_ns > kRelative * message.alone_ns) passage.delay_ns = delay_ns;
    delays_ns_ += passage.delay_ns;
    return passage;
}

}  // namespace waywiser::simulate
