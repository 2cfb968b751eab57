#include "workloads/rupture/settings.hpp"

#include "base/error.hpp"
#include "workloads/common/text.hpp"

#include <cmath>
#include <filesystem>
#include <utility>

namespace waywiser::rupture {
namespace {

void require_multiple(const char* option, double value_s, double every_s) {
    const double count = value_s / every_s;
    require(std::abs(count - std::round(count)) <= 1e-6 * count,
            text("%s %g: expected a multiple of --every, which is %g", option, value_s, every_s));
}

void check_outputs(const Settings& s) {
    require(s.receivers.empty() == s.traces.empty(), "--receivers and --traces go together: give both or none");
    require(s.fault_receivers.empty() == s.fault_traces.empty(),
            "--fault-receivers and --fault-traces go together: give both or none");
    for (const auto& [option, file] : {std::pair("--fault-receivers", s.fault_receivers),
                                       std::pair("--checkpoint", s.checkpoint), std::pair("--restart", s.restart)}) {
        require(file.empty() || s.rupture(), std::string(option) + " requires case tpv5 or tpv33, not " + s.name);
    }
    require(s.snapshots.empty() || s.snapshots.ends_with(".xdmf"),
            "--snapshots '" + s.snapshots + "': expected a name that ends with .xdmf");
    require(s.fault_csv.empty() || (s.fault_map() != s.fault_csv && s.fault_map() != s.snapshots),
            "--fault '" + s.fault_csv + "': its map, " + s.fault_map() + ", would take the place of another file");
    require_multiple("--snapshots-every", s.snapshots_every_s, s.every_s);
    require_multiple("--checkpoint-every", s.checkpoint_every_s, s.every_s);
}

}  // namespace

std::string Settings::fault_map() const {
    if (fault_csv.empty()) return "";
    return std::filesystem::path(fault_csv).replace_extension(".xdmf").string();
}

Options options_of(Settings& s) {
    Options options("ww-rupture",
                    "elastic waves and spontaneous earthquake rupture on tetrahedra, after SeisSol.\n"
                    "An ADER discontinuous Galerkin scheme of orders 2 to 6, checked against closed forms.");
    options.add_text(
        "case", s.name, "planewave, surface, interface, tpv5 or tpv33",
        "the first three have exact solutions, the others are of the SCEC/USGS benchmark; default planewave");
    options.add_count("order", s.order, 2, 6, "order of the scheme in space and time; default 4");
    options.add_choice("precision", s.precision, {"fp32", "fp64"}, "precision of the solution; default fp64");
    options.add_count("cells", s.cells, 6, 10'000,
                      "cubes along the box of an exact solution, even, six tetrahedra each; default 8, of interface 20 "
                      "(40 at order 2)");
    options.add_real("stretch", s.stretch, 0, 0.9,
                     "variation of these cubes: their length is 1 - stretch to 1 + stretch times the mean; default 0");
    options.add_real("spacing", s.spacing_m, 10, 1e4, "size of the cubes at the fault, in m; default 500");
    options.add_real("growth", s.growth, 1, 4,
                     "growth of the cubes away from the fault, from one to the next; default 1.4");
    options.add_real("reach", s.reach_m, 16e3, 1e6, "reach of the box from the origin, in m; default 50000");
    options.add_text(
        "mesh", s.mesh, "the name of a file",
        "a mesh that `waywiser mesh import` cut into as many parts as there are ranks, instead of the box");
    options.add_real("end", s.end_s, 1e-9, 1e6, "simulated time, in s; default: the case's own");
    options.add_real("cfl", s.cfl, 1e-3, 1, "step in time, as a share of 2 r / (v_p (2 order - 1)); default 0.5");
    options.add_choice(
        "lts", s.lts, {"rate-2", "off"},
        "local time stepping: cells step in clusters, each twice as long as the one before; off: all take "
        "the shortest step; default rate-2");
    options.add_flag("comm-thread", s.comm_thread, "poll messages on a thread of its own, which requires a core");
    options.add_real("every", s.every_s, 1e-6, 1e6, "simulated time between energies of a rupture, in s; default 0.5");
    options.add_text(
        "fault", s.fault_csv, "the name of a file",
        "write rupture time, slip and peak slip rate of every point of the fault, and as a map of its faces "
        "for ParaView: the same name with .xdmf");
    options.add_text("energies", s.energies_csv, "the name of a file", "write the energies of a rupture");
    options.add_text("receivers", s.receivers, "the name of a file",
                     "receivers of velocity and stress for --traces, with x, y, z in m in each line");
    options.add_text("traces", s.traces, "the name of a file", "write the receivers' records to this file, as CSV");
    options.add_text("fault-receivers", s.fault_receivers, "the name of a file",
                     "receivers of slip rate, slip, traction and friction on the fault, for --fault-traces");
    options.add_text("fault-traces", s.fault_traces, "the name of a file",
                     "write the records of receivers on the fault to this file, as CSV");
    options.add_real("sample-every", s.sample_every_s, 1e-9, 1e6,
                     "simulated time between two values of a receiver, in s; default 0.005");
    options.add_text("snapshots", s.snapshots, "the name of a file, .xdmf",
                     "write velocity and stress on the free surface and on the fault, for ParaView");
    options.add_real("snapshots-every", s.snapshots_every_s, 1e-6, 1e6,
                     "simulated time between snapshots of a rupture, in s; default: --every");
    options.add_text("checkpoint", s.checkpoint, "the name of a file", "checkpoint from which --restart continues");
    options.add_real("checkpoint-every", s.checkpoint_every_s, 1e-6, 1e6,
                     "simulated time between checkpoints, in s; default: --every");
    options.add_text("restart", s.restart, "the name of a file", "continue from this checkpoint");
    options.add_text("json", s.json, "the name of a file", "write one JSON object to this file");
    return options;
}

void complete(Settings& s) {
    if (s.cells == 0) s.cells = s.name != "interface" ? 8 : s.order == 2 ? 40 : 20;
    require(s.cells % 2 == 0, "--cells " + std::to_string(s.cells) +
                                  ": expected an even number: the error of half as many is compared with it");
    require(s.name != "interface" || s.cells % 10 == 0,
            "--cells " + std::to_string(s.cells) +
                ": case interface requires a multiple of 10: the materials meet at 0.6 of the box");
    check_outputs(s);
    require(s.mesh.empty() || s.rupture(), "--mesh requires case tpv5 or tpv33, not " + s.name);
}

}  // namespace waywiser::rupture
