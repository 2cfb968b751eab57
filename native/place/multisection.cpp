#include <algorithm>
#include <map>

#include "place/bisection.hpp"
#include "place/multisection.hpp"
#include "place/random.hpp"
#include "place/sections.hpp"

namespace waywiser::place {
namespace {

class Multisection {
public:
    Multisection(const Graph& graph, const Sites& sites, std::uint64_t seed, std::uint32_t runs)
        : graph_(graph),
          sections_(sites),
          seeds_(seed),
          runs_(runs),
          section_of_(graph.count()),
          local_(graph.count()) {
        members_.resize(sections_.all().size());
        members_[0].resize(graph.count());
        for (std::uint32_t v = 0; v < graph.count(); ++v) members_[0][v] = v;
    }

    std::vector<std::uint32_t> sites() {
        for (std::uint32_t section = 0; section < sections_.all().size(); ++section) {
            if (sections_.all()[section].first_half != Sections::kNone) split(section);
        }
        std::vector<std::uint32_t> site_of(graph_.count());
        for (std::uint32_t v = 0; v < graph_.count(); ++v) {
            site_of[v] = sections_.sites()[sections_.all()[section_of_[v]].begin];
        }
        return site_of;
    }

private:
    void split(std::uint32_t number) {
        const Sections::Section& section = sections_.all()[number];
        std::vector<std::uint32_t> members = std::move(members_[number]);
        const auto ranks = static_cast<std::uint32_t>(members.size());
        if (ranks == 0) return;
        const std::uint32_t room = sections_.all()[section.first_half].slots;
        const std::uint32_t other_room = sections_.all()[section.second_half].slots;

        Bisection task{.pull = pulls(number, members),
                       .least = ranks > other_room ? ranks - other_room : 0,
                       .most = std::min(room, ranks),
                       .seed = seeds_.next(),
                       .runs = runs_};
        const std::vector<std::uint8_t> part = bisect(inner_, std::move(task));
        for (std::uint32_t i = 0; i < ranks; ++i) {
            const std::uint32_t half = part[i] == 0 ? section.first_half : section.second_half;
            section_of_[members[i]] = half;
            members_[half].push_back(members[i]);
        }
    }

    /// Stores the edges within the section in `inner_`.
    /// \return additional cost, in units of a cut edge, of outgoing edges from the second half
    std::vector<double> pulls(std::uint32_t number, const std::vector<std::uint32_t>& members) {
        const Sections::Section& section = sections_.all()[number];
        const std::uint32_t a = section.first_half;
        const std::uint32_t b = section.second_half;
        const double cut = sections_.distance(a, b) - (sections_.distance(a, a) + sections_.distance(b, b)) / 2;
        const double scale = 1 / std::max(cut, 0.25);

        std::map<std::uint32_t, double> farther;  // by outside section
        std::vector<double> pull(members.size());
        bool any = false;
        for (std::uint32_t i = 0; i < members.size(); ++i) local_[members[i]] = i;
        inner_ = Graph{};
        for (std::uint32_t i = 0; i < members.size(); ++i) {
            for (const auto& [to, weight] : graph_.of(members[i])) {
                const std::uint32_t its = section_of_[to];
                if (its == number) {
                    inner_.edges.push_back({.to = local_[to], .weight = weight});
                    continue;
                }
                auto entry = farther.find(its);
                if (entry == farther.end()) {
                    const double more = (sections_.distance(b, its) - sections_.distance(a, its)) * scale;
                    entry = farther.emplace(its, more).first;
                }
                pull[i] += weight * entry->second;
                any = any || entry->second != 0;
            }
            inner_.first.push_back(inner_.edges.size());
        }
        inner_.size.assign(members.size(), 1);
        return any ? pull : std::vector<double>{};
    }

    const Graph& graph_;
    Sections sections_;
    Random seeds_;
    std::uint32_t runs_;
    std::vector<std::uint32_t> section_of_;
    std::vector<std::uint32_t> local_;
    std::vector<std::vector<std::uint32_t>> members_;
    Graph inner_;
};

}  // namespace

std::vector<std::uint32_t> multisection(const Graph& graph, const Sites& sites, std::uint64_t seed,
                                        std::uint32_t runs) {
    return Multisection(graph, sites, seed, runs).sites();
}

}  // namespace waywiser::place
