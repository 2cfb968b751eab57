"""POP's efficiencies of any profile, and of a run with a replay that describes it."""

from __future__ import annotations

from collections.abc import Sequence

from waywiser.model.efficiency_tree import Efficiencies
from waywiser.model.progress import spent, without_progress
from waywiser.model.summary import Summary
from waywiser.model.teams import openmp_unknown, teams_of


def efficiencies_of(
    useful_times: Sequence[float], run_seconds: float, ideal_seconds: float | None = None
) -> Efficiencies:
    """
    Args:
        computing_seconds: of each rank, outside of MPI.
        run_seconds: of the run, > 0.
        ideal_seconds: of its replay where messages take no time, > 0; None where no replay
            describes the run.

    Sources: see `Efficiencies`.
    """
    most = max(useful_times)
    mean = sum(useful_times) / len(useful_times)
    return Efficiencies(
        parallel=mean / run_seconds,
        load_balance=mean / most if most > 0 else 1.0,
        communication=most / run_seconds,
        serialisation=most / ideal_seconds if ideal_seconds else None,
        transfer=ideal_seconds / run_seconds if ideal_seconds else None,
        computing_mean_seconds=mean,
        computing_most_seconds=most,
        most_rank=useful_times.index(most),
        useful_seconds=sum(useful_times),
        ideal_seconds=ideal_seconds,
    )


def efficiencies(summary: Summary) -> Efficiencies | None:
    """The efficiencies of the advice, which include the replay; without advice, those of the
    profile's times. Both include OpenMP and files, where the profile has them.

    The run then lasts from the end of MPI_Init to the start of MPI_Finalize, of the rank where that
    is longest. A rank whose threads all call MPI computes as long as they do on average; threads
    that only make progress are left out.

    Returns:
        None where no rank left a time.
    """
    summary, _ = without_progress(summary)
    tree = summary.advice.efficiencies if summary.advice is not None else _of_times(summary)
    return None if tree is None else with_openmp_and_files(tree, summary)


def _of_times(summary: Summary) -> Efficiencies | None:
    ranks = summary.per_rank or ()
    run = max((r.wall_seconds - r.init_seconds - r.finalize_seconds for r in ranks), default=0.0)
    if run <= 0:
        return None
    tree = efficiencies_of([r.application_seconds / max(1, r.mpi_threads) for r in ranks], run)
    return tree.replace(most_rank=ranks[tree.most_rank].rank)


def with_openmp_and_files(tree: Efficiencies, summary: Summary) -> Efficiencies:
    """Efficiencies of MPI, completed by those of OpenMP and of files.

    Args:
        summary: without threads that only make progress.
    """
    openmp = _openmp(summary)
    mpi = tree.load_balance * tree.communication
    if openmp:
        openmp |= {"mpi": mpi, "parallel": mpi * openmp["openmp"]}
    return tree.replace(**openmp, io=_io(summary))


def _openmp(summary: Summary) -> dict[str, float]:
    """OpenMP's fields of `Efficiencies`; empty where they are not known."""
    ranks = summary.per_rank or ()
    if not any(r.openmp and r.openmp.threads > 1 for r in ranks) or openmp_unknown(ranks):
        return {}
    teams = teams_of(ranks)
    whole = sum(team.whole for team in teams)
    useful = sum(team.useful for team in teams)
    # TALP takes away serial code first, then imbalance, then scheduling.
    serial = useful + sum(team.idle for team in teams)
    balanced = serial + sum(team.waiting for team in teams)
    if useful <= 0:
        return {}
    return {
        "useful_seconds": useful,
        "openmp": useful / whole,
        "openmp_load_balance": serial / balanced,
        "openmp_scheduling": balanced / whole,
        "openmp_serialisation": useful / serial,
    }


def _io(summary: Summary) -> float | None:
    """The threads' time outside of files over their time between MPI_Init and MPI_Finalize."""
    ranks = summary.per_rank or ()
    mpi_io = [f for name, f in summary.functions.items() if name.startswith("MPI_File_")]
    files = [rank.posix_io.seconds for rank in ranks if rank.posix_io]
    whole = sum(rank.application_seconds + rank.mpi_seconds for rank in ranks)
    if whole <= 0 or not (mpi_io or files):
        return None
    return max(0.0, 1 - (sum(map(spent, mpi_io)) + sum(files)) / whole)
