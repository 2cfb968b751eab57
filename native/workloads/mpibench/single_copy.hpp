/// Copies that the kernel makes between processes (cross-memory attach, CMA), as MPI libraries ask for them.
#pragma once

#include <cstdint>

namespace waywiser::mpibench {

/// Bytes that this process has read from or written to the memory of others, so far.
[[nodiscard]] std::int64_t single_copy_bytes();

}  // namespace waywiser::mpibench
