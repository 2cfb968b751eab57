/// A trace without times for SimGrid's replay (`smpirun -replay PATH`): PATH lists one file per rank.
///
/// Source: "SMPI: Time-independent traces" of SimGrid's documentation. Local time becomes instructions at 1 per ns, so
/// that hosts of "1Gf" compute as fast as the trace's.
#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/error.hpp"
#include "exchange/formats.hpp"
#include "exchange/output_file.hpp"
#include "exchange/replay.hpp"
#include "exchange/text.hpp"

namespace waywiser::exchange {
namespace {

using collectives::Collective;
using mpi::Operation;

/// The actions of one rank.
class Actions {
public:
    Actions(const trace::TraceFile& trace, const mpi::Groups& groups, Tags& tags, std::size_t rank,
            const std::string& path)
        : job_(trace.job()), groups_(groups), tags_(tags), rank_(job_.ranks[rank]), file_(path) {}

    void add(const mpi::RankCall& call) {
        time_.add(call);
        if (is_local(call.parameters.action)) return;
        act_compute();
        // A send that its own call completes comes last, because MPI_Sendrecv must receive at the same time.
        for (const auto& operation : call.began) {
            if (operation->kind == Operation::Kind::receive) begin(*operation, call.completes(operation));
        }
        for (const auto& operation : call.began) {
            if (operation->kind == Operation::Kind::send) begin(*operation, call.completes(operation));
        }
        for (const auto& operation : call.completed) complete(*operation);
    }

    void finish() {
        act_compute();
        act("finalize");
        file_.finish();
    }

    void start() { act("init"); }

private:
    template <class... Parts>
    void act(const Parts&... parts) {
        line_.clear();
        append(line_, rank_.rank);
        (append(line_, ' ', parts), ...);
        line_ += '\n';
        file_.write(line_);
    }

    void act_compute() {
        if (const std::uint64_t ns = time_.take(); ns > 0) act("compute", ns);
    }

    void begin(const Operation& operation, bool blocking) {
        const auto& key = operation.key;
        if (operation.kind == Operation::Kind::send) {
            act(blocking ? "send" : "isend", key.destination, tags_.tag(key.context, key.tag), operation.bytes);
            if (blocking) sent_.insert_or_assign(operation.id, true);
        } else if (operation.known) {
            act("irecv", key.source, tags_.tag(key.context, key.tag), room(operation.bytes));
        }
    }

    /// SimGrid treats a receive of 0 bytes as one of unknown size and probes for it, so the size is at least 1.
    static std::uint64_t room(std::uint64_t bytes) { return std::max<std::uint64_t>(bytes, 1); }

    void complete(const Operation& operation) {
        const auto& key = operation.key;
        const bool message = operation.kind == Operation::Kind::send || operation.kind == Operation::Kind::receive;
        if (message && operation.known && sent_.erase(operation.id) == 0)
            act("wait", key.source, key.destination, tags_.tag(key.context, key.tag));
        if (operation.kind != Operation::Kind::collective) return;
        const auto call = collective_call(job_, groups_, rank_, operation);
        if (!call) return;
        if (call->schedule && call->operation.ranks == job_.world_size && of_world(call->object))
            act_collective(*call->schedule, *call);
        else
            act_rounds(*call);
    }

    /// True for MPI_COMM_WORLD, the only communicator of SimGrid's collectives.
    [[nodiscard]] bool of_world(std::uint32_t object) const {
        std::int64_t next = 0;
        for (const trace::Stride& stride : job_.objects[object].members) {
            if (stride.first != next || (stride.count > 1 && stride.stride != 1)) return false;
            next += stride.count;
        }
        return true;
    }

    void act_collective(Collective collective, const CollectiveCall& call) {
        const std::uint64_t bytes = call.operation.bytes;
        const int root = call.operation.root;
        switch (collective) {
            case Collective::barrier: return act("barrier");
            case Collective::bcast: return act("bcast", bytes, root);
            case Collective::gather: return act("gather", bytes, bytes, root);
            case Collective::scatter: return act("scatter", bytes, bytes, root);
            case Collective::allgather: return act("allgather", bytes, bytes);
            case Collective::alltoall: return act("alltoall", bytes, bytes);
            case Collective::reduce: return act("reduce", bytes, 0, root);
            case Collective::allreduce: return act("allreduce", bytes, 0);
            case Collective::scan: return act("scan", bytes, 0);
            case Collective::reduce_scatter: {
                std::string shares;
                for (int i = 0; i < call.operation.ranks; ++i) append(shares, bytes, ' ');
                return act("reducescatter", shares + "0");
            }
        }
    }

    void act_rounds(const CollectiveCall& call) {
        const std::uint32_t tag = collective_tag(call.call->key);
        for (const Round& round : rounds_of(call, groups_)) {
            for (const auto& [source, bytes] : round.receives) act("irecv", source, tag, room(bytes));
            for (const auto& [destination, bytes] : round.sends) act("isend", destination, tag, bytes);
            for (const auto& [source, bytes] : round.receives) act("wait", source, rank_.rank, tag);
            for (const auto& [destination, bytes] : round.sends) act("wait", rank_.rank, destination, tag);
        }
    }

    const trace::TraceJob& job_;
    const mpi::Groups& groups_;
    Tags& tags_;
    const trace::TraceRank& rank_;
    OutputFile file_;
    LocalTime time_;
    std::unordered_map<std::uint64_t, bool> sent_;  ///< blocking sends of the current call
    std::string line_;
};

}  // namespace

void write_simgrid(const trace::TraceFile& trace, const std::string& path, const Window&, Progress& progress) {
    const std::filesystem::path directory = std::filesystem::absolute(path + "_files");
    std::error_code error;
    std::filesystem::create_directories(directory, error);
    if (error) throw Error(directory.string() + " cannot be made: " + error.message());
    OutputFile list(path);
    const mpi::Groups groups(trace.job());
    Tags tags;
    for (std::size_t rank = 0; rank < trace.job().ranks.size(); ++rank) {
        const std::string file = (directory / joined("rank-", trace.job().ranks[rank].rank, ".txt")).string();
        Actions actions(trace, groups, tags, rank, file);
        actions.start();
        mpi::RankCalls calls(trace, groups, rank);
        while (calls.next()) {
            actions.add(calls.call());
            ++progress.done;
        }
        actions.finish();
        list.write(file + "\n");
    }
    list.finish();
}

}  // namespace waywiser::exchange
