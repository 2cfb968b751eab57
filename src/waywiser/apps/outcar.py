"""Runs in VASP's OUTCAR (VASP 5.4 and 6), read line by line because the file may be large."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from waywiser.apps.application import NoResult, Output
from waywiser.apps.text import NUMBER, SAYS, number

FILE = "OUTCAR"
END = "General timing and accounting informations for this job"
CONVERGED = "aborting loop because EDIFF is reached"
START = re.compile(r" *vasp\.(\d\S*)")
FATAL = re.compile(r"VERY BAD NEWS|internal error|ZBRENT: fatal error")
TIMES = re.compile(r" *(\S+?) *: *cpu time *\S+?: real time *(\S+)$")
PROFILED = re.compile(rf" *(?:\d+ +)?([A-Za-z_]\w*) +({NUMBER}) +(\d+)(?: +\d+)?$")
WORDS = {
    name: re.compile(pattern)
    for name, pattern in {
        "cores": r" *running on +(\d+) total cores",
        "ranks": r" *running +(\d+) mpi-ranks",
        "ncore": r" *distr: .*NCORE\w*= *(\d+) ",
        "kpar": r" *distrk: .*, +(\d+) groups",
        "elapsed_time": r" *Elapsed time \(sec\): *(\S+)",
        "cpu_time": r" *Total CPU time used \(sec\): *(\S+)",
        "total_energy": r" *free  energy +TOTEN *= *(\S+) eV",
    }.items()
}
MARKS = re.compile(r"real time|\(sec\)|TOTEN|aborting loop|running |distr|vasp\.|rofil|General")
"""Text of which each relevant line contains some; most of the file are numbers."""


@dataclass
class Run:
    words: dict[str, str] = field(default_factory=dict)
    loops: list[list[float | None]] = field(default_factory=lambda: [[]])
    """Real times of electronic steps, by ionic step; None where the text is not a number."""

    ionic: list[float | None] = field(default_factory=list)
    sums: dict[str, list[float]] = field(default_factory=dict)
    flat: dict[str, tuple[float, int]] | None = None
    total: float | None = None
    """Time at the root of the profile's tree."""

    converged: bool = False
    unconverged: int = 0
    """Number of ionic steps whose electronic loop did not converge."""

    ended: bool = False
    damaged: list[str] = field(default_factory=list)

    def add(self, line: str) -> None:
        times = TIMES.match(line) if "real time" in line else None
        if times:
            self._add_times(times[1], times[2])
        elif "aborting loop" in line:
            self.converged = CONVERGED in line
        elif line.strip() == "Flat profile":
            self.flat = {}
        elif END in line:
            self.ended = True
        else:
            for name, pattern in WORDS.items():
                match = pattern.match(line)
                if match:
                    self.words[name] = match[1]

    def add_profiled(self, line: str) -> None:
        row = PROFILED.match(line)
        seconds = number(row[2]) if row else None
        if row is None or seconds is None:
            return
        if self.flat is not None:
            self.flat[row[1]] = (seconds, int(row[3]))
        elif row[1] == "total_time":
            self.total = seconds

    def _add_times(self, name: str, real: str) -> None:
        seconds = number(real)
        if seconds is None:
            self.damaged.append(real)
        if name == "LOOP":
            self.converged = False
            self.loops[-1].append(seconds)
        elif name == "LOOP+":
            self.ionic.append(seconds)
            self.unconverged += not self.converged
            self.loops.append([])
        elif seconds is not None:
            self.sums.setdefault(name, []).append(seconds)

    @property
    def electronic_steps(self) -> int:
        return sum(map(len, self.loops))


def runs_of(output: Output) -> list[Run]:
    """Return the run of an OUTCAR, or several runs if OUTCARs were joined.

    Raises:
        NoResult: VASP reports a failure.
    """
    runs: list[Run] = []
    for line in output.lines(FILE):
        if FATAL.search(line):
            raise NoResult(f"VASP failed{SAYS}{' '.join(line.split())[:300]}")
        if START.match(line) or not runs:
            runs.append(Run())
        if runs[-1].flat is not None or "total_time" in line:
            runs[-1].add_profiled(line)
        if MARKS.search(line):
            runs[-1].add(line)
    return runs
