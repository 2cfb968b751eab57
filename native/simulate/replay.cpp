/// The replay as a whole: parts of the ranks, each on a thread of its own, until all calls are over.
#include "simulate/replay.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "simulate/replayer.hpp"

namespace waywiser::simulate {
namespace {

/// The smallest number of ranks per thread, unless more threads are requested: with fewer ranks a thread waits for the
/// others.
constexpr std::size_t kRanksOfThread = 256;
constexpr std::size_t kNamed = 8;  ///< largest number of ranks that a deadlock's message names

class Replay {
public:
    Replay(const trace::TraceJob& job, const trace::CallSource& calls, const Settings& settings)
        : common_(job, calls, settings) {
        const std::vector<Part> parts = divided(threads());
        parts_.resize(parts.size());
        each_part(
            [&](std::size_t part) { parts_[part] = std::make_unique<Replayer>(common_, parts[part], parts.size()); });
    }
    Replay(const Replay&) = delete;
    Replay& operator=(const Replay&) = delete;
    ~Replay() {
        each_part([&](std::size_t part) { parts_[part].reset(); });
    }

    [[nodiscard]] Prediction run() {
        do {
            run_parts();
        } while (resolve_stall());
        remark_unmatched();
        return result();
    }

private:
    /// Calls `work` for all parts, each by a thread of its own.
    template <class Work>
    void each_part(const Work& work) {
        in_parallel(static_cast<unsigned>(parts_.size()), parts_.size(), work);
    }

    [[nodiscard]] std::size_t threads() const {
        if (common_.needs_order()) return 1;
        const std::size_t ranks = std::max<std::size_t>(common_.ranks.size(), 1);
        if (common_.settings.threads > 0) return std::min(static_cast<std::size_t>(common_.settings.threads), ranks);
        return std::clamp<std::size_t>(ranks / kRanksOfThread, 1, std::max(std::thread::hardware_concurrency(), 1U));
    }

    /// Parts of consecutive ranks, with about equally many calls.
    std::vector<Part> divided(std::size_t count) {
        const auto events_of = [&](std::size_t rank) {
            std::uint64_t events = 0;
            for (std::size_t i = common_.stream_begins[rank]; i < common_.stream_begins[rank + 1]; ++i) {
                events += common_.job.streams[i].events;
            }
            return events;
        };
        const std::size_t ranks = common_.ranks.size();
        std::uint64_t all = 0;
        for (std::size_t rank = 0; rank < ranks; ++rank) all += events_of(rank);
        std::vector<Part> parts(1);
        std::uint64_t passed = 0;
        for (std::uint32_t rank = 0; rank < ranks; ++rank) {
            const bool enough = passed >= all * parts.size() / count || ranks - rank <= count - parts.size();
            if (enough && parts.size() < count && rank > parts.back().first) {
                parts.push_back({.number = static_cast<std::uint32_t>(parts.size()), .first = rank});
            }
            parts.back().end = rank + 1;
            common_.part_of_rank.push_back(parts.back().number);
            passed += events_of(rank);
        }
        return parts;
    }

    /// Replays all parts until none can continue.
    void run_parts() {
        if (parts_.size() == 1) return parts_.front()->run_alone();
        Exchange exchange(parts_.size());
        each_part([&](std::size_t part) {
            try {
                parts_[part]->run_beside(exchange);
            } catch (...) {
                exchange.stop();
                throw;
            }
        });
    }

    /// Lets the earliest events of parked actors happen. \return true if there are any
    bool resume() {
        double quiet_ns = FlowSimulator::kEver_ns;
        for (const auto& part : parts_) quiet_ns = std::min(quiet_ns, part->quiet_until_ns());
        bool any = false;
        for (const auto& part : parts_) any = part->resume(quiet_ns) || any;
        return any;
    }

