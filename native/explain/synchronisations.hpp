/// Times at which ranks last knew that others had come equally far: earlier activity cannot be the cause of later
/// waits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace waywiser::explain {

class Synchronisations {
public:
    /// Adds a rank that has this number of communicators, windows and files.
    void add_rank(std::size_t objects) { ranks_.push_back({.objects_ns = std::vector<std::uint64_t>(objects)}); }

    /// Records that all members of an object have arrived.
    /// \param all_ranks  true if the members are all ranks of the job
    void together(std::uint32_t rank, std::uint32_t object, std::uint64_t ns, bool all_ranks) {
        Rank& at = ranks_[rank];
        at.objects_ns[object] = ns;
        if (all_ranks) at.before_ns = std::exchange(at.all_ns, ns);
    }

    /// Time of the last synchronisation of all ranks.
    [[nodiscard]] std::uint64_t with_all_ns(std::uint32_t rank) const { return ranks_[rank].all_ns; }
    /// Time of the last synchronisation of all members of an object.
    [[nodiscard]] std::uint64_t over_ns(std::uint32_t rank, std::uint32_t object) const {
        return std::max(ranks_[rank].all_ns, ranks_[rank].objects_ns[object]);
    }
    /// Time of the last but one synchronisation of all ranks: others may not have left the last one yet.
    [[nodiscard]] std::uint64_t before_last_ns(std::uint32_t rank) const { return ranks_[rank].before_ns; }

private:
    struct Rank {
        std::uint64_t all_ns = 0;
        std::uint64_t before_ns = 0;
        std::vector<std::uint64_t> objects_ns;
    };

    std::vector<Rank> ranks_;
};

}  // namespace waywiser::explain
