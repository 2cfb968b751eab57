"""HPC Challenge: the summary in hpccoutf.txt (HPCC 1.5, README)."""

from __future__ import annotations

import re

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.text import metric, whole_lines
from waywiser.model.reading import Better, Metric, Reading

FILE = "hpccoutf.txt"
START = "This is the DARPA/DOE HPC Challenge Benchmark"
SUMMARY = re.compile(
    r"^Begin of Summary section\.\n(.*)^End of Summary section\.\n", re.MULTILINE | re.DOTALL
)

METRICS: dict[str, tuple[str, str, Better]] = {
    "HPL_Tflops": ("hpl", "TFLOP/s", "higher"),
    "HPL_time": ("hpl_time", "s", "lower"),
    "StarDGEMM_Gflops": ("dgemm_per_rank", "GFLOP/s", "higher"),
    "PTRANS_GBs": ("ptrans", "GB/s", "higher"),
    "MPIRandomAccess_GUPs": ("random_access", "GUP/s", "higher"),
    "MPIFFT_Gflops": ("fft", "GFLOP/s", "higher"),
    "StarSTREAM_Triad": ("stream_triad_per_rank", "GB/s", "higher"),
    "AvgPingPongLatency_usec": ("ping_pong_latency", "us", "lower"),
    "AvgPingPongBandwidth_GBytes": ("ping_pong_bandwidth", "GB/s", "higher"),
    "RandomlyOrderedRingLatency_usec": ("random_ring_latency", "us", "lower"),
    "RandomlyOrderedRingBandwidth_GBytes": ("random_ring_bandwidth", "GB/s", "higher"),
}


def _metrics(values: dict[str, str]) -> list[Metric]:
    metrics = [
        metric(name, values[key], unit, better)
        for key, (name, unit, better) in METRICS.items()
        if key in values
    ]
    return [each for each in metrics if each.value > 0]  # -1 stands for a test that was not made


def read(output: Output) -> Reading:
    _, _, text = whole_lines(output.file(FILE)).rpartition(START)  # a later run appends to it
    summary = SUMMARY.search(text)
    if summary is None:
        raise NoResult(
            "HPCC did not finish: there is no 'End of Summary section.' after the last "
            f"start in {FILE}"
        )
    values = dict(re.findall(r"^(\w+)=(.*)$", summary[1], re.MULTILINE))
    if values.get("Success") != "1":
        raise NoResult(f"HPCC: a test failed, because {FILE} does not say Success=1")
    return Reading(metrics=tuple(_metrics(values)))


HPCC = Application(
    name="hpcc",
    title="HPC Challenge",
    headline="hpl",
    reader=read,
    version=r"HPC Challenge Benchmark version (\S+)",
    log="hpccoutf.txt",
    documents=f"`{FILE}`: HPL, DGEMM, PTRANS, RandomAccess, FFT, STREAM, latency and bandwidth",
    success="`Success=1` in a summary that ends",
)
