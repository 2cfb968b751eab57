/// A rank's virtual clock, and what messages do to it: LogGPS as the replay of traces has it (native/simulate).
#pragma once

#include <cstdint>

#include "machine/loggp.hpp"

namespace waywiser::virtual_clocks {

struct Clock {
    double now_ns = 0;
    double nic_ns = 0;  ///< when the NIC has put the latest message on its way
    double compute_ns = 0;
    double waiting_ns = 0;   ///< before the partner came
    double transfer_ns = 0;  ///< since then
    double overhead_ns = 0;  ///< the processor at work in calls

    void compute(double ns) {
        now_ns += ns;
        compute_ns += ns;
    }
    void busy(double ns) {
        now_ns += ns;
        overhead_ns += ns;
    }
    /// Idle until then; what lies before the partner's begin is waiting, the rest transfer.
    void wait_until(double moment_ns, double partner_ns);
};

/// The stamp sent along with a message: its times on the sender's clock.
struct Stamp {
    double sent_ns = 0;     ///< begin of the send
    double arrival_ns = 0;  ///< of the message, at the receiver; with a handshake, of its request
    double slot_ns = 0;     ///< with a handshake: from when on the sender's NIC has room for the data
    std::uint64_t bytes = 0;
    std::int32_t tag = 0;
    std::uint16_t handshake = 0;
    std::uint16_t lost = 0;         ///< its sender follows no more
    std::uint32_t meeting = 0;      ///< of its sender, and
    std::uint32_t lock_events = 0;  ///< since that meeting, as LockLog counts them
};

/// Sends a message. With a handshake, its receiver counts as ready: only the receiver knows which of the two was late.
/// \param left_ns  when the buffer is free again: a send that completes later than that costs nothing more
[[nodiscard]] Stamp send(Clock& clock, const machine::Charge& charge, std::uint64_t bytes, double& left_ns);

/// When the receiver can take the message, whose receive was posted then [ns].
[[nodiscard]] double arrival_ns(const machine::Charge& charge, const Stamp& stamp, double posted_ns);

/// When the data of a message with a handshake have left its sender, whose receive was posted then [ns].
[[nodiscard]] double left_ns(const machine::Charge& charge, const Stamp& stamp, double posted_ns);

/// Receives a message.
/// \param posted_ns  when the receive was posted
/// \return how long the sender would have waited for that [ns]; 0 without a handshake
double receive(Clock& clock, const machine::Charge& charge, const Stamp& stamp, double posted_ns);

}  // namespace waywiser::virtual_clocks
