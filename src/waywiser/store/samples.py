"""Samples of the ww-* programs beside a run, or in a file that is named."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from waywiser.errors import InvalidCommand
from waywiser.model.sample import Sample

Kept = TypeVar("Kept")

WANTED = "expected what a ww-* program writes with `--json FILE`"


def read_samples(path: Path) -> list[Sample]:
    """The samples of a file.

    Raises:
        InvalidCommand: the file cannot be read, or a line is not a sample.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise InvalidCommand(f"--samples {path}: {reason}; {WANTED}") from error
    samples = []
    for number, line in enumerate(lines, 1):
        try:
            samples.append(Sample.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(map(str, first["loc"])) or "line"
            raise InvalidCommand(
                f"--samples {path}, line {number}: {key}: {first['msg']}; {WANTED}"
            ) from error
    return samples


def of_run(run: Path, named: Iterable[Path], read: Callable[[Path], Iterable[Kept]]) -> list[Kept]:
    """What is read of the files that are named; without any, of those that the run's directory has.

    Raises:
        InvalidCommand: a file that is named has none.
    """
    files = list(named)
    if files:
        return [one for file in files for one in read(file)]
    found: list[Kept] = []
    for file in sorted(run.glob("*.json")):
        try:
            found += read(file)
        except InvalidCommand:
            continue  # another document: the run's own, say
    return found


def samples_of_run(run: Path, named: Iterable[Path]) -> list[Sample]:
    """The samples of the files that are named; without any, those that the run's directory has."""
    return of_run(run, named, read_samples)
