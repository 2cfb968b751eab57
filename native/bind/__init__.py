"""What is compiled: the bindings, the preloaded profiler and its launcher shim."""

from importlib import import_module
from pathlib import Path

_DIRECTORY = Path(__file__).parent

PROFILER = _DIRECTORY / "libwaywiser-profile.so"
"""The library that is preloaded into programs."""

SHIM = _DIRECTORY / "ww-exec"
"""The program that preloads it."""


def _make_ready(library: str) -> None:
    """In a checkout where only `make demo` has run, a preloaded library may have to be built."""
    if not (_DIRECTORY / library).exists():
        import_module("waywiser.native._analysis")


def virtual_option(settings: Path) -> str:
    """What tells the shim to preload virtual clocks."""
    _make_ready("libwaywiser-virtual.so")
    return f"--virtual={settings}"


def rerank_shim(order: Path) -> list[str]:
    """What is put before a program so that its ranks, or those of its topologies, get another
    order."""
    _make_ready("libwaywiser-rerank.so")
    return [str(SHIM), f"--rerank={order.absolute()}"]


UNWRAPPED_CALLS = _DIRECTORY / "unwrapped_calls.txt"
"""Names of the standard's calls that the profiler leaves alone, one a line."""

SOURCES = _DIRECTORY / "sources"
"""The workloads' sources, for `waywiser build`."""

MACHINES = _DIRECTORY / "machines"
"""The machine files that come with Waywiser."""
