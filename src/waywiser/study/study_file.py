"""Read a study from its file."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from waywiser.errors import InvalidCommand, not_read
from waywiser.inputs import toml_of
from waywiser.model.base import Model
from waywiser.model.mistakes import mistakes
from waywiser.model.reading import Expected, MetricPattern
from waywiser.model.study import Application, Level, MpiChoice, Repeats, Report, Resources, Study


def read_study(path: Path) -> Study:
    """Reads a study file.

    Raises:
        InvalidCommand: the file cannot be read or is not valid; the message names every wrong key.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InvalidCommand(
            f"{not_read(path, error)}; `waywiser study init` writes a study file to start from"
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidCommand(f"{path} is not valid TOML: {error}") from error
    return parse_study(text, str(path))


def parse_study(text: str, source: str) -> Study:
    """A study from a file's text.

    Raises:
        InvalidCommand: the text is not valid; the message names every wrong key, after `source`.
    """
    try:
        return Study.model_validate(toml_of(text, source))
    except ValidationError as error:
        raise InvalidCommand(f"{source}: {mistakes(error, Study, TABLES)}") from error


TABLES: dict[str, type[Model]] = {
    "application": Application,
    "mpi": MpiChoice,
    "metrics": MetricPattern,
    "figures": MetricPattern,  # old name, until 1.0
    "correct": Expected,
    "repeats": Repeats,
    "resources": Resources,
    "report": Report,
    "axes": Level,
}
