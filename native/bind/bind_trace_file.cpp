/// A trace for Python: its tables, and its calls as arrays of numpy; and how it comes from recordings.
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <type_traits>

#include "bind/rooms.hpp"
#include "trace/merging/recording_reader.hpp"
#include "trace/reading/trace_reader.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace waywiser::trace;

namespace waywiser::bind {
namespace {

using Columns = nb::typed<nb::dict, nb::str, nb::any>;

/// Values that Python owns.
template <class Value>
nb::object array(std::vector<Value> values) {
    auto* kept = new std::vector<Value>(std::move(values));
    const nb::capsule owner(kept, [](void* pointer) noexcept { delete static_cast<std::vector<Value>*>(pointer); });
    return nb::cast(nb::ndarray<nb::numpy, Value, nb::ndim<1>>(kept->data(), {kept->size()}, owner));
}

/// Lists of different lengths: all values, and where the list of each call ends.
template <class Value>
struct Lists {
    std::vector<Value> values;
    std::vector<std::uint64_t> ends;

    void end() { ends.push_back(values.size()); }
};

template <class Value>
void add_lists(nb::dict& columns, const char* name, Lists<Value> lists) {
    columns[name] = array(std::move(lists.values));
    columns[(std::string(name) + "_end").c_str()] = array(std::move(lists.ends));
}

/// Calls of a stream, a column for each of their numbers.
struct Chunk {
    std::vector<std::uint64_t> begin_ns, end_ns, times, polling_ns, bytes, posted;
    std::vector<std::uint32_t> signature, function, site;
    std::vector<std::uint8_t> action, found;
    std::vector<std::int32_t> object, created, peer, tag, source, source_tag, matched_source, matched_tag, request,
        message;
    std::vector<std::int64_t> detail;
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
        function.push_back(p.function);
        site.push_back(p.site);
        action.push_back(static_cast<std::uint8_t>(p.action));
        found.push_back(p.found ? 1 : 0);
        object.push_back(p.object);
        created.push_back(p.created);
        peer.push_back(p.peer);
        tag.push_back(p.tag);
        source.push_back(p.source);
        source_tag.push_back(p.source_tag);
        matched_source.push_back(p.matched_source);
        matched_tag.push_back(p.matched_tag);
        request.push_back(p.request);
        message.push_back(p.message);
        detail.push_back(p.detail);
        bytes.push_back(p.bytes);
        posted.push_back(p.posted);
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
        out["begin_ns"] = array(std::move(begin_ns));
        out["end_ns"] = array(std::move(end_ns));
        out["times"] = array(std::move(times));
        out["polling_ns"] = array(std::move(polling_ns));
        out["signature"] = array(std::move(signature));
        out["function"] = array(std::move(function));
        out["site"] = array(std::move(site));
        out["action"] = array(std::move(action));
        out["found"] = array(std::move(found));
        out["object"] = array(std::move(object));
        out["created"] = array(std::move(created));
        out["peer"] = array(std::move(peer));
        out["tag"] = array(std::move(tag));
        out["source"] = array(std::move(source));
        out["source_tag"] = array(std::move(source_tag));
        out["matched_source"] = array(std::move(matched_source));
        out["matched_tag"] = array(std::move(matched_tag));
        out["request"] = array(std::move(request));
        out["message"] = array(std::move(message));
        out["detail"] = array(std::move(detail));
        out["bytes"] = array(std::move(bytes));
        out["posted"] = array(std::move(posted));
        add_lists(out, "requests", std::move(requests));
        add_lists(out, "completed", std::move(completed));
        add_lists(out, "counts", std::move(counts));
        return Columns(out);
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
    nb::class_<HostClock>(module, "HostClock", "The clock of a host against that of the first; times in ns.")
        .def_ro("host", &HostClock::host)
        .def_ro("offset_ns", &HostClock::offset_ns)
        .def_ro("drift", &HostClock::drift)
        .def_ro("reference_ns", &HostClock::reference_ns)
        .def_ro("uncertainty_ns", &HostClock::uncertainty_ns)
        .def_ro("method", &HostClock::method);
    nb::class_<TraceRank>(module, "TraceRank", "A rank of MPI_COMM_WORLD; times in ns since the trace's begin.")
        .def_ro("rank", &TraceRank::rank)
        .def_ro("host", &TraceRank::host)
        .def_ro("objects", &TraceRank::objects)
        .def_ro("begin_ns", &TraceRank::begin_ns)
        .def_ro("end_ns", &TraceRank::end_ns)
        .def_ro("ending", &TraceRank::ending)
        .def_ro("dropped_calls", &TraceRank::dropped_calls);
    nb::class_<TraceStream>(module, "TraceStream", "Calls of one thread; times in ns since the trace's begin.")
        .def_ro("rank", &TraceStream::rank)
        .def_ro("thread", &TraceStream::thread)
        .def_ro("calls", &TraceStream::calls)
        .def_ro("events", &TraceStream::events)
        .def_ro("begin_ns", &TraceStream::begin_ns)
        .def_ro("end_ns", &TraceStream::end_ns);
    nb::class_<TraceJob>(module, "TraceJob", "What all ranks of a trace share.")
        .def_ro("world_size", &TraceJob::world_size)
        .def_ro("library", &TraceJob::library)
        .def_ro("begin_unix_ns", &TraceJob::begin_unix_ns)
        .def_ro("functions", &TraceJob::functions)
        .def_ro("call_sites", &TraceJob::call_sites)
        .def_ro("objects", &TraceJob::objects)
        .def_ro("hosts", &TraceJob::hosts)
        .def_ro("ranks", &TraceJob::ranks)
        .def_ro("streams", &TraceJob::streams)
        .def_ro("lost", &TraceJob::lost);
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
            "Calls of job.streams[stream] that end after `begin_ns` and begin before `end_ns`, at most so many "
            "at once, as a column for each of their numbers (Parameters in trace.hpp). Of lists, NAME has "
            "all values and NAME_end where those of each call end; `completed` is index, source, tag, index, …");
    nb::class_<TraceSummary>(module, "TraceSummary", "What a trace holds, in short.")
        .def_ro("streams", &TraceSummary::streams)
        .def_ro("calls", &TraceSummary::calls)
        .def_ro("dropped_calls", &TraceSummary::dropped_calls)
        .def_ro("lost_calls", &TraceSummary::lost_calls)
        .def_ro("recorded", &TraceSummary::recorded)
        .def_ro("lost", &TraceSummary::lost);
    module.def("merge_recordings", &merge_recordings, "states"_a, "calls"_a, "path"_a, "name_places"_a,
               nb::call_guard<nb::gil_scoped_release>(),
               "Makes one trace of what the ranks of a job have recorded; none if they recorded nothing. "
               "`name_places` gives a name to each place in the program.");
}

}  // namespace waywiser::bind
