"""Samples of the ww-* programs in a run's directory, or in named files."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from waywiser.errors import InvalidCommand, not_read
from waywiser.model.sample import Sample

Kept = TypeVar("Kept")

EXPECTED = "expected what a ww-* program writes with `--json FILE`"


def read_samples(path: Path) -> list[Sample]:
    """The samples of a file.

    Raises:
        InvalidCommand: the file cannot be read, or a line is not a sample.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = not_read(path, error) if isinstance(error, OSError) else f"{path}: it is not text"
        raise InvalidCommand(f"--samples {why}; {EXPECTED}") from error
    samples = []
    for number, line in enumerate(lines, 1):
        try:
            samples.append(Sample.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(map(str, first["loc"])) or "line"
            raise InvalidCommand(
                f"--samples {path}, line {number}: {key}: {first['msg']}; {EXPECTED}"
            ) from error
    return samples


def of_run(run: Path, named: Iterable[Path], read: Callable[[Path], Iterable[Kept]]) -> list[Kept]:
    """The contents of the named files; without names, of the JSON files in the run's directory.

    Raises:
        InvalidCommand: a named file cannot be read.
    """
    files = list(named)
    if files:
        return [content for file in files for content in read(file)]
    contents: list[Kept] = []
    for file in sorted(run.glob("*.json")):
        try:
            contents += read(file)
        except InvalidCommand:
            continue  # another document, such as run.json
    return contents


def samples_of_run(run: Path, named: Iterable[Path]) -> list[Sample]:
    """The samples of the named files; without names, those in the run's directory."""
    return of_run(run, named, read_samples)
