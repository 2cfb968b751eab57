/// Access to LD_PRELOAD, which loads Waywiser's libraries into a program.
#pragma once

namespace waywiser::profile {

/// Removes Waywiser's libraries from LD_PRELOAD, so that child programs do not load them.
void leave_preload_list();

}  // namespace waywiser::profile
