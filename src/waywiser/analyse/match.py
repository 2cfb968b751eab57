"""Match the configurations of two sets of runs by their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from waywiser.analyse.samples import Group, axis_text
from waywiser.analyse.sets import RunSet
from waywiser.errors import InvalidCommand, there_is_no
from waywiser.model.result import Scalar

Key = tuple[Scalar | None, ...]


@dataclass(frozen=True)
class Matched:
    """A configuration of A and its counterpart."""

    a: Group
    b: Group
    label: str
    """The values by which it differs from the other pairs."""


@dataclass(frozen=True)
class Matching:
    by: tuple[str, ...]
    pairs: tuple[Matched, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]


def match(a: RunSet, b: RunSet, ignore: Sequence[str] = ()) -> Matching:
    """Pair the configurations with the same values; two single configurations are a pair whatever
    their values.

    Args:
        ignore: names of values that differ on purpose, and are ignored.

    Raises:
        InvalidCommand: there is no pair, or a configuration has several counterparts.
    """
    known = list(dict.fromkeys([*_axes(a), *_axes(b)]))
    for axis in ignore:
        if axis not in known:
            raise InvalidCommand(f"--ignore: {there_is_no(f'axis {axis}', known)}")
    if len(a.groups) == len(b.groups) == 1:
        return Matching((), (Matched(a.groups[0], b.groups[0], ""),), (), ())
    by = _shared(a, b, ignore)
    first, second = _by_key(a, by), _by_key(b, by)
    keys = [key for key in first if key in second]
    if not keys:
        raise InvalidCommand(
            f"no configuration of {a.name} matches one of {b.name}{_advice(a, b, ignore)}"
        )
    varying = [i for i in range(len(by)) if len({key[i] for key in keys}) > 1]
    return Matching(
        by,
        tuple(Matched(first[key], second[key], _label(by, key, varying)) for key in keys),
        tuple(group.name for key, group in first.items() if key not in second),
        tuple(group.name for key, group in second.items() if key not in first),
    )


def _axes(side: RunSet) -> dict[str, None]:
    return {axis: None for group in side.groups for axis in group.values}


def _shared(a: RunSet, b: RunSet, ignore: Sequence[str]) -> tuple[str, ...]:
    others = _axes(b)
    return tuple(axis for axis in _axes(a) if axis in others and axis not in ignore)


def _by_key(side: RunSet, by: Sequence[str]) -> dict[Key, Group]:
    groups: dict[Key, Group] = {}
    for group in side.groups:
        key = tuple(group.values.get(axis) for axis in by)
        if key in groups:
            raise InvalidCommand(
                f"{side.name}: {groups[key].name} and {group.name} match the same configuration of "
                "the other set; give the directory of one of them"
            )
        groups[key] = group
    return groups


def _label(by: Sequence[str], key: Key, places: Sequence[int]) -> str:
    known = [(by[i], value) for i in places if (value := key[i]) is not None]
    return ", ".join(axis_text(axis, value) for axis, value in known)


def _advice(a: RunSet, b: RunSet, ignore: Sequence[str]) -> str:
    """Name the values that the sets do not share, and the option that ignores them."""
    apart = []
    for axis in _shared(a, b, ignore):
        values = [list(dict.fromkeys(g.values.get(axis) for g in side.groups)) for side in (a, b)]
        if not set(values[0]) & set(values[1]):
            apart.append((axis, *(", ".join(map(str, side[:4])) for side in values)))
    if not apart:
        return ""
    differences = "; ".join(
        f"{axis} is {first} in {a.name} and {second} in {b.name}" for axis, first, second in apart
    )
    words = " ".join(
        f"--ignore {axis}" for axis in [*ignore, *(difference[0] for difference in apart)]
    )
    return f": {differences}; if that is intended, add {words}"
