/// The protocol that a send mode requires.
#pragma once

#include "machine/loggp.hpp"
#include "mpi/roles.hpp"

namespace waywiser::mpi {

[[nodiscard]] constexpr machine::Protocol protocol_of(SendMode mode) {
    switch (mode) {
        case SendMode::synchronous: return machine::Protocol::rendezvous;
        case SendMode::local: return machine::Protocol::eager;
        default: return machine::Protocol::by_size;
    }
}

}  // namespace waywiser::mpi
