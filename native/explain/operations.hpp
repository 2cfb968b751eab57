/// What an MPI function is to its partners, by its name.
#pragma once

#include <string>
#include <string_view>

namespace waywiser::explain {

/// "MPI_Ibcast_c" and "MPI_Bcast_init" are both "Bcast".
[[nodiscard]] std::string operation_of(std::string_view function);

/// Who waits for whom in a collective.
enum class Role { none, barrier, all_to_all, from_root, to_root, scan, fence, make_object, finalise };

/// When a send may end: once its receive is posted, at any time, or as the library likes.
enum class SendMode { standard, synchronous, local };

struct Operation {
    Role role = Role::none;
    SendMode mode = SendMode::standard;
    bool unmatched_sync = false;  ///< synchronises in a way that is not followed
};

[[nodiscard]] Operation operation(std::string_view function);

}  // namespace waywiser::explain
