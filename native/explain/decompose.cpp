#include "explain/decompose.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "collectives/schedule.hpp"
#include "mpi/roles.hpp"
#include "trace/records/state.hpp"
#include "trace/records/strides.hpp"

namespace waywiser::explain {
namespace {

using state::kOwnGroupsRoot;
using state::kSeveralRoots;
using trace::CollectiveProfile;
using trace::Communicator;
using trace::Profile;
using trace::RankProfile;

enum class Pattern { from_root, parts_from_root, to_root, to_all, parts_to_all, named_parts, doubling, chain, signals };

constexpr std::array<std::pair<std::string_view, Pattern>, 14> kPatterns{{
    {"Bcast", Pattern::from_root},
    {"Gather", Pattern::to_root},
    {"Gatherv", Pattern::to_root},
    {"Reduce", Pattern::to_root},
    {"Scatter", Pattern::parts_from_root},
    {"Allgather", Pattern::to_all},
    {"Allgatherv", Pattern::to_all},
    {"Alltoall", Pattern::parts_to_all},
    {"Reduce_scatter_block", Pattern::parts_to_all},
    {"Reduce_scatter", Pattern::named_parts},
    {"Allreduce", Pattern::doubling},
    {"Scan", Pattern::chain},
    {"Exscan", Pattern::chain},
    {"Barrier", Pattern::signals},
}};

/// The pattern of a call; none if its arguments name the destinations.
std::optional<Pattern> pattern_of(std::string_view operation) {
    const auto* at = std::ranges::find(kPatterns, operation, &std::pair<std::string_view, Pattern>::first);
    return at == kPatterns.end() ? std::nullopt : std::optional(at->second);
}

/// True if the members are listed completely and are valid.
bool is_known(const Communicator& communicator, std::int64_t world_size) {
    std::int64_t listed = 0;
    for (const auto& [first, stride, count] : communicator.members) {
        if (count < 1 || count > communicator.size - listed) return false;
        const auto inside = [&](std::int64_t rank) { return rank >= -1 && rank < world_size; };
        // A stride is smaller than the number of ranks, so that nothing below overflows.
        if (!inside(first) || stride < -world_size || stride > world_size || !inside(first + (count - 1) * stride)) {
            return false;
        }
        listed += count;
    }
    return listed > 0 && listed == communicator.size && listed <= trace::kMaxRanks;
}

struct Traffic {
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;

    Traffic& operator+=(const Traffic& other) {
        bytes += other.bytes;
        messages += other.messages;
        return *this;
    }
};

/// Iterates over a profile and passes each rank's traffic to the sink.
///
/// \tparam Sink  has to_one(destination, traffic) and to_all(communicator index, communicator, traffic), the latter for
///     all members except the source
template <class Sink>
class Decomposer {
public:
    Decomposer(const Profile& profile, Sink& sink) : profile_(profile), sink_(sink) {
        known_.reserve(profile.communicators.size());
        for (const Communicator& communicator : profile.communicators) {
            known_.push_back(is_known(communicator, profile.world_size));
        }
        find_named_parts();
    }

    void send_all_of(const RankProfile& rank) {
        source_ = rank.rank;
        for (const trace::Message& message : rank.messages) {
            to_one(message.destination, {message.collective_bytes, message.collective_messages});
        }
        for (const CollectiveProfile& collective : rank.collectives) send(collective);
    }

    [[nodiscard]] std::vector<std::string> remarks() const {
        std::vector<std::string> sentences;
        sentences.reserve(remarks_.size());
        for (const auto& [text, calls] : remarks_) sentences.push_back(text + " (" + std::to_string(calls) + " calls)");
        return sentences;
    }

private:
    using Parts = std::vector<std::pair<std::int64_t, std::uint64_t>>;  ///< a member, and the bytes that it receives

