"""Whether the ranks of a run were where its placement wants them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from waywiser.analyse.placement import short
from waywiser.errors import InvalidCommand, InvalidRun
from waywiser.model.placement import Misplaced, Placement, PlacementCheck
from waywiser.model.run import Run
from waywiser.model.summary import Summary
from waywiser.units import counted


def placement_of_run(name: Path, run: Run, given: Path | None = None) -> tuple[Path, Placement]:
    """The placement that the run was launched with, and its file.

    Args:
        given: the file; without it, the one that the run's command or its variables name.

    Raises:
        InvalidCommand: there is none, or it was made after the run had begun.
        InvalidRun: its document cannot be read.
    """
    if given is not None:
        return given, _read(given)
    for word in _last_words(run):
        path = Path(run.directory) / word
        if _document(path).is_file():
            if _document(path).stat().st_mtime > run.started.timestamp():
                raise InvalidCommand(
                    f"{word}: it was written after {name} had begun; name the file that the run "
                    "was launched with by --placement FILE"
                )
            return Path(word), _read(path)
    raise InvalidCommand(
        f"{name}: its command names no file of `waywiser place`; name it by --placement FILE"
    )


def _last_words(run: Run) -> Iterator[str]:
    """Values of options (`--map-by rankfile:FILE=placed`) and of variables."""
    for word in (*run.command, *run.environment.values()):
        yield word.rpartition("=")[2]


def _document(path: Path) -> Path:
    return path.with_name(f"{path.name}.json") if path.name else path


def _read(path: Path) -> Placement:
    document = _document(path)
    try:
        return Placement.model_validate_json(document.read_bytes())
    except OSError as error:
        raise InvalidCommand(
            f"{document}: {error.strerror}; `waywiser place -o {path}` writes it"
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "document"
        raise InvalidRun(
            f"{document} is no document of `waywiser place`: {where}: {first['msg']}"
        ) from error


def check_placement(run: str, summary: Summary, path: str, placement: Placement) -> PlacementCheck:
    """
    Raises:
        InvalidCommand: the run had other than the placement's ranks.
    """
    if summary.ranks != placement.ranks:
        raise InvalidCommand(
            f"{path} places {placement.ranks} ranks, and {run} had {summary.ranks}"
        )
    known = {rank.rank: rank.host for rank in summary.per_rank or ()}
    missing = placement.ranks - len(known)
    misplaced = [
        Misplaced(rank=rank, intended=host, actual=known[rank])
        for rank, host in enumerate(placement.host_of_rank)
        if rank in known and short(known[rank]) != short(host)
    ]
    return PlacementCheck(
        run=run,
        placement=path,
        ranks=placement.ranks,
        misplaced=tuple(misplaced),
        remarks=(f"{counted(missing, 'rank')} left no profile and cannot be checked",)
        if missing
        else (),
    )
