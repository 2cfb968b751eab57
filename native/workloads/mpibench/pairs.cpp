#include "workloads/mpibench/pairs.hpp"

#include "base/error.hpp"

#include <array>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace waywiser::mpibench {
namespace {

/// First and second rank of each pair; the first rank starts.
using Pairs = std::vector<std::pair<int, int>>;

/// Pairs of consecutive ranks on each host.
Pairs inside(const std::vector<int>& hosts) {
    Pairs pairs;
    std::map<int, int> waiting;
    for (int rank = 0; rank < static_cast<int>(hosts.size()); ++rank) {
        const int host = hosts[static_cast<std::size_t>(rank)];
        if (const auto first = waiting.find(host); first != waiting.end()) {
            pairs.emplace_back(first->second, rank);
            waiting.erase(first);
        } else {
            waiting.emplace(host, rank);
        }
    }
    return pairs;
}

/// Pairs the k-th rank of the first host with the k-th rank of the second host, then equally the ranks of the third and
/// fourth host, and so on.
Pairs between(const std::vector<int>& hosts) {
    std::map<int, std::vector<int>> by_host;
    for (int rank = 0; rank < static_cast<int>(hosts.size()); ++rank) {
        by_host[hosts[static_cast<std::size_t>(rank)]].push_back(rank);
    }
    Pairs pairs;
    for (auto first = by_host.begin(); first != by_host.end(); ++first) {
        const auto second = std::next(first);
        if (second == by_host.end()) break;
        for (std::size_t k = 0; k < first->second.size() && k < second->second.size(); ++k) {
            pairs.emplace_back(first->second[k], second->second[k]);
        }
        first = second;
    }
    return pairs;
}

int read_rank(std::string_view text, int size, const std::string& choice) {
    int rank = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
    require(error == std::errc{} && end == text.data() + text.size() && rank >= 0 && rank < size,
            "--pairs '" + choice + "': expected half, adjacent, inside, between, or pairs of the ranks 0 to " +
                std::to_string(size - 1) + " as 0:2,1:3");
    return rank;
}

Pairs read_pairs(const std::string& choice, int size) {
    Pairs pairs;
    std::vector<bool> taken(static_cast<std::size_t>(size));
    for (std::size_t start = 0; start <= choice.size();) {
        const std::size_t end = std::min(choice.find(',', start), choice.size());
        const std::string_view pair = std::string_view(choice).substr(start, end - start);
        const std::size_t colon = std::min(pair.find(':'), pair.size());
        const int first = read_rank(pair.substr(0, colon), size, choice);
        const int second = read_rank(colon < pair.size() ? pair.substr(colon + 1) : "", size, choice);
        for (const int rank : {first, second}) {
            require(!taken[static_cast<std::size_t>(rank)],
                    "--pairs " + choice + " names rank " + std::to_string(rank) + " twice: give each rank one partner");
            taken[static_cast<std::size_t>(rank)] = true;
        }
        pairs.emplace_back(first, second);
        start = end + 1;
    }
    return pairs;
}

Pairs find_pairs(const std::string& choice, const std::vector<int>& hosts) {
    const int size = static_cast<int>(hosts.size());
    Pairs pairs;
    if (choice == "half") {
        for (int rank = 0; rank < size / 2; ++rank) pairs.emplace_back(rank, rank + size / 2);
    } else if (choice == "adjacent") {
        for (int rank = 0; rank + 1 < size; rank += 2) pairs.emplace_back(rank, rank + 1);
    } else if (choice == "inside") {
        pairs = inside(hosts);
    } else if (choice == "between") {
        pairs = between(hosts);
    } else {
        pairs = read_pairs(choice, size);
    }
    require(!pairs.empty(), "--pairs " + choice + " finds no pair among " + std::to_string(size) +
                                " rank(s): start more, or on other hosts");
    return pairs;
}

}  // namespace

std::vector<int> hosts_of(MPI_Comm ranks) {
    int size = 1;
    MPI_Comm_size(ranks, &size);
    using Name = std::array<char, MPI_MAX_PROCESSOR_NAME>;
    Name own{};
    int length = 0;
    MPI_Get_processor_name(own.data(), &length);
    std::vector<Name> names(static_cast<std::size_t>(size));
    MPI_Allgather(own.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, names.data(), MPI_MAX_PROCESSOR_NAME, MPI_CHAR, ranks);
    std::vector<int> hosts;
    hosts.reserve(names.size());
    std::map<Name, int> lowest;
    for (int rank = 0; rank < size; ++rank) {
        hosts.push_back(lowest.try_emplace(names[static_cast<std::size_t>(rank)], rank).first->second);
    }
    return hosts;
}

int count_hosts(const std::vector<int>& hosts) { return static_cast<int>(std::set(hosts.begin(), hosts.end()).size()); }

void require_pairs(const Benchmark& benchmark, const std::string& choice, const std::vector<int>& hosts) {
    if (benchmark.group != Group::all) static_cast<void>(find_pairs(choice, hosts));
}

void choose_pair(const Benchmark& benchmark, const std::string& choice, const std::vector<int>& hosts, Call& call) {
    call.partner = MPI_PROC_NULL;
    call.first = false;
    call.between = benchmark.group == Group::all && count_hosts(hosts) > 1;
    call.inside = benchmark.group == Group::all && count_hosts(hosts) < call.size;
    if (benchmark.group == Group::all) return;
    Pairs pairs = find_pairs(choice, hosts);
    if (benchmark.group == Group::pair) pairs.resize(1);
    call.pairs = static_cast<int>(pairs.size());
    for (const auto& [first, second] : pairs) {
        const bool same = hosts[static_cast<std::size_t>(first)] == hosts[static_cast<std::size_t>(second)];
        (same ? call.inside : call.between) = true;
        if (call.rank == first) call.partner = second;
        if (call.rank == second) call.partner = first;
        call.first = call.first || call.rank == first;
    }
}

}  // namespace waywiser::mpibench
