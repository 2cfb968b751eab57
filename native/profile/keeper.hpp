/// What the shim and the keeper that it starts agree on.
#pragma once

namespace waywiser::profile {

/// The keeper's file, beside the shim's. Its arguments: FOLDER RUN SECONDS.
inline constexpr char kKeeper[] = "ww-keeper";

/// Where the keeper finds the lock on its node (claim_node).
inline constexpr int kLockDescriptor = 3;

}  // namespace waywiser::profile
