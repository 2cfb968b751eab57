/// A trace for Python: its tables, its calls as NumPy arrays, and its creation from recordings.
#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "bind/arrays.hpp"
#include "bind/parameters.hpp"
#include "bind/records.hpp"
#include "bind/rooms.hpp"
#include "trace/merging/recording_reader.hpp"
#include "trace/reading/trace_reader.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace waywiser::trace;

namespace waywiser::bind {
namespace {

using Columns = nb::typed<nb::dict, nb::str, nb::any>;

/// Lists of different lengths: all values, and where the list of each call ends.
template <class Value>
struct Lists {
    std::vector<Value> values;
    std::vector<std::uint64_t> ends;

    void end() { ends.push_back(values.size()); }
};

template <class Value>
void add_lists(nb::dict& columns, const char* name, Lists<Value> lists) {
    columns[name] = numpy(std::move(lists.values));
    columns[(std::string(name) + "_end").c_str()] = numpy(std::move(lists.ends));
}

/// The type of a call's number in numpy arrays.
template <class Value>
using Stored = std::conditional_t<std::is_same_v<Value, bool> || std::is_same_v<Value, Action>, std::uint8_t, Value>;

template <class... Values>
auto columns_of(const std::tuple<Member<Parameters, Values>...>&) -> std::tuple<std::vector<Stored<Values>>...>;

/// Calls of a stream, with a column for each numeric field.
struct Chunk {
    std::vector<std::uint64_t> begin_ns, end_ns, times, polling_ns;
    std::vector<std::uint32_t> signature;
    decltype(columns_of(kMembers<Parameters>)) numbers;
    Lists<std::int32_t> requests, completed;
    Lists<std::uint64_t> counts;

    void add(const Cursor& cursor) {
        const TracedCall& call = cursor.call();
        begin_ns.push_back(call.begin_ns);
        end_ns.push_back(call.end_ns);
        times.push_back(call.times);
        polling_ns.push_back(call.polling_ns);
        signature.push_back(cursor.signature());
        add(cursor.parameters());
    }

    void add(const Parameters& p) {
        each_number([&]<class Value>(const Member<Parameters, Value>& number, auto& column) {
            column.push_back(static_cast<Stored<Value>>(p.*number.value));
        });
        requests.values.insert(requests.values.end(), p.requests.begin(), p.requests.end());
        requests.end();
        for (const Completion& done : p.completed) {
            for (const std::int32_t part : {done.index, done.source, done.tag}) completed.values.push_back(part);
        }
        completed.end();
        counts.values.insert(counts.values.end(), p.counts.begin(), p.counts.end());
        counts.end();
    }

    Columns columns() && {
        nb::dict out;
        out["begin_ns"] = numpy(std::move(begin_ns));
        out["end_ns"] = numpy(std::move(end_ns));
        out["times"] = numpy(std::move(times));
        out["polling_ns"] = numpy(std::move(polling_ns));
        out["signature"] = numpy(std::move(signature));
        each_number([&](const auto& number, auto& column) { out[number.name] = numpy(std::move(column)); });
        add_lists(out, "requests", std::move(requests));
        add_lists(out, "completed", std::move(completed));
        add_lists(out, "counts", std::move(counts));
        return Columns(out);
    }

    template <class Visit>
    void each_number(Visit visit) {
        [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
            (visit(std::get<kIndex>(kMembers<Parameters>), std::get<kIndex>(numbers)), ...);
        }(std::make_index_sequence<std::tuple_size_v<decltype(numbers)>>{});
    }
};

/// The calls of a stream in a range of time, chunk by chunk.
class Calls {
public:
    Calls(const TraceFile& file, std::size_t stream, std::uint64_t begin_ns, std::uint64_t end_ns, std::size_t most)
        : cursor_(file.cursor(stream)), end_ns_(end_ns), most_(most), more_(cursor_.seek(begin_ns)) {}

    Columns next() {
        if (!more_) throw nb::stop_iteration();
        Chunk chunk;
        {
            const nb::gil_scoped_release release;
            while (more_ && chunk.begin_ns.size() < most_) {
                more_ = cursor_.call().begin_ns < end_ns_;
                if (!more_) break;
                chunk.add(cursor_);
                more_ = cursor_.next();
            }
        }
        if (chunk.begin_ns.empty()) throw nb::stop_iteration();
        return std::move(chunk).columns();
    }

private:
    Cursor cursor_;
    std::uint64_t end_ns_;
    std::size_t most_;
    bool more_;
};

constexpr std::size_t kCallsAtOnce = 100'000;

void bind_tables(nb::module_& module) {
    bind_record<HostClock>(module, "HostClock", "The clock of a host against that of the first; times in ns.");
    bind_record<TraceRank>(module, "TraceRank", "A rank of MPI_COMM_WORLD; times in ns since the trace's start.");
    bind_record<TraceStream>(module, "TraceStream", "Calls of one thread; times in ns since the trace's start.");
    bind_record<TraceJob>(module, "TraceJob", "What all ranks of a trace share.",
                          WAYWISER_MEMBERS(TraceJob, world_size, library, begin_unix_ns, functions, call_sites, objects,
                                           hosts, ranks, streams, lost));
}

}  // namespace

void bind_trace_file(nb::module_& module) {
    bind_tables(module);
    nb::class_<Calls>(module, "TracedCalls", "Calls of a stream, chunk by chunk.")
        .def(
            "__iter__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __iter__(self) -> TracedCalls"))
        .def("__next__", &Calls::next);
    nb::class_<TraceFile>(module, "TraceFile", "A trace; takes memory for its tables, however long it is.")
        .def(nb::init<const std::string&>(), "path"_a, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("job", &TraceFile::job, nb::rv_policy::reference_internal)
        .def_prop_ro("signatures", &TraceFile::signatures)
        .def(
            "calls",
            [](const TraceFile& self, std::size_t stream, std::uint64_t begin_ns, std::uint64_t end_ns,
               std::size_t most) {
                if (stream >= self.job().streams.size()) throw nb::index_error("there is no such stream");
                return Calls(self, stream, begin_ns, end_ns, std::max<std::size_t>(most, 1));
            },
            "stream"_a, "begin_ns"_a = 0, "end_ns"_a = std::numeric_limits<std::uint64_t>::max(),
            "most"_a = kCallsAtOnce, nb::keep_alive<0, 1>(),
            "Calls of job.streams[stream] that end after `begin_ns` and begin before `end_ns`, at most `most` "
            "at once, as a column for each of their numbers (Parameters in trace.hpp). Of lists, NAME has "
            "all values and NAME_end where those of each call end; `completed` is index, source, tag, index, …");
    bind_record<TraceSummary>(
        module, "TraceSummary", "What a trace holds, in short.",
        WAYWISER_MEMBERS(TraceSummary, streams, calls, dropped_calls, lost_calls, recorded, lost));
    module.def("merge_recordings", &merge_recordings, "states"_a, "calls"_a, "path"_a, "name_places"_a,
               nb::call_guard<nb::gil_scoped_release>(),
               "Makes one trace of what the ranks of a job have recorded; none if they recorded nothing. "
               "`name_places` gives a name to each place in the program.");
}

}  // namespace waywiser::bind
