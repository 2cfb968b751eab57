"""Makes the table of docs/design/016-replay.md from samples of bench/emulated.py."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bench.common import Record
from waywiser.stats.summary import summarise

FIRST_COLUMN = "| program |"
"""Start of the table's header."""

Blocks = dict[tuple[str, str], list[Record]]
"""Samples of blocks by title of the program and network."""


def half_interval(values: Sequence[float]) -> float:
    """Half the width of the median's 95 % interval, over the median; for fewer than six values,
    which have no interval, half their range."""
    result = summarise(values)
    low = result.minimum if result.low is None else result.low
    high = result.maximum if result.high is None else result.high
    return (high - low) / 2 / result.median


def read_blocks(files: Iterable[Path]) -> Blocks:
    """Blocks by program and network, each from the last file that has the pair."""
    results: Blocks = {}
    for file in files:
        here: Blocks = {}
        for line in file.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if "title" in record:
                here.setdefault((record["title"], record["network"]), []).append(record)
        results |= here
    return results


def table_lines(blocks: Blocks, networks: Mapping[str, str]) -> list[str]:
    """
    Args:
        networks: name in the samples -> name in the table.
    """
    titles = list(dict.fromkeys(title for title, _ in blocks))
    heads = (f" {words}: time | in MPI |" for words in networks.values())
    lines = [FIRST_COLUMN + "".join(heads), "|---" * (1 + 2 * len(networks)) + "|"]
    for title in titles:
        cells = [_cells(blocks.get((title, network), [])) for network in networks]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return lines


def _cells(blocks: Sequence[Record]) -> str:
    if not blocks:
        return "- | -"
    prediction = blocks[0]["predicted"]
    median = statistics.median(block["time_us"] for block in blocks)
    times = f"{prediction['time_us']:,.0f} / {median:,.0f} us: "
    return f"{times}{_error(blocks, 'time_us')} | {_error(blocks, 'mpi_us')}"


def _error(blocks: Sequence[Record], key: str) -> str:
    """ "-6.6 % (13 %)": predicted / measured - 1, and half of the interval."""
    values = [block[key] for block in blocks]
    error = 100 * (blocks[0]["predicted"][key] / statistics.median(values) - 1)
    sign = "+" if error >= 0.05 else ""
    return f"{sign}{_two_digits(error)} % ({_two_digits(100 * half_interval(values))} %)"


def _two_digits(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 9.95 else f"{value:.1f}".replace("-0.0", "0.0")


def with_table(text: str, lines: Sequence[str]) -> str:
    """The text with its table replaced.

    Raises:
        ValueError: the text has no table.
    """
    old = text.splitlines()
    try:
        begin = next(i for i, line in enumerate(old) if line.startswith(FIRST_COLUMN))
    except StopIteration:
        raise ValueError(f'expected a table whose header begins with "{FIRST_COLUMN}"') from None
    end = begin
    while end < len(old) and old[end].startswith("|"):
        end += 1
    return "\n".join([*old[:begin], *lines, *old[end:]]) + "\n"
