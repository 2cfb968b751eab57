"""What a human reads in the outputs and samples of the programs ww-*."""

from __future__ import annotations

from tests.golden.case import Case

WORKLOADS = (
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
        "npb",
        "npb",
        {
            "performance": (96672723e-6 / 0.593317239, "Mop/s", "higher"),
            "sp": (96672723e-6 / 0.593317239, "Mop/s", "higher"),
            "sp_baseline": (96672723e-6 / 0.593317239, "Mop/s", "higher"),
        },
    ),
    Case(
        "tbl",
        "tbl",
        {
            "performance": (4096e-9 / 0.00019375349999999997, "GPoint/s", "higher"),
            "channel": (4096e-9 / 0.00019375349999999997, "GPoint/s", "higher"),
            "channel_transpose": (4096e-9 / 0.00019375349999999997, "GPoint/s", "higher"),
        },
    ),
    Case(
        "lattice",
        "lattice",
        {
            "rate": (53248e-6 / 0.849129809, "MSite/s", "higher"),
            "cg": (53248e-6 / 0.849129809, "MSite/s", "higher"),
            "hop": (2048e-6 / 0.000190668, "MSite/s", "higher"),
            "cg_baseline": (53248e-6 / 4.505123139, "MSite/s", "higher"),
            "hop_baseline": (2048e-6 / 0.058145663, "MSite/s", "higher"),
            "cg_vector": (53248e-6 / 0.849129809, "MSite/s", "higher"),
            "hop_vector": (2048e-6 / 0.000296426, "MSite/s", "higher"),
            "cg_two_row": (53248e-6 / 1.372304921, "MSite/s", "higher"),
            "hop_two_row": (2048e-6 / 0.000190668, "MSite/s", "higher"),
        },
    ),
    Case(
        "shallow",
        "shallow",
        {
            "rate": (1479168e-6 / 4.247314015, "MCell-levels/s", "higher"),
            "integration": (1479168e-6 / 4.247314015, "MCell-levels/s", "higher"),
            "integration_energy": (1479168e-6 / 4.247314015, "MCell-levels/s", "higher"),
        },
    ),
    Case(
        "spectral",
        "spectral",
        {
            "rate": (10912e-9 / 0.00031333799999999997, "GPoint/s", "higher"),
            "round_trip": (10912e-9 / 0.00031333799999999997, "GPoint/s", "higher"),
            "vorticity": (10912e-9 / 0.108195825, "GPoint/s", "higher"),
            "round_trip_alltoallv": (10912e-9 / 0.00031333799999999997, "GPoint/s", "higher"),
            "vorticity_alltoallv": (10912e-9 / 0.108195825, "GPoint/s", "higher"),
            "round_trip_pairwise": (10912e-9 / 0.000636014, "GPoint/s", "higher"),
            "vorticity_pairwise": (10912e-9 / 0.1678128685, "GPoint/s", "higher"),
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
            "counter": (3710520.45118324, "draws/s", "higher"),
            "dynamic": (100 * 0.4959270448785364, "%", "higher"),
        },
    ),
)
