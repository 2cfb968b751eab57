/// The role of an MPI function towards its partners, derived from its name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace waywiser::mpi {

/// The operation's name: "Bcast" for "MPI_Ibcast_c" and for "MPI_Bcast_init".
[[nodiscard]] std::string operation_of(std::string_view function);

/// The ranks that wait for each other in a collective. In a collective on a file, ranks need not wait for each other;
/// in a neighbourhood collective, they wait for their neighbours only.
enum class Role : std::uint8_t {
    none,
    barrier,
    all_to_all,
    from_root,
    to_root,
    scan,
    fence,
    make_object,
    finalise,
    file,
    neighbours,
};

/// The moment at which a send may complete.
enum class SendMode : std::uint8_t {
    standard,     ///< immediately, or when its receive is posted, as the library decides
    synchronous,  ///< when its receive is posted
    local,        ///< immediately
};

/// The effect of a call on the epochs of a window, or on a split collective of a file.
enum class Epoch : std::uint8_t {
    none,
    post,
    start,
    complete,
    wait,
    lock,
    flush,  ///< the lock is certainly held afterwards
    unlock,
    begin_split,
    end_split,
};

struct CallRole {
    Role role = Role::none;
    SendMode mode = SendMode::standard;
    Epoch epoch = Epoch::none;
    bool duplicates = false;  ///< copies a communicator with its topology
};

[[nodiscard]] CallRole call_role(std::string_view function);

}  // namespace waywiser::mpi
