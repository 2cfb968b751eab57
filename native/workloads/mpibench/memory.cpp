// Memory bandwidth of all ranks together.
#include "workloads/mpibench/iterations.hpp"

#include <cstring>

namespace waywiser::mpibench {

void memory(Call& call) {
    for (int i = 0; i < call.window; ++i) {
        std::memcpy(call.receive, call.send, static_cast<std::size_t>(call.bytes));
        asm volatile("" : : "r"(call.receive) : "memory");  // The compiler must not remove any copy.
    }
}

}  // namespace waywiser::mpibench
