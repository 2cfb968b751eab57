/// Conventions between the shim and the collector that it starts.
#pragma once

namespace waywiser::profile {

/// The collector's file, beside the shim's. Its arguments: DIRECTORY RUN SECONDS.
inline constexpr char kCollector[] = "ww-collector";

/// The descriptor under which the collector gets the lock on its node (claim_node).
inline constexpr int kLockDescriptor = 3;

}  // namespace waywiser::profile
