"""Measures an application's gain by a library's tuning file: `waywiser tune`, then a study of both.

Two ranks run on this machine, one on each of two cores. A collective of a library is tuned. An
example that spends its steps in this collective runs with the library's own choice and with the
tuned one, interleaved as a study, which `waywiser compare` judges. The benchmark needs an otherwise
idle machine and takes 2 to 4 minutes.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from bench import common
from bench.common import Add, Record
from waywiser.launch.tuning.tuners import TUNERS

EXAMPLES = common.HERE.parent / "examples"
RANKS = 2


@dataclass(frozen=True)
class Example:
    """A program whose steps call one collective, with its sizes and options."""

    source: str
    arguments: tuple[str, ...]
    sizes: str
    """Message sizes for which the collective is tuned; one of them is the program's."""

    iterations: str = "2000"
    """Number of calls of a size in a run of the sweep."""


OF = {
    "alltoall": Example("adi.c", ("64", "5000"), "2048:8192"),
    "allreduce": Example("regression.c", ("1024", "10000"), "4096:16384"),
    "bcast": Example("summa.c", ("1024", "128", "400"), "524288:1048576", "500"),
}
"""Collective -> its example."""

STUDY = """
title = "An application with the library's own choice, and with the tuned one"
mpi = ["{library}"]
[application.example]
program = "{program}"
arguments = {arguments}
metrics.step = {{ pattern = 'time of a step: (\\S+) us', unit = "us", better = "lower" }}
metrics.error = {{ pattern = 'error: (\\S+)', unit = "1", better = "lower" }}
correct.error = {{ value = 0, absolute = 1e-10 }}
[axes]
ranks = {ranks}
{axis}
[repeats]
blocks = {blocks}
"""


def tuned(args: argparse.Namespace, directory: Path) -> Record:
    """The document that `tune --json` prints."""
    words = ["--collectives", args.collective, "--sizes", OF[args.collective].sizes]
    words += ["--iterations", OF[args.collective].iterations, "-o", str(directory / "tuned")]
    return common.document_of("tune", args.library, "--ranks", str(RANKS), *words)


def compared(args: argparse.Namespace, directory: Path, environment: dict[str, str]) -> Record:
    """The verdict on a step with that environment against one without."""
    example = OF[args.collective]
    program, file = directory / "example", directory / "application.toml"
    compiler = Path(sys.prefix) / "mpi" / args.library / "bin" / "mpicc"
    source = EXAMPLES / example.source
    common.run([compiler, "-O2", "-o", program, source, "-lm"])
    settings = ", ".join(f"{name} = {json.dumps(value)}" for name, value in environment.items())
    file.write_text(
        STUDY.format(
            library=args.library,
            program=program,
            arguments=json.dumps(example.arguments),
            ranks=RANKS,
            axis=f'tuning = ["own", {{ name = "tuned", environment = {{ {settings} }} }}]',
            blocks=args.blocks,
        )
    )
    common.run_waywiser("study", "run", str(file))
    runs = file.with_suffix(".study") / "runs"
    sides = [str(runs / name) for name in ("own", "tuned")]
    [verdict] = common.document_of("compare", *sides, "--metric", "step")["comparisons"]
    results: Record = verdict
    return results


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = common.options(__name__, {"blocks": 6}, blocks=(14, "runs of the example each way"))
    parser.add_argument(
        "--library", choices=TUNERS, default="mpich", help="that is tuned (default: %(default)s)"
    )
    parser.add_argument(
        "--collective", choices=OF, default="bcast", help="of it (default: %(default)s)"
    )
    return parser.parse_args(argv)


def measure(args: argparse.Namespace, directory: Path, add: Add) -> tuple[Record, Record]:
    """The document of tuning, and the verdict on a step."""
    tuning = tuned(args, directory)
    add(tuning)
    if not tuning["environment"]:
        raise SystemExit(f"bench: nothing was tuned: {tuning['reason'] or 'no algorithm won'}")
    step = compared(args, directory, tuning["environment"])
    add(step)
    return tuning, step


def bars(args: argparse.Namespace, results: tuple[Record, Record]) -> list[Record]:
    step = results[1]
    if step["low"] is None:
        raise SystemExit(f"bench: the application has no verdict: {step['reason']}")
    gain = f"{args.library}, {args.collective}: a step with its own choice over the tuned one"
    interval = {"low": 1 + step["low"], "high": 1 + step["high"]}
    bar = common.at_least(
        1, f"{gain}, lower end of its interval", "ratio", interval["low"], **interval
    )
    return [bar | {"change": 1 + step["change"]}]


def show(result: tuple[Record, Record]) -> None:
    print(*(record["sentence"] for record in (*result[0]["proof"], result[1])), sep="\n")


main = common.runner(parse, measure, bars, show)
