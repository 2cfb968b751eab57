/// What a run leaves: a summary for people and one JSON object a phase.
#pragma once

#include "base/json_lines.hpp"
#include "workloads/minife/settings.hpp"
#include "workloads/minife/verify.hpp"

#include <string>
#include <vector>

namespace waywiser::minife {

/// Of one rank. All doubles, so that one Gather collects it; counts are exact up to 2^53.
struct RankFigures {
    double memory_s = 0;
    double structure_s = 0;
    double assembly_s = 0;
    double boundary_s = 0;
    double halo_s = 0;
    double cg_s = 0;
    double matvec_s = 0;
    double exchange_s = 0;
    double dot_s = 0;
    double allreduce_s = 0;
    double update_s = 0;
    double rows = 0;
    double entries = 0;
    double halo_nodes = 0;
    double sent_nodes = 0;
    double neighbours = 0;
    double own_elements = 0;
    double assembled_elements = 0;
    double boundary_entries = 0;
};

/// What rank 0 knows at the end.
struct Run {
    Settings settings;
    std::vector<RankFigures> ranks;
    Verification verification;
    Index iterations = 0;
    double initial_norm = 0;
    double residual_norm = 0;
};

/// One phase of the run, summed over the ranks where it is work and over the slowest where it is time.
struct Phase {
    std::string name;
    double RankFigures::* seconds;
    Index bytes;
    Index flops;
};

[[nodiscard]] std::vector<Phase> phases(const Run& run);

[[nodiscard]] std::string summary(const Run& run);
void write_samples(const Run& run, JsonLines& lines);

}  // namespace waywiser::minife
