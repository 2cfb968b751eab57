/// Reports of test programs on conditions that do not hold.
#pragma once

#include <cstdio>

namespace waywiser::tests {

inline bool fulfilled(bool is_true, const char* what) {
    if (!is_true) std::fprintf(stderr, "it does not hold that %s\n", what);
    return is_true;
}

}  // namespace waywiser::tests
