"""What the paper of a study says: abstract, method, notes, titles and appendix."""

from __future__ import annotations

from typing import Any

from tests import synthetic_study as made
from tests.made_papers import SMALL, Paper, everywhere, libraries, of
from tests.made_sets import of_study
from tests.said import Cases, Said
from waywiser.analyse.compare_sets import compare_sets
from waywiser.report.comparison import comparison_text


def compared(change: Any = None, **planted: Any) -> Said:
    """What `waywiser compare` says of two sets of runs."""
    changed = {"change": change} if change else {}
    return lambda: comparison_text(
        compare_sets(of_study("a"), of_study("b", seed=2, **changed, **planted))
    )


def other_cpu(run: Any) -> Any:
    return run.replace(machine=run.machine.replace(cpu="Z80"))


def hours(values: Any) -> float:
    return 3600 / float(values.get("ranks", 1))


def bowl(values: Any) -> float:
    return 3 + 0.1 * abs(float(values["ndiag"]) - 4) + 0.2 * abs(float(values["ntg"]) - 2)


def trade(seconds: float = 1.0, **settings: object) -> Paper:
    """An error of a propagator against its time."""
    return of(
        made.PROPAGATION,
        settings=settings,
        seconds=lambda v: seconds * float(v["order"]) / float(v["step"]),
        error=lambda v: 10 * float(v["step"]) / float(v["order"]) ** 2,
        profile=False,
        sections=False,
    )


POINTS = "mpich-r1 mpich-r2 impi-r1 impi-r2"
FAILED = {("impi-r2", 3): "it ended with code 255"}
ELSEWHERE = compared()
"""Another report, for what each paper says."""

QUIET = of()
BARE = of(profile=False, sections=False)
SLOW = of(slower={"impi": 1.3})
BUSY = of(slower={"impi": 1.3}, contended=everywhere(POINTS))
HALF_BUSY = of(contended=everywhere("impi-r2"))
BUSY_ONCE = of(contended=frozenset({("impi-r2", 3)}))
FAILING = of(failures=FAILED)
EMPTY = of(failures=dict.fromkeys(everywhere("impi-r2"), "it ended with code 255"))
FEW = of(settings={"repeats": {"blocks": 3}})
COLD = of(settings={"repeats": {"blocks": 8, "warm_up": False}})
ONCE = of(settings={"mpi": ["mpich"], "axes": {"ranks": 2}, "repeats": {"blocks": 1}})
TABLELESS = QUIET.points(sections=(), profile=None, figures=()).but(
    lambda _: {"comparisons": (), "scaling": (), "sweeps": (), "guidelines": ()}
)
ALONE = of(settings={"mpi": ["mpich"]})
ALONE_BUSY = of(settings={"mpi": ["mpich"]}, contended=everywhere("r1"), profile=False)
ALONE_CONTENDED = of(settings={"mpi": ["mpich"]}, contended=everywhere("r1"))
NOISY = of(outliers={("impi-r2", 5): 1.5})
SWEEP = of(made.SWEEP, seconds=bowl)
SWEEP_BUSY = of(made.SWEEP, seconds=bowl, contended=everywhere("ndiag16-ntg1", 10))
SWEEP_RISING = of(made.SWEEP, seconds=lambda v: 3 + 0.1 * float(v["ndiag"]))
SWEEP_FLAT = of(made.SWEEP, seconds=lambda v: 3.0, noise=0.001)
NODES = of(made.SEISSOL, seconds=lambda v: 200 + 4000 / float(v["nodes"]), rate=True)
TRADE = trade()
LIBRARIES = libraries()
CURVES = of(SMALL, settings={"axes": {"ranks": [1, 2], "value": list(range(5))}})
WAITS, BARRIER = of(waiting=0.3), of(waiting=0.9)
SPEECHLESS = FAILING.but(
    lambda found: {"failed": tuple(r.replace(stderr=()) for r in found.failed)}
)
LAST_WORDS = FAILING.but(
    lambda found: {"failed": tuple(r.replace(stderr=("no",)) for r in found.failed)}
)
STOPPED = QUIET.points(runs=lambda point: point.runs - (point.name == "impi-r2"))
FORTY = QUIET.but(
    lambda found: {"commands": {f"p{i}": command for i in range(61) for command in [("x",)]}}
)

ABSTRACT: dict[str, tuple[Said, Said]] = {
    " (first failure: {})": (
        EMPTY.words,
        EMPTY.but(lambda _: {"failed": ()}).words,
    ),
    ": it acts as a barrier": (BARRIER.words, WAITS.words),
    "; without a verdict: {}": (BUSY.words, QUIET.words),
    "At {}, ranks wait {} of their time for the last one to come to {}, which is {} of what it "
    "takes{}{}.": (WAITS.words, QUIET.words),
    "In {}, {} is {} than {} at all {} points that were compared: by {}.": (
        SLOW.words,
        QUIET.words,
    ),
    "MPI takes {}{} of the ranks' time (at {}), {} alone {}{}.": (QUIET.words, BARE.words),
    "Of {} comparisons along {}, {}.": (SWEEP.words, QUIET.words),
    "Points without valid runs: {}{}.": (EMPTY.words, FAILING.words),
    "Runs of one point differ by up to {} RSD ({}){}.": (QUIET.words, ONCE.words),
    "Scaling{} over {}{} has no verdict ({}).": (BUSY.words, QUIET.words),
    "Scaling{}: the speed-up from {} ({}) to {} is {}, an efficiency of {} ({} scaling).": (
        QUIET.words,
        BUSY.words,
    ),
    "The largest of those that are {}: {}.": (SWEEP.words, SLOW.words),
    "The scaling table has all {} curves.": (CURVES.words, QUIET.words),
    "failed runs": (FAILING.words, QUIET.words),
    "faster than the base": (SWEEP.words, SWEEP_RISING.words),
    "largest difference: {}": (SLOW.words, BUSY.words),
    "no different by more than {} %": (SWEEP_FLAT.words, SWEEP.words),
    "other reason": (BUSY.words, HALF_BUSY.words),
    "points, each in every block": (QUIET.words, STOPPED.words),
    "randomised block": (QUIET.words, ELSEWHERE),
    "valid runs": (QUIET.words, ELSEWHERE),
    "warm-up run": (QUIET.words, COLD.words),
    "without a verdict": (SWEEP_BUSY.words, SWEEP.words),
    "{} failed and not counted": (FAILING.words, QUIET.words),
    "{} of {} {} no verdict ({}{}).": (HALF_BUSY.words, QUIET.words),
}

