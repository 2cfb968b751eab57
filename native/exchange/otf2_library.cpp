#include "exchange/otf2_library.hpp"

#include <dlfcn.h>

#include "base/error.hpp"

namespace waywiser::exchange::otf2 {
namespace {

/// Suppresses the library's messages, which would repeat Waywiser's own errors.
Code say_nothing(void*, const char*, std::uint64_t, const char*, Code code, const char*, void*) { return code; }

template <class Function>
void find(void* library, const std::string& path, Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    require(function != nullptr, path + ": has no " + name + "; Waywiser uses version 3 of the OTF2 library");
}

}  // namespace

Library::Library(const std::string& path) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    require(library != nullptr, path + ": cannot be loaded as the OTF2 library");
#define WAYWISER_FIND(name, ...) find(library, path, name, "OTF2_" #name);
    WAYWISER_OTF2_CALLS(WAYWISER_FIND)
#undef WAYWISER_FIND
#define WAYWISER_FIND(name, ...)                                    \
    find(library, path, EvtWriter_##name, "OTF2_EvtWriter_" #name); \
    find(library, path, EvtReaderCallbacks_Set##name##Callback, "OTF2_EvtReaderCallbacks_Set" #name "Callback");
    WAYWISER_OTF2_EVENTS(WAYWISER_FIND)
#undef WAYWISER_FIND
#define WAYWISER_FIND(name, ...)                                                          \
    find(library, path, GlobalDefWriter_Write##name, "OTF2_GlobalDefWriter_Write" #name); \
    find(library, path, GlobalDefReaderCallbacks_Set##name##Callback,                     \
         "OTF2_GlobalDefReaderCallbacks_Set" #name "Callback");
    WAYWISER_OTF2_DEFINITIONS(WAYWISER_FIND)
#undef WAYWISER_FIND
    Error_RegisterCallback(say_nothing, nullptr);
}

}  // namespace waywiser::exchange::otf2
