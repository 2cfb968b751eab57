#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bind/rooms.hpp"
#include "exchange/formats.hpp"
#include "exchange/otf2_export.hpp"
#include "exchange/otf2_import.hpp"

namespace nb = nanobind;
using namespace waywiser::exchange;

namespace waywiser::bind {

void bind_exchange(nb::module_& module) {
    nb::class_<Format>(module, "TraceFormat", "A format that a trace can be written in.")
        .def_ro("name", &Format::name)
        .def_ro("takes_window", &Format::takes_window)
        .def_ro("file", &Format::file)
        .def_ro("keeps", &Format::keeps)
        .def_ro("loses", &Format::loses);
    module.def(
        "trace_formats", [] { return std::vector<Format>(formats().begin(), formats().end()); },
        "Formats that export_trace writes.");
    module.def(
        "export_trace",
        [](const std::string& trace, const std::string& format, const std::string& path, std::uint64_t begin_ns,
           std::uint64_t end_ns) { write(trace::TraceFile(trace), format, path, {begin_ns, end_ns}); },
        nb::arg("trace"), nb::arg("format"), nb::arg("path"), nb::arg("begin_ns") = Window{}.begin_ns,
        nb::arg("end_ns") = Window{}.end_ns, nb::call_guard<nb::gil_scoped_release>(),
        "Writes a trace, or the calls in a part of its time, in another tool's format.");
    module.def(
        "export_otf2",
        [](const std::string& trace, const std::string& directory, const std::string& library) {
            export_otf2(trace::TraceFile(trace), directory, library);
        },
        nb::arg("trace"), nb::arg("directory"), nb::arg("library"), nb::call_guard<nb::gil_scoped_release>(),
        "Writes a trace as DIR/traces.otf2, by the OTF2 library at that path.");
    nb::class_<Imported>(module, "Imported", "What came of an import.")
        .def_ro("ranks", &Imported::ranks)
        .def_ro("calls", &Imported::calls)
        .def_ro("begin_unix_ns", &Imported::begin_unix_ns)
        .def_ro("end_ns", &Imported::end_ns)
        .def_ro("creator", &Imported::creator);
    module.def("import_otf2", &import_otf2, nb::arg("anchor"), nb::arg("trace"), nb::arg("library"),
               nb::call_guard<nb::gil_scoped_release>(),
               "Writes a trace from an OTF2 trace, by the OTF2 library at that path.");
}

}  // namespace waywiser::bind
