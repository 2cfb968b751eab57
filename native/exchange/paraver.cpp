/// A trace for Paraver and Dimemas: NAME.prv with the records, NAME.pcf and NAME.row with their names.
///
/// Source: "Paraver: Traceformat, version 3.0", Barcelona Supercomputing Center; numbers of calls as in Extrae.
#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "exchange/call_text.hpp"
#include "exchange/formats.hpp"
#include "exchange/output_file.hpp"
#include "exchange/paraver_names.hpp"
#include "exchange/text.hpp"
#include "exchange/time_sorted.hpp"
#include "trace/records/strides.hpp"

namespace waywiser::exchange {
namespace {

using mpi::Operation;

// Types of events for arguments of collectives and for call sites.
constexpr std::uint32_t kSentSize = 50100001;
constexpr std::uint32_t kReceivedSize = 50100002;
constexpr std::uint32_t kRoot = 50100003;
constexpr std::uint32_t kCommunicator = 50100004;
constexpr std::uint32_t kCaller = 70000001;
constexpr std::uint32_t kFirstOwnValue = 1000;  ///< first value for calls without a number in Extrae

/// Placement of the ranks, with one CPU per rank.
struct Resources {
    std::vector<std::size_t> nodes;      ///< node of each task, from 1
    std::vector<std::uint32_t> threads;  ///< number of threads of each task
    std::vector<std::size_t> cpus;       ///< CPU of each task, from 1; CPUs of a node are consecutive
    std::vector<std::size_t> cpus_of_node;

