/// A recognised program at another number of ranks: calls that are generated while they are read.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "extrapolate/pattern.hpp"
#include "trace/reading/call_source.hpp"

namespace waywiser::extrapolate {

/// Ranks of a class share their sequence of calls. A rank's computation time before a call is that of a recorded rank
/// of its class before the same call in the largest run, multiplied by the place's law. The recorded ranks of a class
/// serve as models in turn.
class Extrapolation final : public trace::CallSource {
public:
    /// \param pattern  must outlive this object
    /// \param ranks  ranks of the smallest run times a power of two, or of four: the factor from run to run
    /// \param per_node  ranks on each node, in blocks; none: as in the largest run
    /// \param keeps_length  returns true if calls with these parameters keep their length; for others only the time
    ///     before them is kept
    /// \throws InvalidInput  if the program cannot run on this number of ranks
    Extrapolation(const Pattern& pattern, std::int64_t ranks, std::optional<std::int64_t> per_node,
                  const std::function<bool(const trace::Parameters&)>& keeps_length);

    /// One stream for each rank; all ranks are on one host.
    [[nodiscard]] const trace::TraceJob& job() const { return job_; }

    [[nodiscard]] const std::vector<List>& lists() const override { return lists_; }
    [[nodiscard]] std::uint32_t list_of(std::size_t stream) const override { return list_of_rank_[stream]; }
    [[nodiscard]] std::unique_ptr<trace::CallReader> reader() const override;
    void place(std::size_t stream, std::uint32_t relative, trace::Parameters& call) const override;

private:
    struct Call {
        std::uint32_t symbol;
        std::uint32_t recorded;  ///< position in the largest run
        double law;              ///< factor of the computation time relative to the largest run
        std::uint32_t box;       ///< index into Class::boxes, plus 1; 0: the size does not depend on a box
        bool plain;
    };

    /// A box that a call sends, whose number of faces is added to the call's symbol.
    struct SentBox {
        const Box* box;
        std::int64_t round;
    };

    /// Rules of a symbol.
    struct Placed {
        const Choice* choice;
        std::int64_t round;
        std::span<const std::uint64_t> counts;  ///< parts of the others, around the own one
    };

    /// Ranks that make the same calls.
    struct Class {
        const ClassPattern* pattern = nullptr;
        std::size_t symbols = 0;
        std::vector<std::uint32_t> first_symbols;  ///< indexed by place
        std::vector<Call> calls;
        std::vector<SentBox> boxes;
    };

    /// The choices of a class of which a rank is the root.
    using Roles = std::set<const Choice*>;

    class Reader;

    void check_nodes() const;
    void make_job();
    void make_lists();
    [[nodiscard]] std::uint32_t faces(std::size_t stream, const SentBox& sent) const;
    [[nodiscard]] bool read(std::size_t stream, std::size_t block, trace::BlockOfCalls& calls) const;
    [[nodiscard]] Class make_class(const ClassPattern& pattern) const;
    [[nodiscard]] Where where(std::int64_t rank, std::int64_t round = 0) const {
        return {.rank = rank, .ranks = ranks_, .round = round, .grid = grid_, .per_node = per_node_};
    }
    [[nodiscard]] List make_list(const Class& of, const Roles& roles);
    [[nodiscard]] std::map<std::int64_t, Roles> roots_of(std::uint32_t number) const;
    const trace::StoredSignature& signature_of(const Choice& choice, std::int64_t round, const Sizes& sizes);
    void lay_out(Class& result, const std::vector<PartPattern>& parts, std::size_t recorded,
                 std::vector<std::pair<std::uint64_t, std::uint64_t>>& around) const;

    const Pattern& pattern_;
    std::int64_t ranks_;
    unsigned steps_;  ///< of growth since the smallest run
    Grid grid_;
    std::int64_t per_node_;
    trace::TraceJob job_;
    std::deque<trace::StoredSignature> signatures_;
    std::vector<Placed> placed_;
    std::vector<List> lists_;
    std::vector<Class> classes_;
    std::vector<std::uint32_t> class_of_rank_;
    std::vector<std::uint32_t> list_of_rank_;  ///< the list of the rank's class, except for roots of collectives
};

}  // namespace waywiser::extrapolate
