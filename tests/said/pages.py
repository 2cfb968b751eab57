"""Pages of runs and of answers by replay, pictures and figures of machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from tests import synthetic
from tests.closed_form_replay import MS, base_on_paper
from tests.made_papers import visible
from tests.made_runs import summary
from tests.said import Cases, Said
from tests.said.paper import ELSEWHERE
from tests.sentences import sentences
from tests.synthetic_sections import with_everything
from tests.unit.test_advice import IMBALANCED, advised
from tests.unit.test_whatif_sweeps import PROGRAM, on_paper
from waywiser.analyse.whatif.answer import answers
from waywiser.analyse.whatif.question import Question
from waywiser.errors import InvalidCommand
from waywiser.machines.figures import listed
from waywiser.model.machine_drawing import Drawing
from waywiser.model.machine_figures import (
    ComparedNetwork,
    MachineComparison,
    MachineFigures,
    MachineList,
    NetworkFigures,
    Peak,
)
from waywiser.model.summary import Summary
from waywiser.model.whatif import Extrapolation, Sweep, SweepAxis, WhatIf
from waywiser.report import machines
from waywiser.report.answer_files import check_output
from waywiser.report.answer_page import advice_page, whatif_page
from waywiser.report.figure import specification
from waywiser.report.figures import FIGURES
from waywiser.report.machine_picture import picture, picture_page
from waywiser.report.page import page
from waywiser.report.whatif_figures import drawn_whatif

Two = tuple[Said, Said]


def of_run(found: Callable[[], Summary], started: bool = True) -> Said:
    @cache
    def text() -> str:
        made = found()
        run = synthetic.run(made.ranks or 1)
        return visible(page(run if started else run.replace(started=None), made))

    return text


def four(**change: Any) -> Said:
    """The page of four ranks."""
    return of_run(lambda: synthetic.summary(4).replace(**change))


def charts(found: Callable[[], Summary]) -> Said:
    @cache
    def text() -> str:
        made = found()
        drawn = (one for one in FIGURES if one.chart is not None and one.concerns(made))
        descriptions = [specification(one, made) for one in drawn if not one.absent(made)]
        return json.dumps(descriptions, ensure_ascii=False)

    return text


def refused(output: str) -> Said:
    """What is said of a file that an answer is to be written to."""

    def text() -> str:
        try:
            check_output(Path(output))
        except InvalidCommand as error:
            return str(error)
        return "accepted"

    return text


def replayed(*texts: str) -> Callable[[], WhatIf]:
    return lambda: on_paper(*texts)


def asked() -> WhatIf:
    """Of a run whose replay takes as long as it did."""
    base = base_on_paper(replace(PROGRAM, recorded_ns=8 * MS), (0, 0, 1, 1))
    return answers(base, [Question(cpu=2.0)])


def extrapolated(found: Callable[[], WhatIf], *, over_ranks: bool) -> Callable[[], WhatIf]:
    """The same of a program that nobody ran on so many ranks."""
    how = Extrapolation(
        runs=("a", "b", "c"), recorded_ranks=(2, 4, 8), classes=1, grid=None, laws=(), remarks=()
    )

    def made() -> WhatIf:
        sweep = on_paper("latency=1us,3us").sweep
        assert sweep is not None
        label = found().predictions[0].label if found().predictions else found().base.label
        points = tuple(one.replace(label=label) for one in sweep.points)
        ranks = Sweep(axes=(SweepAxis(name="ranks", unit=""),), points=points)
        change = {"extrapolation": how, **({"sweep": ranks} if over_ranks else {})}
        return found().replace(**change)

    return made


def words(found: Callable[[], WhatIf]) -> Said:
    return lambda: visible(whatif_page(found()))


def drawn(found: Callable[[], WhatIf]) -> Said:
    return lambda: drawn_whatif(found()).specification


def network(**change: Any) -> NetworkFigures:
    values: dict[str, Any] = {
        "kind": "torus", "nodes": 8, "switches": 0, "host_cables": 0, "network_cables": 8,
        "diameter_hops": 2, "mean_hops": 1.5, "bisection_cables": 4.0,
        "bisection_cables_per_node": 1.0, "busiest_link": 0.5, "sampled": False, "islands": (),
    }  # fmt: skip
    return NetworkFigures(**values | change)


def machine(drawing: Drawing | None = None, **change: Any) -> Said:
    """`waywiser machine show`."""
    values: dict[str, Any] = {
        "name": "m", "title": "M", "document": "here", "date": "2026-11-22", "inferred": (),
        "sockets": 1, "cores": 2, "link_bandwidth_GBps": 10.0, "bisection_GBps_per_node": 10.0,
        "peaks": (), "failed_links": 0, "network": network(),
    }  # fmt: skip
    return lambda: machines.figures_text(MachineFigures(**values | change), drawing)


def side_by_side(**change: Any) -> Said:
    """`waywiser machine compare`."""
    one = ComparedNetwork(name="torus", about="", parameters={}, network=network(**change))
    found = MachineComparison(nodes=8, ports=8, networks=(one,), machines=())
    return lambda: machines.comparison_text(found)


def joined(nodes: int, switches: int, *cables: Sequence[int], grid: Sequence[int] = ()) -> Drawing:
    names = (*(f"n{i}" for i in range(nodes)), *(f"s{i}" for i in range(switches)))
    ends = tuple((a, b, count) for a, b, count in cables)
    return Drawing(title="M", names=names, nodes=nodes, cables=ends, grid=tuple(grid))


PAIR = joined(2, 0, (0, 1, 1), grid=(2,))
STAR = joined(2, 1, (0, 2, 1), (1, 2, 2))
TREE = joined(2, 3, (0, 2, 1), (1, 3, 1), (2, 4, 1), (3, 4, 1))
COLUMN = joined(50, 0, grid=(1, 50))

EVERYTHING, PLAIN, UNSEEN = of_run(with_everything), four(), of_run(lambda: summary([]))
LOST = of_run(lambda: summary([], lost=4))
PARTIAL = four(status="partial")

PAGE: dict[str, Two] = {
    "; the program failed (exit code {})": (four(exit_code=5), PLAIN),
    "CPU, memory and place of {}; {} with a remark": (PLAIN, UNSEEN),
    "MPI profile of {}": (PLAIN, UNSEEN),
    "MPI_Init to MPI_Finalize": (PLAIN, PARTIAL),
    "MPI_Init to the last record of a rank": (PARTIAL, PLAIN),
    "No MPI call was seen": (UNSEEN, PLAIN),
    "Not everything was recorded{}": (four(lost=("3 calls were lost.",)), PLAIN),
    "This profile is complete{}": (four(exit_code=5), PLAIN),
    "This profile is partial{}": (PARTIAL, PLAIN),
    "{} of {} ranks, those with a remark first. All of them: waywiser show RUN --json --per-rank": (
        of_run(lambda: synthetic.summary(65)),
        PLAIN,
    ),
    "of {} in MPI": (PLAIN, LOST),
} | dict.fromkeys(
    (
        "May run on CPUs",
        "Involuntary switches",
        "Peak memory (B)",
        "CPUs in use by a rank, mean",
        "peak memory of the largest rank",
        "wall time, {}",
    ),
    (PLAIN, LOST),
)

ALWAYS = {
    "Application against MPI", "Message sizes by function", "The slowest and the fastest rank",
    "Time and calls by function", "Time by rank", "Who sends to whom: messages",
    "Who sends to whom: payload",
}  # fmt: skip
TITLES: dict[str, Two] = {
    title: (EVERYTHING, ELSEWHERE if title in ALWAYS else PLAIN)
    for title in sentences("report.figures")
}

RUN_PARTS: dict[str, Two] = {
    "The first {} of {} rows.": (of_run(lambda: synthetic.summary(256)), PLAIN),
    "{} All of them: waywiser show RUN --json --per-rank": (
        of_run(lambda: synthetic.summary(256)),
        PLAIN,
    ),
    **{
        text: (charts(with_everything), charts(lambda: summary([])))
        for text in sentences("report.figure")
        if text.startswith(("datum.value", "length(datum.label)", "system-ui"))
    },
}

SWEPT: dict[str, Two] = {
    "Darker is faster, and frames are around the fastest; the {} time is {}": (
        words(replayed("latency=1us,3us", "bandwidth=x1,x2")),
        words(replayed("latency=1us,3us")),
    ),
    "Thin lines are the predictions' intervals, the dashed line is the {} time": (
        words(replayed("latency=1us,3us")),
        words(replayed("latency=1us,3us", "bandwidth=x1,x2")),
    ),
    "from one recorded run of {}": (
        words(replayed("latency=1us,3us")),
        words(extrapolated(replayed("latency=1us,3us"), over_ranks=False)),
    ),
    "Run time, simulated": (
        drawn(extrapolated(asked, over_ranks=True)),
        drawn(replayed("latency=1us,3us")),
    ),
    "Run time, simulated (s)": (
        drawn(extrapolated(replayed("latency=1us,3us"), over_ranks=True)),
        drawn(extrapolated(asked, over_ranks=True)),
    ),
    "The gain is the share of run time that is saved. ": (
        words(extrapolated(asked, over_ranks=True)),
        words(extrapolated(replayed("latency=1us,3us"), over_ranks=True)),
    ),
    "{} over the number of ranks": (
        words(extrapolated(asked, over_ranks=True)),
        words(replayed("latency=1us,3us")),
    ),
} | {
    text: (words(replayed("latency=1us,3us")), words(asked))
    for text in (
        "Predicted run time over {}, {}. {}. {}",
        "Run time over {}",
        "The sweep; MPI and waiting are means of ranks",
    )
}
SWEPT |= dict.fromkeys(
    ("Predicted run time (s)", "Waiting, mean of ranks"),
    (drawn(replayed("latency=1us,3us")), drawn(extrapolated(asked, over_ranks=True))),
)


def used(name: str) -> MachineList:
    """The list of one machine that comes with Waywiser."""
    return MachineList(machines=tuple(one for one in listed().machines if one.name == name))


MACHINES: dict[str, Two] = {
    " ~: from a sample of pairs of nodes.": (side_by_side(sampled=True), side_by_side()),
    ", from a sample of pairs": (machine(network=network(sampled=True)), machine()),
    "failed links": (machine(failed_links=1), machine()),
    "topology only": (
        lambda: machines.list_text(listed()),
        lambda: machines.list_text(used("rig-3")),
    ),
    "{}; topology only": (
        lambda: machines.list_text(used("rig-6")),
        lambda: machines.list_text(used("rig-3")),
    ),
    "not known: no formula for this topology": (
        machine(bisection_GBps_per_node=None),
        machine(),
    ),
    "{} cables, {} GB/s for each node": (machine(), machine(bisection_GBps_per_node=None)),
    "{} GB/s measured, {} % of {} GB/s": (
        machine(peaks=(Peak(of="network", measured_GBps=9, nominal_GBps=10, per_cent=90),)),
        machine(),
    ),
    "… and {} more lines; -o FILE.svg draws them all": (machine(COLUMN), machine(PAIR)),
    **{
        text: (side_by_side(), machine())
        for text in sentences("report.machines")
        if text == "mean hops" or text.startswith("Cables:")
    },
}
MACHINES |= {
    text: (machine(), side_by_side()) for text in sentences("report.machines") - set(MACHINES)
}

MARKS: dict[str, Two] = {
    ' transform="rotate({} {} {})"': (lambda: picture(TREE), lambda: picture(PAIR)),
    '<text x="12" y="74">thicker lines stand for more cables</text>': (
        lambda: picture(STAR),
        lambda: picture(TREE),
    ),
    '<text x="12" y="58"><tspan fill="{}">■</tspan> switch</text>': (
        lambda: picture(STAR),
        lambda: picture(PAIR),
    ),
    '<rect x="{}" y="{}" width="14" height="14" fill="{}"><title>{}</title></rect>': (
        lambda: picture(STAR),
        lambda: picture(PAIR),
    ),
    '<line x1="{}" y1="{}" x2="{}" y2="{}" stroke-width="{}"><title>{} - {}: {} cable{}</title>'
    "</line>": (lambda: picture(PAIR), lambda: picture(COLUMN)),
    '<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><title>{}</title>\n{}</html>\n': (
        lambda: picture_page(PAIR),
        lambda: picture(PAIR),
    ),
}
MARKS |= {
    text: (lambda: picture(PAIR), machine())
    for text in sentences("report.machine_picture") - set(MARKS)
}

CASES: Cases = {
    "report.answer_files": {
        "-o {}: expected a file in a directory that exists": (
            refused("/none/a.html"),
            refused("a.html"),
        ),
        "-o {}: expected a file that ends in {}": (refused("a.doc"), refused("a.html")),
    },
    "report.answer_page": {
        "Advice, by replay": (lambda: visible(advice_page(advised(IMBALANCED))), words(asked)),
        "What if, by replay": (words(asked), lambda: visible(advice_page(advised(IMBALANCED)))),
    },
    "report.figure": RUN_PARTS,
    "report.figures": TITLES,
    "report.frame": {
        "at a time not known": (of_run(lambda: synthetic.summary(4), started=False), PLAIN),
    },
    "report.machine_picture": MARKS,
    "report.machines": MACHINES,
    "report.page": PAGE,
    "report.sweep_figures": SWEPT,
}
