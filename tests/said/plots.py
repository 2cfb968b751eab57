"""Figures of ranks, functions, phases, threads and files."""

from __future__ import annotations

from typing import Any

from tests import synthetic
from tests.made_figures import figure, of_ranks, plain, whole
from tests.made_runs import function, phase, rank, summary
from tests.said import Cases, Said
from tests.synthetic_sections import communicator
from waywiser.model.summary import RankSummary, Summary, ThreadTotals
from waywiser.report.plots.ranks import WIDE_BAR_RANKS

Templates = dict[str, tuple[Said, Said]]
UNSPLIT: dict[str, Any] = {"split_sync": False}


def alike(true: Said, untrue: Said, *templates: str) -> Templates:
    """Sentences of one condition."""
    return dict.fromkeys(templates, (true, untrue))


def many() -> Summary:
    """More ranks than a screen has columns."""
    [one, *_] = whole().per_rank or ()
    ranks = tuple(one.replace(rank=number) for number in range(4096))
    return whole().replace(ranks=4096, per_rank=ranks)


def no_ranks() -> Summary:
    return synthetic.summary(0)


def no_times() -> Summary:
    nothing = {
        "wall_seconds": 0.0,
        "mpi_seconds": 0.0,
        "init_seconds": 0.0,
        "finalize_seconds": 0.0,
    }
    ranks = tuple(one.replace(**nothing) for one in plain().per_rank or ())
    return plain().replace(per_rank=ranks)


def functions(number: int, size: int = 0) -> Summary:
    """One rank that calls so many functions, with a payload if any is given."""
    sizes = ((size, 10, 0.1),) if size else ()
    names = [f"MPI_F{n}" for n in range(number)]
    return summary([rank(0, {name: function(0.1) for name in names})]).replace(
        functions={name: plain().functions["MPI_Barrier"].replace(sizes=sizes) for name in names}
    )


def of_functions(name: str, number: int, size: int = 0) -> Said:
    return figure(name, lambda: functions(number, size))


BARS = (
    alike(figure("waits", many), figure("waits"), " Each step is the mean of up to {} ranks.")
    | alike(figure("extremes"), figure("extremes", plain), "Waiting (barrier before)")
    | alike(
        figure("waits"),
        figure("functions"),
        "format(datum.high - datum.low, '.4~g')",
        "round(datum.left + {}) + (datum.right - datum.left > 1 ? ' to ' + "
        "round(datum.right - {}) : '')",
    )
    | alike(figure("phases"), figure("phases", **UNSPLIT), "; waiting is that of --split-sync")
    | alike(figure("opportunities"), figure("functions"), "split(datum.label, '\\n')")
)

CALL_SITES = alike(
    figure("call-sites"),
    figure("call-sites", plain),
    "MPI was called from {}; those with the longest time come first. Seconds are those of all "
    "ranks.",
    "Calls and time by call site, summed over ranks",
    "Longest call (s)",
    "Of all time",
    "Rank with most",
) | alike(
    figure("call-sites"),
    figure("call-sites", **UNSPLIT),
    " They include waiting in the barriers of --split-sync.",
)

WORLD, ROW = communicator("world", 4, 1.0), communicator("row", 2, 0.0)
IDLE = ROW.replace(
    functions={"MPI_Bcast": ROW.functions["MPI_Allreduce"].replace(sync_seconds=0.0)}
)
COMMUNICATORS = (
    alike(
        figure("communicators"),
        figure("communicators", communicators=()),
        "Time of all ranks in the collectives on {}, the longest first, each with its size; "
        "communicators of the same processes in the same order are one.",
        "Collectives by communicator, summed over ranks{}",
        "Time, summed over ranks (s)",
        "World ranks",
        "Mean size",
    )
    | alike(
        figure("communicators", communicators=(IDLE,)),
        figure("communicators"),
        "Collectives took no time.",
    )
    | alike(
        figure("communicators", communicators=(WORLD,) * 13),
        figure("communicators", communicators=(WORLD,) * 12),
        " The first {} of them are drawn.",
    )
    | alike(
        figure(
            "communicators",
            communicators=(WORLD.replace(intercommunicator=True),),
        ),
        figure("communicators", communicators=(WORLD,)),
        " (to another group)",
    )
)

