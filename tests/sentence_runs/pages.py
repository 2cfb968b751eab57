"""Pages of runs and of answers by replay, pictures and plots of machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from tests import synthetic
from tests.closed_form_replay import MS, base_on_paper
from tests.sentence_runs.study_report import ELSEWHERE
from tests.synthetic_runs import summary
from tests.synthetic_sections import with_everything
from tests.synthetic_study_reports import visible
from tests.unit.test_advice import IMBALANCED, advised
from tests.unit.test_whatif_sweeps import PROGRAM, on_paper
from waywiser.analyse.whatif.answer import answers
from waywiser.analyse.whatif.question import Question
from waywiser.errors import InvalidCommand
from waywiser.machines.metrics import listed
from waywiser.model.machine_drawing import Drawing
from waywiser.model.machine_metrics import (
    ComparedNetwork,
    MachineComparison,
    MachineList,
    MachineMetrics,
    NetworkMetrics,
    Peak,
)
from waywiser.model.summary import Summary
from waywiser.model.whatif import Extrapolation, Sweep, SweepAxis, WhatIf
from waywiser.report.answers.files import check_output
from waywiser.report.answers.page import advice_page, whatif_page
from waywiser.report.answers.whatif_plots import drawn_whatif
from waywiser.report.machines import terminal as machines
from waywiser.report.machines.plot import machine_svg, plot_page
from waywiser.report.run.page import page
from waywiser.report.run.run_plots import drawn_plots


@cache
def of_run(make: Callable[[], Summary], started: bool = True) -> str:
    summary_of_run = make()
    run = synthetic.run(summary_of_run.ranks or 1)
    return visible(page(run if started else run.replace(started=None), summary_of_run))


def four(**change: Any) -> str:
    """The page of four ranks."""
    return of_run(lambda: synthetic.summary(4).replace(**change))


@cache
def charts(make: Callable[[], Summary]) -> str:
    drawn = [plot.specification for plot in drawn_plots(make()) if plot.chart is not None]
    return json.dumps([json.loads(specification) for specification in drawn], ensure_ascii=False)


def refused(output: str) -> str:
    """The error for a file to which an answer shall be written."""
    try:
        check_output(Path(output))
    except InvalidCommand as error:
        return str(error)
    return "accepted"


def replayed(*texts: str) -> Callable[[], WhatIf]:
    return lambda: on_paper(*texts)


def predicted() -> WhatIf:
    """Answer for a run whose replay takes as long as the run did."""
    base = base_on_paper(replace(PROGRAM, recorded_ns=8 * MS), (0, 0, 1, 1))
    return answers(base, [Question(cpu=2.0)])


def extrapolated(make: Callable[[], WhatIf], *, over_ranks: bool) -> Callable[[], WhatIf]:
    """The answer of `make` for a program that was not run on so many ranks."""
    how = Extrapolation(
        runs=("a", "b", "c"), recorded_ranks=(2, 4, 8), classes=1, grid=None, laws=(), remarks=()
    )

    def answer() -> WhatIf:
        sweep = on_paper("latency=1us,3us").sweep
        assert sweep is not None
        label = make().predictions[0].label if make().predictions else make().base.label
        points = tuple(point.replace(label=label) for point in sweep.points)
        ranks = Sweep(axes=(SweepAxis(name="ranks", unit=""),), points=points)
        change = {"extrapolation": how, **({"sweep": ranks} if over_ranks else {})}
        return make().replace(**change)

    return answer


def words(make: Callable[[], WhatIf]) -> str:
    return visible(whatif_page(make()))


def drawn(make: Callable[[], WhatIf]) -> str:
    return drawn_whatif(make()).specification


def network(**change: Any) -> NetworkMetrics:
    values: dict[str, Any] = {
        "kind": "torus", "nodes": 8, "switches": 0, "host_cables": 0, "network_cables": 8,
        "diameter_hops": 2, "mean_hops": 1.5, "bisection_cables": 4.0,
        "bisection_cables_per_node": 1.0, "busiest_link": 0.5, "sampled": False, "islands": (),
    }  # fmt: skip
    return NetworkMetrics(**values | change)


def machine(drawing: Drawing | None = None, **change: Any) -> str:
    """`waywiser machine show`."""
    values: dict[str, Any] = {
        "name": "m", "title": "M", "document": "here", "date": "2026-11-22", "inferred": (),
        "sockets": 1, "cores": 2, "link_bandwidth_GBps": 10.0, "bisection_GBps_per_node": 10.0,
        "peaks": (), "failed_links": 0, "network": network(),
    }  # fmt: skip
    return machines.metrics_text(MachineMetrics(**values | change), drawing)


def side_by_side(**change: Any) -> str:
    """`waywiser machine compare`."""
    torus = ComparedNetwork(name="torus", about="", parameters={}, network=network(**change))
    comparison = MachineComparison(nodes=8, ports=8, networks=(torus,), machines=())
    return machines.comparison_text(comparison)


def joined(nodes: int, switches: int, *cables: Sequence[int], grid: Sequence[int] = ()) -> Drawing:
    names = (*(f"n{i}" for i in range(nodes)), *(f"s{i}" for i in range(switches)))
    ends = tuple((a, b, count) for a, b, count in cables)
    return Drawing(title="M", names=names, nodes=nodes, cables=ends, grid=tuple(grid))


PAIR = joined(2, 0, (0, 1, 1), grid=(2,))
STAR = joined(2, 1, (0, 2, 1), (1, 2, 2))
TREE = joined(2, 3, (0, 2, 1), (1, 3, 1), (2, 4, 1), (3, 4, 1))
COLUMN = joined(50, 0, grid=(1, 50))
MANY = joined(1, 65, (0, 1, 1), *((a, b, 1) for a in range(1, 65) for b in range(a + 1, 66)))
TOO_MANY = joined(1, 202, (0, 1, 1), *((a, b, 1) for a in range(1, 202) for b in range(a + 1, 203)))

UNSEEN = partial(of_run, lambda: summary([]))
PLAIN = cache(four)
LOST = partial(of_run, lambda: summary([], lost=4))
PARTIAL = partial(four, status="partial")


def used(name: str) -> MachineList:
    """The list of one machine that comes with Waywiser."""
    return MachineList(machines=tuple(entry for entry in listed().machines if entry.name == name))
