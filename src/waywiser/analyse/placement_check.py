"""The check that the ranks of a run were on the hosts of its placement."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from waywiser.analyse.placement import short
from waywiser.errors import InvalidCommand, InvalidRun, not_read
from waywiser.model.placement import Misplaced, Placement, PlacementCheck, SplitHost
from waywiser.model.run import Run
from waywiser.model.summary import RankSummary, Summary
from waywiser.store.placement import document_of, placements_named
from waywiser.units import counted


def placement_of_run(name: Path, run: Run, file: Path | None = None) -> tuple[Path, Placement]:
    """Return the placement that the run was launched with, and its file.

    Args:
        file: file of the placement; by default, the run's command or variables name the file.

    Raises:
        InvalidCommand: there is no placement, or it was made after the run had begun.
        InvalidRun: its document cannot be read.
    """
    if file is not None:
        return file, read_placement(file)
    words = (run.rank_order_file, *run.command, *run.environment.values())
    for word in placements_named(words, Path(run.directory)):
        path = Path(run.directory) / word
        if document_of(path).stat().st_mtime > run.started.timestamp():
            raise InvalidCommand(
                f"{word} was written after {name} had begun; name the file that the run was "
                "launched with by --placement FILE"
            )
        return Path(word), read_placement(path)
    raise InvalidCommand(
        f"{name}: its command names no file of `waywiser place`; name one by --placement FILE"
    )


def read_placement(path: Path) -> Placement:
    """Read a placement from its file or its document.

    Raises:
        InvalidCommand: the placement is not found.
        InvalidRun: its document cannot be read.
    """
    document = document_of(path)
    try:
        return Placement.model_validate_json(document.read_bytes())
    except OSError as error:
        raise InvalidCommand(
            f"{not_read(document, error)}; `waywiser place -o {path}` writes it"
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "document"
        raise InvalidRun(
            f"{document}: not a document of `waywiser place`: {where}: {first['msg']}"
        ) from error


def check_placement(run: str, summary: Summary, path: str, placement: Placement) -> PlacementCheck:
    """Compare hosts, and check that the MPI library lets the ranks of a host share memory.

    Raises:
        InvalidCommand: the run has other ranks than the placement.
    """
    if summary.ranks != placement.ranks:
        raise InvalidCommand(
            f"{path} places {placement.ranks} ranks, but {run} had {summary.ranks}"
        )
    known = {rank.rank: rank.host for rank in summary.per_rank or ()}
    missing = placement.ranks - len(known)
    remarks = [f"{counted(missing, 'rank')} left no profile and cannot be checked"] * bool(missing)
    misplaced = [
        Misplaced(rank=rank, intended=host, actual=known[rank])
        for rank, host in enumerate(placement.host_of_rank)
        if rank in known and short(known[rank]) != short(host)
    ]
    return PlacementCheck(
        run=run,
        placement=path,
        ranks=placement.ranks,
        unchecked=missing,
        misplaced=tuple(misplaced),
        split_hosts=_split_hosts(summary.per_rank or ()),
        remarks=tuple(remarks),
    )


def _split_hosts(ranks: Sequence[RankSummary]) -> tuple[SplitHost, ...] | None:
    """Return hosts whose ranks are not one group of shared memory; None if the run did not record
    groups."""
    if not ranks or any(rank.sharing_leader is None for rank in ranks):
        return None
    hosts = defaultdict(list)
    for rank in ranks:
        hosts[rank.host].append(rank)
    sizes = Counter(rank.sharing_leader for rank in ranks)
    split = []
    for host, own in hosts.items():
        leaders = {rank.sharing_leader for rank in own}
        strangers = sum(sizes[leader] for leader in leaders) - len(own)
        if len(leaders) > 1 or strangers:
            split.append(
                SplitHost(host=host, ranks=len(own), groups=len(leaders), strangers=strangers)
            )
    return tuple(split)
