/// The Python module waywiser.native._native: the bindings that every verb needs, one thin file per directory. Other
/// names are looked up in _analysis, which is loaded on first use.
#include <nanobind/nanobind.h>

#include <string_view>

#include "base/error.hpp"
#include "bind/rooms.hpp"

namespace nb = nanobind;

NB_MODULE(_native, module) {
    module.doc() = "Native rooms of Waywiser.";
    nb::exception<waywiser::Error> error(module, "NativeError");
    const nb::exception<waywiser::InvalidInput> invalid_input(module, "InvalidInput", error.ptr());
    waywiser::bind::bind_trace(module);
    waywiser::bind::bind_totals(module);
    waywiser::bind::bind_trace_file(module);
    waywiser::bind::bind_explain(module);
    module.def("__getattr__", [](const char* name) {
        // Python itself looks for names of this form.
        if (std::string_view(name).starts_with("__")) throw nb::attribute_error(name);
        return nb::object(nb::module_::import_("waywiser.native._analysis").attr(name));
    });
}
