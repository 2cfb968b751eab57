"""Traces in text, each with questions and what is answered: see tests/cases.

A case begins with `# ` and what it shows. Of its lines,

    for NAME: VALUE | VALUE …       makes a case of each value, which stands for $NAME
    ranks NUMBER                    if not each of them is named
    hosts HOST …                    of the ranks, or apart NUMBER: so many, each on its own
    killed RANK …
    NAME := EXPRESSION, or NAME, NAME := EXPRESSIONS
    communicator NAME RANKS         of all without RANKS; with RANKS to RANKS, between two groups
    window NAME, or file NAME       of all ranks
    RANKS FUNCTION KEY=VALUE …      a call of 10 ns at once; RANKS are such as 0, 0,2 or all
    RANKS FUNCTION BEGIN..END KEY=VALUE …
    RANKS compute NS
    repeat NUMBER … end             with `i` as the number of the round
    = EXPRESSION                    is true of the answer; `first` is that to the first question,
                                    `before` that to the one before

and others are the questions, each a word with what is asked for, KEY=VALUE …. Values are
expressions without blanks: of the case's names, of `r` for the rank and `n` for the number of
ranks; `5ms` is a time in ns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.job import ANY, CALL_NS, MS, NOBODY, OWN_GROUP, Job
from waywiser.native import _native as native

CASES = Path(__file__).parent / "cases"
KINDS = {kind.name: kind for kind in (native.ObjectKind.window, native.ObjectKind.file)}


class Case(NamedTuple):
    title: str
    lines: list[str]


def cases(file: str) -> list[Any]:
    text = (CASES / file).read_text(encoding="utf-8")
    return [pytest.param(case, id=case.title) for case in _cases(text)]


def _cases(text: str) -> Iterator[Case]:
    for section in text.removeprefix("# ").split("\n\n# "):
        title, *lines = section.strip().split("\n")
        loops = [line[4:].split(": ", 1) for line in lines if line.startswith("for ")]
        for values in product(*(choices.split(" | ") for _, choices in loops)):
            whole = "\n".join(line for line in lines if not line.startswith("for "))
            for (name, _), value in zip(loops, values, strict=True):
                whole = whole.replace(f"${name}", value)
            yield Case(" ".join([title, *values]), whole.split("\n"))


class Written:
    """The trace of a case, its names, and its questions, each with what is true of the answer."""

    def __init__(self, case: Case, **names: Any) -> None:
        constants = {"ms": MS, "ANY": ANY, "NOBODY": NOBODY, "OWN_GROUP": OWN_GROUP}
        self.names: dict[str, Any] = {**constants, **names, "n": _ranks(case)}
        first = {line.split()[0]: line.split()[1:] for line in case.lines}
        hosts = first.get("hosts", [f"h{r}" for r in range(self.names["n"])])
        self.job = Job(
            self.names["n"],
            hosts=hosts if {"hosts", "apart"} & first.keys() else None,
            killed=[*map(int, first.get("killed", ()))],
        )
        self.questions: list[tuple[str, dict[str, Any], list[str]]] = []
        lines = iter(case.lines)
        for line in lines:
            if line.startswith("repeat "):
                block = list(iter(lambda: next(lines), "end"))
                for number, each in product(range(self.value(line[7:])), block):
                    self.names["i"] = number
                    self._read(each)
            else:
                self._read(line)

    def value(self, expression: str, **more: Any) -> Any:
        return eval(re.sub(r"(\d)ms\b", r"\1*ms", expression), self.names | more)

    def _read(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        names, assigned, expression = line.partition(" := ")
        if word == "=":
            self.questions[-1][2].append(rest)
        elif assigned:
            values = self.value(expression)
            self.names |= zip(names.split(", "), values if "," in names else [values], strict=True)
        elif word in ("communicator", *KINDS):
            self._make(word, *rest.split(" ", 1))
        elif word[0].isdigit() or word == "all":
            for rank in range(self.names["n"]) if word == "all" else map(int, word.split(",")):
                self._call(rank, *rest.split())
        elif word not in ("ranks", "hosts", "apart", "killed"):
            settings = (setting.split("=", 1) for setting in rest.split())
            question = {name: self.value(expression) for name, expression in settings}
            self.questions.append((word, question, []))

    def _make(self, kind: str, name: str, ranks: str = "") -> None:
        groups = [[*map(int, group.split(","))] for group in ranks.split(" to ") if group]
        own, *others = groups or [[*range(self.names["n"])]]
        options: dict[str, Any] = {"kind": KINDS[kind]} if kind in KINDS else {}
        if others:
            options["remote"] = others[0]
        self.names[name] = self.job.communicator(own, **options)

    def _call(self, rank: int, function: str, *arguments: str) -> None:
        self.names["r"] = rank
        if function == "compute":
            self.job.compute(rank, self.value(arguments[0]))
            return
        begin, end = self.job.now[rank], self.job.now[rank] + CALL_NS
        if arguments and ".." in arguments[0]:
            begin, end = map(self.value, arguments[0].split(".."))
        pairs = [each.split("=", 1) for each in arguments if "=" in each]
        parameters = {key: self.value(expression) for key, expression in pairs}
        self.job.call(rank, function, begin, end, **parameters)

    def check(self, answer: dict[str, Any], checks: list[str]) -> None:
        """Answers have no remarks, unless a check is of them."""
        for check in checks if "remarks" in " ".join(checks) else [*checks, "remarks == []"]:
            assert self.value(check, **answer), (check, answer)
        self.names.setdefault("first", answer)
        self.names["before"] = answer


def _ranks(case: Case) -> int:
    """The number of ranks that a case states, or one more than the highest rank that it names."""
    for line in case.lines:
        word, *arguments = line.split()
        if word in ("ranks", "apart"):
            return int(arguments[0])
        if word == "hosts":
            return len(arguments)
    named = (re.match(r"(communicator \w+ )?(\d[\d,to ]*) ?\b", line) for line in case.lines)
    return 1 + max(int(rank) for match in named if match for rank in re.findall(r"\d+", match[2]))
