/// Copies that the kernel makes between processes for MPI libraries (cross-memory attach, CMA).
#pragma once

#include <cstdint>

namespace waywiser::mpibench {

/// Bytes that this process has read from or written to the memory of other processes so far.
[[nodiscard]] std::int64_t single_copy_bytes();

}  // namespace waywiser::mpibench
