"""Programs with which a machine's predictions are validated, run and traced."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from waywiser.errors import InvalidCommand, ToolMissing
from waywiser.launch.command import parse_command
from waywiser.launch.launchers.table import COMMANDS
from waywiser.measure.profiled import profile_program

ITERATIONS = "2000"
BENCH = ("--method", "barrier", "--iterations", ITERATIONS, "--warmup", "0")

PROGRAMS: dict[str, tuple[str, ...]] = {
    "ring of 1 KiB": ("ww-mpibench", "--benchmark", "sendrecv", "--sizes", "1024", *BENCH),
    "ring of 256 KiB": ("ww-mpibench", "--benchmark", "sendrecv", "--sizes", "262144", *BENCH),
    "allreduce of 8 B": ("ww-mpibench", "--benchmark", "allreduce", "--sizes", "8", *BENCH),
    "alltoall of 4 KiB": ("ww-mpibench", "--benchmark", "alltoall", "--sizes", "4096", *BENCH),
    "broadcast of 64 KiB": ("ww-mpibench", "--benchmark", "bcast", "--sizes", "65536", *BENCH),
    "ww-minife": ("ww-minife", "--nx", "40", "--iterations", "200", "--fixed-iterations"),
}
"""The programs: some patterns of messages, and one workload."""


def run_programs(launch: Sequence[str], directory: Path) -> Iterator[tuple[str, Path]]:
    """Run each program under the profiler with a trace.

    Args:
        launch: a launcher with its options, as "mpirun -n 16".
        directory: for the runs.

    Returns:
        Name and run of each program, as it ends.

    Raises:
        InvalidCommand: a program failed, or the launcher is not found.
        ToolMissing: a program is neither beside the launcher nor in PATH.
    """
    if Path(launch[0]).name not in COMMANDS or not shutil.which(launch[0]):
        raise InvalidCommand(
            f"there is no launcher {launch[0]} here; expected one with its options, such as "
            "-- mpirun -n 16"
        )
    for number, (name, words) in enumerate(PROGRAMS.items()):
        command = [*launch, _program(launch[0], words[0]), *words[1:]]
        parse_command(command)
        run = directory / f"{number}-{words[0]}"
        outcome = profile_program(command, run, ("trace",))
        if outcome.exit_code != 0 or outcome.directory is None:
            raise InvalidCommand(
                f"{name}: `{' '.join(command)}` ended with {outcome.exit_code}; expected a "
                "launcher and its options, such as -- mpirun -n 16"
            )
        yield name, outcome.directory


def _program(launcher: str, name: str) -> str:
    beside = Path(shutil.which(launcher) or launcher).parent / name
    path = str(beside) if beside.is_file() else shutil.which(name)
    if path is None:
        raise ToolMissing(
            f"there is no {name} beside {launcher}, and none in PATH; `waywiser build "
            f"{name.removeprefix('ww-')} --with mpicxx` builds it for the site's own MPI"
        )
    return path
