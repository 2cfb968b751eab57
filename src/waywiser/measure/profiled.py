"""One run of a program under the profiler: prepare, execute, merge, store."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from waywiser import __version__
from waywiser.errors import InvalidCommand, NotSaved
from waywiser.launch.check import check_program
from waywiser.launch.command import Command, parse_command
from waywiser.launch.execute import execute
from waywiser.launch.host import environment, machine
from waywiser.launch.launchers.launcher import why_refused
from waywiser.launch.library import read_executable
from waywiser.launch.masking import masked_words
from waywiser.launch.rank_order import check_rank_order, ordered_topologies
from waywiser.measure.conditions import watched
from waywiser.measure.places import places
from waywiser.measure.trace_options import EVERYTHING, TraceOptions
from waywiser.model.run import Mpi, Program, Run, readable
from waywiser.native import PROFILER, SHIM, rerank_shim, virtual_option
from waywiser.native._native import Profile
from waywiser.store import RunDirectory, finished, finished_bare, new_state_directory
from waywiser.store.live import start_of
from waywiser.store.placement import placements_named

if TYPE_CHECKING:
    from waywiser.model.virtual_settings import VirtualSettings

OPTIONS = {
    "split-sync": "insert a barrier before each blocking collective to separate wait time from "
    "transfer (perturbs ranks that run ahead through collectives that need not wait)",
    "callsites": "count calls by the place in the program that made them (costs about 5 ns a call, "
    "and about 1 us for the stack behind MPI's Fortran layer)",
    "posix-io": "count and time the program's own reads and writes of regular files (costs about "
    "50 ns a call)",
    "sharing": "ask the MPI library which ranks share memory, for `waywiser place --verify` (costs "
    "an MPI_Comm_split_type in MPI_Init; default where the command names a placement)",
    "trace": "record every MPI call, to show what each rank waited for and when (costs some bytes "
    "a call)",
}
"""Optional measurements, with their price."""

COPY_EVERY_S = 30.0
"""Interval between two copies of each node's states into the run."""


@dataclass(frozen=True)
class Outcome:
    """The result of a run."""

    exit_code: int
    """Exit code of the program."""

    run: Run
    ranks: int
    """Number of ranks that left a profile."""

    directory: Path | None
    """Directory of the run; None if the launcher refused to start, so that there is no run."""

    moved: bool
    """True if the run had to be kept in another directory than requested."""

    notes: tuple[str, ...]
    """Sentences for the user."""

    mid_line: bool
    """True if the program's stderr ended within a line."""


def profile_program(
    words: Sequence[str],
    output: Path | None,
    options: Sequence[str],
    copy_every_seconds: float = COPY_EVERY_S,
    *,
    bare: bool = False,
    trace: TraceOptions = EVERYTHING,
    rank_order: Path | None = None,
    rank_places: str = "",
    clocks: VirtualSettings | None = None,
) -> Outcome:
    """Runs a command under the profiler.

    Args:
        words: the user's command, from the launcher on.
        output: directory for the run; PROGRAM-TIME.ww in the working directory if not given.
        options: optional measurements, of OPTIONS.
        copy_every_seconds: between the copies of each node's states into the run.
        bare: omit the profiler, and keep all else.
        trace: extent of the trace, if "trace" is one of the options.
        rank_order: file with another order of the ranks (launch/rank_order.py), or of a machine.
        rank_places: text that ranks read of this machine (machines/places.py).
        clocks: settings of virtual clocks; None: without them.

    Raises:
        InvalidCommand: the command cannot work, or the directory cannot be made.
        ToolMissing: the launcher is not installed, or Waywiser does not know it.
    """
    command = parse_command(words)
    programs = [check_program(command, i) for i in range(len(command.programs))]
    order: tuple[int, ...] = ()
    order_note = ""
    if rank_places:
        order_note = ordered_topologies(rank_order)
    elif rank_order:
        order, order_note = check_rank_order(rank_order, command)
    names = (*command.words, *environment().values(), str(rank_order or ""))
    if "sharing" not in options and next(placements_named(names, Path.cwd()), None):
        options = (*options, "sharing")
    files = RunDirectory((output or _default_name(programs[0])).absolute())
    started = _describe(command, programs[0], options, bare).replace(
        rank_order=order, rank_order_file=str(rank_order or "")
    )
    if "trace" in options:
        words_of_trace = trace.words(started.started)
        started = started.replace(options=started.options + words_of_trace)
    files.create()
    try:
        files.write_run(started)
    except NotSaved as error:
        raise InvalidCommand(f"{error}; give another place with -o") from error
    inserted = [] if bare else _profiler(files, started, copy_every_seconds)
    if clocks is not None:
        from waywiser.store.virtual import settings_file

        settings_file(files.parts).write_text(clocks.text(), encoding="utf-8")
        inserted.insert(1, virtual_option(settings_file(files.parts)))
    if rank_order:
        if rank_places:
            rank_order = files.parts / "machine.places"
            rank_order.write_text(rank_places, encoding="utf-8")
        inserted = [*rerank_shim(rank_order), *(inserted[1:] or ["--"])]
    line = command.before_each_program(inserted)
    try:
        with watched() as watch:
            execution = execute(line, files.path)
    except OSError as error:
        raise InvalidCommand(f"{words[0]} cannot be started: {error.strerror}") from error
    code, notes = execution.code, list(execution.notes)
    order_notes = (order_note,) if order_note else ()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not lose the data
    errors = files.stderr_tail()
    mid_line = bool(errors) and not errors.endswith("\n")
    started = started.replace(conditions=watch.conditions)
    if bare:
        run = finished_bare(started, code, notes)
        files.write_run(run)
        files.remove_states(started)
        return Outcome(code, run, 0, files.path, False, (*order_notes, *notes), mid_line)
    files.wait_for_collectors()
    profile = files.merge(started, job_has_ended=True)
    profile.name_call_sites(places(profile.call_sites))
    notes += _nothing_seen(command, programs[0], profile, code)
    if code and not profile.ranks and command.launcher:
        refusals = why_refused(command.launcher, errors)
        if refusals:
            # Nothing was measured, and the corrected command should find its place free.
            files.remove_states(started)
            shutil.rmtree(files.path, ignore_errors=True)
            return Outcome(code, started, 0, None, False, tuple(refusals), mid_line)
    run = finished(started, profile, code, notes)
    if clocks is not None:
        from waywiser.store.virtual import read_clocks

        followed = read_clocks(files.parts, clocks, profile.world_size)
        run = run.replace(virtual=followed)
        if followed is None and profile.ranks:
            notes.append("no rank has left a virtual clock")
    if run.status == "partial" and not code and execution.interrupted_by:
        # Hydra may return 0 when it is interrupted twice, as by our signal and the terminal's.
        code = 128 + execution.interrupted_by[0]
        run = run.replace(exit_code=code)
    files, run, moved = save(files, run, profile, started)
    notes += moved
    return Outcome(
        code, run, len(profile.ranks), files.path, bool(moved), (*order_notes, *notes), mid_line
    )


