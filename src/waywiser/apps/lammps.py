"""LAMMPS: the timing summary after each `run` (LAMMPS manual, "Screen and logfile output")."""

from __future__ import annotations

import re

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.text import metric, number, quoted, whole_lines
from waywiser.model.reading import Better, Metric, Reading, Section
from waywiser.units import counted

END = re.compile(r"^Total wall time: (\d+):(\d\d):(\d\d)$", re.MULTILINE)
RUN = re.compile(r"^Loop time of (\S+) on \d+ procs? for (\d+) steps", re.MULTILINE)
CPU_USE = re.compile(
    r"^(\S+)% CPU use with \d+ MPI tasks x (\d+|no) OpenMP threads?$", re.MULTILINE
)
TABLE = "MPI task timing breakdown:"
FULL_CPU_USE = 90
"""CPU use of a thread [%] below which ranks waited: LAMMPS counts user time, without waits in the
kernel."""

# The unit style decides which words follow the numbers of the line "Performance:".
PERFORMANCE: dict[str, tuple[str, Better]] = {
    "ns/day": ("performance", "higher"),
    "fs/day": ("performance", "higher"),
    "tau/day": ("performance", "higher"),
    "hours/ns": ("time_per_length", "lower"),
    "hours/fs": ("time_per_length", "lower"),
    "timesteps/s": ("step_rate", "higher"),
}
ATOM_STEPS = {"": 1e-3, "k": 1.0, "M": 1e3, "G": 1e6}  # in 1000 atom steps, which LAMMPS scales


def _performance(block: str) -> list[Metric]:
    line = re.search(r"^Performance: (.*)$", block, re.MULTILINE)
    parts = line[1].split(", ") if line else []  # a minimisation has none
    metrics = []
    for part in parts:
        value, _, unit = part.partition(" ")
        if unit in PERFORMANCE:
            name, better = PERFORMANCE[unit]
            metrics.append(metric(name, value, unit, better))
        elif unit.removesuffix("atom-step/s") in ATOM_STEPS:
            rate = metric("atom_step_rate", value, "katom-step/s", "higher")
            scale = ATOM_STEPS[unit.removesuffix("atom-step/s")]
            metrics.append(rate.replace(value=rate.value * scale))
    return metrics


def _sections(block: str) -> list[Section]:
    """Parse rows of `Section | min time | avg time | max time | …`; Other has the mean alone."""
    sections: list[Section] = []
    for line in block.partition(TABLE)[2].splitlines()[3:]:
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) < 6:
            break
        mean = number(cells[2])
        if mean is None:
            raise NoResult(f"LAMMPS: the mean time of {cells[0]} is {cells[2]!r}")
        sections.append(
            Section(name=cells[0], seconds=mean, minimum=number(cells[1]), maximum=number(cells[3]))
        )
    return sections


def read(output: Output) -> Reading:
    printed = whole_lines(output.stdout)
    text = printed if RUN.search(printed) else whole_lines(output.file("log.lammps"))
    end = END.search(text)
    if end is None:
        quote = quoted(printed + text + output.stderr, r"^ERROR.*")
        raise NoResult(
            "LAMMPS did not finish: there is no line 'Total wall time:' in standard "
            f"output or log.lammps{quote}"
        )
    runs = [run for run in RUN.finditer(text) if int(run[2]) > 0]
    if not runs:
        raise NoResult(
            "LAMMPS: no loop_time, because no line 'Loop time of …' has more than 0 steps"
        )
    block = text[runs[-1].start() : end.start()]
    following = RUN.search(block, 1)
    block = block[: following.start()] if following else block
    hours, minutes, seconds = map(int, end.groups())
    metrics = [
        metric("loop_time", runs[-1][1], "s", "lower"),
        *_performance(block),
        Metric(
            name="wall_time", value=hours * 3600 + minutes * 60 + seconds, unit="s", better="lower"
        ),
    ]
    remarks = []
    if len(runs) > 1:
        remarks.append(f"LAMMPS made {counted(len(runs), 'run')}; the metrics are the last one's.")
    use = CPU_USE.search(block)
    if use is not None:
        metrics.append(metric("cpu_use", use[1], "%", "higher"))
        threads = 1 if use[2] == "no" else int(use[2])
        if metrics[-1].value < FULL_CPU_USE * threads:
            per = f" of {100 * threads} %" if threads > 1 else ""
            remarks.append(
                f"LAMMPS reports {use[1]} % CPU use{per}: its ranks did not have their cores for "
                "themselves, or slept."
            )
    return Reading(metrics=tuple(metrics), sections=tuple(_sections(block)), remarks=tuple(remarks))


LAMMPS = Application(
    name="lammps",
    title="LAMMPS",
    headline="loop_time",
    reader=read,
    version=r"^LAMMPS \((\d[^)\n]*)\)",
    log="log.lammps",
    documents="standard output, or `log.lammps`: the last `run` with its section table",
    success="`Total wall time:`",
)
