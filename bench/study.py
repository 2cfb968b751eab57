"""Measures the error rate and power of studies' verdicts, and the cost of large studies.

Studies are simulated with the noise of `tests/noise.py` and a known true gain. Every study and
comparison uses the same functions as a user's, and is one line of the raw samples.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import numpy as np

import waywiser
from bench.common import Add, Record, at_least, at_most, options, run_waywiser, runner
from tests import noise, synthetic_study
from tests.noise import Noise
from waywiser.stats.compare import compare_sweep
from waywiser.store.study import Place, StudyDirectory
from waywiser.study.study_file import parse_study

STUDIES, CONFIGURATIONS, BLOCKS = 1000, 40, 10
FALSE_TARGET = 0.05
COMPARISONS, GAIN = 1000, 1.03
POWER_TARGET: dict[Noise, float] = {noise.normal: 0.9, noise.skewed: 0.6, noise.drifting: 0.9}
SEED = 40


def equal_configurations(make: Noise) -> Iterator[Record]:
    """Studies in which no configuration differs, each with its verdicts counted by kind."""
    rng = np.random.default_rng(SEED)
    for number in range(STUDIES):
        times = make(rng, (CONFIGURATIONS, BLOCKS, 2))
        verdicts = compare_sweep(list(zip(times[:, :, 0], times[:, :, 1], strict=True)))
        kinds = Counter(verdict.kind for verdict in verdicts)
        yield {"sample": "study", "noise": make.__name__, "number": number, "verdicts": kinds}


def true_gains(make: Noise) -> Iterator[Record]:
    """Comparisons of one configuration with a true gain."""
    rng = np.random.default_rng(SEED)
    for number, (slow, fast) in enumerate(make(rng, (COMPARISONS, BLOCKS, 2)).swapaxes(1, 2)):
        [verdict] = compare_sweep([(GAIN * slow, fast)])
        detected = {"kind": verdict.kind, "low": verdict.low, "high": verdict.high}
        yield {"sample": "comparison", "noise": make.__name__, "number": number, **detected}


def statistics(_: Path, record: Add) -> list[Record]:
    """Bars of the error rate and of the power under each noise."""
    bars = []
    for make, power_target in POWER_TARGET.items():
        false = detected = 0
        for sample in equal_configurations(make):
            record(sample)
            false += any(kind in sample["verdicts"] for kind in ("faster", "slower"))
        for sample in true_gains(make):
            record(sample)
            detected += sample["kind"] == "faster"
        share, power = false / STUDIES, detected / COMPARISONS
        wrong = (
            f"studies of {CONFIGURATIONS} equal configurations with a false verdict, "
            f"{make.__name__}"
        )
        right = f"a gain of 3 % found with {BLOCKS} blocks, {make.__name__}"
        bars += [
            at_most(FALSE_TARGET, wrong, "absolute", share),
            at_least(power_target, right, "absolute", power),
        ]
    return bars


STORED = """\
title = "ten thousand runs"
mpi = ["mpich", "impi"]

[application.rhodo]
reader = "lammps"
program = "lmp"

[axes]
ranks = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
cutoff = [8, 9, 10, 11, 12, 13, 14, 15, 16, 17]

[repeats]
blocks = 49
"""
STORED_RUNS = 10_000
STORED_SECONDS = 20.0


def stored(temporary: Path, record: Add) -> list[Record]:
    """Bars of the time of `status` and `report` for a large study, with the time of reading the
    same files as text."""
    bars = []
    directory = StudyDirectory(temporary / "stored.study")
    files = write_runs(directory)
    for verb in ("status", "report"):
        begin = time.perf_counter()
        read = sum(len(file.read_bytes()) for file in files)
        plain = time.perf_counter() - begin
        begin = time.perf_counter()
        run_waywiser("study", verb, directory.path)
        seconds = time.perf_counter() - begin
        sample = {"runs": len(files), "bytes": read, "seconds": seconds, "plain": plain}
        record({"sample": verb, **sample})
        name = f"study {verb} of {len(files)} stored runs [s]"
        bars.append(at_most(STORED_SECONDS, name, "absolute", seconds, read_seconds=plain))
    return bars


def write_runs(directory: StudyDirectory) -> list[Path]:
    """Writes a study of `STORED_RUNS` synthetic runs; returns their run.json files."""
    study = parse_study(STORED, "STORED")
    directory.create()
    directory.write_plan(STORED, {}, directory.path.parent)
    files = []
    for run in synthetic_study.runs(study, synthetic_study.Truth()):
        assert run.result is not None
        place = Place(run.result.configuration, run.result.block)
        directory.run(place).mkdir(parents=True)
        file = directory.run(place) / "run.json"
        file.write_text(run.model_dump_json(indent=2), encoding="utf-8")
        files.append(file)
    assert len(files) == STORED_RUNS
    return files


INSTALLED_MB = 450.0


def installed(_: Path, record: Add) -> list[Record]:
    """The bar of the size of an installation without workloads: Waywiser and its dependencies."""
    sizes: dict[str, int] = {}
    needed = ["waywiser"]
    while needed:
        name = needed.pop()
        if name in sizes:
            continue
        package = metadata.distribution(name)
        sizes[name] = sum(_size(Path(str(file.locate()))) for file in package.files or ())
        needed += [
            re.split(r"[^\w.-]", need)[0].lower()
            for need in package.requires or ()
            if "extra ==" not in need
        ]
    directory = Path(waywiser.__file__).parent
    sizes["waywiser"] = sum(_size(path) for path in directory.rglob("*"))
    for name, size in sizes.items():
        record({"sample": "package", "name": name, "bytes": size})
    total = sum(sizes.values()) / 1e6
    return [at_most(INSTALLED_MB, "installation without workloads [MB]", "size", total)]


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


GROUPS = {"statistics": statistics, "stored": stored, "installed": installed}
"""Name -> function that measures a group of bars, and adds its raw samples by its argument."""


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = options(__name__)
    parser.add_argument("--group", choices=GROUPS, help="run only these bars")
    return parser.parse_args(argv)


def measure(args: argparse.Namespace, directory: Path, add: Add) -> list[Record]:
    """Measures and returns the bars."""
    bars = []
    for name, group in GROUPS.items():
        if args.group in (None, name):
            begin = time.perf_counter()
            bars += group(directory, add)
            print(f"{name}: {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    return bars


main = runner(parse, measure, lambda _, bars: bars, lambda _: None)
