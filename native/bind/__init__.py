"""What is compiled: the bindings, the preloaded profiler and its launcher shim."""

from pathlib import Path

_FOLDER = Path(__file__).parent

PROFILER = _FOLDER / "libwaywiser-profile.so"
"""The library that is preloaded into programs."""

SHIM = _FOLDER / "ww-exec"
"""The program that preloads it."""


def rerank_shim(order: Path) -> list[str]:
    """What is put before a program so that its ranks get another order."""
    return [str(SHIM), f"--rerank={order.absolute()}"]


UNWRAPPED_CALLS = _FOLDER / "unwrapped_calls.txt"
"""Names of the standard's calls that the profiler leaves alone, one a line."""

SOURCES = _FOLDER / "sources"
"""The workloads' sources, for `waywiser build`."""

MACHINES = _FOLDER / "machines"
"""The machine files that come with Waywiser."""
