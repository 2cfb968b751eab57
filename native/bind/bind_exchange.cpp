#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "bind/records.hpp"
#include "bind/rooms.hpp"
#include "exchange/formats.hpp"
#include "exchange/otf2_export.hpp"
#include "exchange/otf2_import.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace waywiser::exchange;

namespace waywiser::bind {

void bind_exchange(nb::module_& module) {
    bind_record<Format>(module, "TraceFormat", "A format that a trace can be written in.",
                        WAYWISER_MEMBERS(Format, name, takes_window, file, keeps, loses));
    module.def(
        "trace_formats", [] { return std::vector<Format>(formats().begin(), formats().end()); },
        "Formats that export_trace writes.");
    module.def(
        "export_trace",
        [](const std::string& trace, const std::string& format, const std::string& path, std::uint64_t begin_ns,
           std::uint64_t end_ns, Progress* progress) {
            Progress unread;
            write(trace::TraceFile(trace), format, path, {begin_ns, end_ns}, progress != nullptr ? *progress : unread);
        },
        "trace"_a, "format"_a, "path"_a, "begin_ns"_a = Window{}.begin_ns, "end_ns"_a = Window{}.end_ns,
        "progress"_a.none() = nb::none(), nb::call_guard<nb::gil_scoped_release>(),
        "Writes a trace, or the calls in a part of its time, in another tool's format.");
    module.def(
        "export_otf2",
        [](const std::string& trace, const std::string& directory, const std::string& library, Progress& progress) {
            export_otf2(trace::TraceFile(trace), directory, library, progress);
        },
        "trace"_a, "directory"_a, "library"_a, "progress"_a, nb::call_guard<nb::gil_scoped_release>(),
        "Writes a trace as DIR/traces.otf2, by the OTF2 library at that path.");
    bind_record<Imported>(module, "Imported", "What came of an import.",
                          WAYWISER_MEMBERS(Imported, ranks, calls, begin_unix_ns, end_ns, creator));
    module.def("import_otf2", &import_otf2, "anchor"_a, "trace"_a, "library"_a,
               nb::call_guard<nb::gil_scoped_release>(),
               "Writes a trace from an OTF2 trace, by the OTF2 library at that path.");
}

}  // namespace waywiser::bind
