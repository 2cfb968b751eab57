"""Describe a place in words: the phase, the call site and the ranks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from waywiser.analyse.times import RankTime
from waywiser.model.summary import Calls, CallSite, Function, Phase, Summary
from waywiser.units import counted

MOST, NEARLY_ALL, ALL = 0.5, 0.9, 0.995
"""Shares from which something is most, nearly all or all of the whole."""

LONGEST_NAME = 40
"""Largest number of characters in a function's name."""

NAMED = 3
"""Largest number of ranks that are named one by one."""

_TOKEN = re.compile(
    r"\boperator *(?:<=>|<<=?|>>=?|->\*?|[<>]=?|\(\)|\[\])|::{lambda|->|.", flags=re.DOTALL
)
"""Token of a demangled name: an operator, or else mostly a character."""

_OF_PYTHON = re.compile(r"<(?:module|lambda|genexpr|[a-z]+comp)>$|\.<locals>\.")
_OFFSET = re.compile(r"\+0x[0-9a-f]+$")

Weigh = Callable[[str, Function | Calls], float]
"""The time [s] of a function's calls that counts."""


def place_text(summary: Summary, weigh: Weigh, whole: float) -> str:
    """Return words for the place of most of `whole` seconds: ", all of that in phase 2, called from
    main at a.c:9".

    "" if no phase and no call site has most of the time, or there is only one phase.
    """
    places = []
    if len(summary.phases) > 1:
        in_phases = [sum(weigh(*item) for item in p.functions.items()) for p in summary.phases]
        most = max(in_phases)
        # Phases' functions include threads that make progress, the whole does not.
        if sum(in_phases) < whole / ALL:
            places.append((most, _phase_text(summary.phases[in_phases.index(most)])))
    at_sites: dict[str, float] = {}
    for site in summary.call_sites:
        text = f"called from {site_text(site)}"
        at_sites[text] = at_sites.get(text, 0.0) + weigh(site.function, site)
    if at_sites:
        places.append(max((seconds, text) for text, seconds in at_sites.items()))
    places = [(seconds, text) for seconds, text in places if whole > 0 and seconds > MOST * whole]
    if not places:
        return ""
    least = min(seconds for seconds, _ in places)
    return f", {part_text(least / whole)} of that {', '.join(text for _, text in places)}"


def part_text(share: float) -> str:
    """Return "all", "nearly all" or "most"."""
    return "all" if share >= ALL else "nearly all" if share >= NEARLY_ALL else "most"


def _phase_text(phase: Phase) -> str:
    if phase.phase < 0:
        return "in phases beyond those that are counted singly"
    return f"in phase {phase.phase if phase.name is None else phase.name}"


def site_text(site: CallSite) -> str:
    """Return the place of a call site: in the sources if known, else its address in its file.

    Several sites may be in one place: a compiler copies the body of a loop.
    """
    return place_name(site.place) if site.place else module_and_offset(site.module, site.address)


def module_and_offset(module: str, address: str) -> str:
    """Return a place without a name: "liblammps.so+0x1234"; the address alone in code of no file,
    the words alone for files that are not distinguished."""
    if not module:
        return address
    return Path(module).name + ("" if address == "0x0" else f"+{address}")


def place_name(place: str) -> str:
    """Return a place in the sources with the function's short name; module+offset is unchanged."""
    if _OFFSET.search(place):
        return place
    function, at, line = place.rpartition(" at ")
    return f"{_short(function)}{at}{line}" if at else _short(line)


def _short(function: str) -> str:
    """Return the name of a C++ or Python function as profilers show it, no longer than
    `LONGEST_NAME`."""
    if _OF_PYTHON.search(function):
        return function.replace(".<locals>", "")
    name = _without_types(function.replace("(anonymous namespace)::", "")) or function
    return shortened(name, LONGEST_NAME)


def shortened(name: str, most: int) -> str:
    """Shorten a name to at most `most` characters, without its middle if it is longer."""
    half = most // 2
    return name if len(name) <= most else f"{name[: most - half]}…{name[len(name) - half + 1 :]}"


def _without_types(function: str) -> str:
    """Return a demangled name without parameters, template arguments and return type; for a lambda,
    the name of its function."""
    if not re.search("[(<]|::{lambda", function):
        return function
    name, end, depth = "", None, 0
    for token in _TOKEN.findall(function):
        if token in ("(", "<"):
            if (token, depth) == ("(", 0):
                end = len(name)
            depth += 1
        elif token in (")", ">"):
            depth -= 1
        elif depth == 0 and token == "::{lambda":
            break
        elif depth == 0:
            name += token
    named = re.search(r"\S*\boperator\b.*|\S+$", name[:end].strip())
    return named.group() if named else ""


def named(ranks: list[RankTime], everyone: list[RankTime]) -> str:
    """Return ranks as people call them: "rank 3 on host n0", or all those of a host by its name."""
    host = ranks[0].host
    if len(ranks) == 1:
        return f"rank {ranks[0].rank} on host {host}"
    here = all(rank.host == host for rank in ranks)
    if here and len(ranks) == sum(1 for rank in everyone if rank.host == host):
        return f"the {counted(len(ranks), 'rank')} of host {host}"
    if len(ranks) > NAMED:
        return f"{counted(len(ranks), 'rank')} (rank {ranks[0].rank} on host {host} and others)"
    *numbers, last = sorted(rank.rank for rank in ranks)
    on = f" on host {host}" if here else ""
    return f"ranks {', '.join(map(str, numbers))} and {last}{on}"
