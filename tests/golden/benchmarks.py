"""What a human reads in the outputs of benchmarks that others have written."""

from __future__ import annotations

from tests.golden.case import Case

BENCHMARKS = (
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
        "hpcg-yaml",
        "hpcg",
        {
            "performance": (0.0359825, "GFLOP/s", "higher"),
            "bandwidth": (0.274233, "GB/s", "higher"),
            "time": (3.79914, "s", "lower"),
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
)
