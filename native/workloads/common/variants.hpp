/// The variants of a kernel in one table, and the selection among them: a named variant, all variants, or the fastest.
#pragma once

#include "base/error.hpp"
#include "workloads/common/kernel_options.hpp"
#include "workloads/common/named.hpp"

#include <mpi.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace waywiser {

/// Stores the fastest variant between runs: a file of lines `KEY NAME` in the user's cache directory ($XDG_CACHE_HOME,
/// or .cache in $HOME). Without such a directory, nothing is stored.
class TuningCache {
public:
    TuningCache();
    explicit TuningCache(std::string file) : file_(std::move(file)) {}

    /// Returns the stored name of a key, which is in the last line with the key; empty if no line has the key.
    [[nodiscard]] std::string find(const std::string& key) const;
    /// Stores the name of a key's fastest variant. A failure to write is ignored: a full disk must not end a run.
    void keep(const std::string& key, std::string_view name) const;

private:
    std::string file_;
};

/// A key of this host and of other data on which a choice depends, without blanks.
[[nodiscard]] std::string tuning_key(std::string_view kernel, std::string_view case_);

/// Broadcasts a text from rank 0.
[[nodiscard]] std::string from_rank_0(std::string text, MPI_Comm communicator);

/// Returns the fastest entry of a table, from the cache or from a short run of each entry. Entries have a `name`.
///
/// \param key      key in the cache, see `tuning_key`
/// \param seconds  times a short run of an entry; collective, with the same result on all ranks
template <class Entry, class Seconds>
const Entry& fastest(std::span<const Entry> table, const std::string& key, bool retune, MPI_Comm communicator,
                     Seconds seconds) {
    if (table.size() == 1) return table.front();
    const TuningCache cache;
    const std::string known = from_rank_0(retune ? "" : cache.find(key), communicator);
    for (const Entry& entry : table) {
        if (entry.name == known) return entry;
    }
    std::vector<double> least_s;
    for (const Entry& entry : table) least_s.push_back(seconds(entry));
    const auto place = std::ranges::min_element(least_s) - least_s.begin();
    const Entry& result = table[static_cast<std::size_t>(place)];
    int rank = 0;
    MPI_Comm_rank(communicator, &rank);
    if (rank == 0) cache.keep(key, result.name);
    return result;
}

/// Returns the entries of a table that are `supported` on this machine.
template <class Entry, class... Here>
std::vector<Entry> supported(std::span<const Entry> table, const Here&... here) {
    std::vector<Entry> possible;
    std::ranges::copy_if(table, std::back_inserter(possible),
                         [&](const Entry& entry) { return entry.supported(here...); });
    return possible;
}

/// The values of `--variant` that are not names of variants.
[[nodiscard]] inline std::vector<std::string> all_or_auto() { return {"all", "auto"}; }

/// Returns the entries that `--variant` selects: the named entry for NAME, the whole table for `all`, the `fastest` for
/// `auto`.
/// \throws InvalidInput  with the names of the entries
template <class Entry, class Seconds>
std::vector<const Entry*> choose_variants(std::span<const Entry> table, std::string_view requested,
                                          const std::string& key, bool retune, MPI_Comm communicator, Seconds seconds) {
    if (requested == "auto") return {&fastest(table, key, retune, communicator, seconds)};
    return all_named(table, "variant", requested, all_or_auto());
}

/// Rejects an unknown name before the computation, not at the first kernel with several variants.
template <class Variant>
void require_variant(std::span<const Variant> table, std::string_view name) {
    if (name != "auto" && name != "all") static_cast<void>(find_named(table, "variant", name, all_or_auto()));
}

/// Measures a kernel in the variants that `--variant` selects. A kernel with a single variant ignores `--variant`.
///
/// \param key      key in the cache, see `tuning_key`
/// \param measure  runs a variant a given number of times, and returns its sample; collective
template <class Results, class Variant, class Measure>
void measure_variants(Results& results, const KernelSettings& settings, const std::vector<Variant>& variants,
                      const std::string& key, MPI_Comm communicator, Measure measure) {
    const auto seconds = [&](const Variant& variant) { return measure(variant, 3).seconds; };
    for (const Variant* const variant :
         choose_variants(std::span<const Variant>(variants), variants.size() == 1 ? "all" : settings.variant, key,
                         settings.retune, communicator, seconds)) {
        results.add(measure(*variant, settings.tries));
    }
}

}  // namespace waywiser
