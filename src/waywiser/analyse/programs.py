"""Whether what is compared is one program: its version, its compiler, its build.

Runs of different program versions cannot support a verdict on anything else. One source built for
two MPI libraries has two builds, which is as it should be; it is said where no version tells that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from waywiser.analyse.samples import Group, Sample, Samples, axis_text
from waywiser.model.study import Study

UNKNOWN = "unknown"
OF_PROGRAMS = frozenset({"application", "arguments"})
"""Values by which programs are told from each other."""


def version_of(sample: Sample) -> str:
    """The version that the program prints; "" if it prints none, or nothing reads it."""
    return sample.result.reading.version


def build_of(sample: Sample) -> str:
    """Identity of the executable: its build id, else its path."""
    return sample.run.program.build_id or sample.run.program.path


def compiler_of(sample: Sample) -> str:
    compiler = sample.run.program.compiler
    return "" if compiler == UNKNOWN else compiler


def program_axes(study: Study) -> frozenset[str]:
    """The axes whose values choose the program: the user compares programs along them."""
    texts = [
        text
        for application in study.application.values()
        for text in (application.program, application.workload, application.shell)
    ]
    texts += [text for mpi in study.mpi.values() for text in mpi.programs.values()]
    named = {name for text in texts for name in re.findall(r"\{(\w+)\}", text)}
    return OF_PROGRAMS | (named & set(study.axes))


def programs_are_compared(base: Group, candidate: Group, axes: frozenset[str]) -> bool:
    """Whether nothing but what chooses the program tells two configurations apart.

    Args:
        axes: those that choose the program, as `program_axes` gives them.
    """
    others = {*base.values, *candidate.values} - axes
    return all(base.values.get(axis) == candidate.values.get(axis) for axis in others)


def unlike(base: Group, candidate: Group, axes: frozenset[str]) -> list[str]:
    """Why there is no verdict: the programs have unlike versions, and something else differs too.

    Args:
        axes: as `programs_are_compared` takes them.
    """
    versions = (_texts(group.counted, version_of) for group in (base, candidate))
    known = dict.fromkeys(version for side in versions for version in side if version)
    if len(known) < 2 or programs_are_compared(base, candidate, axes):
        return []
    name = Path(base.counted[0].run.program.path).name
    return [f"unlike versions of {name}: {' and '.join(known)}"]


def said_of_sides(samples: Samples, axis: str) -> tuple[str, ...]:
    """Sentences on programs that are not one and the same along the axis that is compared."""
    if not axis:
        return ()
    chosen = axis in program_axes(samples.study)
    found: dict[str, None] = {}
    for groups in samples.alike(axis):
        sides = {axis_text(axis, group.values.get(axis, "")): group.counted for group in groups}
        counted = {name: side for name, side in sides.items() if side}
        found |= dict.fromkeys(differing(counted, chosen=chosen))
    return tuple(found)


def differing(sides: Mapping[str, Sequence[Sample]], *, chosen: bool) -> Iterator[str]:
    """Sentence on what differs between the programs of the sides, if anything does.

    Args:
        sides: name -> runs that count.
        chosen: the programs themselves are what is compared.
    """
    if len(sides) < 2:
        return
    samples = [sample for side in sides.values() for sample in side]
    name = " and ".join(dict.fromkeys(Path(sample.run.program.path).name for sample in samples))
    versions = {side: _texts(runs, version_of) for side, runs in sides.items()}
    known = {version for texts in versions.values() for version in texts if version}
    if len(known) > 1:
        what = "what is compared are the programs" if chosen else "no verdict holds between them"
        yield f"The versions of {name} are not the same: {_listed(versions)}; {what}."
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
        f"{' and '.join(text or 'not known' for text in said)} ({side})"
        for side, said in texts.items()
    )
