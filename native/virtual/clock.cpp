#include "virtual/clock.hpp"

#include <algorithm>

namespace waywiser::virtual_clocks {

void Clock::wait_until(double moment_ns, double partner_ns) {
    const double idle_ns = moment_ns - now_ns;
    if (idle_ns <= 0) return;
    const double before_ns = std::clamp(partner_ns - now_ns, 0.0, idle_ns);
    waiting_ns += before_ns;
    transfer_ns += idle_ns - before_ns;
    now_ns = moment_ns;
}

Stamp send(Clock& clock, const machine::Charge& charge, std::uint64_t bytes, double& left_ns) {
    Stamp stamp{.sent_ns = clock.now_ns, .bytes = bytes, .handshake = static_cast<std::uint16_t>(charge.eager ? 0 : 1)};
    if (charge.eager) {
        const double leaves_ns = std::max(clock.now_ns + charge.overhead_ns, clock.nic_ns);
        clock.busy(charge.busy_ns);
        clock.nic_ns = leaves_ns + charge.gap_ns + charge.transfer_ns;
        const double last_ns = std::max(leaves_ns + charge.transfer_ns, clock.now_ns);
        // A receiver does the overlapping part of its work while the bytes arrive.
        stamp.arrival_ns = last_ns + charge.latency_ns - charge.overlap_ns;
        left_ns = clock.now_ns;
        return stamp;
    }
    clock.busy(charge.request_ns);
    stamp.arrival_ns = clock.now_ns + charge.flight_ns;
    stamp.slot_ns = std::max(clock.now_ns, clock.nic_ns);
    clock.nic_ns = stamp.slot_ns + charge.gap_ns + charge.transfer_ns;
    left_ns = virtual_clocks::left_ns(charge, stamp, stamp.arrival_ns);
    return stamp;
}

double left_ns(const machine::Charge& charge, const Stamp& stamp, double posted_ns) {
    const double granted_ns = std::max(stamp.arrival_ns, posted_ns) + charge.request_ns + charge.flight_ns;
    return std::max(granted_ns + charge.overhead_ns, stamp.slot_ns) + charge.transfer_ns;
}

double arrival_ns(const machine::Charge& charge, const Stamp& stamp, double posted_ns) {
    if (stamp.handshake == 0) return stamp.arrival_ns;
    return left_ns(charge, stamp, posted_ns) + charge.latency_ns - charge.overlap_ns;
}

double receive(Clock& clock, const machine::Charge& charge, const Stamp& stamp, double posted_ns) {
    clock.wait_until(arrival_ns(charge, stamp, posted_ns), stamp.sent_ns);
    clock.busy(charge.busy_ns);
    return stamp.handshake != 0 ? std::max(0.0, posted_ns - stamp.arrival_ns) : 0;
}

}  // namespace waywiser::virtual_clocks