    /// Reads the parts of Reduce_scatter from each rank's own record.
    void find_named_parts() {
        for (const RankProfile& rank : profile_.ranks) {
            for (const CollectiveProfile& collective : rank.collectives) {
                if (pattern_of(mpi::operation_of(collective.function)) != Pattern::named_parts) continue;
                parts_[{collective.communicator, collective.function}].emplace_back(rank.rank,
                                                                                    collective.load.receive_bytes);
            }
        }
    }

    void send(const CollectiveProfile& collective) {
        const std::string operation = mpi::operation_of(collective.function);
        const std::optional<Pattern> pattern = pattern_of(operation);
        if (!pattern) return;
        communicator_ = collective.communicator;
        const Communicator& communicator = profile_.communicators.at(communicator_);
        const std::string subject = "MPI_" + operation + " on " + name_of(communicator);
        if (!known_[communicator_]) return remark(subject + " is left out: its members are not known", collective);
        own_ = trace::place_among(communicator.members, source_);
        if (own_ < 0 && !communicator.intercommunicator) {
            return remark(subject + " is left out: a rank that called it is not a member", collective);
        }
        if (collective.root == kSeveralRoots)
            remark(subject + " had several roots: their shares are assumed", collective);
        if (communicator.intercommunicator && *pattern > Pattern::parts_to_all) {
            return remark(subject + " is left out: between two groups it names no pairs", collective);
        }
        const Traffic all{collective.load.bytes, collective.load.calls};
        switch (*pattern) {
            case Pattern::from_root:
                if (is_root(collective)) to_others(as_root(collective));
                break;
            case Pattern::parts_from_root:
                if (is_root(collective)) parts_to_others(as_root(collective));
                break;
            case Pattern::to_root: send_to_root(collective); break;
            case Pattern::to_all: to_others(all); break;
            case Pattern::parts_to_all: parts_to_others(all); break;
            case Pattern::named_parts: send_named_parts(collective); break;
            case Pattern::doubling:
                follow_schedule("recursive doubling", collectives::Collective::allreduce, all);
                break;
            case Pattern::signals:
                follow_schedule("dissemination", collectives::Collective::barrier, {0, all.messages});
                break;
            case Pattern::chain:
                if (own_ + 1 < communicator.size) to_member(own_ + 1, all);
                break;
        }
    }

    [[nodiscard]] bool is_root(const CollectiveProfile& collective) const {
        if (collective.root == kSeveralRoots) return collective.load.bytes > 0;
        if (profile_.communicators[communicator_].intercommunicator) return collective.root == kOwnGroupsRoot;
        return collective.root == own_;
    }

    /// The calls in which this rank was the root, if the record covers several roots. Their share of all calls is the
    /// share of sent bytes in all bytes that this rank sends and receives.
    [[nodiscard]] Traffic as_root(const CollectiveProfile& collective) const {
        const auto& [calls, ns, max_ns, sync_ns, bytes, receive_bytes] = collective.load;
        if (collective.root != kSeveralRoots) return {bytes, calls};
        const long double share = static_cast<long double>(bytes) /
                                  (static_cast<long double>(bytes) + static_cast<long double>(receive_bytes));
        return {bytes, static_cast<std::uint64_t>(std::llroundl(static_cast<long double>(calls) * share))};
    }

    void send_to_root(const CollectiveProfile& collective) {
        const Traffic all{collective.load.bytes, collective.load.calls};
        if (collective.root == kSeveralRoots) return spread(all);
        if (collective.root < 0) return;  // MPI_ROOT and MPI_PROC_NULL do not send.
        const bool inter = profile_.communicators[communicator_].intercommunicator;
        if (inter || collective.root != own_) to_member(collective.root, all);
    }

    void send_named_parts(const CollectiveProfile& collective) {
        const Parts& parts = parts_.at({collective.communicator, collective.function});
        std::uint64_t named = 0;
        for (const auto& [rank, bytes] : parts) named += bytes;
        // If a rank's record is missing, or ranks made different calls, the parts do not add up.
        if (named != collective.load.bytes) {
            return parts_to_others({collective.load.bytes, collective.load.calls});
        }
        for (const auto& [rank, bytes] : parts) to_one(rank, {bytes, collective.load.calls});
    }