COUNTERS = alike(
    figure("counters"),
    figure("counters", plain),
    "In user mode, counted on {}: {} instructions per cycle at {} GHz (cycles over CPU time). "
    "Waiting for memory lowers instructions per cycle; polling inside MPI may raise them.",
    "Instructions and cycles in user mode by rank",
    "Instructions per cycle",
)

EXTREMES = (
    alike(
        figure("extremes"),
        figure("extremes", lambda: synthetic.summary(1)),
        "Rank {} on {} with the longest and rank {} on {} with the shortest application time of "
        "{}, each with its time in the MPI functions that took longest.",
        "Slowest: rank {}",
        "Fastest: rank {}",
        "The slowest and the fastest rank by application time",
    )
    | alike(
        figure("extremes", lambda: synthetic.summary(1)),
        figure("extremes"),
        "There are no two ranks to compare.",
    )
    | alike(figure("extremes", no_times), figure("extremes"), "No rank recorded any time.")
)

FUNCTIONS = (
    alike(
        figure("functions"),
        of_functions("functions", 0),
        "Sums over {}, the longest time first. Calls have a logarithmic axis.",
        "Calls, time and payload by function, summed over ranks",
        "Calls (logarithmic)",
        "Time, summed over ranks (s)",
        "Time, all ranks",
        "Of all time",
        "Bytes posted",
    )
    | alike(of_functions("functions", 0), figure("functions"), "No MPI call was recorded.")
    | alike(
        figure("functions"),
        figure("functions", **UNSPLIT),
        " Waiting in the barriers of --split-sync is not in these times.",
    )
    | alike(
        of_functions("functions", 16),
        of_functions("functions", 15),
        " {} of {} functions; the table has all.",
    )
)


def team(**change: Any) -> Said:
    """On ranks whose OpenMP threads are other."""

    def changed(one: RankSummary) -> dict[str, Any]:
        assert one.openmp is not None
        return {"openmp": one.openmp.replace(**change)}

    return of_ranks("openmp", changed)


OPENMP = (
    alike(
        figure("openmp"),
        figure("openmp", plain),
        "In the parallel regions of {}, OpenMP threads spend {} of their time {} in barriers and "
        "at the regions' ends.",
        "OpenMP by rank, the least even first; busy and waiting are sums over threads",
        "Busiest over mean",
        "Time of the threads (s)",
    )
    | alike(team(tasks=3, imbalance=None), figure("openmp"), "waiting or running tasks")
    | alike(
        figure("openmp"),
        team(imbalance=1.004),
        " The least even is rank {}: its busiest thread works {} times the mean.",
    )
    | alike(
        team(busy_seconds=[0.0], wait_seconds=[0.0]),
        figure("openmp"),
        "No parallel region took any time.",
    )
)

PHASES = (
    alike(
        figure("phases"),
        figure("phases", plain),
        "{} of the program, divided by its calls of MPI_Pcontrol, the longest first: how much of "
        "each is spent outside MPI, and which MPI functions take the rest.",
        "Time by phase, mean over ranks{}",
        "Time, mean over ranks (s)",
        "Most MPI in",
    )
    | alike(
        figure("phases", phases=tuple(phase(number, {}) for number in range(21))),
        figure("phases", phases=tuple(phase(number, {}) for number in range(20))),
        " The chart has {} of them, the table all.",
    )
    | alike(
        figure("phases", phases=(phase(2, {}).replace(seconds=0.0),)),
        figure("phases"),
        "No phase took any time.",
    )
)

POSIX_IO = alike(
    figure("posix-io"),
    figure("posix-io", plain),
    "The program's own calls on files took {} of all ranks for {}. This time counts as the "
    "application's; MPI-IO is among the MPI functions.",
    "Calls on regular files, summed over ranks",
    "Longest call (s)",
    "Rank with most",
)

RANKS = (
    alike(
        figure("ranks"),
        figure("ranks", no_times),
        "Wall time of {} in s, divided as in the pie.",
        "Time by rank",
        "datum.rank - {}",
        "datum.rank + {}",
        "indexof({}, datum.part)",
    )
    | alike(
        figure("ranks"),
        figure("ranks", lambda: synthetic.summary(1)),
        " Slowest and fastest are those with the longest and shortest application time.",
    )
    | alike(
        figure("ranks", lambda: synthetic.summary(WIDE_BAR_RANKS + 1)),
        figure("ranks", lambda: synthetic.summary(WIDE_BAR_RANKS)),
        " Turn the wheel over the bars to zoom, drag to move, double-click to go back.",
    )
    | alike(figure("ranks", no_times), figure("ranks"), "No rank recorded any time.")
)

