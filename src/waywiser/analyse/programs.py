"""Comparison of the programs of runs by version, compiler and build.

Runs of different program versions cannot support a verdict on anything else. One source built for
two MPI libraries properly has two builds; a sentence reports them if no version is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from waywiser.analyse.samples import Group, Sample, Samples, axis_text
from waywiser.model.study import Study

UNKNOWN = "unknown"
OF_PROGRAMS = frozenset({"application", "arguments"})
"""Values that distinguish programs."""


def version_of(sample: Sample) -> str:
    """Return the version that the program printed; "" if it printed none, or nothing reads it."""
    return sample.result.reading.version


def build_of(sample: Sample) -> str:
    """Return the identity of the executable: its build id, else its path."""
    return sample.run.program.build_id or sample.run.program.path


def compiler_of(sample: Sample) -> str:
    compiler = sample.run.program.compiler
    return "" if compiler == UNKNOWN else compiler


def program_axes(study: Study) -> frozenset[str]:
    """Return the axes whose values choose the program: the user compares programs along them."""
    texts = [
        text
        for application in study.application.values()
        for text in (application.program, application.workload, application.shell)
    ]
    texts += [text for mpi in study.mpi.values() for text in mpi.programs.values()]
    named = {name for text in texts for name in re.findall(r"\{(\w+)\}", text)}
    return OF_PROGRAMS | (named & set(study.axes))


def programs_are_compared(base: Group, candidate: Group, axes: frozenset[str]) -> bool:
    """True if only values that choose the program distinguish two configurations.

    Args:
        axes: those that choose the program, as `program_axes` gives them.
    """
    others = {*base.values, *candidate.values} - axes
    return all(base.values.get(axis) == candidate.values.get(axis) for axis in others)


def unlike(base: Group, candidate: Group, axes: frozenset[str]) -> list[str]:
    """Return the reasons why there is no verdict: versions differ, and something else differs too.

    Args:
        axes: as `programs_are_compared` takes them.
    """
    versions = (_texts(group.counted, version_of) for group in (base, candidate))
    known = dict.fromkeys(version for side in versions for version in side if version)
    if len(known) < 2 or programs_are_compared(base, candidate, axes):
        return []
    name = Path(base.counted[0].run.program.path).name
    return [f"unlike versions of {name}: {' and '.join(known)}"]


def sentences_of_sides(samples: Samples, axis: str) -> tuple[str, ...]:
    """Return sentences on programs that differ along the compared axis."""
    if not axis:
        return ()
    chosen = axis in program_axes(samples.study)
    sentences: dict[str, None] = {}
    for groups in samples.alike(axis):
        sides = {axis_text(axis, group.values.get(axis, "")): group.counted for group in groups}
        counted = {name: side for name, side in sides.items() if side}
        sentences |= dict.fromkeys(differing(counted, chosen=chosen))
    return tuple(sentences)


def differing(sides: Mapping[str, Sequence[Sample]], *, chosen: bool) -> Iterator[str]:
    """Yield a sentence on differences between the programs of the sides, if there are any.

    Args:
        sides: name -> runs that count.
        chosen: the comparison is between programs.
    """
    if len(sides) < 2:
        return
    samples = [sample for side in sides.values() for sample in side]
    name = " and ".join(dict.fromkeys(Path(sample.run.program.path).name for sample in samples))
    versions = {side: _texts(runs, version_of) for side, runs in sides.items()}
    known = {version for texts in versions.values() for version in texts if version}
    if len(known) > 1:
        consequence = (
            "what is compared are the programs" if chosen else "no verdict holds between them"
        )
        yield f"The versions of {name} are not the same: {_listed(versions)}; {consequence}."
    elif len({tuple(_texts(runs, build_of)) for runs in sides.values()}) < 2:
        return
    elif not all("" not in texts for texts in versions.values()):
        yield (
            f"The sides ran different builds of {name}, whose version is not known: a difference "
            "may be the program's own."
        )
    else:
        compilers = {side: _texts(runs, compiler_of) for side, runs in sides.items()}
        if len({tuple(texts) for texts in compilers.values()}) > 1:
            yield (
                f"The builds of {name}, version {min(known)}, come from different compilers: "
                f"{_listed(compilers)}."
            )


def _texts(samples: Sequence[Sample], text: Callable[[Sample], str]) -> list[str]:
    return sorted({text(sample) for sample in samples})


def _listed(texts: Mapping[str, Sequence[str]]) -> str:
    """ "22 Jul 2025 (mpich), 29 Sep 2021 (impi)"."""
    return ", ".join(
        f"{' and '.join(text or 'not known' for text in versions)} ({side})"
        for side, versions in texts.items()
    )
