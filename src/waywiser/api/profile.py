"""`waywiser.profile`: runs an unmodified program under the profiler."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from waywiser.errors import InvalidCommand
from waywiser.measure import COPY_EVERY_S, Outcome, TraceOptions, profile_program
from waywiser.measure.values import count_of, factor_of, phase_of, seconds_of, size_of, window_of

if TYPE_CHECKING:
    from waywiser.api.run import Run
    from waywiser.model.virtual_settings import VirtualSettings


T = TypeVar("T")


def profile(
    *command: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    split_sync: bool = False,
    callsites: bool = False,
    posix_io: bool = False,
    sharing: bool = False,
    trace: bool = False,
    trace_limit: int | str | None = None,
    trace_phase: int | None = None,
    trace_window: tuple[float, float] | None = None,
    copy_every: float | None = None,
    rerank: str | os.PathLike[str] | None = None,
    virtual: str | None = None,
    cpu: float | None = None,
    ranks_per_node: int | None = None,
    bare: bool = False,
) -> Run:
    """Runs a command under the profiler, passes its output on, and returns the run.

    Arguments are the options of `waywiser profile`. The run's `description` has the exit code of a
    failed program.

    Args:
        command: word by word, as `"mpirun", "-n", "4", "./program"`.
        output: directory for the run; None: PROGRAM-TIME.ww in the working directory.
        trace_limit: bytes of each process's trace, or a text such as "500M".
        trace_window: begin and end in seconds since the run's start.

    Raises:
        WaywiserError: as `waywiser profile` reports it, also if the launcher refuses to start the
            command.
    """
    from waywiser.api.run import Run  # tables are imported after the command has run

    options = {
        "split-sync": split_sync,
        "callsites": callsites,
        "posix-io": posix_io,
        "sharing": sharing,
        "trace": trace,
    }
    between = None if trace_window is None else f"{trace_window[0]}:{trace_window[1]}"
    kept_calls = TraceOptions(
        _valid("--trace-limit", size_of, trace_limit),
        _valid("--trace-phase", phase_of, trace_phase),
        _valid("--trace-window", window_of, between),
    )
    every = _valid("--copy-every", seconds_of, copy_every)
    kept = signal.getsignal(signal.SIGINT)
    try:
        outcome = run_profiled(
            [os.fspath(word) for word in command],
            None if output is None else Path(output),
            [name for name, is_set in options.items() if is_set],
            copy_every=COPY_EVERY_S if every is None else every,
            bare=bare,
            trace=kept_calls,
            rerank=None if rerank is None else Path(rerank),
            virtual=virtual,
            cpu=_valid("--cpu", factor_of, cpu),
            ranks_per_node=_valid("--ranks-per-node", count_of, ranks_per_node),
        )
    finally:
        signal.signal(signal.SIGINT, kept)
    if outcome.directory is None:
        raise InvalidCommand("; ".join(outcome.notes))
    return Run(outcome.directory)


def _valid(option: str, parse: Callable[[str], T], value: object) -> T | None:
    """
    Raises:
        InvalidCommand: the option does not accept the value.
    """
    try:
        return None if value is None else parse(str(value))
    except ValueError as error:
        raise InvalidCommand(f"argument {option}: {error}") from None


def run_profiled(
    words: Sequence[str],
    output: Path | None,
    options: Sequence[str],
    *,
    copy_every: float,
    bare: bool,
    trace: TraceOptions,
    rerank: Path | None,
    virtual: str | None,
    cpu: float | None,
    ranks_per_node: int | None,
) -> Outcome:
    """Runs a command under the profiler; a second Ctrl-C has no effect.

    Raises:
        InvalidCommand: options exclude or require each other, or the command cannot work.
        ToolMissing: the launcher is not installed, or Waywiser does not know it.
    """
    if bare and options:
        raise InvalidCommand(f"--bare and --{options[0]} are mutually exclusive")
    if trace != TraceOptions() and "trace" not in options:
        raise InvalidCommand("--trace-limit, --trace-phase and --trace-window require --trace")
    return profile_program(
        words,
        output,
        options,
        copy_every,
        bare=bare,
        trace=trace,
        rank_order=rerank,
        rank_places=_places(rerank),
        clocks=_clocks(virtual, cpu, ranks_per_node, bare),
    )


def _places(order: Path | None) -> str:
    """The places of the machine that --rerank names, for the ranks; "" if it names no machine."""
    if order is None or order.suffix != ".toml":
        return ""
    from waywiser.machines.library import read_machine
    from waywiser.machines.places import places_text

    return places_text(read_machine(str(order)), str(order))


def _clocks(
    virtual: str | None, cpu: float | None, ranks_per_node: int | None, bare: bool
) -> VirtualSettings | None:
    """The settings of --virtual; None without it."""
    if virtual is None:
        for option, value in (("cpu", cpu), ("ranks-per-node", ranks_per_node)):
            if value is not None:
                raise InvalidCommand(f"--{option} requires --virtual MACHINE")
        return None
    if bare:
        raise InvalidCommand("--bare and --virtual are mutually exclusive")
    # Imported here, as the models of machines would delay the start of every profile by a seventh.
    from waywiser.machines.library import read_machine
    from waywiser.model.virtual_settings import virtual_settings

    machine = read_machine(virtual)
    return virtual_settings(virtual, machine, 1.0 if cpu is None else cpu, ranks_per_node)
