"""What captions, tables and axes of the paper's figures say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tests import synthetic_study as made
from tests.made_papers import Paper, everywhere, libraries, of
from tests.said import Cases, Said
from tests.said.paper import (
    ALONE,
    ALONE_BUSY,
    ALONE_CONTENDED,
    BARE,
    BUSY,
    BUSY_ONCE,
    COLD,
    CURVES,
    FEW,
    LIBRARIES,
    NODES,
    NOISY,
    QUIET,
    SLOW,
    SWEEP,
    TRADE,
    trade,
)
from tests.sentences import sentences
from waywiser.model.findings import Findings
from waywiser.model.judged import SectionChange
from waywiser.model.result import FunctionShare

Change = Callable[[Findings], Mapping[str, Any]]
Two = tuple[Said, Said]


def many(paper: Paper, number: int = 20) -> Paper:
    """So many times as many points and comparisons."""
    return paper.times("points", number).times("comparisons", number)


def sections(**change: Any) -> Paper:
    """Sections of each comparison, changed."""

    def changed(found: Findings) -> Mapping[str, Any]:
        return {
            "comparisons": tuple(
                one.replace(sections=tuple(s.replace(**change) for s in one.sections))
                for one in found.comparisons
            )
        }

    return QUIET.but(changed)


def balanced(point: Any) -> Any:
    return tuple(s.replace(maximum=s.seconds) for s in point.sections)


def profiled(**change: Any) -> Paper:
    return QUIET.points(profile=lambda point: point.profile.replace(**change))


def functions(number: int) -> Paper:
    """So many MPI functions, each with sizes."""
    share = FunctionShare(calls=10, seconds=0.1, bytes=8)
    names = [f"MPI_F{i}" for i in range(number)]
    sizes = {name: ((8, 10),) for name in names}
    return profiled(functions=dict.fromkeys(names, share), sizes=sizes)


def labels(module: str, where: str, paper: Paper = QUIET, without: Paper = BARE) -> dict[str, Two]:
    """Axes and legends of charts, by words in them."""
    wanted = set(where.split("|"))
    assert wanted <= sentences(f"report.paper.plots.{module}"), wanted
    return dict.fromkeys(wanted, (paper.charts, without.charts))


def heads(where: str, paper: Paper = QUIET, without: Paper = BARE) -> dict[str, Two]:
    """Heads of tables."""
    return dict.fromkeys(where.split("|"), (paper.words, without.words))


LAW = of(settings={"mpi": ["mpich"], "axes": {"ranks": [1, 2, 4, 8, 16]}})
LAW_BUSY = of(
    settings={"mpi": ["mpich"], "axes": {"ranks": [1, 2, 4, 8, 16]}}, contended=everywhere("r16")
)
OUTLIER = of(outliers={("impi-r2", 5): 3.0})

UNMEASURED = QUIET.points(figures=()).but(lambda _: {"comparisons": (), "scaling": ()})
STEADY = of(noise=1e-4)
GRID = of(
    made.SWEEP | {"axes": {"ranks": 4, "ndiag": [1, 4], "ntg": [1, 2], "k": list(range(5))}},
    seconds=lambda v: float(v["ndiag"]) + float(v["ntg"]),
)
LIMIT_OF_ZERO = trade(report={"within": {"error": 0.0}})
FLAWLESS = of(
    made.PROPAGATION,
    seconds=lambda v: float(v["order"]) / float(v["step"]),
    error=lambda v: 0.0 if v["order"] == 8 else 2.0,
    profile=False,
)
BROKEN = libraries(lambda _, name, __: 3.0 if name == "allreduce" else 1.0)
JAGGED = libraries(lambda _, name, size: 9.0 if (name, size) == ("bcast", 64) else 1.0)
HEAVY = libraries(lambda _, name, size: 9.0 if name == "bcast" and size > 4096 else 1.0)
HEADLINE = LIBRARIES.but(
    lambda found: {"headlines": dict.fromkeys(found.headlines, found.comparisons[-1].figure)}
)
LINES = BARE.but(lambda _: {"comparisons": LIBRARIES.findings.comparisons}).but(
    lambda found: {
        "comparisons": tuple(
            one.replace(place=f"{i} ranks") for one in found.comparisons for i in range(9)
        )
    }
)
REFUSED_IN_PART = QUIET.but(
    lambda found: {
        "comparisons": (
            found.comparisons[0],
            found.comparisons[1].replace(kind="refused", change=None),
        )
    }
)
MANY_SECTIONS = QUIET.but(
    lambda found: {
        "comparisons": tuple(one.replace(sections=one.sections * 2) for one in found.comparisons)
    }
)
SLOWER: SectionChange = SectionChange(
    name="Kspace", base_seconds=2.0, candidate_seconds=3.0, difference_seconds=1.0, kind="slower"
)
ODD = {"base_seconds": 3.0, "candidate_seconds": 2.0, "difference_seconds": 1.0}
SOME_RUNS = QUIET.but(
    lambda found: {
        "points": tuple(
            point.replace(figures=tuple(f.replace(values=f.values * 200) for f in point.figures))
            for point in found.points
        )
    }
)

CALLS: dict[str, Two] = {
    " The first {} of {} points are drawn.": (many(QUIET).words, QUIET.words),
    " The {} of {} points with the most ranks are drawn.": (many(QUIET).words, QUIET.words),
    " The {} most called of {} functions are drawn.": (functions(7).words, functions(6).words),
    "Calls by message size at {}, in bins that double. At {}, half of the calls or more carry up "
    "to {}.": (QUIET.words, BARE.words),
    "MPI calls by function. At {}, {} of {} calls are {}.": (QUIET.words, BARE.words),
    "MPI calls, summed over ranks, on a logarithmic axis: {}.": (QUIET.words, BARE.words),
    "Mean time of a call, which includes waiting for other ranks, on a logarithmic axis. The "
    "longest are those of {} at {}: {} each.": (QUIET.words, BARE.words),
} | labels("calls", "Time per call (s)|calls, all ranks|message size, up to|time per call (s)")

CHEAPEST: dict[str, Two] = {
    " Not drawn: {} with a value of 0 or less.": (FLAWLESS.words, TRADE.words),
    "; the line is the limit": (TRADE.words, LIMIT_OF_ZERO.words),
    "What is good enough, and what it costs": (TRADE.words, QUIET.words),
    "Good enough": (TRADE.words, QUIET.words),
} | labels("cheapest", "datum.kind == 'cheapest'|good enough|not good enough", TRADE)

COMPARISON: dict[str, Two] = {
    " The {} largest changes of {} are drawn; the table has all.": (
        many(QUIET, 21).words,
        QUIET.words,
    ),
    " {} of {} have too few runs to be drawn.": (REFUSED_IN_PART.words, QUIET.words),
    "Change of performance in {} along {}: of {}, {}. Bars are intervals of runs paired by block, "
    "which hold together for all of them (Holm); the green band is the margin of {} % within which "
    "a difference counts as none.": (QUIET.words, ALONE.words),
    "Verdicts along {}": (QUIET.words, ALONE.words),
} | labels(
    "comparison",
    "Pairs of runs|performance against the base: slower on the left, faster on the right",
    without=ALONE,
)

CPU: dict[str, Two] = {
    " Red: points with runs on a contended machine ({} in all).": (BUSY_ONCE.words, QUIET.words),
    " The first {} of {} points are drawn.": (many(BARE).words, BARE.words),
    "CPU time of the ranks over wall time times ranks times threads, medians over runs; 100 % is a "
    "busy core for each thread. The least is {} ({}).": (
        QUIET.words,
        QUIET.points(cpu_use=None).words,
    ),
} | labels("cpu", "CPU time over wall time and cores", without=QUIET.points(cpu_use=None))

PARETO: dict[str, Two] = {
    "{} against {}, medians. No other point beats {} of {} (red) in both: from {} ({}, {})": (
        TRADE.words,
        QUIET.words,
    ),
    " {} of them are drawn.": (many(TRADE, 56).words, TRADE.words),
}

PROFILE: dict[str, Two] = (
    {
        " At {}, {} takes longest: {}.": (QUIET.words, BARE.words),
        " The first {} of {} points are drawn.": (many(QUIET).words, QUIET.words),
        " The {} of {} points that spend most in MPI are drawn.": (many(QUIET).words, QUIET.words),
        " Threads that only make progress, spinning beside those that work, are left out.": (
            profiled(progress_mpi_seconds=1.0).words,
            QUIET.words,
        ),
        " {} is the sum of all parts but the {} longest.": (QUIET.words, functions(5).words),
        "MPI takes {} of the ranks' time at {}": (QUIET.words, BARE.words),
        "MPI time by function, of all ranks' time.": (QUIET.words, BARE.words),
        "MPI_Init and MPI_Finalize": (QUIET.charts, BARE.charts),
    }
    | heads(
        "MPI functions, means over runs|Of the ranks' time|Of which waiting|Seconds, all ranks|"
        "Time per call"
    )
    | labels("profile", "share of the ranks' time")
)

RATIOS: dict[str, Two] = {
    "Performance against {} by message size: above 1 is faster. Bars are intervals of runs paired "
    "by block, which hold together for all sizes of a benchmark{} (Holm). {}": (
        LIBRARIES.words,
        QUIET.words,
    ),
    " but the headline's": (HEADLINE.words, LIBRARIES.words),
    "Violated performance guidelines": (LIBRARIES.words, QUIET.words),
    "{} Performance of a call against that of what could stand in its stead, by message size: "
    "below 1 the guideline is broken where the verdict is slower. Times are of each call by "
    "itself, sums for several; intervals are of runs paired by block, and hold together for all "
    "checks of the study (Holm). Guidelines: Träff, Gropp and Thakur, IEEE TPDS 21(5), 2010; "
    "Hunold et al., Euro-Par 2016. {}": (LIBRARIES.words, QUIET.words),
    "further panel": (LIBRARIES.words, BROKEN.words),
    "further line": (LINES.words, LIBRARIES.words),
    "{}: against the next larger message": (JAGGED.charts, BROKEN.charts),
    "{}: against several smaller ones": (HEAVY.charts, BROKEN.charts),
    **{
        label: (LIBRARIES.charts, TRADE.charts)
        for label in sentences("report.paper.plots.ratios")
        if label in ("message size", "performance ratio") or label.startswith("datum.value")
    },
}

SCALING: dict[str, Two] = {
    "Large marks are medians{}, small dots single runs{}{}. The dashed line is ideal scaling of "
    "the base case.": (QUIET.words, SWEEP.words),
    " with their intervals": (QUIET.words, FEW.words),
    ", hollow ones outliers": (NOISY.words, STEADY.words),
    "; not every run is drawn": (SOME_RUNS.words, QUIET.words),
    " The dotted law{}, {}, foretells {} on {} (hollow mark).": (LAW.words, LAW_BUSY.words),
    " {} of {} curves are drawn; the scaling table has all.": (CURVES.words, QUIET.words),
    "Against the base case. {}. Scaling is {}; each curve has its own base case, the smallest "
    "count with valid runs, and the intervals are of ratios of runs in the same blocks.": (
        ALONE.words,
        SWEEP.words,
    ),
    "Jobs that a day has time for{}{}. A job takes the {}; jobs run one after the other, and those "
    "of less than a minute are left out. The dashed line is what the first point drawn would come "
    "to if it scaled ideally.": (NODES.words, QUIET.words),
    "Scaling, with 95 % intervals where there are at least 6 runs": (QUIET.words, SWEEP.words),
    "too few runs": (FEW.words, QUIET.words),
    "{}. The dashed line is the base case.": (NODES.words, QUIET.words),
    "{}{} a node on {}, {} on {}": (NODES.words, QUIET.words),
    "{}{} efficiency{} on {}, against {} at {}": (ALONE.words, ALONE_BUSY.words),
    "{}{} jobs a day on {}, {} on {}": (NODES.words, QUIET.words),
}

EFFICIENCIES: dict[str, Two] = {
    **dict.fromkeys(
        ("parallel efficiency", "computation scaling", "Computation scaling", "Load balance"),
        (QUIET.words, BARE.words),
    ),
    "{}{} global efficiency on {}, the product of {} parallel efficiency and {} computation "
    "scaling": (ALONE.words, ALONE_CONTENDED.words),
    "POP's efficiencies. {}. Computation scaling is useful time at the base case over useful time "
    "here, of weak scaling per count: below 100 %, the ranks compute more, or slower.": (
        ALONE.words,
        BARE.words,
    ),
    "POP's efficiencies, medians over runs": (ALONE.words, BARE.words),
}

SECTIONS: dict[str, Two] = (
    {
        " Of sections with {} % of the time or more, {} at {} is the most unbalanced: its slowest "
        "rank takes {} times the mean.": (QUIET.words, QUIET.points(sections=balanced).words),
        " The first {} of {} points are drawn; the table has all.": (
            many(QUIET).words,
            QUIET.words,
        ),
        "; the difference of a grey one may be noise.": (
            sections(kind="undecided").words,
            sections(kind="slower").words,
        ),
        "Of each, the {} sections that changed most are drawn.": (MANY_SECTIONS.words, QUIET.words),
        "The {} of {} comparisons that changed most are drawn; the table has all.": (
            many(QUIET).words,
            QUIET.words,
        ),
        "Time in the application's own sections, medians over runs of the mean over ranks. At {}, "
        "{} takes longest: {}, {} of the time in sections.": (QUIET.words, BARE.words),
        "not told from noise": (
            sections(**ODD | {"candidate_seconds": 4.0}, kind="undecided").words,
            SLOW.words,
        ),
        "other section": (sections(**SLOWER.model_dump()).words, SLOW.words),
        "{} (median of the differences within a block)": (
            sections(**ODD, kind="slower").words,
            SLOW.words,
        ),
        "{}: no section took longer": (sections(**ODD, kind="undecided").words, SLOW.words),
        "{}: {} took {} longer, {}": (BUSY.words, SLOW.words),
    }
    | heads(
        "Bars are medians of differences within a block|Candidate minus base.|Fastest rank (s)|"
        "Mean over ranks (s)|Sections of each point, medians over runs|"
        "Sections of the compared points|Slowest rank (s)"
    )
    | labels("sections", "not significantly different|time in the section (s)")
)

SPREAD: dict[str, Two] = {
    " Not every run is drawn, but every outlier and warm-up run.": (SOME_RUNS.words, QUIET.words),
    " The {} of {} points with the largest spread are drawn.": (many(QUIET).words, QUIET.words),
    " The {} points with the largest spread are drawn.": (many(SWEEP).words, SWEEP.words),
    "Differences of {} from the median of each point. Runs differ most at {}: RSD {}, robust RSD "
    "{} over {}. ": (QUIET.words, UNMEASURED.words),
    "Median with its interval, extremes and spread": (QUIET.words, UNMEASURED.words),
    "No run is an outlier": (STEADY.words, NOISY.words),
    "None lies above the line at 5 %; the highest is {} ({}): single runs cannot show a gain below "
    "that.": (QUIET.words, NOISY.words),
    "RSD (standard deviation over mean) of {}. ": (QUIET.words, FEW.words),
    "crosses are warm-up runs, not counted": (QUIET.words, COLD.words),
    "grey bars are the intervals of the medians": (QUIET.words, FEW.words),
    "{} (hollow) {} flagged and counted all the same": (NOISY.words, STEADY.words),
    "{} (logarithmic beyond {})": (OUTLIER.charts, QUIET.charts),
    "{} of {} {} above 5 %, the highest at {} ({}): a single run there cannot show a smaller "
    "gain.": (NOISY.words, QUIET.words),
} | labels(
    "spread",
    "From the median|difference from the median of the point|"
    "datum.value == 0 ? '0%' : format(datum.value, '+.2~%')",
    without=UNMEASURED,
)

CASES: Cases = {
    "report.paper.plots.calls": CALLS,
    "report.paper.plots.cheapest": CHEAPEST,
    "report.paper.plots.comparison": COMPARISON,
    "report.paper.plots.cpu": CPU,
    "report.paper.plots.efficiencies": EFFICIENCIES,
    "report.paper.plots.pareto": PARETO,
    "report.paper.plots.profile": PROFILE,
    "report.paper.plots.ratios": RATIOS,
    "report.paper.plots.scaling": SCALING,
    "report.paper.plots.sections": SECTIONS,
    "report.paper.plots.spread": SPREAD,
    "report.paper.plots.sweep": {
        " {} further combinations of the other axes are not drawn.": (GRID.words, SWEEP.words),
        "{} Medians; darker is better, the frame marks the best. Neighbours are compared by block, "
        "all of the grid together (Holm).{}": (SWEEP.words, QUIET.words),
    },
}
