"""Saved answers of `waywiser whatif`, `-o FILE.json`."""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from waywiser.errors import InvalidCommand, not_read
from waywiser.model.whatif import WhatIf


def read_answer(path: Path, ranks: int) -> WhatIf:
    """Read an answer about a run with this number of ranks.

    Raises:
        InvalidCommand: the file has no answer, or the answer is about another run.
    """
    expected = "expected what `waywiser whatif RUN … -o FILE.json` writes"
    try:
        answer = WhatIf.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InvalidCommand(f"--whatif {not_read(path, error)}; {expected}") from error
    except ValidationError as error:
        raise InvalidCommand(
            f"--whatif {path} is not an answer of this version; {expected}"
        ) from error
    if answer.ranks != ranks:
        raise InvalidCommand(
            f"--whatif {path}: it is about {answer.run} with {answer.ranks} ranks, and this run "
            f"has {ranks}"
        )
    return answer
