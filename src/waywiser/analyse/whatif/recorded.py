"""The recorded run of questions, and its replay as recorded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from waywiser.analyse.gate import read_gated
from waywiser.analyse.whatif.answer import Base, base_of, hosts_as_recorded
from waywiser.analyse.whatif.estimate import estimated_network
from waywiser.analyse.whatif.links import links_as_recorded
from waywiser.analyse.whatif.network import of_machine
from waywiser.analyse.whatif.nodes import Nodes, numbered
from waywiser.analyse.whatif.replay import replayer
from waywiser.analyse.whatif.requested import Recorded
from waywiser.analyse.whatif.setting import Setting
from waywiser.errors import InvalidCommand, InvalidRun
from waywiser.launch.tuning.forced import forced, library_of, settings_of
from waywiser.launch.tuning.tuners import TUNERS
from waywiser.machines.library import read_machine
from waywiser.model.run import Run
from waywiser.model.summary import Summary
from waywiser.store.directory import RunDirectory


def read_base(directory: Path, machine: str | None = None, threads: int = 0) -> Base:
    """Read a run and replay it as recorded; arguments and errors as of `read_recorded`.

    Args:
        threads: of a replay; 0: as many as help.
    """
    recorded = read_recorded(directory, machine)
    with _with_losses(recorded.summary):
        return base_of(recorded, replayer(recorded.trace, recorded.summary, threads))


def read_recorded(directory: Path, machine: str | None = None) -> Recorded:
    """Read a run as it was recorded.

    Args:
        machine: machine of the run, whose links messages share if its file lists the hosts; None:
            the network is estimated from the trace.

    Raises:
        InvalidCommand: the run has no trace, or the machine is not found.
        InvalidRun: it is unreadable.
    """
    run, summary = read_gated(directory)
    trace = trace_of(directory)
    with _with_losses(summary):
        on = read_machine(machine) if machine else None
        network = of_machine(on) if on else estimated_network(trace)
    host_of_rank = hosts_as_recorded(summary, str(directory))
    nodes, hosts = numbered(host_of_rank), tuple(dict.fromkeys(host_of_rank))
    setting = Setting(
        network,
        nodes,
        summary.mpi.library,
        forced_algorithms(run, nodes),
        interconnect=links_as_recorded(on, nodes, hosts) if on else None,
        hosts=hosts,
    )
    return Recorded(str(directory), trace, summary, setting)


def forced_algorithms(run: Run, nodes: Nodes) -> dict[str, str]:
    """Return algorithms by collective that the run's settings forced."""
    library = library_of(run.mpi.library)
    if library is None or not tunable(library, nodes):
        return {}
    return forced(library, settings_of(run.command, run.environment))


def tunable(library: str, nodes: Nodes) -> bool:
    """True if settings for one collective take effect: where several nodes have several ranks, Open
    MPI's component coll/han decides, which has its own settings."""
    return not TUNERS[library].nested or len(set(nodes)) in (1, len(nodes))


@contextmanager
def _with_losses(summary: Summary) -> Iterator[None]:
    """Prefix errors with the losses of a trace that lacks calls, since these may be the cause."""
    try:
        yield
    except (InvalidCommand, InvalidRun) as error:
        if summary.trace is None or not summary.trace.lost_calls:
            raise
        raise InvalidRun(f"{summary.trace.lost[0]}; so {error}") from error


def read_trace(directory: Path) -> tuple[Summary, Path]:
    """Return a run's summary, and the file of its trace.

    Raises:
        InvalidCommand: the run has no trace.
        InvalidRun: it is unreadable.
    """
    return read_gated(directory)[1], trace_of(directory)


def trace_of(directory: Path) -> Path:
    """
    Raises:
        InvalidCommand: the run has no trace.
    """
    trace = RunDirectory(directory).trace
    if not trace.exists():
        raise InvalidCommand(
            f"{directory} has no trace, which a replay needs; `waywiser profile --trace -o RUN -- "
            "mpirun …` records one"
        )
    return trace
