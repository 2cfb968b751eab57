/// What the shim and the collector that it starts agree on.
#pragma once

namespace waywiser::profile {

/// The collector's file, beside the shim's. Its arguments: DIRECTORY RUN SECONDS.
inline constexpr char kCollector[] = "ww-collector";

/// Where the collector finds the lock on its node (claim_node).
inline constexpr int kLockDescriptor = 3;

}  // namespace waywiser::profile
