"""`waywiser.advise`: what would make a run faster, and by how much."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

from waywiser.analyse.advice.advice import advice
from waywiser.analyse.whatif.recorded import read_base
from waywiser.model.advice import Advice
from waywiser.model.base import text_of
from waywiser.report.answers.advice import advice_text
from waywiser.report.answers.files import check_output, write_advice
from waywiser.store.advice import keep_advice

text_of.register(Advice, advice_text)


def advise(
    run: str | os.PathLike[str],
    *,
    from_: str | None = None,
    output: str | os.PathLike[str] | None = None,
) -> Advice:
    """The POP efficiencies of a traced run, and its opportunities, the best first. The answer is
    saved in the run for its report.

    Args:
        from_: machine on which the run was recorded; None: its network is estimated.
        output: file for a page, a plot or its data, by its suffix.

    Raises:
        WaywiserError: as `waywiser advise` reports it.
    """
    file = None if output is None else Path(output)
    if file is not None:
        check_output(file)
    options = shlex.join(["--from", from_]) if from_ else ""
    answer = advice(read_base(Path(run), from_), options)
    keep_advice(Path(run), answer)
    if file is not None:
        write_advice(answer, file)
    return answer
