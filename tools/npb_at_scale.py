"""Predicts how much BT, SP and LU depend on eager limits and copies, for docs/libraries.md.

python -m tools.npb_at_scale DIRECTORY --ranks 16384

It writes traces of 4 to 256 ranks, each with boxes of 20 points a side as in class F on 16,384
ranks, and gives `waywiser whatif` three of them. Their calls are those of `ww-npb --messages npb`
(tests/square_programs.py, which tests compare with recordings); what a rank computes between them
is `WORK`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import waywiser as ww
from tests.job import Job
from tests.regular_programs import Program
from tests.square_programs import Work, multipartition, pencils, weak

POINTS, RANKS_PER_NODE = 20, 64
WORK = {
    "bt": Work(right_hand_side=460_000, there=370_000, back=90_000),
    "sp": Work(right_hand_side=310_000, there=230_000, back=80_000),
    "lu": Work(right_hand_side=370_000, there=28_000, back=28_000),
}
"""Computation for a box in ns: 229, 156 and 186 ns a point and step (docs/npb.md#speed), of which a
quarter is for the right-hand side."""

PROGRAMS: dict[str, tuple[Program, tuple[int, ...]]] = {
    "bt": (multipartition("bt", weak(POINTS), padded=True, work=WORK["bt"]), (4, 16, 64)),
    "sp": (multipartition("sp", weak(POINTS), padded=False, work=WORK["sp"]), (16, 64, 256)),
    "lu": (pencils(weak(POINTS), work=WORK["lu"]), (16, 64, 256)),
}

MACHINE = """title = "{title}"

[source]
document = "assumed for docs/libraries.md"
date = 2026-11-29

[node]
cores = 64
eager_limit_bytes = {eager}

[[node.loggp]]
latency_us = 0.5
overhead_us = 0.3
bandwidth_GBps = {copies}

[network]
link_bandwidth_GBps = 12.5
eager_limit_bytes = {eager}

[[network.loggp]]
latency_us = 1.5
overhead_us = 0.4
bandwidth_GBps = 10.0

[network.topology]
kind = "all-to-all"
switches = 256
"""
CHANGES = {
    "as recorded": {"eager": 16384, "copies": 4.0},
    "eager limit of 200,000 B": {"eager": 200_000, "copies": 4.0},
    "copies in a node twice as fast": {"eager": 16384, "copies": 8.0},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--ranks", type=int, default=16_384)
    parser.add_argument("--benchmark", choices=PROGRAMS, action="append")
    arguments = parser.parse_args()
    base, *changed = (machine(arguments.directory, *change) for change in CHANGES.items())
    for name in arguments.benchmark or PROGRAMS:
        program, counts = PROGRAMS[name]
        runs = [arguments.directory / f"{name}{ranks}" for ranks in counts]
        for ranks, run in zip(counts, runs, strict=True):
            if not run.exists():
                recorded(program, ranks).run(run)
        prediction = ww.whatif(
            *runs,
            ranks=arguments.ranks,
            ranks_per_node=RANKS_PER_NODE,
            from_=str(base),
            on=list(map(str, changed)),
        )
        print(name)
        print(prediction)


def recorded(program: Program, ranks: int) -> Job:
    """The job, whose receives last as long as their messages take on the machine."""
    job = Job(ranks)
    for rank in range(ranks):
        for function, local_ns, arguments in program(ranks, rank):
            lasts_ns = 500 + arguments.get("posted", 0) // 4
            job.then(rank, function, local_ns, lasts_ns=lasts_ns, **arguments)
    return job


def machine(directory: Path, title: str, values: dict[str, float]) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{title.replace(' ', '-')}.toml"
    path.write_text(MACHINE.format(title=title, **values), encoding="utf-8")
    return path


if __name__ == "__main__":
    main()
