#include "profile/tracing/listener.hpp"

#include <cstdlib>

#include "profile/preload/next_call.hpp"
#include "profile/tracing/signatures.hpp"

namespace waywiser::profile {

constinit const Listener* listener = nullptr;

void find_listener() {
    if (std::getenv("WAYWISER_VIRTUAL") != nullptr)
        listener = static_cast<const Listener*>(variable("waywiser_listener"));
}

void open_listener(const state::Calibration& begin, bool can_report) {
    listener->open({.library = &library,
                    .find = next_definition,
                    .call_names = kCallNames,
                    .read_list = read_list,
                    .begin = begin},
                   can_report);
}

}  // namespace waywiser::profile
