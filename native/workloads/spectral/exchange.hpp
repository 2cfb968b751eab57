/// Arrays whose parts are exchanged between the ranks of a row or a column of the rank grid.
#pragma once

#include "workloads/common/array.hpp"
#include "workloads/common/program.hpp"
#include "workloads/spectral/layout.hpp"

#include <string_view>

namespace waywiser::spectral {

/// A method of exchanging parts between ranks.
struct Method {
    std::string_view name;
    void (*move)(const double* from, const std::vector<int>& sent, double* to, const std::vector<int>& received,
                 MPI_Comm team);
};

extern const std::span<const Method> methods;

/// Communicators of the rank's row, of V ranks with equal w, and of its column, of W ranks with equal v. Ranks are
/// numbered along rows.
class Teams {
public:
    Teams(const RankGrid& grid, const Ranks& ranks);
    Teams(const Teams&) = delete;
    Teams& operator=(const Teams&) = delete;
    ~Teams();

    [[nodiscard]] MPI_Comm row() const { return row_; }
    [[nodiscard]] MPI_Comm column() const { return column_; }
    [[nodiscard]] Index w() const { return w_; }
    [[nodiscard]] Index v() const { return v_; }

private:
    Index w_, v_;
    MPI_Comm row_ = MPI_COMM_NULL;
    MPI_Comm column_ = MPI_COMM_NULL;
};

/// An exchange between two buffers, each with contiguous parts for the ranks of a team.
class Exchange {
public:
    /// \param first, second  number of values of each part
    Exchange(MPI_Comm team, const Method& method, const std::vector<Index>& first, const std::vector<Index>& second);

    [[nodiscard]] double* first() { return first_buffer_.data(); }
    [[nodiscard]] double* second() { return second_buffer_.data(); }
    /// The start of a part.
    [[nodiscard]] double* first(std::size_t part) { return first() + first_begin_[part]; }
    [[nodiscard]] double* second(std::size_t part) { return second() + second_begin_[part]; }

    /// Collective over the team.
    void there() { method_.move(first(), first_counts_, second(), second_counts_, team_); }
    void back() { method_.move(second(), second_counts_, first(), first_counts_, team_); }

private:
    MPI_Comm team_;
    const Method& method_;
    std::vector<int> first_counts_, second_counts_;
    std::vector<Index> first_begin_, second_begin_;
    Array<double> first_buffer_, second_buffer_;
};

}  // namespace waywiser::spectral
