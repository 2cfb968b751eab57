"""Outputs of applications in tests/golden/apps, and the figures that a human reads in them."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Case:
    folder: str
    application: str
    figures: dict[str, tuple[float, str, str]] = field(default_factory=dict)
    """Value, unit, better direction."""

    failure: str = ""


CASES = (
    Case(
        "lammps-two-runs",
        "lammps",
        {
            "loop_time": (0.615859, "s", "lower"),
            "performance": (140291.8, "tau/day", "higher"),
            "step_rate": (324.75, "timesteps/s", "higher"),
            "atom_step_rate": (665.087, "katom-step/s", "higher"),
            "wall_time": (0, "s", "lower"),
            "cpu_use": (11.1, "%", "higher"),
        },
    ),
    Case(
        "lammps-rhodopsin",
        "lammps",
        {
            "loop_time": (4.95599, "s", "lower"),
            "performance": (0.349, "ns/day", "higher"),
            "time_per_length": (68.833, "hours/ns", "lower"),
            "step_rate": (2.018, "timesteps/s", "higher"),
            "atom_step_rate": (64.568, "katom-step/s", "higher"),
            "wall_time": (19, "s", "lower"),
            "cpu_use": (26.7, "%", "higher"),
        },
    ),
    Case(
        "lammps-2022-two-runs",
        "lammps",
        {
            "loop_time": (12.15, "s", "lower"),
            "performance": (7111.095, "tau/day", "higher"),
            "step_rate": (16.461, "timesteps/s", "higher"),
            "wall_time": (16, "s", "lower"),
            "cpu_use": (1.1, "%", "higher"),
        },
    ),
    Case(
        "espresso-silicon",
        "quantum-espresso",
        {
            "wall_time": (22.71, "s", "lower"),
            "cpu_time": (0.3, "s", "lower"),
            "total_energy": (-15.71391634, "Ry", "neither"),
            "scf_iterations": (5, "", "neither"),
        },
    ),
    Case(
        "espresso-minutes-synthetic",
        "quantum-espresso",
        {
            "wall_time": (83.45, "s", "lower"),
            "cpu_time": (63.3, "s", "lower"),
            "total_energy": (-15.71391634, "Ry", "neither"),
            "scf_iterations": (5, "", "neither"),
        },
    ),
    Case(
        "espresso-hours-synthetic",
        "quantum-espresso",
        {
            "wall_time": (3720, "s", "lower"),
            "cpu_time": (3548.3, "s", "lower"),
            "total_energy": (-15.71391634, "Ry", "neither"),
            "scf_iterations": (5, "", "neither"),
        },
    ),
    Case(
        "espresso-not-converged-synthetic",
        "quantum-espresso",
        failure="convergence NOT achieved",
    ),
    Case("espresso-error", "quantum-espresso", failure="Error in routine check_tempdir"),
    Case(
        "gromacs",
        "gromacs",
        {
            "performance": (0.449, "ns/day", "higher"),
            "time_per_length": (53.401, "hours/ns", "lower"),
            "wall_time": (38.833, "s", "lower"),
            "core_time": (77.622, "s", "lower"),
        },
    ),
    Case(
        "gromacs-screen",
        "gromacs",
        {
            "performance": (0.449, "ns/day", "higher"),
            "time_per_length": (53.401, "hours/ns", "lower"),
            "wall_time": (38.833, "s", "lower"),
            "core_time": (77.622, "s", "lower"),
        },
    ),
    Case(
        "seissol-2019-synthetic",
        "seissol",
        {
            "performance": (11.9672 / 10.7613, "GFLOP/s", "higher"),
            "nonzero_performance": (7.21896 / 10.7613, "GFLOP/s", "higher"),
            "elapsed_time": (10.7613, "s", "lower"),
            "kernel_time": (10.3099, "s", "lower"),
        },
    ),
    Case(
        "seissol-2023-synthetic",
        "seissol",
        {
            "performance": (1850.21, "GFLOP/s", "higher"),
            "nonzero_performance": (943.607, "GFLOP/s", "higher"),
            "performance_per_rank": (462.5525, "GFLOP/s", "higher"),
            "elapsed_time": (160.25, "s", "lower"),
            "kernel_time": (590.5, "s", "lower"),
        },
    ),
    Case(
        "seissol-2025-synthetic",
        "seissol",
        {
            "performance": (1850.2, "GFLOP/s", "higher"),
            "nonzero_performance": (943.607, "GFLOP/s", "higher"),
            "performance_per_rank": (462.5525, "GFLOP/s", "higher"),
            "elapsed_time": (160.25, "s", "lower"),
            "kernel_time": (590.5, "s", "lower"),
        },
    ),
    Case(
        "hpcc",
        "hpcc",
        {
            "hpl": (2.20285e-05, "TFLOP/s", "higher"),
            "hpl_time": (0.244835, "s", "lower"),
            "dgemm_per_rank": (3.19447, "GFLOP/s", "higher"),
            "ptrans": (0.00229886, "GB/s", "higher"),
            "random_access": (9.67011e-06, "GUP/s", "higher"),
            "fft": (0.00162518, "GFLOP/s", "higher"),
            "stream_triad_per_rank": (14.7125, "GB/s", "higher"),
            "ping_pong_latency": (15914.4, "us", "lower"),
            "ping_pong_bandwidth": (0.108565, "GB/s", "higher"),
            "random_ring_latency": (1.62617, "us", "lower"),
            "random_ring_bandwidth": (0.108157, "GB/s", "higher"),
        },
    ),
    Case(
        "hpl",
        "hpl",
        {"performance": (2.203e-02, "GFLOP/s", "higher"), "time": (0.24, "s", "lower")},
    ),
    Case(
        "hpcg",
        "hpcg",
        {
            "performance": (0.0392751, "GFLOP/s", "higher"),
            "bandwidth": (0.299292, "GB/s", "higher"),
            "time": (3.48105, "s", "lower"),
        },
    ),
    Case(
        "imb-mpi1",
        "imb",
        {
            "small_message": (96.93, "us", "lower"),
            **{
                f"pingpong_{size}_b": (time, "us", "lower")
                for size, time in {
                    **{0: 1596.97, 1: 96.93, 2: 106.56},
                    **{4: 137.19, 8: 1529.96, 16: 368.42},
                }.items()
            },
            **{
                f"allreduce_{size}_b": (time, "us", "lower")
                for size, time in {0: 2.56, 4: 0.81, 8: 0.79, 16: 0.80}.items()
            },
            "barrier": (1.06, "us", "lower"),
            **{
                f"exchange_{size}_b": (time, "us", "lower")
                for size, time in {0: 1.52, 1: 1.36, 2: 1.35, 4: 1.35, 8: 1.41, 16: 1.38}.items()
            },
        },
    ),
    Case(
        "imb-nbc",
        "imb",
        {
            "small_message": (3.64, "us", "lower"),
            "ibcast_0_b": (0.59, "us", "lower"),
            "ibcast_8_b": (3.64, "us", "lower"),
            "ibcast_16_b": (1.57, "us", "lower"),
        },
    ),
    Case(
        "imb-rma",
        "imb",
        {
            "small_message": (1.24, "us", "lower"),
            **{
                f"unidir_put_{mode}_{size}_b": (time, "us", "lower")
                for mode, times in (
                    ("non_aggregate", {0: 0.05, 8: 1.24, 16: 1.26}),
                    ("aggregate", {0: 0.03, 8: 0.72, 16: 0.65}),
                )
                for size, time in times.items()
            },
        },
    ),
    Case("imb-time-out", "imb", failure="IMB gave Allreduce up.*time-out"),
    Case(
        "osu-latency",
        "osu",
        {
            "small_message": (1.22, "us", "lower"),
            **{
                f"latency_{size}_b": (time, "us", "lower")
                for size, time in {1: 1.22, 2: 1.52, 4: 0.82, 8: 0.81, 16: 98.5, 32: 0.85}.items()
            },
        },
    ),
    Case(
        "osu-bandwidth",
        "osu",
        {
            "small_message": (2.39, "MB/s", "higher"),
            **{
                f"bandwidth_{size}_b": (rate, "MB/s", "higher")
                for size, rate in {1: 2.39, 2: 4.83, 4: 9.62, 8: 0.19, 16: 38.62, 32: 77.76}.items()
            },
        },
    ),
    Case(
        "osu-mbw-mr",
        "osu",
        {
            "small_message": (2.35, "MB/s", "higher"),
            **{
                f"multiple_bandwidth_message_rate_{size}_b": (rate, "MB/s", "higher")
                for size, rate in {1: 2.35, 2: 4.63, 4: 9.29, 8: 18.73, 16: 0.54}.items()
            },
        },
    ),
    Case(
        "osu-allreduce-full",
        "osu",
        {
            "small_message": (2.22, "us", "lower"),
            **{
                f"allreduce_latency_{size}_b": (time, "us", "lower")
                for size, time in {4: 2.22, 8: 0.81, 16: 1.62, 32: 0.80}.items()
            },
        },
    ),
    Case(
        "osu-allreduce-validated",
        "osu",
        {
            "small_message": (0.87, "us", "lower"),
            **{
                f"allreduce_latency_{size}_b": (time, "us", "lower")
                for size, time in {4: 0.87, 8: 0.87, 16: 0.87, 32: 0.89}.items()
            },
        },
    ),
    Case(
        "osu-barrier",
        "osu",
        {"small_message": (0.73, "us", "lower"), "barrier_latency": (0.73, "us", "lower")},
    ),
    Case(
        "osu-iallreduce",
        "osu",
        {
            "small_message": (4.26, "us", "lower"),
            **{
                f"non_blocking_allreduce_latency_{size}_b": (time, "us", "lower")
                for size, time in {4: 4.26, 8: 4.18, 16: 4.56}.items()
            },
        },
    ),
    Case(
        "osu-put-latency",
        "osu",
        {
            "small_message": (0.20, "us", "lower"),
            **{
                f"put_latency_{size}_b": (time, "us", "lower")
                for size, time in {1: 0.20, 2: 0.14, 4: 0.15, 8: 0.15, 16: 0.14}.items()
            },
        },
    ),
    Case(
        "minife",
        "minife",
        {
            "cg_time": (0.821908, "s", "lower"),
            "time_per_iteration": (0.0155077, "s", "lower"),
            "iterations": (53, "", "neither"),
            "performance": (0.04, "GFLOP/s", "higher"),
        },
    ),
    Case(
        "minife-samples",
        "minife",
        {
            "cg_time": (0.821908349, "s", "lower"),
            "time_per_iteration": (0.821908349 / 53, "s", "lower"),
            "iterations": (53, "", "neither"),
            "performance": (29459322e-9 / 0.821908349, "GFLOP/s", "higher"),
        },
    ),
    Case(
        "memory",
        "memory",
        {
            "triad": (6291456e-9 / 0.000106848, "GB/s", "higher"),
            "triad_plain": (6291456e-9 / 0.000170233, "GB/s", "higher"),
            "triad_nontemporal": (6291456e-9 / 0.000106848, "GB/s", "higher"),
        },
    ),
    Case(
        "grid",
        "grid",
        {
            "sum_abs": (1048576e-9 / 2.1221e-05, "GB/s", "higher"),
            "sum_abs_plain": (1048576e-9 / 0.000133518, "GB/s", "higher"),
            "sum_abs_vectorised": (1048576e-9 / 2.1221e-05, "GB/s", "higher"),
        },
    ),
    Case(
        "fd",
        "fd",
        {
            "laplacian": (13824e-9 / 9.934e-06, "GPoint/s", "higher"),
            "laplacian_baseline": (13824e-9 / 1.9629e-05, "GPoint/s", "higher"),
            "laplacian_blocked": (13824e-9 / 9.934e-06, "GPoint/s", "higher"),
        },
    ),
    Case(
        "propa",
        "propa",
        {
            "rate": (110592e-9 / 0.000173788, "GPoint/s", "higher"),
            "propagation": (110592e-9 / 0.000173788, "GPoint/s", "higher"),
            "propagation_baseline": (110592e-9 / 0.00026904, "GPoint/s", "higher"),
            "propagation_split": (110592e-9 / 0.00037685, "GPoint/s", "higher"),
            "propagation_blocked": (110592e-9 / 0.000173788, "GPoint/s", "higher"),
            "propagation_temporal": (110592e-9 / 0.000185045, "GPoint/s", "higher"),
            "time": (0.000173788, "s", "lower"),
            "error": (0.2156065689575193, "%", "lower"),
        },
    ),
    Case(
        "comm",
        "comm",
        {
            "exchange": (64.506, "us", "lower"),
            "exchange_o8_2x1x1": (22292.959000000003, "us", "lower"),
            "exchange_o8_2x1x1_persistent": (22292.959000000003, "us", "lower"),
            "exchange_o8_1x2x1": (1449.184, "us", "lower"),
            "exchange_o8_1x2x1_persistent": (1449.184, "us", "lower"),
            "exchange_o8_1x1x2": (64.506, "us", "lower"),
            "exchange_o8_1x1x2_persistent": (64.506, "us", "lower"),
        },
    ),
    Case(
        "rupture",
        "rupture",
        {
            "performance": (235723488e-9 / 0.144058472, "GFLOP/s", "higher"),
            "elapsed_time": (0.144058472, "s", "lower"),
            "update_rate": (0.56443747369470925, "M cells/s", "higher"),
            "seissol_performance": (564437.47369470925 * 23094e-9, "GFLOP/s", "higher"),
            "of_peak": (24.697486401392624, "%", "higher"),
            "simulated_per_day": (0.5 / 0.144058472 * 86400, "s/day", "higher"),
            "moment": (2072589218528733, "N m", "neither"),
        },
    ),
    Case(
        "rupture-planewave",
        "rupture",
        {
            "performance": (79602912e-9 / 0.061427266, "GFLOP/s", "higher"),
            "elapsed_time": (0.061427266, "s", "lower"),
            "update_rate": (0.12658873666947834, "M cells/s", "higher"),
            "seissol_performance": (126588.73666947834 * 50868e-9, "GFLOP/s", "higher"),
            "of_peak": (2.2171390141342118, "%", "higher"),
            "simulated_per_day": (0.02 / 0.061427266 * 86400, "s/day", "higher"),
            "error": (1.4248176868404964, "%", "lower"),
        },
    ),
    Case(
        "mpibench",
        "mpibench",
        {
            "small_message": (1.1943438223333516, "us", "lower"),
            "latency_8_b": (1.1943438223333516, "us", "lower"),
            "latency_64_b": (1.2817348337235967, "us", "lower"),
            "bandwidth_8_b": (512e-6 / 9.080839123863989e-06, "MB/s", "higher"),
            "bandwidth_64_b": (4096e-6 / 1.323734692929058e-05, "MB/s", "higher"),
            "message_rate_8_b": (7128353.193849412, "messages/s", "higher"),
            "message_rate_64_b": (4908646.5737291705, "messages/s", "higher"),
            "iallreduce_8_b": (4.308676260217447, "us", "lower"),
            "iallreduce_64_b": (4.284328543711677, "us", "lower"),
            "barrier": (2.8143383916868526, "us", "lower"),
        },
    ),
)