    void follow_schedule(std::string_view name, collectives::Collective collective, Traffic all) {
        const auto size = static_cast<int>(profile_.communicators[communicator_].size);
        const collectives::Algorithm& algorithm = collectives::algorithm(collective, name);
        for (const auto& step : algorithm.schedule({.ranks = size}, static_cast<int>(own_))) {
            if (step.to != collectives::kNobody) to_member(step.to, all);
        }
    }

    /// Number of other members to which a rank of the communicator sends.
    [[nodiscard]] std::uint64_t others() const {
        const Communicator& communicator = profile_.communicators[communicator_];
        return static_cast<std::uint64_t>(communicator.size) - (communicator.intercommunicator ? 0 : 1);
    }

    void to_others(Traffic each) {
        if (others() > 0) sink_.to_all(communicator_, profile_.communicators[communicator_], each);
    }

    /// Sends every member a part; the caller's own part is not traffic.
    void parts_to_others(Traffic all) {
        const auto size = static_cast<std::uint64_t>(profile_.communicators[communicator_].size);
        to_others({all.bytes / size, all.messages});
        if (all.bytes % size > 0 && others() > 0) to_member(own_ == 0 ? 1 : 0, {all.bytes % size, 0});
    }

    /// Sends an equal share of bytes and calls to each other member.
    void spread(Traffic all) {
        const std::uint64_t n = others();
        if (n == 0) return;
        to_others({all.bytes / n, all.messages / n});
        to_member(own_ == 0 ? 1 : 0, {all.bytes % n, all.messages % n});
    }

    void to_member(std::int64_t place, Traffic traffic) {
        to_one(trace::member_at(profile_.communicators[communicator_].members, place), traffic);
    }

    void to_one(std::int64_t destination, Traffic traffic) {
        const bool in_world = destination >= 0 && destination < profile_.world_size;
        if (!in_world || destination == source_ || traffic.bytes + traffic.messages == 0) return;
        sink_.to_one(destination, traffic);
    }

    static std::string name_of(const Communicator& communicator) {
        if (communicator.size < 0) return "communicators beyond those that are counted singly";
        const std::string ranks = std::to_string(communicator.size) + " ranks";
        return communicator.name.empty() ? "a communicator of " + ranks : communicator.name + " of " + ranks;
    }

    void remark(const std::string& text, const CollectiveProfile& collective) {
        remarks_[text] += collective.load.calls;
    }

    const Profile& profile_;
    Sink& sink_;
    std::vector<bool> known_;
    std::map<std::pair<std::uint64_t, std::string>, Parts> parts_;
    std::map<std::string, std::uint64_t> remarks_;
    std::int64_t source_ = -1;        ///< world rank of the current record
    std::int64_t own_ = -1;           ///< its rank in the current communicator
    std::uint64_t communicator_ = 0;  ///< index of the current communicator
};

bool is_rank_of(const Profile& profile, const RankProfile& rank) {
    return rank.rank >= 0 && rank.rank < profile.world_size;
}

/// Traffic of one source, by destination.
class Row {
public:
    explicit Row(std::int64_t world_size) : traffic_(static_cast<std::size_t>(world_size)) {}

    void begin(std::int64_t source) { source_ = source; }

    void to_one(std::int64_t destination, Traffic traffic) {
        Traffic& sum = traffic_[static_cast<std::size_t>(destination)];
        if (sum.bytes + sum.messages == 0) touched_.push_back(destination);
        sum += traffic;
    }

    void to_all(std::uint64_t /*index*/, const Communicator& communicator, Traffic traffic) {
        if (traffic.bytes + traffic.messages == 0) return;
        trace::each_member(communicator.members, [&](std::int64_t rank) {
            if (rank >= 0 && rank != source_) to_one(rank, traffic);
        });
    }

