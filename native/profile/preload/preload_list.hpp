/// LD_PRELOAD, in which a program finds Waywiser's libraries.
#pragma once

namespace waywiser::profile {

/// Takes Waywiser's libraries out of it, so that they do not enter the programs that this one starts.
void leave_preload_list();

}  // namespace waywiser::profile
