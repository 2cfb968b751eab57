"""calls.txt: what each call carries; traced_calls.txt: what it says in a trace."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from mpi_standard import Prototype


@dataclass(frozen=True)
class Form:
    """How the payload of a call is computed, or what a trace has of it."""

    function: str
    """Name of a function of payload.hpp, or of traced.hpp."""

    arguments: tuple[str, ...]
    """By the standard's names."""

    room: str
    """Namespace of the function."""

    synchronised: bool = False
    """With --split-sync, a barrier comes before the call."""


NO_FORM = Form("", (), "")


def read_table(path: Path, room: str) -> dict[str, Form]:
    """Call -> form."""
    table: dict[str, Form] = {}
    form: Form | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        heading = re.fullmatch(r"(\w+)\(([\w, ]+)\)", line)
        if heading:
            form = Form(heading[1], tuple(heading[2].split(", ")), room)
        elif line.startswith(" ") and form is not None:
            for word in line.split():
                table[word.rstrip("!")] = replace(form, synchronised=word.endswith("!"))
        elif line.strip() and not line.startswith("#"):
            raise SystemExit(f"{path}:{number}: expected 'form(arguments)' or indented calls")
    return table


def form_of(name: str, table: dict[str, Form]) -> Form:
    """What holds for MPI_X holds for MPI_X_c."""
    return table.get(name) or table.get(name.removesuffix("_c"), NO_FORM)


def check(calls: dict[str, Prototype], carried: dict[str, Form], traced: dict[str, Form]) -> None:
    """Whether the tables fit the standard, and each other."""
    unknown = (carried.keys() | traced.keys()) - calls.keys()
    if unknown:
        raise SystemExit(f"calls.txt, traced_calls.txt: the standard has no {', '.join(unknown)}")
    untraced = carried.keys() - traced.keys()
    if untraced:
        raise SystemExit(f"traced_calls.txt: lacks {', '.join(sorted(untraced))} of calls.txt")
    for name, form in [*carried.items(), *traced.items()]:
        missing = set(form.arguments) - set(calls[name].names)
        if missing:
            raise SystemExit(f"{name} has no argument {', '.join(sorted(missing))}")
