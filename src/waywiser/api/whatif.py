"""`waywiser.whatif`: a run predicted on another network, machine or number of ranks."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from waywiser.analyse.whatif.options import Options
from waywiser.analyse.whatif.predict import predict
from waywiser.model.base import text_of
from waywiser.model.whatif import Progress, WhatIf
from waywiser.report.answers.files import check_output, write_whatif
from waywiser.report.answers.whatif import whatif_text

text_of.register(WhatIf, whatif_text)


def whatif(
    *runs: str | os.PathLike[str],
    ranks: int | str | Sequence[int] | None = None,
    on: str | Sequence[str] = (),
    topology: str | None = None,
    latency: str | None = None,
    bandwidth: str | None = None,
    ideal_network: bool = False,
    eager_limit: int | str | None = None,
    placement: str | os.PathLike[str] | None = None,
    ranks_per_node: int | None = None,
    collective: Mapping[str, str] | None = None,
    cpu: float | None = None,
    noise: float | None = None,
    early_sends: bool = False,
    join_messages: bool = False,
    no_noise: bool = False,
    balanced: bool = False,
    progress: Progress | None = None,
    seed: int | None = None,
    threads: int | None = None,
    sweep: Mapping[str, str] | None = None,
    from_: str | None = None,
    per_rank: bool = False,
    output: str | os.PathLike[str] | None = None,
) -> WhatIf:
    """Predict the run time under changed conditions: from a traced run, from several recordings of
    a program or, with `ranks`, from three and more runs.

    Arguments are the options of `waywiser whatif`; values with a unit are texts, as in its options.

    Args:
        ranks: numbers of ranks to which three or more runs are extrapolated, or "FROM:TO".
        on: machines on which to predict the run time.
        collective: algorithm by collective, as {"allreduce": "ring"}.
        noise: noise in percent of computation time.
        sweep: values of one or two axes, as {"latency": "1us:100us"}.
        from_: machine on which the run was recorded; None: its network is estimated.
        output: file for a page, a plot or its data, by its suffix.

    Raises:
        WaywiserError: as `waywiser whatif` reports it.
    """
    file = None if output is None else Path(output)
    if file is not None:
        check_output(file)
    options = Options(
        ranks=_listed(ranks),
        on=[on] if isinstance(on, str) else on,
        topology=topology,
        latency=latency,
        bandwidth=bandwidth,
        ideal_network=ideal_network,
        eager_limit=_text(eager_limit),
        placement=_text(placement),
        ranks_per_node=_text(ranks_per_node),
        collective=_pairs(collective),
        cpu=_text(cpu),
        noise=_text(noise),
        early_sends=early_sends,
        join_messages=join_messages,
        no_noise=no_noise,
        balanced=balanced,
        progress=progress,
        seed=_text(seed),
        threads=_text(threads),
        sweep=_pairs(sweep),
        machine=from_,
        per_rank=per_rank,
    )
    answer = predict([Path(run) for run in runs], options)
    if file is not None:
        write_whatif(answer, file)
    return answer


def _text(value: object) -> str | None:
    """The value as a text for the command line; None for None."""
    return None if value is None else str(value)


def _listed(ranks: int | str | Sequence[int] | None) -> str | None:
    if isinstance(ranks, Sequence) and not isinstance(ranks, str):
        return ",".join(map(str, ranks))
    return _text(ranks)


def _pairs(named: Mapping[str, str] | None) -> list[str]:
    return [f"{name}={value}" for name, value in (named or {}).items()]
