"""VASP: elapsed time, times of the steps, energy and sections, of OUTCAR and OSZICAR."""

from __future__ import annotations

import re
from functools import partial
from statistics import median

from waywiser.apps.application import Application, NoResult, Output
from waywiser.apps.outcar import CONVERGED, END, FATAL, FILE, START, Run, runs_of
from waywiser.apps.text import metric, number, quoted
from waywiser.model.reading import Better, Metric, Reading, Section
from waywiser.units import counted

STEPS = "OSZICAR"
UNCONVERGED = (
    "The last electronic loop ended before EDIFF was reached, so times are of as many steps as the "
    "input allows, and the energy is not converged."
)
ROUNDING_S = 1e-5
"""Largest difference that rounding to six decimals leaves in the sum of a profile's times."""


def _metrics(run: Run) -> list[Metric]:
    if "elapsed_time" not in run.words:
        raise NoResult(f"VASP: no elapsed_time, for {FILE} has no line 'Elapsed time (sec):'")
    metrics = [metric("elapsed_time", run.words["elapsed_time"], "s", "lower")]

    def add(name: str, value: float | None, unit: str = "", better: Better = "neither") -> None:
        if value is not None:
            metrics.append(Metric(name=name, value=value, unit=unit, better=better))

    steps = [loop for ionic in run.loops for loop in ionic[1:] if loop is not None]
    ionic = [seconds for seconds in run.ionic if seconds is not None]
    add("loop_plus", median(ionic) if ionic else None, "s", "lower")
    add("loop", median(steps) if steps else None, "s", "lower")
    add("cpu_time", number(run.words.get("cpu_time", "")), "s", "lower")
    add("total_energy", number(run.words.get("total_energy", "")), "eV")
    add("electronic_steps", run.electronic_steps)
    add("ionic_steps", len(run.ionic))
    for name in ("cores", "ranks", "ncore", "kpar"):
        add(name, number(run.words.get(name, "")))
    return metrics


def _sections(run: Run) -> list[Section]:
    sums = {name: (sum(times), len(times)) for name, times in run.sums.items()}
    return [
        Section(name=name, seconds=seconds, calls=calls)
        for name, (seconds, calls) in (run.flat or sums).items()
    ]


def _steps(output: Output) -> tuple[int, int]:
    """Return the number of electronic and ionic steps in OSZICAR."""
    lines = list(output.lines(STEPS))
    electronic = sum(1 for line in lines if re.match(r" *[A-Z]{2,4}: +\d+ ", line))
    return electronic, sum(1 for line in lines if re.match(r" *\d+ +F=", line))


def _remarks(run: Run, runs: int, steps: tuple[int, int]) -> list[str]:
    remarks = []
    if not run.converged:
        remarks.append(UNCONVERGED)
    if runs > 1:
        remarks.append(f"{FILE} holds {counted(runs, 'run')}; the last is read.")
    overflowed = sum("*" in text for text in run.damaged)
    for count, why in (
        (overflowed, "the number overflowed its field"),
        (len(run.damaged) - overflowed, "no number can be read, as where two run into each other"),
    ):
        if count:
            remarks.append(
                f"{counted(count, 'time')} {'was' if count == 1 else 'were'} left out: {why}."
            )
    if run.unconverged:
        remarks.append(f"{counted(run.unconverged, 'ionic step')} ended before EDIFF was reached.")
    total = sum(seconds for seconds, _ in (run.flat or {}).values())
    if run.total is not None and run.flat and abs(total - run.total) > ROUNDING_S:
        remarks.append(f"The flat profile adds up to {total:.6f} s, not {run.total:.6f} s.")
    own = (run.electronic_steps, len(run.ionic))
    if steps not in ((0, 0), own):
        remarks.append(
            f"{STEPS} has {steps[0]} electronic and {steps[1]} ionic steps, {FILE} {own[0]} and "
            f"{own[1]}."
        )
    return remarks


def read(output: Output, *, unconverged: bool = False) -> Reading:
    """
    Args:
        unconverged: a run whose last electronic loop did not converge counts, with a remark.
    """
    runs = runs_of(output)
    if not runs or not runs[-1].ended:
        quote = quoted(output.stdout + output.stderr, rf"^.*(?:{FATAL.pattern}).*")
        raise NoResult(f"VASP did not finish: {FILE} lacks the line '{END}'{quote}")
    run = runs[-1]
    if not run.converged and not unconverged:
        raise NoResult(
            f"VASP: the last electronic loop did not converge, because {FILE} does not end it with "
            f"'{CONVERGED}'"
        )
    return Reading(
        metrics=tuple(_metrics(run)),
        sections=tuple(_sections(run)),
        remarks=tuple(_remarks(run, len(runs), _steps(output))),
    )


def _application(name: str, *, unconverged: bool, success: str) -> Application:
    return Application(
        name=name,
        title="VASP",
        headline="elapsed_time",
        reader=partial(read, unconverged=unconverged),
        version=rf"^{START.pattern}",
        log=FILE,
        documents=f"`{FILE}`: elapsed time, times of ionic and electronic steps, energy, profile",
        success=success,
    )


VASP = _application(
    "vasp", unconverged=False, success=f"`{END}`, and the last electronic loop converged"
)
VASP_UNCONVERGED = _application(
    "vasp-unconverged",
    unconverged=True,
    success=f"`{END}`; a last electronic loop that did not converge is a remark",
)
