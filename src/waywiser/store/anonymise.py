"""Takes the names of users, hosts and paths out of a run, and leaves its figures."""

from __future__ import annotations

import re
from pathlib import PurePath

from waywiser.model.run import Run
from waywiser.model.summary import Summary

REMOVED = "(removed)"


class _Names:
    """Hosts become host-0, host-1, … in the order of their first rank; the user and every path
    become what tells nobody."""

    def __init__(self, run: Run, summary: Summary) -> None:
        hosts = [rank.host for rank in summary.per_rank or ()] + [run.machine.host]
        self._hosts = {name: f"host-{i}" for i, name in enumerate(dict.fromkeys(hosts)) if name}
        words = [re.escape(name) for name in sorted(self._hosts, key=len, reverse=True)]
        self._host = re.compile(rf"(?<![\w-])({'|'.join(words)})(?![\w-])") if words else None
        self._user = re.compile(rf"(?<!\w){re.escape(run.user)}(?!\w)") if run.user else None

    def host(self, name: str) -> str:
        return self._hosts.get(name, name)

    def clean(self, text: str) -> str:
        """A text with paths shortened to their last part, and without host and user names."""
        text = re.sub(r"(?:~|\.{1,2})?(?:/[^\s/:=,;]+)+/?", self._last_part, text)
        if self._host is not None:
            text = self._host.sub(lambda match: self._hosts[match[1]], text)
        return text if self._user is None else self._user.sub(REMOVED, text)

    @staticmethod
    def _last_part(match: re.Match[str]) -> str:
        return PurePath(match[0]).name


def anonymise(run: Run, summary: Summary) -> tuple[Run, Summary]:
    """Copies without user, host and path names; file names without their folders stay."""
    names = _Names(run, summary)
    program = run.program.model_copy(
        update={
            "path": names.clean(run.program.path),
            "arguments": tuple(map(names.clean, run.program.arguments)),
            "mpi_library": names.clean(run.program.mpi_library),
        }
    )
    clean_run = run.model_copy(
        update={
            "command": tuple(map(names.clean, run.command)),
            "directory": REMOVED,
            "user": REMOVED,
            "program": program,
            "machine": run.machine.model_copy(update={"host": names.host(run.machine.host)}),
            "environment": {key: names.clean(value) for key, value in run.environment.items()},
            "notes": tuple(map(names.clean, run.notes)),
            "state_directory": None,
            "anonymised": True,
        }
    )
    ranks = summary.per_rank and tuple(
        rank.model_copy(update={"host": names.host(rank.host)}) for rank in summary.per_rank
    )
    lost = tuple(map(names.clean, summary.lost))
    return clean_run, summary.model_copy(update={"per_rank": ranks, "lost": lost})
