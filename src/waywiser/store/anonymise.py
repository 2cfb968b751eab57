"""Takes the names of users, hosts and paths out of a run, and leaves its figures.

Of paths only the file names of the program, of its MPI library, of the launcher and of call sites
stay. A word of the command that holds any other path loses all but the option before it. Names that
the program gave its communicators go.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePath

from waywiser.model.run import Run
from waywiser.model.summary import CallSite, Communicator, Summary
from waywiser.model.trace import Trace
from waywiser.model.waits import CallPlace, WaitCause, Waits

REMOVED = "(removed)"
PATH = "(path)"
OPTION = re.compile(r"-{0,2}[\w-]*=|-[A-Za-z](?=[./~])")
PREDEFINED = frozenset({"", "MPI_COMM_WORLD", "MPI_COMM_SELF"})
HOST_OPTIONS = frozenset({"H", "host", "hosts", "add-host", "machine"})


class _Names:
    """Hosts become host-0, host-1, … in the order of their first rank; the user and every path
    become what tells nobody."""

    def __init__(self, run: Run, summary: Summary) -> None:
        hosts = [rank.host for rank in summary.per_rank or ()] + [run.machine.host]
        self._hosts = {name: f"host-{i}" for i, name in enumerate(dict.fromkeys(hosts)) if name}
        for name, number in list(self._hosts.items()):
            self._hosts.setdefault(name.split(".")[0], number)
        words = [re.escape(name) for name in sorted(self._hosts, key=len, reverse=True)]
        self._host = re.compile(rf"(?<![\w-])({'|'.join(words)})(?![\w-])") if words else None
        user = re.escape(run.user)
        self._user = re.compile(rf"(?<![A-Za-z]){user}(?![A-Za-z])") if run.user else None
        # Known paths first: they may hold spaces, which end a path in a sentence.
        known = {run.directory, run.program.path, run.program.mpi_library, str(Path.home())}
        self._paths = sorted((path for path in known if "/" in path), key=len, reverse=True)
        self._kept = {run.program.path, *run.command[:1]}

    def host(self, name: str) -> str:
        return self._hosts.get(name, name)

    def sentence(self, text: str) -> str:
        """A text with paths, host and user names replaced."""
        for path in self._paths:
            text = text.replace(path, PATH)
        text = re.sub(r"[^\s/:=,;'\"(]*(?:/[^\s/:=,;'\")]+)+/?", PATH, text)
        if self._host is not None:
            text = self._host.sub(lambda match: self._hosts[match[1]], text)
        return text if self._user is None else self._user.sub(REMOVED, text)

    def word(self, text: str) -> str:
        """A word of the command line."""
        if text in self._kept:
            return self.sentence(PurePath(text).name)
        if re.fullmatch(r"--?[a-z][\w-]*", text):
            return text  # an option is nobody's name, --allow-run-as-root neither
        if "/" in text:
            option = OPTION.match(text)
            return self.sentence(option[0] if option else "") + PATH
        return self.sentence(text)

    def command(self, words: tuple[str, ...]) -> tuple[str, ...]:
        before = ("", *words)
        return tuple(
            REMOVED if option.lstrip("-") in HOST_OPTIONS else self.word(word)
            for option, word in zip(before, words, strict=False)
        )

    def setting(self, text: str) -> str:
        """The value of an environment variable: a list of names or paths."""
        parts = re.split(r"([:,;])", text)
        return "".join(PATH if "/" in part else self.sentence(part) for part in parts)


def anonymise(run: Run, summary: Summary) -> tuple[Run, Summary]:
    """Copies without user, host and path names."""
    names = _Names(run, summary)
    program = run.program.model_copy(
        update={
            "path": names.word(run.program.path),
            "arguments": names.command(run.program.arguments),
            "mpi_library": names.sentence(PurePath(run.program.mpi_library).name),
        }
    )
    clean_run = run.model_copy(
        update={
            "command": names.command(run.command),
            "directory": REMOVED,
            "user": REMOVED,
            "program": program,
            "machine": run.machine.model_copy(update={"host": names.host(run.machine.host)}),
            "environment": {key: names.setting(value) for key, value in run.environment.items()},
            "notes": tuple(map(names.sentence, run.notes)),
            "trace": _trace(names, run.trace),
            "state_directory": None,
            "rank_order_file": run.rank_order_file and PATH,
            "imported_from": run.imported_from and PATH,
            "anonymised": True,
        }
    )
    ranks = summary.per_rank and tuple(
        rank.model_copy(update={"host": names.host(rank.host)}) for rank in summary.per_rank
    )
    clean_summary = summary.model_copy(
        update={
            "per_rank": ranks,
            "lost": tuple(map(names.sentence, summary.lost)),
            "trace": _trace(names, summary.trace),
            "communicators": tuple(map(_communicator, summary.communicators)),
            "call_sites": tuple(_call_site(names, site) for site in summary.call_sites),
            "waits": summary.waits and _waits(names, summary.waits),
        }
    )
    return clean_run, clean_summary


def _trace(names: _Names, trace: Trace | None) -> Trace | None:
    return trace and trace.model_copy(update={"lost": tuple(map(names.sentence, trace.lost))})


def _communicator(communicator: Communicator) -> Communicator:
    tells_nothing = communicator.name in PREDEFINED
    return communicator if tells_nothing else communicator.model_copy(update={"name": REMOVED})


def _waits(names: _Names, waits: Waits) -> Waits:
    def place(call: CallPlace | None) -> CallPlace | None:
        if call is None or call.place is None:
            return call
        return call.model_copy(update={"place": _place(names, call.place)})

    def clean(cause: WaitCause) -> WaitCause:
        calls = {name: place(getattr(cause, name)) for name in ("waiting", "before", "after")}
        return cause.model_copy(update=calls)

    found = waits.iterations
    return waits.model_copy(
        update={
            "causes": tuple(map(clean, waits.causes)),
            "critical_path": tuple(
                one.model_copy(update={"place": place(one.place)}) for one in waits.critical_path
            ),
            "clocks": tuple(
                clock.model_copy(update={"host": names.host(clock.host)}) for clock in waits.clocks
            ),
            "iterations": found and found.model_copy(update={"first": place(found.first)}),
            "remarks": tuple(map(names.sentence, waits.remarks)),
        }
    )


def _place(names: _Names, place: str) -> str:
    function, at, file = place.rpartition(" at ")
    return names.sentence(f"{function}{at}{PurePath(file).name}")


def _call_site(names: _Names, site: CallSite) -> CallSite:
    place = site.place
    if place is not None:
        place = _place(names, place)
    module = names.sentence(PurePath(site.module).name)
    return site.model_copy(update={"module": module, "place": place})
