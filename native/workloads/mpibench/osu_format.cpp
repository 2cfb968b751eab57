#include "workloads/mpibench/osu_format.hpp"

#include "workloads/common/text.hpp"
#include "workloads/mpibench/layout.hpp"
#include "workloads/mpibench/one_sided.hpp"

#include <algorithm>
#include <numeric>

namespace waywiser::mpibench {
namespace {

bool prints_rate(const Benchmark& benchmark) { return benchmark.directions > 0 && benchmark.group == Group::pairs; }

bool one_sided(const Benchmark& benchmark) { return benchmark.settle != nullptr; }

std::string osu_overlap(const Overlap& overlap) {
    return text("%20.2f%20.2f%20.2f", 1e6 * overlap.work_seconds, 1e6 * overlap.alone_seconds, 100 * overlap.share);
}

std::string title_line(const Benchmark& benchmark) {
    const std::string title(benchmark.osu_title.empty() ? benchmark.name : benchmark.osu_title);
    const bool latency = benchmark.group == Group::all && benchmark.run != nullptr;
    return text("\n# OSU MPI%c%s%s Test v7.4\n", one_sided(benchmark) ? '_' : ' ', title, latency ? " Latency" : "");
}

/// The names of the columns after the size.
std::string columns(const Benchmark& benchmark) {
    const std::string overlap = text("%20s%20s%20s", "Compute(us)", "Pure Comm.(us)", "Overlap(%)");
    if (prints_rate(benchmark)) return text("%20s%20s", "MB/s", "Messages/s");
    if (benchmark.overlaps) return text("%20s", "Overall(us)") + overlap;
    return text("%20s", benchmark.directions > 0 ? "Bandwidth (MB/s)" : "Avg Latency(us)");
}

std::string type_name(MPI_Datatype type) {
    std::array<char, MPI_MAX_OBJECT_NAME> name{};
    int length = 0;
    MPI_Type_get_name(type, name.data(), &length);
    return name.data();
}

/// OSU's osu_init prints one line, in milliseconds.
std::string init_row(const Result& result) {
    const std::vector<double>& ns = result.rank_means_ns;
    const auto ms = [](double value) { return static_cast<long long>(1e-6 * value); };
    const double mean = std::accumulate(ns.begin(), ns.end(), 0.0) / static_cast<double>(ns.size());
    return text("nprocs: %zu, min: %lld ms, max: %lld ms, avg: %lld ms\n", ns.size(), ms(std::ranges::min(ns)),
                ms(std::ranges::max(ns)), ms(mean));
}

}  // namespace

std::string osu_heading(const Benchmark& benchmark, const Call& call, const Settings& settings) {
    std::string heading = title_line(benchmark);
    if (benchmark.run == nullptr) return heading;
    if (one_sided(benchmark)) {
        heading += "# Window creation: MPI_Win_allocate\n# Synchronization: " +
                   std::string(name_of(call.synchronisation).calls) + "\n";
    }
    if (benchmark.overlaps) heading += "# Overall = Coll. Init + Compute + MPI_Test + MPI_Wait\n\n";
    if (prints_rate(benchmark)) heading += text("# [ pairs: %d ] [ window size: %d ]\n", call.pairs, call.window);
    if (benchmark.sends == Blocks::none) {
        const std::string names = columns(benchmark);
        return heading + "# " + names.substr(names.find_first_not_of(' ')) + "\n";
    }
    heading += "# Datatype: " + type_name(call.element.type) + ".\n" + text("%-10s", "# Size") + columns(benchmark);
    return heading + (settings.layout.empty() ? "" : text("%20s", "Transmit Size")) + "\n";
}

std::string osu_row(const Benchmark& benchmark, const Result& result, const Call& call, const Settings& settings) {
    if (benchmark.run == nullptr) return init_row(result);
    const double time_us = 1e6 * (result.overlap ? result.overlap->all_seconds : result.seconds);
    const std::string overlap = result.overlap ? osu_overlap(*result.overlap) : "";
    if (benchmark.sends == Blocks::none) return text("%17.2f", time_us) + overlap + "\n";
    std::string row = text("%-10lld", result.bytes);
    if (benchmark.directions == 0) {
        row += text("%20.2f", time_us) + overlap;
    } else {
        row += text("%20.2f", 1e-6 * bandwidth_Bps(result));
        if (prints_rate(benchmark)) row += text("%20.2f", messages_per_second(result));
    }
    if (!settings.layout.empty()) row += text("%20lld", payload_bytes(call));
    return row + "\n";
}

std::string osu_footing(const std::string& transport, const std::vector<Carried>& carried) {
    std::string by = carried_text(carried);
    if (!transport.empty()) by += (by.empty() ? "" : "; ") + transport;
    return by.empty() ? "" : "# Transport: " + by + "\n";
}

}  // namespace waywiser::mpibench
