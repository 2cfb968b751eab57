/// The order in which a job's processes are to be ranked, read from a file.
///
/// One integer per line: line r, counted from 0, is the launcher's rank of the process that becomes rank r. Text after
/// `#` is a comment; lines without a number do not count.
#pragma once

namespace waywiser::rerank {

/// The new rank of each of the job's processes.
class RankOrder {
public:
    RankOrder() = default;
    ~RankOrder();
    RankOrder(const RankOrder&) = delete;
    RankOrder& operator=(const RankOrder&) = delete;

    /// Prints the reason on stderr if the file does not order `ranks` processes.
    /// \return true if the file has an order that differs from the launcher's
    [[nodiscard]] bool read(const char* path, int ranks);

    /// New ranks, indexed by the launcher's ranks.
    [[nodiscard]] const int* new_ranks() const { return new_ranks_; }

private:
    int* new_ranks_ = nullptr;
};

/// Prints on stderr "waywiser: " and a sentence that ends in "; the ranks keep their order".
[[gnu::format(printf, 1, 2)]] void keep_order(const char* format, ...);

}  // namespace waywiser::rerank
