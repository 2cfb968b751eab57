"""Measures the time to show, export and report a job of 16,384 ranks, and the size of its page.

The job is synthetic: 64 partners and 40 functions a rank. Every round first reads the profile's
bytes and adds up as many numbers as its matrices have in a plain Python loop. A slow moment of the
machine thus affects both.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

from bench.common import Add, Record, add_program, at_most, options, runner, spawned, spread
from tests import synthetic
from waywiser.native._native import write_profile

SECONDS_TARGET = 10.0
"""Limit of issue 3 for show and report at 16,384 ranks."""

MEMORY_TARGET = 2_000_000_000
PAGE_TARGET = 10_000_000

VERBS: dict[str, tuple[str, ...]] = {
    "show": ("show", "RUN"),
    "show --json": ("show", "RUN", "--json"),
    "report": ("report", "RUN", "-o", "report.html"),
    "export": ("export", "RUN", "--to", "json"),
}


def make_run(directory: Path, ranks: int) -> Path:
    run = directory / "run"
    run.mkdir()
    (run / "run.json").write_text(synthetic.run(ranks).model_dump_json(), encoding="utf-8")
    write_profile(synthetic.large_profile(ranks), str(run / "profile.ww"))
    return run


def reference(run: Path, ranks: int) -> Record:
    """Times of reading the profile's bytes, and of a plain loop over as many numbers as the
    matrices have."""
    start = time.perf_counter()
    size = len((run / "profile.ww").read_bytes())
    total = 0
    for number in range(ranks * synthetic.PARTNERS * 6):
        total += number
    return {"verb": "plain loop", "seconds": time.perf_counter() - start, "bytes": size}


def call(program: Path, name: str, run: Path, directory: Path) -> Record:
    words = [str(run) if word == "RUN" else word for word in VERBS[name]]
    words = [str(directory / word) if word == "report.html" else word for word in words]
    output = directory / "stdout"
    used = spawned([program, *words], output)
    page = directory / "report.html"
    written = (page if name == "report" else output).stat().st_size
    return {"verb": name, **used, "bytes": written}


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = options(
        __name__, {"ranks": 2}, ranks=(16_384, "of the job"), rounds=(3, "of all verbs")
    )
    add_program(parser, "waywiser")
    return parser.parse_args(argv)


Samples = dict[str, list[Record]]
"""Samples of every round, by verb."""


def measure(args: argparse.Namespace, directory: Path, add: Add) -> Samples:
    samples: Samples = {}
    run = make_run(directory, args.ranks)
    for number in range(args.rounds):
        records = [reference(run, args.ranks)]
        records += [call(args.program, verb, run, directory) for verb in VERBS]
        for record in records:
            add({"round": number, "ranks": args.ranks, **record})
            samples.setdefault(record["verb"], []).append(record)
    return samples


def bars(args: argparse.Namespace, samples: Samples) -> list[Record]:
    def median(verb: str, key: str) -> float:
        values: list[float] = [record[key] for record in samples[verb]]
        return statistics.median(values)

    loop = {"plain_loop_seconds": median("plain loop", "seconds")}
    job = f"{args.ranks} ranks"
    lines = []
    for verb in VERBS:
        seconds, memory = median(verb, "seconds"), median(verb, "peak_memory_bytes")
        cpu = {"cpu_seconds": median(verb, "cpu_seconds")}
        lines += [
            at_most(SECONDS_TARGET, f"{verb} of {job}, s", "absolute", seconds, **loop, **cpu),
            at_most(MEMORY_TARGET, f"{verb} of {job}, peak memory in B", "size", memory, **loop),
        ]
    page = median("report", "bytes")
    return [*lines, at_most(PAGE_TARGET, f"page of {job}, B", "size", page, **loop)]


def show(samples: Samples) -> None:
    for verb, records in samples.items():
        for key in records[0].keys() - {"verb"}:
            print(f"{verb:12} {key:18} {spread([record[key] for record in records], 14, 3)}")


main = runner(parse, measure, bars, show)
