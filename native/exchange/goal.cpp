/// A trace in the Group Operation Assembly Language, which LogGOPSim and ATLAHS simulate.
///
/// Source: T. Hoefler, C. Siebert, A. Lumsdaine, "Group Operation Assembly Language - A Flexible Way to Express
/// Collective Communication", ICPP 2009; keywords as in LogGOPSim's parser.
#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "exchange/formats.hpp"
#include "exchange/output_file.hpp"
#include "exchange/replay.hpp"
#include "exchange/text.hpp"

namespace waywiser::exchange {
namespace {

using mpi::Operation;
using Labels = std::vector<std::uint64_t>;

/// The operations of one rank with their dependences.
class Block {
public:
    Block(const trace::TraceFile& trace, const mpi::Groups& groups, Tags& tags, std::size_t rank, OutputFile& file)
        : job_(trace.job()), groups_(groups), tags_(tags), rank_(job_.ranks[rank]), file_(file) {
        write("rank ", rank_.rank, " {");
    }

    void add(const mpi::RankCall& call) {
        time_.add(call);
        if (is_local(call.parameters.action)) return;
        calculate();
        for (const auto& operation : call.began) begin(*operation, call.completes(operation));
        for (const auto& operation : call.completed) {
            const auto running = running_.extract(operation->id);
            if (!running.empty()) last_.insert(last_.end(), running.mapped().begin(), running.mapped().end());
        }
    }

    void finish() {
        calculate();
        write("}");
    }

private:
    template <class... Parts>
    void write(const Parts&... parts) {
        line_.clear();
        append(line_, parts..., '\n');
        file_.write(line_);
    }

    template <class... Parts>
    std::uint64_t operation(const Labels& after, const Parts&... parts) {
        write('l', ++label_, ": ", parts...);
        for (const std::uint64_t before : after) write('l', label_, " requires l", before);
        return label_;
    }

    /// Adds local time, which depends on all operations that the rank waits for, and on the start of the others.
    void calculate() {
        const std::uint64_t joined = operation(last_, "calc ", time_.take());
        for (const std::uint64_t before : started_) write('l', joined, " irequires l", before);
        started_.clear();
        last_ = {joined};
    }

    void begin(const Operation& started, bool blocking) {
        Labels labels;
        if (started.kind == Operation::Kind::send) {
            labels = {
                send(last_, started.key.destination, started.bytes, tags_.tag(started.key.context, started.key.tag))};
        } else if (started.kind == Operation::Kind::receive && started.known) {
            labels = {
                receive(last_, started.key.source, started.bytes, tags_.tag(started.key.context, started.key.tag))};
        } else if (started.kind == Operation::Kind::collective) {
            const auto call = collective_call(job_, groups_, rank_, started);
            if (call) labels = rounds(*call);
        }
        if (labels.empty()) return;
        // A nonblocking collective progresses by itself, so its last round does not mark its start.
        if (!blocking && started.kind != Operation::Kind::collective) started_.push_back(labels.front());
        running_.emplace(started.id, std::move(labels));
    }

    /// \return the operations of the last round
    Labels rounds(const CollectiveCall& call) {
        const std::uint32_t tag = collective_tag(call.call->key);
        Labels before = last_;
        for (const Round& round : rounds_of(call, groups_)) {
            Labels labels;
            for (const auto& [source, bytes] : round.receives) labels.push_back(receive(before, source, bytes, tag));
            for (const auto& [to, bytes] : round.sends) labels.push_back(send(before, to, bytes, tag));
            before = std::move(labels);
        }
        return before == last_ ? Labels{} : before;
    }

    std::uint64_t send(const Labels& after, std::int64_t to, std::uint64_t bytes, std::uint32_t tag) {
        return operation(after, "send ", bytes, "b to ", to, " tag ", tag);
    }

    std::uint64_t receive(const Labels& after, std::int64_t from, std::uint64_t bytes, std::uint32_t tag) {
        return operation(after, "recv ", bytes, "b from ", from, " tag ", tag);
    }

    const trace::TraceJob& job_;
    const mpi::Groups& groups_;
    Tags& tags_;
    const trace::TraceRank& rank_;
    OutputFile& file_;
    LocalTime time_;
    std::uint64_t label_ = 0;
    Labels last_;                                        ///< operations on which the next one depends
    Labels started_;                                     ///< messages since the last calculation
    std::unordered_map<std::uint64_t, Labels> running_;  ///< labels of incomplete operations
    std::string line_;
};

}  // namespace

void write_goal(const trace::TraceFile& trace, const std::string& path, const Window&, Progress& progress) {
    OutputFile file(path);
    const mpi::Groups groups(trace.job());
    Tags tags;
    file.write(joined("num_ranks ", trace.job().world_size, "\n"));
    for (std::size_t rank = 0; rank < trace.job().ranks.size(); ++rank) {
        Block block(trace, groups, tags, rank, file);
        mpi::RankCalls calls(trace, groups, rank);
        while (calls.next()) {
            block.add(calls.call());
            ++progress.done;
        }
        block.finish();
    }
    file.finish();
}

}  // namespace waywiser::exchange