    /// \return false if all calls are over
    bool resolve_stall() {
        struct Parked {
            Replayer* part;
            Actor* actor;
        };
        std::vector<Parked> parked;
        if (resume()) return true;
        for (const auto& part : parts_) {
            for (Actor* actor : part->parked()) parked.push_back({part.get(), actor});
        }
        if (parked.empty()) return false;
        std::vector<Parked> released;
        std::ranges::copy_if(parked, std::back_inserter(released),
                             [](const Parked& stalled) { return stalled.part->waits_in_vain(*stalled.actor); });
        if (released.empty() && common_.incomplete) {
            released.push_back(
                *std::ranges::min_element(parked, {}, [](const Parked& stalled) { return stalled.actor->now.ns(); }));
        }
        for (const Parked& stalled : released) stalled.part->let_go(*stalled.actor);
        if (!released.empty()) return true;
        std::string who;
        for (std::size_t i = 0; i < std::min(parked.size(), kNamed); ++i) {
            who += (i > 0 ? "; " : "") + parked[i].part->describe(*parked[i].actor);
        }
        if (parked.size() > kNamed) who += "; and " + std::to_string(parked.size() - kNamed) + " more ranks";
        throw InvalidInput("on this machine the program comes to a deadlock, which a larger eager limit may avoid: " +
                           who);
    }

    void remark_unmatched() {
        std::optional<Unmatched> first;
        for (const auto& part : parts_) {
            const auto unmatched = part->unmatched();
            if (unmatched && (!first || unmatched->channel < first->channel)) first = unmatched;
        }
        if (!first) return;
        const auto rank = [&](std::uint32_t index) { return std::to_string(common_.job.ranks[index].rank); };
        const ChannelKey& key = first->channel;
        common_
            .remarks["messages are never received: the first ones from rank " + rank(key.source) +
                     parts_[common_.part_of_rank[key.source]]->sending_call(key) + " to rank " + rank(key.destination) +
                     (key.tag >= 0 ? " of tag " + std::to_string(key.tag) : " within a collective")] += first->messages;
    }

    [[nodiscard]] Prediction result() {
        Prediction prediction;
        prediction.threads = static_cast<int>(parts_.size());
        prediction.progress = common_.settings.asynchronous ? "asynchronous" : "in calls";
        for (const std::string& name : common_.job.functions) prediction.functions.push_back({.name = name});
        for (const auto& part : parts_) part->add_to(prediction, common_.remarks);
        std::erase_if(prediction.functions, [](const FunctionTimes& function) { return function.calls == 0; });
        std::ranges::stable_sort(prediction.functions, std::greater{}, &FunctionTimes::ns);
        for (const trace::TraceStream& stream : common_.job.streams) {
            if (stream.events == 0) continue;
            prediction.recorded.makespan_ns =
                std::max(prediction.recorded.makespan_ns, static_cast<double>(stream.end_ns - common_.origin_ns));
        }
        add_path(prediction);
        prediction.remarks = common_.job.lost;
        // Threads find damaged blocks in any order: remarks are sorted to be reproducible.
        std::sort(prediction.remarks.begin() + static_cast<std::ptrdiff_t>(common_.lost_before),
                  prediction.remarks.end());
        for (const auto& [text, times] : common_.remarks) {
            prediction.remarks.push_back(times == 1 ? text : text + " (" + std::to_string(times) + " times)");
        }
        return prediction;
    }

    void add_path(Prediction& prediction) const {
        const Actor* last = nullptr;
        for (const auto& part : parts_) {
            const Actor* actor = part->last();
            if (last == nullptr || (actor != nullptr && actor->now.ns() > last->now.ns())) last = actor;
        }
        if (last == nullptr) return;
        const Timestamp& end = last->now;
        prediction.makespan_ns = end.ns();
        prediction.links = parts_.front()->link_use(prediction.makespan_ns);
        prediction.critical_path = {.compute_ns = end.ns() - end.overhead_ns() - end.latency_ns() - end.transfer_ns(),
                                    .overhead_ns = end.overhead_ns(),
                                    .latency_ns = end.latency_ns(),
                                    .transfer_ns = end.transfer_ns()};
    }

    Common common_;
    std::vector<std::unique_ptr<Replayer>> parts_;
};

}  // namespace

Prediction replay(const trace::TraceFile& trace, const Settings& settings) {
    return replay(trace.job(), trace.blocks(keeps_length), settings);
}

Prediction replay(const trace::TraceJob& job, const trace::CallSource& calls, const Settings& settings) {
    return Replay(job, calls, settings).run();
}

}  // namespace waywiser::simulate
