/// Times and work of the phases of a run on one rank.
#pragma once

#include "workloads/common/stopwatch.hpp"
#include "workloads/minife/mesh.hpp"

namespace waywiser::minife {

/// Work by formula, not measured: bytes to and from memory, including write-allocates, if only a few planes of nodes
/// stay in cache.
struct Work {
    Index bytes = 0;
    Index flops = 0;
};

/// All members are doubles, so that one Gather collects them; counts are exact up to 2^53.
struct Account {
    double seconds = 0;
    double bytes = 0;
    double flops = 0;

    void add(double s, const Work& work) {
        seconds += s;
        bytes += static_cast<double>(work.bytes);
        flops += static_cast<double>(work.flops);
    }
    void add(const Account& other) {
        seconds += other.seconds;
        bytes += other.bytes;
        flops += other.flops;
    }
};

/// Accounts of one solve: total consists of matvec, dot, update and preconditioner; matvec or update include the
/// exchange, dot includes the Allreduce.
struct CgAccounts {
    Account total;
    Account matvec;
    Account exchange;
    Account dot;
    Account allreduce;
    Account update;
    Account preconditioner;
};

}  // namespace waywiser::minife
