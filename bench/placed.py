"""Compares the predicted and measured gain of placing ranks on a network with a slow uplink.

Six hosts of the tests' rig are connected alternately to two switches, which one slow cable joins.
There the programs ww-lattice and ww-shallow are recorded several times in the launcher's order.
`waywiser place` computes orders from these runs, and `waywiser whatif` predicts their gains. On the
same network the study studies/placement.toml runs every order in each of its blocks. The benchmark
needs root and an otherwise idle machine.

    python -m bench placed --keep DIR

An interrupted command continues with the same DIR.
"""

from __future__ import annotations

import statistics
import subprocess
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.common import Record, at_most, document_of, options, raw_samples, report_bars
from bench.emulated import directory, names_of, rig, working_seconds
from tests.rigs.hosts import SlowNetwork
from waywiser.analyse.gate import read_gated
from waywiser.report.machines.terminal import text_table
from waywiser.stats.summary import summarise
from waywiser.store.read import read_run

STUDY = Path(__file__).resolve().parent.parent / "studies" / "placement.toml"
NAMES = names_of(6)
NETWORK = SlowNetwork(delay_us=50, gigabit_per_s=1, uplink_gigabit_per_s=0.02)
MACHINE = """
title = "Six hosts on two switches"
hosts = ["n[0-5]"]
switches = ["s[0-1]"]
[source]
document = "tests/rigs/hosts.py"
date = "2026"
inferred = [
  "loggp: of what the switch is told, less headers, with TCP's share of the latency",
]
[node]
cores = 1
[network]
link_bandwidth_GBps = 0.002354
[network.topology]
kind = "graph"
nodes = 6
switches = 2
edges = [[0, 6, 50], [1, 7, 50], [2, 6, 50], [3, 7, 50], [4, 6, 50], [5, 7, 50], [6, 7, 1]]
[[network.loggp]]
latency_us = 150
overhead_us = 10
bandwidth_GBps = 0.1177
"""
"""TCP sends 1448 of 1538 bytes on the wire."""

RECORDINGS = 3
"""Recordings of each program. A prediction's interval spans the intervals of all recordings."""

SEED = 6
"""Seed of the random orders. The order of ww-shallow loads the uplink as the default order does."""

SLEEP = """
#include <time.h>
int sched_yield(void) {
    const struct timespec moment = {0, 20000};
    return nanosleep(&moment, 0);
}
"""
"""Preloaded source by which waiting ranks sleep, as ranks share processors of this machine."""

UNBOUND = {"PRTE_MCA_hwloc_default_binding_policy": "none"}


def programs() -> dict[str, list[str]]:
    """The study's programs, with their arguments."""
    study = tomllib.loads(STUDY.read_text(encoding="utf-8"))
    return {
        name: [f"ww-{name}", *application["arguments"]]
        for name, application in study["application"].items()
    }


def sleeping(at: Path) -> list[str]:
    """Options of the launcher with which each rank has one thread and sleeps while it waits."""
    library = at / "sleep.so"
    if not library.exists():
        command = ["cc", "-O2", "-shared", "-fPIC", "-xc", "-", "-o", str(library)]
        subprocess.run(command, input=SLEEP, text=True, check=True)
    return ["-x", f"LD_PRELOAD={library}", "-x", "OMP_NUM_THREADS=1"]


def recordings(program: str) -> list[str]:
    """Names of the traced runs in default order, of which the first is placed."""
    return [program, *(f"{program}-{number}" for number in range(2, RECORDINGS + 1))]


def record(at: Path) -> None:
    """Records traced runs in default order, and has `waywiser place` compute orders from them."""
    (at / "machine.toml").write_text(MACHINE, encoding="utf-8")
    (at / "hosts").write_text("".join(f"{name} slots=1\n" for name in NAMES), encoding="utf-8")
    missing = {
        at / recording: words
        for name, words in programs().items()
        for recording in recordings(name)
        if not (at / recording).exists()
    }
    if missing:
        with rig(NAMES, NETWORK, **UNBOUND) as run:
            for path, words in missing.items():
                launch = ["mpirun", "--hostfile", str(at / "hosts"), *sleeping(at), "-n", "6"]
                run("waywiser", "profile", "--trace", "-o", path, "--", *launch, *words[:-1])
    for name in programs():
        where = ["place", name, "--on", "machine.toml", "--hosts", "hosts", "--for", "openmpi"]
        by_chance = ["--order", "random", "--seed", str(SEED)]
        document_of(*where, "-o", f"{name}.placed", directory=at)
        document_of(*where, *by_chance, "-o", f"{name}.random", directory=at)


