"""Asks a tool for its version."""

from __future__ import annotations

import subprocess
from pathlib import Path

from waywiser.errors import ToolMissing

PATIENCE_SECONDS = 30.0


def says_version(path: Path | str) -> str:
    """What `TOOL --version` prints, on stdout and stderr.

    Raises:
        ToolMissing: it cannot be started, or does not answer in time.
    """
    try:
        said = subprocess.run(
            [str(path), "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolMissing(f"{path} does not answer `--version`: {error}") from error
    return said.stdout + said.stderr