    [[nodiscard]] std::size_t size() const { return touched_.size(); }

    void move_to(Pairs& pairs) {
        std::ranges::sort(touched_);
        for (const std::int64_t destination : touched_) {
            Traffic& sum = traffic_[static_cast<std::size_t>(destination)];
            pairs.source.push_back(source_);
            pairs.destination.push_back(destination);
            pairs.bytes.push_back(sum.bytes);
            pairs.messages.push_back(sum.messages);
            sum = {};
        }
        touched_.clear();
    }

private:
    std::int64_t source_ = -1;
    std::vector<Traffic> traffic_;
    std::vector<std::int64_t> touched_;
};

/// Traffic between blocks of ranks. The members of each communicator are counted by block only once.
class BlockSums {
public:
    BlockSums(BlockMatrix& matrix, std::int64_t world_size) : matrix_(matrix), world_size_(world_size) {}

    void begin(std::int64_t source) { source_ = source; }

    void to_one(std::int64_t destination, Traffic traffic) { add(block_of(destination), 1, traffic); }

    void to_all(std::uint64_t index, const Communicator& communicator, Traffic traffic) {
        auto [at, is_new] = members_.try_emplace(index);
        if (is_new) {
            std::map<std::int64_t, std::uint64_t>& count = at->second;
            trace::each_member(communicator.members, [&](std::int64_t rank) {
                if (rank >= 0) ++count[block_of(rank)];
            });
        }
        for (const auto& [block, members] : at->second) {
            const bool has_source = block == block_of(source_) && !communicator.intercommunicator;
            add(block, members - (has_source ? 1 : 0), traffic);
        }
    }

private:
    [[nodiscard]] std::int64_t block_of(std::int64_t rank) const { return rank * matrix_.blocks / world_size_; }

    void add(std::int64_t block, std::uint64_t times, Traffic traffic) {
        const auto cell = static_cast<std::size_t>(block_of(source_) * matrix_.blocks + block);
        matrix_.bytes[cell] += times * traffic.bytes;
        matrix_.messages[cell] += times * traffic.messages;
    }

    BlockMatrix& matrix_;
    std::int64_t world_size_;
    std::int64_t source_ = -1;
    std::map<std::uint64_t, std::map<std::int64_t, std::uint64_t>> members_;
};

}  // namespace

Pairs decompose(const Profile& profile, std::size_t most_pairs) {
    Pairs pairs;
    Row row(profile.world_size);
    Decomposer decomposer(profile, row);
    for (const RankProfile& rank : profile.ranks) {
        if (!is_rank_of(profile, rank)) continue;
        row.begin(rank.rank);
        decomposer.send_all_of(rank);
        pairs.complete = pairs.source.size() + row.size() <= most_pairs;
        if (!pairs.complete) break;
        row.move_to(pairs);
    }
    pairs.remarks = decomposer.remarks();
    return pairs;
}

BlockMatrix decompose_in_blocks(const Profile& profile, std::int64_t blocks) {
    require(blocks >= 1 && blocks <= kMostBlocks,
            "blocks: expected 1 to " + std::to_string(kMostBlocks) + ", found " + std::to_string(blocks));
    BlockMatrix matrix;
    matrix.blocks = std::min(blocks, profile.world_size);
    const auto cells = static_cast<std::size_t>(matrix.blocks * matrix.blocks);
    matrix.bytes.resize(cells);
    matrix.messages.resize(cells);
    BlockSums sums(matrix, profile.world_size);
    Decomposer decomposer(profile, sums);
    for (const RankProfile& rank : profile.ranks) {
        if (!is_rank_of(profile, rank)) continue;
        sums.begin(rank.rank);
        decomposer.send_all_of(rank);
    }
    matrix.remarks = decomposer.remarks();
    return matrix;
}

}  // namespace waywiser::explain
