#include "profile/tracing/follower.hpp"

#include <cstdlib>

#include "profile/preload/next_call.hpp"
#include "profile/tracing/signatures.hpp"

namespace waywiser::profile {

constinit const Follower* follower = nullptr;

void find_follower() {
    if (std::getenv("WAYWISER_VIRTUAL") != nullptr)
        follower = static_cast<const Follower*>(variable("waywiser_follower"));
}

void open_follower(const state::Calibration& begin, bool can_follow) {
    follower->open({.library = &library,
                    .find = next_definition,
                    .call_names = kCallNames,
                    .read_list = read_list,
                    .begin = begin},
                   can_follow);
}

}  // namespace waywiser::profile
