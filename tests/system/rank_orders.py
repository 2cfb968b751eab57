"""Orders of ranks for `waywiser rerank`, and what a program says of the ranks that it got."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

RANKS = 6
ORDER = (3, 1, 5, 0, 2, 4)
"""The launcher's rank by new rank. A cycle of three (2, 5, 4) makes the inverse different."""

LINE = re.compile(r"rank (\d+) of (\d+) is the launcher's (\d+) on (\S+) with (\d+)")


def write_order(directory: Path, order: Sequence[int] = ORDER) -> Path:
    path = directory / "order"
    path.write_text("# the launcher's ranks\n" + "".join(f"{rank}\n" for rank in order))
    (directory / "plain").write_text("".join(f"{rank}\n" for rank in order))
    return path


def placed(output: str) -> dict[int, tuple[int, str, int]]:
    """Rank -> the launcher's rank, host, ranks that share its memory."""
    by_rank = {}
    for match in LINE.finditer(output):
        by_rank[int(match[1])] = (int(match[3]), match[4], int(match[5]))
    return by_rank
