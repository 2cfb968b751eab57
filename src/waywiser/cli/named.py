"""Places to write that must have a name."""

from __future__ import annotations

import argparse
from pathlib import Path


def named(text: str) -> Path:
    """A directory, or a file that is not written from start to end."""
    if text == "-":
        raise argparse.ArgumentTypeError(
            "expected a name, found '-'; standard output takes only what is a single stream"
        )
    return Path(text)
