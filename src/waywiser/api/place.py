"""`waywiser.place`: computes a placement of ranks, and verifies it for a run."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from waywiser.analyse.placement import Order
from waywiser.analyse.placement_check import check_placement, placement_of_run
from waywiser.analyse.placing import Request, find_placement, in_form
from waywiser.errors import InvalidCommand
from waywiser.inputs import check_choice
from waywiser.launch.placing.forms import FORMS
from waywiser.model.base import text_of
from waywiser.model.placement import Objective, Placement, PlacementCheck
from waywiser.report.answers.placement import check_text, placement_text
from waywiser.report.answers.placement_plot import placement_svg
from waywiser.store.durable import STDOUT, write_output
from waywiser.store.read import read_run

text_of.register(Placement, placement_text)
text_of.register(PlacementCheck, check_text)


def place(
    pattern: str | os.PathLike[str],
    *,
    on: str,
    hosts: str | os.PathLike[str] | None = None,
    slots: int = 0,
    for_: str | None = None,
    output: str | os.PathLike[str] | None = None,
    objective: Objective = "hop-bytes",
    order: Order | None = None,
    also: Sequence[str] = (),
    seed: int = 1,
    draw: str | os.PathLike[str] | None = None,
) -> Placement:
    """The order of ranks on the hosts of a job that minimises the cost of communication.

    Arguments are the options of `waywiser place`.

    Args:
        pattern: a run, or a Matrix Market file of bytes.
        for_: form in which the placement is written to `output`, with its record beside it.

    Raises:
        WaywiserError: as `waywiser place` reports it.
    """
    request = Request(
        Path(pattern),
        on,
        None if hosts is None else Path(hosts),
        slots,
        objective,
        order,
        also,
        seed,
    )
    file, plot_file = (None if path is None else Path(path) for path in (output, draw))
    _check_files(file, plot_file)
    if (for_ is None) != (output is None):
        raise InvalidCommand("--for FORM and -o FILE belong together; one of them is missing")
    if for_ is not None:
        check_choice("--for", for_, FORMS)
    form = FORMS[for_] if for_ is not None else None
    outcome = find_placement(request, form)
    placement = outcome.placement
    if form is not None and file is not None:
        placement, files = in_form(outcome, form, file)
        for path, text in files.items():
            write_output(path, text)
    if plot_file is not None:
        write_output(plot_file, placement_svg(placement, outcome.bytes, outcome.before))
    return placement


def _check_files(output: Path | None, draw: Path | None) -> None:
    """Refuses output files that cannot be written, before anything is read."""
    if output == STDOUT:
        raise InvalidCommand("-o -: a placement is written with FILE.json beside it; name a file")
    for option, path in (("output", output), ("draw", draw)):
        if path is not None and (path.is_dir() or not path.parent.is_dir()):
            raise InvalidCommand(f"--{option} {path}: expected a file in a directory that exists")
    if draw is not None and draw.suffix != ".svg":
        raise InvalidCommand(f"--draw {draw}: expected FILE.svg")


def verify_placement(
    run: str | os.PathLike[str], placement: str | os.PathLike[str] | None = None
) -> PlacementCheck:
    """Check that the ranks of a run were on the hosts that its placement names.

    Args:
        placement: file of `waywiser place`; None: the file in the run's command.

    Raises:
        WaywiserError: as `waywiser place --verify` reports it.
    """
    described, summary = read_run(Path(run))
    file = None if placement is None else Path(placement)
    path, read = placement_of_run(Path(run), described, file)
    return check_placement(str(run), summary, str(path), read)
