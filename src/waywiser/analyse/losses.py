"""Losses of time outside computing and MPI calls: OpenMP's waits, files, set-up."""

from __future__ import annotations

from collections.abc import Iterator

from waywiser.model.diagnosis import Finding
from waywiser.model.openmp import OpenMp
from waywiser.model.summary import RankSummary
from waywiser.units import percent_text

NOTABLE = 0.05
"""Share of the time from which a loss is worth a sentence."""


def losses(ranks: tuple[RankSummary, ...]) -> list[Finding]:
    """Return the notable losses, the largest first."""
    wall = sum(rank.wall_seconds for rank in ranks)
    if wall <= 0:
        return []
    candidates = [*_openmp(ranks, wall), *_posix_io(ranks, wall)]
    notable = (loss for loss in candidates if (loss.share or 0.0) >= NOTABLE)
    return sorted(notable, key=lambda loss: -(loss.share or 0.0))


def _openmp(ranks: tuple[RankSummary, ...], wall: float) -> Iterator[Finding]:
    # Waiting threads run tasks, if there are any.
    teams = [
        (r, r.openmp) for r in ranks if r.openmp and r.openmp.threads > 1 and not r.openmp.tasks
    ]
    lost = sum(team.region_seconds * waiting_share(team) for _, team in teams)
    if not teams or lost <= 0:
        return
    inside = sum(_inside(team) for _, team in teams)
    mean = percent_text(sum(sum(team.wait_seconds) for _, team in teams) / inside)
    worst, team = max(teams, key=lambda item: waiting_share(item[1]))
    most = f", on rank {worst.rank} most ({percent_text(waiting_share(team))})"
    yield Finding(
        kind="openmp",
        ranks=(worst.rank,) if len(teams) > 1 else (),
        seconds=lost,
        share=lost / wall,
        sentence=f"In parallel regions, OpenMP threads wait {mean} of their time"
        f"{most if len(teams) > 1 else ''}: {percent_text(lost / wall)} of the wall time is lost.",
    )


def _inside(team: OpenMp) -> float:
    return sum(team.busy_seconds) + sum(team.wait_seconds)


def waiting_share(team: OpenMp) -> float:
    """Return the share of waiting in the threads' time in parallel regions; 0 without regions."""
    inside = _inside(team)
    return sum(team.wait_seconds) / inside if inside > 0 else 0.0


def _posix_io(ranks: tuple[RankSummary, ...], wall: float) -> Iterator[Finding]:
    seconds: dict[str, float] = {}
    for rank in ranks:
        for name, function in rank.posix_io.functions.items() if rank.posix_io else ():
            seconds[name] = seconds.get(name, 0.0) + function.seconds
    if not seconds:
        return
    whole = sum(rank.posix_io.seconds for rank in ranks if rank.posix_io)
    name = max(seconds, key=lambda name: seconds[name])
    part = "most of it" if seconds[name] > whole / 2 else "the largest part"
    yield Finding(
        kind="files",
        seconds=whole,
        share=whole / wall,
        sentence=f"The program's own access to files takes {percent_text(whole / wall)} of the "
        f"ranks' wall time, {part} in {name}.",
    )
