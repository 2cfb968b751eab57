/// Transport of the values that elimination carries from one rank to the next.
#pragma once

#include "workloads/npb/field.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <vector>

namespace waywiser::npb {

/// Carries messages in one direction along the lines of an axis. A message is in flight until the next message has
/// arrived.
class Carrier {
public:
    /// \param waits_for_both  true: waits for send and receive with one call, as NPB's SP; false: with two calls, as
    ///                        NPB's BT
    Carrier(bool waits_for_both, MPI_Comm communicator)
        : waits_for_both_(waits_for_both), communicator_(communicator) {}

    /// Receives values from rank `from`, or returns zeros if `from` is negative. The values stay valid until the next
    /// call but one.
    double* receive(int from, Index values) {
        std::swap(buffer_, last_);
        if (buffer_.size() < static_cast<std::size_t>(values)) buffer_.resize(static_cast<std::size_t>(values));
        if (from < 0) {
            std::ranges::fill(buffer_, 0.0);
        } else {
            MPI_Irecv(buffer_.data(), static_cast<int>(values), MPI_DOUBLE, from, tag, communicator_, &requests_[0]);
        }
        wait();
        return buffer_.data();
    }

    /// Sends the values that the last call of `receive` returned.
    void send(int to, Index values) {
        if (to < 0) return;
        MPI_Isend(buffer_.data(), static_cast<int>(values), MPI_DOUBLE, to, tag, communicator_, &requests_[1]);
    }

    /// Waits for messages in flight, if any.
    void wait() {
        if (std::ranges::all_of(requests_, [](MPI_Request request) { return request == MPI_REQUEST_NULL; })) return;
        if (waits_for_both_) {
            MPI_Waitall(2, requests_.data(), MPI_STATUSES_IGNORE);
        } else {
            for (MPI_Request& request : requests_) MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }

private:
    static constexpr int tag = 2;

    bool waits_for_both_;
    MPI_Comm communicator_;
    std::vector<double> buffer_, last_;
    std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

}  // namespace waywiser::npb
