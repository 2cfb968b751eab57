#include "workloads/spectral/exchange.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace waywiser::spectral {
namespace {

std::vector<int> begins(const std::vector<int>& counts) {
    std::vector<int> begin(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), begin.begin(), 0);
    return begin;
}

void move_all(const double* from, const std::vector<int>& sent, double* to, const std::vector<int>& received,
              MPI_Comm team) {
    const std::vector<int> from_begin = begins(sent);
    const std::vector<int> to_begin = begins(received);
    MPI_Alltoallv(from, sent.data(), from_begin.data(), MPI_DOUBLE, to, received.data(), to_begin.data(), MPI_DOUBLE,
                  team);
}

void move_pairwise(const double* from, const std::vector<int>& sent, double* to, const std::vector<int>& received,
                   MPI_Comm team) {
    int self = 0;
    MPI_Comm_rank(team, &self);
    const auto ranks = static_cast<int>(sent.size());
    const std::vector<int> from_begin = begins(sent);
    const std::vector<int> to_begin = begins(received);
    std::vector<MPI_Request> requests;
    for (int step = 1; step < ranks; ++step) {
        const int source = (self + ranks - step) % ranks;
        const auto part = static_cast<std::size_t>(source);
        MPI_Irecv(to + to_begin[part], received[part], MPI_DOUBLE, source, 0, team, &requests.emplace_back());
    }
    for (int step = 1; step < ranks; ++step) {
        const int target = (self + step) % ranks;
        const auto part = static_cast<std::size_t>(target);
        MPI_Isend(from + from_begin[part], sent[part], MPI_DOUBLE, target, 0, team, &requests.emplace_back());
    }
    const auto own = static_cast<std::size_t>(self);
    std::copy_n(from + from_begin[own], sent[own], to + to_begin[own]);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

constexpr Method table[] = {{"alltoallv", move_all}, {"pairwise", move_pairwise}};

std::vector<int> counts_of(const std::vector<Index>& values) {
    const Index sum = std::accumulate(values.begin(), values.end(), Index{0});
    require(sum <= std::numeric_limits<int>::max(),
            "a transposition moves more than 2^31 values of a rank: take more ranks, or fewer levels");
    return {values.begin(), values.end()};
}

std::vector<Index> begins_of(const std::vector<Index>& values) {
    std::vector<Index> begin(values.size());
    std::exclusive_scan(values.begin(), values.end(), begin.begin(), Index{0});
    return begin;
}

Array<double> buffer_for(const std::vector<Index>& values) {
    return Array<double>(static_cast<std::size_t>(std::accumulate(values.begin(), values.end(), Index{0})));
}

}  // namespace

const std::span<const Method> methods = table;

Teams::Teams(const RankGrid& grid, const Ranks& ranks) : w_(ranks.rank / grid.v), v_(ranks.rank % grid.v) {
    MPI_Comm_split(ranks.communicator, static_cast<int>(w_), static_cast<int>(v_), &row_);
    MPI_Comm_split(ranks.communicator, static_cast<int>(v_), static_cast<int>(w_), &column_);
}

Teams::~Teams() {
    MPI_Comm_free(&row_);
    MPI_Comm_free(&column_);
}

Exchange::Exchange(MPI_Comm team, const Method& method, const std::vector<Index>& first,
                   const std::vector<Index>& second)
    : team_(team),
      method_(method),
      first_counts_(counts_of(first)),
      second_counts_(counts_of(second)),
      first_begin_(begins_of(first)),
      second_begin_(begins_of(second)),
      first_buffer_(buffer_for(first)),
      second_buffer_(buffer_for(second)) {}

}  // namespace waywiser::spectral
