/// Values of options by name.
#pragma once

#include <string_view>

namespace waywiser::shallow {

/// Form of the momentum equation.
struct Form {
    std::string_view name;
    bool keeps_energy;  ///< true: conserves energy; false: conserves potential enstrophy
};
inline constexpr Form forms[] = {{"energy", true}, {"enstrophy", false}};

/// A way to exchange halos, named as in ww-comm.
struct Method {
    std::string_view name;
};
inline constexpr Method methods[] = {{"nonblocking"}, {"neighbourhood"}, {"persistent"}};

struct Grouping {
    std::string_view name;
    bool is_packed;  ///< true: cells and edges share a message; false: one message each
};
inline constexpr Grouping groupings[] = {{"packed", true}, {"separate", false}};

}  // namespace waywiser::shallow
