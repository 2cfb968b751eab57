"""Quantum ESPRESSO: the clocks, the total energy, and whether the job was done.

The clocks are those of the first rank. That of the whole program is printed as 1m23.45s above a
minute, as 1h 2m above an hour (Quantum ESPRESSO 6.7, UtilXlib/clocks_handler.f90).
"""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.text import metric, quoted, whole_lines
from waywiser.model.reading import Metric, Reading, Section

CLOCK = re.compile(
    r"^ +(\S+) +:([ \d.dhms]*)CPU([ \d.dhms]*)WALL(?: \( *(\d+) calls\))? *$", re.ASCII
)
DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d*\.\d+)s)?", re.ASCII)
HEADING = re.compile(r"^ +(?:Called by (\S+):|(\w+ routines))$")
ENERGY = re.compile(r"^! +total energy +=\s+(\S+) Ry$", re.MULTILINE)
ITERATIONS = re.compile(r"^ +convergence has been achieved in +(\d+) iterations$", re.MULTILINE)
NOT_CONVERGED = "convergence NOT achieved"
SECONDS = (86400, 3600, 60, 1)


def seconds(text: str) -> float | None:
    """Parse a duration, as "0.05s", "1m23.45s", "1h 2m" or "1d 3h 2m", in s."""
    duration = DURATION.fullmatch(text.replace(" ", ""))
    if duration is None or not duration[0]:
        return None
    return sum(float(part) * unit for part, unit in zip(duration.groups("0"), SECONDS, strict=True))


def _parent(heading: str, sections: list[Section]) -> str:
    """Return the section that a heading means: "*egterg" is cegterg or regterg."""
    known = (section.name for section in sections if fnmatchcase(section.name, heading))
    return next(known, heading)


def _clocks(text: str) -> tuple[list[Section], tuple[float, float, str] | None]:
    """Return the sections, and CPU time, wall time and its text of the program as a whole."""
    sections: list[Section] = []
    parent: str | None = None
    whole = None
    for line in text.splitlines():
        heading = HEADING.match(line)
        if heading:
            parent = _parent(heading[1] or heading[2], sections)
        clock = CLOCK.match(line)
        if clock is None:
            continue
        cpu, wall = seconds(clock[2]), seconds(clock[3])
        if cpu is None or wall is None:
            continue
        if clock[4] is None:
            whole = (cpu, wall, clock[3])
        else:
            sections.append(
                Section(name=clock[1], seconds=wall, parent=parent, calls=int(clock[4]))
            )
    return sections, whole


def read(output: Output) -> Reading:
    text = whole_lines(output.stdout)
    if not re.search(r"^ +JOB DONE\.$", text, re.MULTILINE):
        quote = quoted(text + output.stderr, r"Error in routine .*\n.*")
        raise NoResult(
            "Quantum ESPRESSO did not finish: there is no line 'JOB DONE.' in standard "
            f"output{quote}"
        )
    if NOT_CONVERGED in text:
        raise NoResult(f"Quantum ESPRESSO: {NOT_CONVERGED}")
    sections, whole = _clocks(text)
    if whole is None:
        raise NoResult(
            "Quantum ESPRESSO: no wall_time, because there is no line 'PROGRAM : … CPU … WALL'"
        )
    cpu, wall, printed = whole
    metrics = [
        Metric(name="wall_time", value=wall, unit="s", better="lower"),
        Metric(name="cpu_time", value=cpu, unit="s", better="lower"),
    ]
    energies = ENERGY.findall(text)
    if energies:
        metrics.append(metric("total_energy", energies[-1], "Ry", "neither"))
    iterations = ITERATIONS.findall(text)
    if iterations:
        metrics.append(metric("scf_iterations", iterations[-1], "", "neither"))
    rounded = "Quantum ESPRESSO prints times above an hour in whole minutes."
    return Reading(
        metrics=tuple(metrics),
        sections=tuple(sections),
        remarks=() if "s" in printed else (rounded,),
    )


ESPRESSO = Application(
    name="quantum-espresso",
    title="Quantum ESPRESSO",
    headline="wall_time",
    reader=read,
    version=r"^ +Program PWSCF v\.(\S+)",
    documents="standard output: clocks as a tree, total energy (for a check), SCF iterations",
    success="`JOB DONE.`, and nowhere `convergence NOT achieved`",
)
