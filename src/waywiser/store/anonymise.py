"""Removes names given by a user or a site from a run, and leaves its metrics.

The launcher's harmless words and variables stay (`harmless.py`), as do the file names of the
program, of its MPI library, of the launcher and of call sites. The program's arguments, notes,
results that a study read from its output, and its names of communicators and phases are removed.
Waywiser's own sentences lose hosts, the user and paths.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePath

from waywiser.model.run import Machine, Mpi, Run
from waywiser.model.summary import CallSite, Communicator, Phase, Summary, SummaryMpi
from waywiser.model.trace import Trace
from waywiser.model.virtual import VirtualClocks
from waywiser.model.waits import CallPlace, WaitCause, Waits
from waywiser.store.harmless import (
    LAUNCHERS,
    REMOVED,
    harmless,
    harmless_options,
    harmless_variables,
)
from waywiser.store.mpi import NAMES

PATH = "(path)"
PREDEFINED = frozenset({"", "MPI_COMM_WORLD", "MPI_COMM_SELF"})
VERSION = re.compile(r"\d+(\.\d+)*[a-z]{0,3}\d*")
KERNEL = re.compile(r"\w+ \d+(\.\d+)*")
OPTION = re.compile(r"[a-z-]+(=[\d:]*)?")


class _Names:
    """Renames hosts to host-0, host-1, … in the order of their first rank, and replaces the user
    and every path."""

    def __init__(self, run: Run, summary: Summary) -> None:
        hosts = [rank.host for rank in summary.per_rank or ()] + [run.machine.host]
        self._hosts = {name: f"host-{i}" for i, name in enumerate(dict.fromkeys(hosts)) if name}
        for name, number in list(self._hosts.items()):
            self._hosts.setdefault(name.split(".")[0], number)
        words = [re.escape(name) for name in sorted(self._hosts, key=len, reverse=True)]
        self._host = re.compile(rf"(?<![\w-])({'|'.join(words)})(?![\w-])") if words else None
        user = re.escape(run.user)
        self._user = re.compile(rf"(?<![A-Za-z]){user}(?![A-Za-z])") if run.user else None
        # Known paths first: they may contain spaces, which end a path in a sentence.
        known = {run.directory, run.program.path, run.program.mpi_library, str(Path.home())}
        self._paths = sorted((path for path in known if "/" in path), key=len, reverse=True)

    def host(self, name: str) -> str:
        return self._hosts.get(name, REMOVED)

    def sentence(self, text: str) -> str:
        """A text with paths, host and user names replaced."""
        for path in self._paths:
            text = text.replace(path, PATH)
        text = re.sub(r"[^\s/:=,;'\"(]*(?:/[^\s/:=,;'\")]+)+/?", PATH, text)
        if self._host is not None:
            text = self._host.sub(lambda match: self._hosts[match[1]], text)
        return text if self._user is None else self._user.sub(REMOVED, text)

    def file(self, path: str) -> str:
        """The file name of a path."""
        return self.sentence(PurePath(path).name)

    def command(self, run: Run) -> tuple[str, ...]:
        """Launcher and program without their directories, and the launcher's harmless words."""
        words, at = run.command, _program_at(run)
        if at is None:
            return harmless_options(words)
        end = at + 1 + len(run.program.arguments)
        launcher = PurePath(words[0]).name
        return (
            *((launcher if launcher in LAUNCHERS else REMOVED,) if at else ()),
            *harmless_options(words[1:at]),
            self.file(run.program.path),
            *(REMOVED,) * len(run.program.arguments),
            *harmless_options(words[end:]),
        )


def _program_at(run: Run) -> int | None:
    """Index of the program in the command; its arguments follow up to the end or a colon. None if
    unclear."""
    words, arguments = run.command, run.program.arguments
    ends = (*(i for i, word in enumerate(words) if word == ":"), len(words))
    candidates = [
        at
        for at in (end - len(arguments) - 1 for end in ends)
        if at >= 0 and words[at + 1 : at + 1 + len(arguments)] == arguments
    ]
    name = PurePath(run.program.path).name
    named = [at for at in candidates if PurePath(words[at]).name == name]
    return next(iter((*named, *candidates)), None)