def _profiler(files: RunDirectory, run: Run, copy_every_seconds: float) -> list[str]:
    """Return the profiler's shim, as words before each program."""
    state = run.state_directory or ""
    return [
        str(SHIM),
        f"--copy-every={copy_every_seconds}",
        str(PROFILER),
        str(files.path),
        state,
        ",".join(run.options),
    ]


def _default_name(program: Program) -> Path:
    moment = datetime.now().astimezone().strftime("%Y%m%d-%H%M%S")
    return Path(f"{Path(program.path).name}-{moment}.ww")


def _describe(command: Command, program: Program, options: Sequence[str], bare: bool) -> Run:
    """Return the part of the run that is known before the program starts."""
    return Run(
        waywiser=__version__,
        status="running",
        command=masked_words(tuple(map(readable, command.words))),
        directory=readable(str(Path.cwd())),
        user=_user(),
        program=program,
        mpi=Mpi(library="unknown", version="unknown", abi="unknown"),
        machine=machine(),
        environment=environment(),
        options=tuple(options),
        profiler=not bare,
        started=datetime.now(UTC),
        state_directory=new_state_directory(os.urandom(8).hex()),
        process=(os.getpid(), start_of(os.getpid()) or 0),
    )


def _user() -> str:
    """Return the user's name; the number if the name is unknown, as in many containers."""
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def save(
    files: RunDirectory, run: Run, profile: Profile, started: Run
) -> tuple[RunDirectory, Run, list[str]]:
    """Save the run with its trace; if its directory fails, save in another and add a sentence."""

    def merge_trace(into: RunDirectory) -> Run:
        known = {(site.module, site.address): site.place for site in profile.call_sites}
        trace = files.write_trace(started, lambda sites: places(sites, known), into.trace)
        return run.replace(trace=trace)

    try:
        whole = merge_trace(files)
        _write(files, whole, profile)
    except NotSaved:
        elsewhere = RunDirectory(Path(tempfile.mkdtemp(prefix="waywiser-")))
        try:
            whole = merge_trace(elsewhere)
            _write(elsewhere, whole, profile)
        except NotSaved:
            shutil.rmtree(elsewhere.path, ignore_errors=True)
            raise
        # The run is safe now, so the files of the ranks may be removed to make room.
        files.remove_states(started)
        try:
            files.copy_trace(elsewhere)
            _write(files, whole, profile)
        except NotSaved as error:
            moved = f"{error}; the run is kept in {elsewhere.path} instead"
            return elsewhere, _moved(files, elsewhere, whole, moved), [moved]
        shutil.rmtree(elsewhere.path, ignore_errors=True)
    with suppress(NotSaved):  # it is whole: who reads it removes them
        files.remove_states(started)
    return files, whole, []


def _moved(files: RunDirectory, elsewhere: RunDirectory, run: Run, why: str) -> Run:
    """Note in both directories which of them has the run."""
    kept = run.replace(notes=(*run.notes, why))
    files.discard_results()
    for place, described in (
        (elsewhere, kept),
        (files, kept.replace(status="partial", exit_code=None, trace=None)),
    ):
        with suppress(NotSaved):  # a reader of `files` finds nothing there
            place.write_run(described)
    return kept


def _write(files: RunDirectory, run: Run, profile: Profile) -> None:
    files.write_profile(profile)
    files.write_run(run)


def _nothing_seen(command: Command, program: Program, profile: Profile, code: int) -> list[str]:
    """Return the reason if there is no profile."""
    if profile.ranks:
        return []
    name = command.program()
    if profile.lost:
        why = "; ".join(profile.lost)
    elif code:
        why = f"the command ended with exit code {code} before {name} called MPI"
    elif program.mpi_library == "unknown":
        why = (
            f"{name} is not linked to an MPI library, and nothing that it started called MPI, or "
            "only past the profiler (by RTLD_DEEPBIND, dlmopen, or MPI within a program's own file)"
        )
    elif (file := command.file()) and (read := read_executable(file)) and read.defines_mpi:
        why = (
            f"{name} has an MPI_Init of its own (a tool is linked into it), which the loader takes "
            "before the profiler's; link it without that tool"
        )
    else:
        why = f"{name} is linked to {program.mpi_library}, but it never called MPI_Init"
    return [f"0 MPI calls seen: {why}"]