SIZES = (
    alike(
        figure("sizes"),
        of_functions("sizes", 1),
        "A bar stands for the calls whose payload is larger than the bound before it and at most "
        "its own; 0 B are calls without payload.",
        "Calls and time by message size, summed over ranks",
        "Left: of the function's calls",
        "Right: of the function's time",
        "Message size, up to",
        "Size, up to",
        "Size up to (B)",
        "Of its calls",
        "Time, all ranks",
        "datum.value + ' %'",
    )
    | alike(of_functions("sizes", 1), figure("sizes"), "No MPI call with a payload was recorded.")
    | alike(
        of_functions("sizes", 11, 8),
        of_functions("sizes", 10, 8),
        " {} of {} functions, those with the longest time.",
    )
    | alike(
        figure("sizes"),
        of_functions("sizes", 1, 8),
        " Functions that never have a payload are left to the table.",
    )
)

SPLIT = alike(
    figure("time"),
    figure("time", no_times),
    "Time from the start of MPI_Init to the end of MPI_Finalize, summed over {}. MPI is the time "
    "inside all other MPI functions, application is the rest.",
    "Time by part",
    "Seconds, all ranks",
) | alike(figure("time", no_times), figure("time"), "No time was recorded.")

UNWAITED = {name: one.replace(sync_seconds=0.0) for name, one in plain().functions.items()}
SYNC = (
    alike(
        figure("sync"),
        figure("sync", **UNSPLIT),
        "Each blocking collective divided into the wait until all ranks had come, measured by a "
        "barrier before it, and the transfer after that. Waiting takes {} of the time, {} of all "
        "ranks; a faster network would shorten the transfer alone.",
        "Waiting and transfer by function, summed over ranks",
        "Waiting of both",
        "Rank with most",
        "Rank with least",
        "Time, summed over ranks (s)",
    )
    | alike(
        figure("sync", **UNSPLIT, waits=None),
        figure("sync", **UNSPLIT),
        "The times of collectives include waiting for the last rank; waywiser profile "
        "--split-sync separates the two.",
    )
    | alike(
        figure("sync", functions=UNWAITED),
        figure("sync"),
        "No rank waited in a barrier before a collective.",
    )
    | alike(
        figure("waits"),
        figure("waits", sync_seconds=(0.0,) * 4),
        "Time of each rank in the barriers before collectives: rank {} on {} waits least ({}), "
        "rank {} on {} most ({}).",
        "Waiting by rank, the shortest first",
    )
)

NO_PROGRESS = ThreadTotals(
    progress_ranks=0, progress_threads=0, progress_mpi_seconds=0.0, progress_mpi_share=0.0
)
THREADS = (
    alike(
        figure("threads"),
        figure("threads", plain),
        "Several threads called MPI on {}",
        "Threads that called MPI",
        "Most MPI time in",
        "only progress",
    )
    | alike(
        figure("threads"),
        figure("threads", threads=NO_PROGRESS),
        "{}; {} only {} progress, polling with MPI_Test and the like. {} of the MPI time ({}) is "
        "theirs, not the computing threads'.",
    )
    | alike(
        figure("threads", threads=NO_PROGRESS),
        figure("threads"),
        "{}; no thread only makes progress.",
    )
)

CASES: Cases = {
    "report.plots.bars": BARS,
    "report.plots.call_sites": CALL_SITES,
    "report.plots.communicators": COMMUNICATORS,
    "report.plots.counters": COUNTERS,
    "report.plots.extremes": EXTREMES,
    "report.plots.functions": FUNCTIONS,
    "report.plots.openmp": OPENMP,
    "report.plots.phases": PHASES,
    "report.plots.posix_io": POSIX_IO,
    "report.plots.ranks": RANKS,
    "report.plots.sizes": SIZES,
    "report.plots.split": SPLIT,
    "report.plots.sync": SYNC,
    "report.plots.threads": THREADS,
}
