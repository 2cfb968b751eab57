"""Runs tools of this machine and reads their output."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from waywiser.errors import ToolMissing

PATIENCE_SECONDS = 30.0


def ask(
    words: Sequence[str | Path], seconds: float, text: str = "", **more: Any
) -> subprocess.CompletedProcess[str]:
    """Runs a tool with a text on its stdin; the caller judges its exit code.

    Args:
        more: parameters of `subprocess.run`.

    Raises:
        OSError: the tool cannot be started.
        TimeoutExpired: the tool does not finish within `seconds`.
    """
    more |= {"input": text, "capture_output": True, "text": True, "errors": "replace"}
    return subprocess.run([*map(str, words)], timeout=seconds, check=False, **more)


def says_version(path: Path | str) -> str:
    """Returns what `TOOL --version` prints, on stdout and stderr.

    Raises:
        ToolMissing: the tool cannot be started, or does not answer in time.
    """
    try:
        answer = ask([path, "--version"], PATIENCE_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolMissing(f"{path} does not answer `--version`: {error}") from error
    return answer.stdout + answer.stderr