    explicit Resources(const trace::TraceJob& job)
        : nodes(static_cast<std::size_t>(job.world_size), 1),
          threads(nodes.size(), 1),
          cpus(nodes.size()),
          cpus_of_node(std::max<std::size_t>(job.hosts.size(), 1)) {
        for (const trace::TraceRank& rank : job.ranks) nodes[static_cast<std::size_t>(rank.rank)] = rank.host + 1;
        for (const trace::TraceStream& stream : job.streams) {
            std::uint32_t& most = threads[static_cast<std::size_t>(stream.rank)];
            most = std::max(most, stream.thread + 1);
        }
        for (const std::size_t node : nodes) ++cpus_of_node[node - 1];
        std::vector<std::size_t> next(cpus_of_node.size(), 1);
        for (std::size_t i = 1; i < next.size(); ++i) next[i] = next[i - 1] + cpus_of_node[i - 1];
        for (std::size_t task = 0; task < nodes.size(); ++task) cpus[task] = next[nodes[task] - 1]++;
    }
};

std::string header(const trace::TraceJob& job, const Resources& resources) {
    const auto seconds = static_cast<std::time_t>(job.begin_unix_ns / 1'000'000'000);
    std::tm date{};
    gmtime_r(&seconds, &date);
    std::array<char, 32> when{};
    std::strftime(when.data(), when.size(), "%d/%m/%y at %H:%M", &date);
    std::uint64_t end = 0;
    for (const trace::TraceStream& stream : job.streams) end = std::max(end, stream.end_ns);
    std::string line = joined("#Paraver (", when.data(), "):", end, "_ns:", resources.cpus_of_node.size(), '(');
    for (std::size_t i = 0; i < resources.cpus_of_node.size(); ++i)
        append(line, i == 0 ? "" : ",", resources.cpus_of_node[i]);
    append(line, "):1:", resources.nodes.size(), '(');
    for (std::size_t i = 0; i < resources.nodes.size(); ++i)
        append(line, i == 0 ? "" : ",", resources.threads[i], ':', resources.nodes[i]);
    const auto is_named = [&](const trace::TraceObject& object) {
        std::int64_t members = 0;
        for (const trace::Stride& stride : object.members) members += stride.count;
        return members > 0 && members == object.size && members <= job.world_size;
    };
    append(line, "),", std::ranges::count_if(job.objects, is_named), '\n');
    for (std::size_t i = 0; i < job.objects.size(); ++i) {
        if (!is_named(job.objects[i])) continue;
        append(line, "c:1:", i + 1, ':', job.objects[i].size);
        trace::each_member(job.objects[i].members, [&](std::int64_t rank) { append(line, ':', rank + 1); });
        line += '\n';
    }
    return line;
}

/// The end of a message in a communication record.
struct End {
    bool in_window;
    std::size_t task;  ///< task number, from 0
    std::uint32_t thread;
    std::uint64_t begin_ns;
    std::uint64_t end_ns;
    std::uint64_t bytes;
};

class Records {
public:
    Records(const trace::TraceJob& job, const CallText& text, const Resources& resources, TimeSorted& lines)
        : job_(job), text_(text), resources_(resources), lines_(lines), last_end_ns_(job.streams.size()) {}

    void add(std::size_t rank, const mpi::RankCall& call, bool in_window) {
        const trace::TraceStream& stream = job_.streams[call.stream];
        const auto task = static_cast<std::size_t>(stream.rank);
        if (in_window) {
            add_states(call, place(task, stream.thread));
            add_events(rank, call, place(task, stream.thread));
        }
        for (const auto& operation : call.began) {
            if (operation->kind == Operation::Kind::send)
                meet(*operation,
                     {in_window, task, operation->thread, operation->begin_ns, operation->begin_ns, operation->bytes});
        }
        for (const auto& operation : call.completed) {
            if (operation->kind == Operation::Kind::receive && operation->known)
                meet(*operation, {in_window, task, operation->thread, operation->begin_ns, call.call.end_ns, 0});
        }
    }

    [[nodiscard]] const std::map<std::uint32_t, std::map<std::uint32_t, std::string>>& values() const {
        return values_;
    }

private:
    [[nodiscard]] std::string place(std::size_t task, std::uint32_t thread) const {
        return joined(resources_.cpus[task], ":1:", task + 1, ':', thread + 1);
    }

    void add_state(const std::string& place, std::uint64_t begin, std::uint64_t end, std::size_t state) {
        if (begin < end) lines_.add(begin, joined("1:", place, ':', begin, ':', end, ':', state, '\n'));
    }

    void add_states(const mpi::RankCall& call, const std::string& place) {
        const auto [begin, end] = std::pair(call.call.begin_ns, call.call.end_ns);
        std::uint64_t& last = last_end_ns_[call.stream];
        add_state(place, last, begin, started_.insert(call.stream).second ? kNotCreated : kRunning);
        add_state(place, begin, end, state(call.parameters, text_.function(call.parameters)));
        last = end;
    }

    void add_events(std::size_t rank, const mpi::RankCall& call, const std::string& place) {
        const trace::Parameters& p = call.parameters;
        const std::uint32_t type = event_type(p.action);
        const std::uint32_t known = event_value(text_.function(p));
        const std::uint32_t value = known != 0 ? known : kFirstOwnValue + p.function;
        values_[type].try_emplace(value, text_.function(p));
        std::string line = joined("2:", place, ':', call.call.begin_ns, ':', type, ':', value);
        if (p.site != 0) append(line, ':', kCaller, ':', p.site);
        if (p.action == trace::Action::collective) {
            append(line, ':', kSentSize, ':', p.bytes, ':', kReceivedSize, ':', p.posted);
            const std::int64_t root = text_.world_rank(rank, p, p.peer);
            if (root >= 0) append(line, ':', kRoot, ':', root + 1);
            const std::uint32_t* over = mpi::numbered(job_.ranks[rank].objects, p.object);
            if (over != nullptr) append(line, ':', kCommunicator, ':', *over + 1);
        }
        lines_.add(call.call.begin_ns, line + '\n');
        line = joined("2:", place, ':', call.call.end_ns, ':', type, ":0");
        if (p.site != 0) append(line, ':', kCaller, ":0");
        lines_.add(call.call.end_ns, line + '\n');
    }

    void meet(const Operation& operation, const End& end) {
        const auto counterpart = pairs_.meet(operation.key, end);
        if (!counterpart || !counterpart->in_window || !end.in_window) return;
        const bool sends = operation.kind == Operation::Kind::send;
        const auto& [from, to] = sends ? std::pair(end, *counterpart) : std::pair(*counterpart, end);
        lines_.add(from.begin_ns, joined("3:", place(from.task, from.thread), ':', from.begin_ns, ':', from.end_ns, ':',
                                         place(to.task, to.thread), ':', to.begin_ns, ':', to.end_ns, ':', from.bytes,
                                         ':', operation.key.tag, '\n'));
    }

    const trace::TraceJob& job_;
    const CallText& text_;
    const Resources& resources_;
    TimeSorted& lines_;
    mpi::MessagePairs<End> pairs_;
    std::vector<std::uint64_t> last_end_ns_;                                ///< indexed by stream
    std::set<std::size_t> started_;                                         ///< streams that have started
    std::map<std::uint32_t, std::map<std::uint32_t, std::string>> values_;  ///< names of values by type of event
};

void write_names(const Records& records, const trace::TraceJob& job, OutputFile& file) {
    static constexpr std::array<std::pair<std::uint32_t, std::string_view>, 5> kTypes{
        {{kPointToPoint, "MPI Point-to-point"},
         {kCollective, "MPI Collective Comm"},
         {kOther, "MPI Other"},
         {kOneSided, "MPI One-sided"},
         {kFiles, "MPI I/O"}}};
    file.write("DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\nSTATES\n");
    for (std::size_t i = 0; i < states().size(); ++i) file.write(joined(i, "    ", states()[i], '\n'));
    for (const auto& [type, name] : kTypes) {
        const auto of_type = records.values().find(type);
        if (of_type == records.values().end()) continue;
        file.write(joined("\nEVENT_TYPE\n9    ", type, "    ", name, "\nVALUES\n"));
        for (const auto& [value, function] : of_type->second) file.write(joined(value, "   ", function, '\n'));
        file.write("0   Outside MPI\n");
    }
    file.write(joined("\nEVENT_TYPE\n1    ", kSentSize, "    Send Size in MPI Global OP\n1    ", kReceivedSize,
                      "    Recv Size in MPI Global OP\n1    ", kRoot, "    Root in MPI Global OP\n1    ", kCommunicator,
                      "    Communicator in MPI Global OP\n"));
    file.write(joined("\nEVENT_TYPE\n0    ", kCaller, "    Caller at level 1\nVALUES\n0   End\n"));
    for (std::size_t i = 0; i < job.call_sites.size(); ++i) {
        const trace::CallSite& site = job.call_sites[i];
        file.write(joined(i + 1, "   ", site.place.empty() ? site.module : site.place, '\n'));
    }
}

void write_rows(const trace::TraceJob& job, const Resources& resources, OutputFile& file) {
    const std::size_t tasks = resources.nodes.size();
    std::vector<std::string> cpus(tasks);
    std::string thread_rows;
    std::size_t threads = 0;
    for (std::size_t task = 0; task < tasks; ++task) {
        cpus[resources.cpus[task] - 1] = joined(resources.cpus[task], ".rank ", task, '\n');
        for (std::uint32_t thread = 1; thread <= resources.threads[task]; ++thread, ++threads)
            append(thread_rows, "THREAD 1.", task + 1, '.', thread, '\n');
    }
    file.write(joined("LEVEL CPU SIZE ", tasks, '\n'));
    for (const std::string& cpu : cpus) file.write(cpu);
    file.write(joined("\nLEVEL NODE SIZE ", resources.cpus_of_node.size(), '\n'));
    for (const trace::HostClock& host : job.hosts) file.write(host.host + '\n');
    file.write(joined("\nLEVEL THREAD SIZE ", threads, '\n', thread_rows));
}

}  // namespace

void write_paraver(const trace::TraceFile& trace, const std::string& path, const Window& window, Progress& progress) {
    require(path.ends_with(".prv"), path + " does not end in .prv, as the first of a Paraver trace's three files does");
    const trace::TraceJob& job = trace.job();
    const Resources resources(job);
    const CallText text(job);
    OutputFile file(path);
    file.write(header(job, resources));
    TimeSorted lines(path);
    Records records(job, text, resources, lines);
    mpi::JobCalls calls(trace, text.groups());
    while (calls.next()) {
        records.add(calls.rank(), calls.call(), window.holds(calls.call().call));
        ++progress.done;
    }
    lines.finish(file);
    file.finish();
    const std::string base = path.substr(0, path.size() - 4);
    OutputFile names(base + ".pcf");
    write_names(records, job, names);
    names.finish();
    OutputFile rows(base + ".row");
    write_rows(job, resources, rows);
    rows.finish();
}

}  // namespace waywiser::exchange
