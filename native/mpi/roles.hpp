/// The role of an MPI function towards its partners, by its name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace waywiser::mpi {

/// "MPI_Ibcast_c" and "MPI_Bcast_init" are both "Bcast".
[[nodiscard]] std::string operation_of(std::string_view function);

/// The ranks that wait for each other in a collective. In a collective on a file, ranks need not wait for each other;
/// in a neighbourhood collective, they wait for their neighbours alone.
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

/// When a send may complete.
enum class SendMode : std::uint8_t {
    standard,     ///< at once, or when its receive is posted, as the library decides
    synchronous,  ///< when its receive is posted
    local,        ///< at once
};

/// The effect of a call on the epochs of a window, or on a split collective of a file.
enum class Epoch : std::uint8_t {
    none,
    post,
    start,
    complete,
    wait,
    lock,
    flush,  ///< after which the lock is held for sure
    unlock,
    begin_split,
    end_split,
};

struct CallRole {
    Role role = Role::none;
    SendMode mode = SendMode::standard;
    Epoch epoch = Epoch::none;
    bool duplicates = false;  ///< a communicator, with its topology
};

[[nodiscard]] CallRole call_role(std::string_view function);

}  // namespace waywiser::mpi
