"""What a human reads in the outputs of NPB, Graph500 and IO500."""

from __future__ import annotations

from tests.golden.case import Case

_SCRIPT_RATES = {
    "mdtest_easy_write": 701.25,
    "mdtest_easy_stat": 2350.884,
    "mdtest_easy_delete": 512.093,
    "mdtest_hard_write": 312.481,
    "mdtest_hard_stat": 1820.417,
    "mdtest_hard_read": 905.338,
    "mdtest_hard_delete": 838.136,
    "find": 9214.06,
}

SUITES = (
    Case(
        "nas-sp",
        "nas",
        {
            "performance": (74.14, "Mop/s", "higher"),
            "performance_per_process": (18.53, "Mop/s", "higher"),
            "time": (1.30, "s", "lower"),
            "iterations": (100, "", "neither"),
        },
    ),
    Case(
        "nas-is",
        "nas",
        {
            "performance": (15.83, "Mop/s", "higher"),
            "performance_per_process": (7.92, "Mop/s", "higher"),
            "time": (0.04, "s", "lower"),
            "iterations": (10, "", "neither"),
        },
    ),
    Case(
        "nas-wrong-ranks",
        "nas",
        failure="says: .*ERROR determining processor topology for 2 processes Expecting a square",
    ),
    Case(
        "graph500",
        "graph500",
        {
            "bfs": (1.21439e-3, "GTEPS", "higher"),
            "bfs_first_quartile": (1.05628e-3, "GTEPS", "higher"),
            "bfs_median": (1.37003e-3, "GTEPS", "higher"),
            "bfs_third_quartile": (2.28636e-3, "GTEPS", "higher"),
            "bfs_error": (1.37135e-4, "GTEPS", "lower"),
            "sssp": (2.67235e-4, "GTEPS", "higher"),
            "sssp_first_quartile": (2.118e-4, "GTEPS", "higher"),
            "sssp_median": (3.26927e-4, "GTEPS", "higher"),
            "sssp_third_quartile": (3.88468e-4, "GTEPS", "higher"),
            "sssp_error": (1.57025e-5, "GTEPS", "lower"),
            "construction_time": (0.100766, "s", "lower"),
            "scale": (12, "", "neither"),
            "edge_factor": (16, "", "neither"),
            "roots": (64, "", "neither"),
        },
    ),
    Case(
        "graph500-synthetic",
        "graph500",
        {
            "bfs": (1456, "GTEPS", "higher"),
            "bfs_first_quartile": (1430, "GTEPS", "higher"),
            "bfs_median": (1470, "GTEPS", "higher"),
            "bfs_third_quartile": (1490, "GTEPS", "higher"),
            "bfs_error": (4.1, "GTEPS", "lower"),
            "sssp": (337, "GTEPS", "higher"),
            "sssp_first_quartile": (329, "GTEPS", "higher"),
            "sssp_median": (340, "GTEPS", "higher"),
            "sssp_third_quartile": (350, "GTEPS", "higher"),
            "sssp_error": (1.9, "GTEPS", "lower"),
            "construction_time": (118.25, "s", "lower"),
            "scale": (36, "", "neither"),
            "edge_factor": (16, "", "neither"),
            "roots": (64, "", "neither"),
        },
    ),
    Case(
        "io500",
        "io500",
        {
            "score": (2.189713, "", "higher"),
            "bandwidth": (0.202621, "GiB/s", "higher"),
            "iops": (23.664068, "kIOPS", "higher"),
            "ior_easy_write": (0.095361, "GiB/s", "higher"),
            "ior_easy_read": (0.495556, "GiB/s", "higher"),
            "ior_hard_write": (0.096462, "GiB/s", "higher"),
            "ior_hard_read": (0.369761, "GiB/s", "higher"),
            **{
                name: (rate, "kIOPS", "higher")
                for name, rate in {
                    "mdtest_easy_write": 3.859218,
                    "mdtest_easy_stat": 431.512757,
                    "mdtest_easy_delete": 33.823668,
                    "mdtest_hard_write": 4.735407,
                    "mdtest_hard_stat": 448.828678,
                    "mdtest_hard_read": 168.142073,
                    "mdtest_hard_delete": 0.291595,
                    "find": 16.753543,
                }.items()
            },
        },
    ),
    Case(
        "io500-script-synthetic",
        "io500",
        {
            "score": (282.45, "", "higher"),
            "bandwidth": (68.5694, "GB/s", "higher"),
            "iops": (1163.464, "kIOPS", "higher"),
            "ior_easy_write": (290.123, "GB/s", "higher"),
            "ior_easy_read": (385.406, "GB/s", "higher"),
            "ior_hard_write": (7.642, "GB/s", "higher"),
            "ior_hard_read": (25.871, "GB/s", "higher"),
            **{name: (rate, "kIOPS", "higher") for name, rate in _SCRIPT_RATES.items()},
        },
    ),
)