TEXTS: dict[str, tuple[Said, Said]] = {
    " A first block warmed the machine up; its runs are kept and not counted.": (
        QUIET.words,
        COLD.words,
    ),
    " Appendix A has tables of their numbers.": (QUIET.words, TABLELESS.words),
    " Runs of {} are missing in some blocks.": (STOPPED.words, QUIET.words),
    "Base case of {}: {}, {}; {} scaling, {}.": (QUIET.words, SWEEP.words),
    "Command line of each point": (QUIET.words, ELSEWHERE),
    "Comparisons are of runs in the same block, on the logarithm of performance; their intervals "
    'hold together over all comparisons of a figure of merit (Holm). The verdict is "faster" or '
    '"slower" where the interval excludes 0, "no difference larger than {} %" where it lies '
    'within that margin, else "undecided". Performance is 1 / time where less is better.': (
        QUIET.words,
        ALONE.words,
    ),
    "Jobs a day are 86,400 s over the median {}, at points whose runs all take a minute or "
    "longer: times are aggregated, and only then made rates.": (NODES.words, QUIET.words),
    "Last lines of standard error": (LAST_WORDS.words, SPEECHLESS.words),
    "Of each point the median is given, with the exact order-statistic interval at 95 % or the "
    "next confidence above (at least 6 runs). Beside it stand the relative standard deviation "
    "(RSD) and a robust one (1.4826 median absolute deviation over median). Outliers (modified z "
    "score above 3.5) are flagged and counted.": (QUIET.words, ELSEWHERE),
    "Only warm-up runs were excluded.": (QUIET.words, COLD.words),
    "The first {} of {} points; each run's run.json has its command.": (FORTY.words, QUIET.words),
    "The first {} of {} runs. All of them: waywiser study report DIR --json": (
        HALF_BUSY.times("contended", 8).words,
        HALF_BUSY.words,
    ),
    "The study has {}. They ran in {}: each block has every point once, in a random order (seed "
    "{}). What is compared is thereby interleaved, and a drift of the machine meets all points "
    "alike.{}{}": (QUIET.words, ELSEWHERE),
    "The validity gate: ": (QUIET.words, ELSEWHERE),
    "count in medians and are": (HALF_BUSY.words, BUSY_ONCE.words),
    "counts in medians and is": (BUSY_ONCE.words, HALF_BUSY.words),
    "{} failed and {} listed with the reason; failed runs enter no result.": (
        FAILING.words,
        QUIET.words,
    ),
    "{} on a contended machine {} listed.": (BUSY_ONCE.words, QUIET.words),
    **{
        step: (QUIET.words, ELSEWHERE)
        for step in (
            "waywiser study check study.toml",
            "waywiser study report STUDY --pdf paper.pdf",
            "waywiser study run study.toml -o STUDY",
        )
    },
}

MPI = (
    "Application against MPI",
    "MPI time by function",
    "MPI calls by function",
    "Number of MPI calls",
    "Time per MPI call",
    "Message sizes",
)
TITLES: dict[str, tuple[Said, Said]] = dict.fromkeys(MPI, (QUIET.words, BARE.words)) | {
    "Best settings": (SWEEP.words, QUIET.words),
    "By message size": (LIBRARIES.words, BARE.words),
    "Changes of sections": (QUIET.words, BARE.words),
    "Good enough, and cheapest": (TRADE.words, QUIET.words),
    "Performance guidelines": (LIBRARIES.words, QUIET.words),
    "Rate of a node": (NODES.words, QUIET.words),
    "Run-to-run variation": (QUIET.words, FEW.words),
    "Sections of the application": (QUIET.words, BARE.words),
    "Parallel efficiency and computation scaling": (QUIET.words, BARE.words),
    "Speed-up and efficiency": (QUIET.words, SWEEP.words),
    "What differs": (QUIET.words, ALONE.words),
}

CASES: Cases = {
    "report.paper.abstract": ABSTRACT,
    "report.paper.contents": {
        "Runs on a contended machine": (BUSY_ONCE.words, QUIET.words),
        "Runs that failed": (FAILING.words, QUIET.words),
    },
    "report.paper.figures": TITLES,
    "report.paper.page": {
        "The first {} of {} rows. All of them: waywiser study report DIR --json": (
            SWEEP.times("comparisons", 50).words,
            SWEEP.words,
        ),
    },
    "report.paper.texts": TEXTS,
    "report.comparison": {
        "     (measured all the same: {} performance)": (
            compared(contended=everywhere("r1 r2 r4")),
            ELSEWHERE,
        ),
        "Made on a contended machine": (compared(contended=everywhere("r1")), ELSEWHERE),
        "Nothing else differs that is recorded.": (ELSEWHERE, compared(other_cpu)),
        "What else differs": (compared(other_cpu), ELSEWHERE),
    },
}
