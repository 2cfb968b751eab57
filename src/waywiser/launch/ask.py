"""Asks tools of this machine."""

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
    """What a tool answers to a text; its exit code is the caller's to judge.

    Args:
        more: parameters of `subprocess.run`.

    Raises:
        OSError: it cannot be started.
        TimeoutExpired: it does not answer in so many seconds.
    """
    more |= {"input": text, "capture_output": True, "text": True, "errors": "replace"}
    return subprocess.run([*map(str, words)], timeout=seconds, check=False, **more)


def says_version(path: Path | str) -> str:
    """What `TOOL --version` prints, on stdout and stderr.

    Raises:
        ToolMissing: it cannot be started, or does not answer in time.
    """
    try:
        said = ask([path, "--version"], PATIENCE_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolMissing(f"{path} does not answer `--version`: {error}") from error
    return said.stdout + said.stderr
