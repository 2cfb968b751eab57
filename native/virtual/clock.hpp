/// A rank's virtual clock, and the effect of messages on it: LogGPS as in the replay of traces (native/simulate).
#pragma once

#include <cstdint>

#include "machine/loggp.hpp"

namespace waywiser::virtual_clocks {

struct Clock {
    double now_ns = 0;
    double nic_ns = 0;  ///< time at which the NIC has sent the latest message
    double compute_ns = 0;
    double waiting_ns = 0;   ///< waiting before the partner started
    double transfer_ns = 0;  ///< transfer after that
    double overhead_ns = 0;  ///< processor time in calls

    void compute(double ns) {
        now_ns += ns;
        compute_ns += ns;
    }
    void busy(double ns) {
        now_ns += ns;
        overhead_ns += ns;
    }
    /// Idles until `moment_ns`; the time before the partner's start is waiting, the rest is transfer.
    void wait_until(double moment_ns, double partner_ns);
};

/// The stamp sent along with a message: its times on the sender's clock.
struct Stamp {
    double sent_ns = 0;     ///< start of the send
    double arrival_ns = 0;  ///< arrival of the message at the receiver; with a handshake, arrival of its request
    double slot_ns = 0;     ///< with a handshake: time from which the sender's NIC has room for the data
    std::uint64_t bytes = 0;
    std::int32_t tag = 0;
    std::uint16_t handshake = 0;
    std::uint16_t lost = 0;         ///< the sender is no longer followed
    std::uint32_t meeting = 0;      ///< number of the sender's last meeting
    std::uint32_t lock_events = 0;  ///< number of lock events since that meeting, as counted by LockLog
};

/// Sends a message. With a handshake, its receiver counts as ready: only the receiver knows which of the two was late.
/// \param left_ns  time at which the buffer is free again: a later completion of the send costs nothing more
[[nodiscard]] Stamp send(Clock& clock, const machine::Charge& charge, std::uint64_t bytes, double& left_ns);

/// Time at which the receiver can take the message, if its receive was posted at `posted_ns` [ns].
[[nodiscard]] double arrival_ns(const machine::Charge& charge, const Stamp& stamp, double posted_ns);

/// Time at which the data of a message with a handshake have left its sender, if its receive was posted at `posted_ns`
/// [ns].
[[nodiscard]] double left_ns(const machine::Charge& charge, const Stamp& stamp, double posted_ns);

/// Receives a message.
/// \param posted_ns  time at which the receive was posted
/// \return how long the sender would have waited for the receive [ns]; 0 without a handshake
double receive(Clock& clock, const machine::Charge& charge, const Stamp& stamp, double posted_ns);

}  // namespace waywiser::virtual_clocks
