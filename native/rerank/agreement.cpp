#include "rerank/agreement.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <exception>
#include <numeric>

namespace waywiser::rerank {
namespace {

using profile::library;

Handle byte() { return reinterpret_cast<Handle>(library.constants.byte); }

/// The ranks of a communicator. They exchange bytes, because the handles of other types vary more between libraries.
class Members {
public:
    Members(const Calls& calls, Handle communicator) : calls_(calls), communicator_(communicator) {
        library.comm_rank(communicator, &rank_);
        library.comm_size(communicator, &size_);
    }

    [[nodiscard]] bool first() const { return rank_ == 0; }
    [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(size_); }

    template <class T>
    void broadcast(T* values, std::size_t count) const {
        calls_.bcast(values, bytes<T>(count), byte(), 0, communicator_);
    }

    /// \return on rank 0 the values of all ranks
    template <class T>
    [[nodiscard]] std::vector<T> gather(const T& own) const {
        std::vector<T> all(first() ? size() : 0);
        calls_.gather(&own, bytes<T>(1), byte(), all.data(), bytes<T>(1), byte(), 0, communicator_);
        return all;
    }

    /// \return on rank 0 the concatenated values of all ranks
    template <class T>
    [[nodiscard]] std::vector<T> gather(const std::vector<T>& own, const std::vector<int>& counts) const {
        std::vector<int> sizes;
        std::vector<int> begins;
        for (const int count : counts) {
            begins.push_back(sizes.empty() ? 0 : begins.back() + sizes.back());
            sizes.push_back(bytes<T>(static_cast<std::size_t>(count)));
        }
        std::vector<T> all(std::accumulate(counts.begin(), counts.end(), std::size_t{0}));
        calls_.gatherv(own.data(), bytes<T>(own.size()), byte(), all.data(), sizes.data(), begins.data(), byte(), 0,
                       communicator_);
        return all;
    }

private:
    template <class T>
    static int bytes(std::size_t count) {
        return static_cast<int>(count * sizeof(T));
    }

    const Calls& calls_;
    Handle communicator_;
    int rank_ = 0;
    int size_ = 0;
};

bool is_old_order(const std::vector<int>& old_rank) { return std::ranges::is_sorted(old_rank); }

/// The order on which rank 0 decides, or the reason why there is none.
Agreement decided(const char* name, const char* places, const std::vector<HostName>& hosts, std::uint32_t ranks,
                  const std::vector<Edge>& edges) {
    try {
        BestOrder best = best_order(places, hosts, ranks, edges);
        if (best.after >= best.before || is_old_order(best.old_rank)) {
            say_once(Notice::order, "%s keeps the order of its %u ranks: weighted hops stay at %.15g", name, ranks,
                     best.before);
            return {.known = true, .old_rank = {}};
        }
        say_once(Notice::order, "%s reorders its %u ranks: weighted hops fall from %.15g to %.15g", name, ranks,
                 best.before, best.after);
        return {.known = true, .old_rank = std::move(best.old_rank)};
    } catch (const std::exception& error) {
        say_once(Notice::trouble, "%s; %s is left to the MPI library", error.what(), name);
        return {};
    }
}

/// True if the edges are few enough to be gathered as bytes.
bool few_enough(const std::vector<int>& counts) {
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0}) <= INT_MAX / sizeof(Edge);
}

}  // namespace

bool Calls::take() {
    profile::identify_library();
    return library.complete && library.dist_graph_neighbors != nullptr &&
           library.dist_graph_neighbors_count != nullptr && library.graph_neighbors != nullptr &&
           library.graph_neighbors_count != nullptr && profile::take(bcast, "PMPI_Bcast") &&
           profile::take(gather, "PMPI_Gather") && profile::take(gatherv, "PMPI_Gatherv") &&
           profile::take(sendrecv, "PMPI_Sendrecv") && profile::take(split, "PMPI_Comm_split") &&
           profile::take(free, "PMPI_Comm_free");
}

Agreement agree(const Calls& calls, const char* name, Kind kind, Handle communicator, Handle declared,
                const char* places) {
    const Members members(calls, communicator);
    if (members.size() == 1) return {.known = true, .old_rank = {}};
    const std::vector<Edge> own = own_edges(kind, declared);
    HostName host{};
    gethostname(host.data(), host.size() - 1);
    const std::vector<HostName> hosts = members.gather(host);
    const std::vector<int> counts = members.gather(static_cast<int>(own.size()));
    int goes_on = 1;
    if (members.first() && !few_enough(counts)) {
        say_once(Notice::trouble, "the graph has more edges than can be gathered; %s is left to the MPI library", name);
        goes_on = 0;
    }
    members.broadcast(&goes_on, 1);
    if (goes_on == 0) return {};
    const std::vector<Edge> edges = members.gather(own, counts);

    Agreement agreement;
    if (members.first()) {
        int ranks = 0;
        library.comm_size(declared, &ranks);
        agreement = decided(name, places, hosts, static_cast<std::uint32_t>(ranks), edges);
    }
    int values[2] = {agreement.known ? 1 : 0, agreement.old_rank.empty() ? 0 : 1};
    members.broadcast(values, 2);
    agreement.known = values[0] != 0;
    if (values[1] != 0) {
        agreement.old_rank.resize(members.size());
        members.broadcast(agreement.old_rank.data(), members.size());
    }
    return agreement;
}

Adjacency adjacency_of_new_rank(const Calls& calls, const Adjacency& own, int own_old_rank, Handle permuted,
                                std::span<const int> old_rank) {
    int rank = 0;
    library.comm_rank(permuted, &rank);
    const int from = new_rank(old_rank, rank);
    const auto exchange = [&](const std::vector<int>& sent, std::vector<int>& received) {
        constexpr int kTag = 0;
        calls.sendrecv(sent.data(), static_cast<int>(sent.size() * sizeof(int)), byte(), own_old_rank, kTag,
                       received.data(), static_cast<int>(received.size() * sizeof(int)), byte(), from, kTag, permuted,
                       reinterpret_cast<void*>(library.constants.status_ignore));
    };
    const std::vector<int> lengths{static_cast<int>(own.sources.size()), static_cast<int>(own.destinations.size())};
    std::vector<int> its_lengths(2);
    exchange(lengths, its_lengths);
    Adjacency its{.sources = std::vector<int>(static_cast<std::size_t>(its_lengths[0])),
                  .source_weights = std::vector<int>(static_cast<std::size_t>(its_lengths[0])),
                  .destinations = std::vector<int>(static_cast<std::size_t>(its_lengths[1])),
                  .destination_weights = std::vector<int>(static_cast<std::size_t>(its_lengths[1])),
                  .weighted = own.weighted};
    exchange(own.sources, its.sources);
    exchange(own.source_weights, its.source_weights);
    exchange(own.destinations, its.destinations);
    exchange(own.destination_weights, its.destination_weights);
    return its;
}

int new_rank(std::span<const int> old_rank, int old) {
    return static_cast<int>(std::ranges::find(old_rank, old) - old_rank.begin());
}

void say_once(Notice kind, const char* format, ...) {
    static std::atomic_flag printed[2];
    if (printed[static_cast<std::size_t>(kind)].test_and_set()) return;
    char sentence[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    std::fprintf(stderr, "waywiser: %s\n", sentence);
}

}  // namespace waywiser::rerank