def predicted_gain(at: Path, program: str, order: str) -> tuple[float, float, float]:
    """Gain of an order over the default order [s]: low, middle, high."""
    where = ["--from", "machine.toml", "--placement", f"{program}.{order}"]
    result = document_of("whatif", *recordings(program), *where, directory=at)
    if not result["predictions"]:
        raise SystemExit(f"bench: {program}: no prediction: {result['gate']['unlike']}")
    (prediction,) = result["predictions"]
    low, middle, high = (
        result["recorded_seconds"] * (1 - prediction[ratio])
        for ratio in ("high_ratio", "ratio", "low_ratio")
    )
    return low, middle, high


def run_study(at: Path, blocks: int) -> Path:
    """Runs the study, or the rest of it, on the slow network."""
    file = at / STUDY.name
    options = ", ".join(f'"{word}"' for word in sleeping(at))
    text = STUDY.read_text(encoding="utf-8")
    text = text.replace('"{study}/hosts"]', f'"{{study}}/hosts", {options}]')
    text = text.replace("blocks = 6", f"blocks = {blocks}\nwarm_up = false")
    file.write_text(f"{text}\n[resources]\ncores_per_node = {len(NAMES)}\n", encoding="utf-8")
    with rig(NAMES, NETWORK, **UNBOUND) as run:
        run("waywiser", "study", "run", file)
    return file


def times_of(file: Path) -> dict[tuple[str, str], list[float]]:
    """Times of the blocks [s], by program and order."""
    times: dict[tuple[str, str], list[float]] = {}
    for path in sorted(file.with_suffix(".study").glob("runs/*/b???")):
        program, order = path.parent.name.split("-")
        times.setdefault((program, order), []).append(working_seconds(read_run(path)[1]))
    return times


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Low, middle, high: the median's interval at 95 %; for fewer than six values, their range."""
    result = summarise(values)
    low, high = result.interval
    return low, result.median, high


def gains(at: Path, file: Path) -> Iterator[Record]:
    """Gain of each order over the default order [s]: low, middle, high."""
    times = times_of(file)
    for (program, order), seconds in times.items():
        if order == "default":
            continue
        default = times[program, "default"]
        pairs = zip(default, seconds, strict=True)
        yield {
            "program": program,
            "order": order,
            "default_seconds": statistics.median(default),
            "predicted": predicted_gain(at, program, order),
            "measured": interval([before - after for before, after in pairs]),
        }


def apart(gain: Record) -> float:
    """Gap between the intervals of prediction and measurement [s]; 0 if they overlap."""
    (low, _, high), (least, _, most) = gain["predicted"], gain["measured"]
    return float(max(0.0, low - most, least - high))


def unreliable(at: Path) -> tuple[str, ...]:
    """Sentences on other load that affected the times."""
    recorded = [at / recording for name in programs() for recording in recordings(name)]
    runs = [*recorded, *at.glob("*.study/runs/*/b???")]
    return next((gate for run in runs if (gate := read_gated(run)[1].gate.unreliable)), ())


def bars(results: Sequence[Record]) -> list[Record]:
    return [
        at_most(
            0.0,
            f"{gain['program']}, {gain['order']}: gap between predicted and measured gain",
            "seconds",
            apart(gain),
            predicted=gain["predicted"][1],
            measured=gain["measured"][1],
        )
        for gain in results
    ]


def show(results: Sequence[Record]) -> None:
    rows: list[Sequence[str]] = [("program", "order", "default order", "predicted", "measured")]
    for gain in results:
        ends = (_seconds(gain[kind]) for kind in ("predicted", "measured"))
        rows.append((gain["program"], gain["order"], f"{gain['default_seconds']:.2f} s", *ends))
    print(text_table(rows, left={0, 1}))


def _seconds(ends: Sequence[float]) -> str:
    low, middle, high = ends
    return f"{middle:.2f} ({low:.2f} to {high:.2f}) s"


def main(argv: list[str] | None = None) -> int:
    parser = options(__name__, blocks=(6, "of the study"))
    parser.add_argument("--keep", type=Path, metavar="DIR", help="runs, for the next time")
    args = parser.parse_args(argv)
    with directory(args.keep) as at, raw_samples(args.out) as add:
        record(at)
        results = list(gains(at, run_study(at, args.blocks)))
        for gain in results:
            add({**gain, "unreliable": unreliable(at)})
    if not args.bars:
        show(results)
    return report_bars(bars(results), print_all=args.bars)
