"""The studies of `waywiser tune`: on the algorithms of a collective, and on the gain of tuning."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from waywiser.model.tuning import toml_table, toml_text
from waywiser.stats.shift import blocks_needed
from waywiser.store.durable import replace_text
from waywiser.study.campaign import Campaign, open_campaign

APPLICATION = "collectives"
SAMPLES = "mpibench.json"


@dataclass(frozen=True)
class Bench:
    """The launcher, program, sizes and blocks of a measurement of collectives."""

    library: str
    launcher: str
    """Path of the launcher; "" for that of Waywiser's own environment of the library's name."""

    program: str
    """Path of ww-mpibench; "" for the program beside the launcher."""

    ranks: int
    nodes: int
    sizes: str
    iterations: int
    blocks: int
    """Number of blocks; 0 for as many as the comparisons need."""


SPARE_BLOCKS = 3
"""Number of blocks beyond `blocks_needed`, which gives a verdict only if all its blocks agree."""


def blocks_for(algorithms: int, sizes: str) -> int:
    """The number of blocks of a study that compares algorithms with the library's own choice.
    `sizes` is written as for ww-mpibench: MIN:MAX, doubling, or a list."""
    low, _, high = sizes.partition(":")
    doublings = max(int(high), 1) // max(int(low), 1) if high else 1
    count = doublings.bit_length() if high else len(low.split(","))
    return blocks_needed(max(algorithms * count, 1)) + SPARE_BLOCKS


def write_study(
    file: Path,
    title: str,
    bench: Bench,
    collectives: Sequence[str],
    axis: str,
    levels: Mapping[str, Mapping[str, str]],
) -> Campaign:
    """Writes a study file, and opens its campaign.

    Args:
        axis: name of the compared axis.
        levels: values of the axis -> the variables that each sets; the first is the base.
    """
    settings = ",\n".join(
        f"    {{ name = {toml_text(name)}, environment = {toml_table(environment)} }}"
        for name, environment in levels.items()
    )
    words = ["--benchmark", ",".join(collectives), "--sizes", bench.sizes, "--json", SAMPLES]
    words += ["--iterations", str(bench.iterations)] if bench.iterations else []
    choice = {"library": bench.library}
    choice |= {"launcher": bench.launcher} if bench.launcher else {}
    programs = f"programs = {toml_table({APPLICATION: bench.program})}\n" if bench.program else ""
    chosen = "".join(f"{key} = {toml_text(value)}\n" for key, value in choice.items())
    nodes = f"nodes = {bench.nodes}\n" if bench.nodes > 1 else ""
    blocks = bench.blocks or blocks_for(len(levels) - 1, bench.sizes)
    text = (
        f"title = {toml_text(title)}\n\n[mpi.{bench.library}]\n{chosen}{programs}\n"
        f'[application.{APPLICATION}]\nreader = "mpibench"\nworkload = "mpibench"\n'
        f"arguments = {json.dumps(words)}\n\n"
        f"[axes]\nranks = {bench.ranks}\n{nodes}{axis} = [\n{settings},\n]\n\n"
        f"[repeats]\nblocks = {blocks}\n\n[report]\ncompare = {toml_text(axis)}\n"
    )
    replace_text(file, text)
    return open_campaign(file)