def anonymise(run: Run, summary: Summary) -> tuple[Run, Summary]:
    """Return copies without user, host and path names."""
    names = _Names(run, summary)
    program = run.program.replace(
        path=names.file(run.program.path),
        arguments=(REMOVED,) * len(run.program.arguments),
        compiler=names.sentence(run.program.compiler),
        build_id=run.program.build_id and REMOVED,
        mpi_library=names.file(run.program.mpi_library),
    )
    clean_run = run.replace(
        command=names.command(run),
        directory=REMOVED,
        user=REMOVED,
        program=program,
        mpi=_mpi(run.mpi),
        machine=_machine(names, run.machine),
        environment=harmless_variables(run.environment),
        options=tuple(word for word in run.options if OPTION.fullmatch(word)),
        notes=(REMOVED,) * len(run.notes),
        trace=_trace(names, run.trace),
        virtual=_virtual(names, run.virtual),
        result=None,
        process=None,
        state_directory=None,
        rank_order_file=run.rank_order_file and PATH,
        imported_from=run.imported_from and PATH,
        anonymised=True,
    )
    ranks = summary.per_rank and tuple(
        rank.replace(host=names.host(rank.host)) for rank in summary.per_rank
    )
    nodes = tuple(
        node.replace(
            host=names.host(node.host),
            unknown={name: names.sentence(why) for name, why in node.unknown.items()},
        )
        for node in summary.nodes
    )
    gate = {
        "unreliable": tuple(map(names.sentence, summary.gate.unreliable)),
        "unlike": names.sentence(summary.gate.unlike),
        "remedies": tuple(map(names.sentence, summary.gate.remedies)),
    }
    clean_summary = summary.replace(
        mpi=summary.mpi.replace(**_library(summary.mpi)),
        per_rank=ranks,
        nodes=nodes,
        lost=tuple(REMOVED if text in run.notes else names.sentence(text) for text in summary.lost),
        trace=_trace(names, summary.trace),
        virtual=_virtual(names, summary.virtual),
        phases=tuple(map(_phase, summary.phases)),
        communicators=tuple(map(_communicator, summary.communicators)),
        call_sites=tuple(_call_site(names, site) for site in summary.call_sites),
        waits=summary.waits and _waits(names, summary.waits),
        advice=None,
        diagnosis=None,
        gate=summary.gate.replace(**gate),
    )
    return clean_run, clean_summary


def _trace(names: _Names, trace: Trace | None) -> Trace | None:
    return trace and trace.replace(lost=tuple(map(names.sentence, trace.lost)))


def _virtual(names: _Names, clocks: VirtualClocks | None) -> VirtualClocks | None:
    remarks = clocks and tuple(map(names.sentence, clocks.remarks))
    named = {"machine": REMOVED, "title": REMOVED, "remarks": remarks}
    return clocks and clocks.replace(**named)


def _mpi(mpi: Mpi) -> Mpi:
    transport = mpi.transport if _known_transport(mpi.transport) else REMOVED
    return mpi.replace(**_library(mpi), transport=transport)


def _library(mpi: Mpi | SummaryMpi) -> dict[str, str]:
    """The library's fields without the name and place of its build, which its version text may
    contain."""
    known = mpi.library in (*NAMES, "unknown")
    return {
        "library": mpi.library if known else REMOVED,
        "version": _only(VERSION, mpi.version),
    }


def _known_transport(text: str) -> bool:
    return text == "unknown" or all(map(harmless, re.split(r"[ /]+", text)))


def _machine(names: _Names, machine: Machine) -> Machine:
    kernel = _only(KERNEL, machine.kernel)
    return machine.replace(host=names.host(machine.host), kernel=kernel)


def _only(pattern: re.Pattern[str], text: str) -> str:
    """The start of a text that matches the pattern; a site may have added its name after it."""
    match = pattern.match(text)
    return match[0] if match else text if text == "unknown" else REMOVED


def _phase(phase: Phase) -> Phase:
    return phase if phase.name is None else phase.replace(name=REMOVED)


def _communicator(communicator: Communicator) -> Communicator:
    tells_nothing = communicator.name in PREDEFINED
    return communicator if tells_nothing else communicator.replace(name=REMOVED)


def _waits(names: _Names, waits: Waits) -> Waits:
    def place(call: CallPlace | None) -> CallPlace | None:
        if call is None or call.place is None:
            return call
        return call.replace(place=_place(names, call.place))

    def clean(cause: WaitCause) -> WaitCause:
        calls = {name: place(getattr(cause, name)) for name in ("waiting", "before", "after")}
        return cause.replace(**calls)

    iterations = waits.iterations
    return waits.replace(
        causes=tuple(map(clean, waits.causes)),
        critical_path=tuple(part.replace(place=place(part.place)) for part in waits.critical_path),
        clocks=tuple(clock.replace(host=names.host(clock.host)) for clock in waits.clocks),
        iterations=iterations and iterations.replace(first=place(iterations.first)),
        remarks=tuple(map(names.sentence, waits.remarks)),
    )


def _place(names: _Names, place: str) -> str:
    function, at, file = place.rpartition(" at ")
    return names.sentence(f"{function}{at}{PurePath(file).name}")


def _call_site(names: _Names, site: CallSite) -> CallSite:
    place = site.place
    if place is not None:
        place = _place(names, place)
    module = names.sentence(PurePath(site.module).name)
    return site.replace(module=module, place=place)
