"""How fast a job of 16,384 ranks is shown, exported and reported, and how large its page is.

The job is synthetic: 64 partners and 40 functions a rank. Every round first reads the profile's
bytes and adds up as many numbers as its matrices hold in a plain Python loop. A slow moment of the
machine is thus in both.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench.common import (
    Record,
    add_output_options,
    add_program,
    at_most,
    check_program,
    raw_samples,
    report_bars,
)
from tests import synthetic
from waywiser.native._native import write_profile

SECONDS_WANTED = 10.0
"""Limit of issue 3 for show and report at 16,384 ranks."""

MEMORY_WANTED = 2_000_000_000
PAGE_WANTED = 10_000_000

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
    """A plain loop over as many numbers as the matrices have, and the profile's bytes."""
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
    start = time.perf_counter()
    pid = os.posix_spawn(
        program,
        [str(program), *words],
        os.environ,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 1, output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        ],
    )
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - start
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"bench: waywiser {' '.join(words)} failed")
    page = directory / "report.html"
    return {
        "verb": name,
        "seconds": seconds,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_memory_bytes": 1024 * usage.ru_maxrss,
        "bytes": (page if name == "report" else output).stat().st_size,
    }


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_program(parser, "waywiser")
    parser.add_argument("--ranks", type=int, default=16_384, help="of the job (default: 16384)")
    parser.add_argument("--rounds", type=int, default=3, help="of all verbs (default: 3)")
    add_output_options(parser, "scale")
    args = parser.parse_args(argv)
    check_program(parser, args)
    if args.ranks < 2 or args.rounds < 1:
        parser.error("--ranks starts at 2, --rounds at 1")
    return args


def measure(args: argparse.Namespace) -> dict[str, list[Record]]:
    """The samples of every round, by verb; they also go to `--out`."""
    samples: dict[str, list[Record]] = {}
    with tempfile.TemporaryDirectory() as name, raw_samples(args.out) as add:
        directory = Path(name)
        run = make_run(directory, args.ranks)
        for number in range(args.rounds):
            records = [reference(run, args.ranks)]
            records += [call(args.program, verb, run, directory) for verb in VERBS]
            for record in records:
                add({"round": number, "ranks": args.ranks, **record})
                samples.setdefault(record["verb"], []).append(record)
    return samples


def bars(samples: dict[str, list[Record]], ranks: int) -> list[Record]:
    def median(verb: str, key: str) -> float:
        values: list[float] = [record[key] for record in samples[verb]]
        return statistics.median(values)

    loop = {"plain_loop_seconds": median("plain loop", "seconds")}
    job = f"{ranks} ranks"
    lines = []
    for verb in VERBS:
        seconds, memory = median(verb, "seconds"), median(verb, "peak_memory_bytes")
        cpu = {"cpu_seconds": median(verb, "cpu_seconds")}
        lines += [
            at_most(SECONDS_WANTED, f"{verb} of {job}, s", "absolute", seconds, **loop, **cpu),
            at_most(MEMORY_WANTED, f"{verb} of {job}, peak memory in B", "size", memory, **loop),
        ]
    page = median("report", "bytes")
    return [*lines, at_most(PAGE_WANTED, f"page of {job}, B", "size", page, **loop)]


def main(argv: list[str] | None = None) -> int:
    args = parse(argv)
    samples = measure(args)
    verdicts = bars(samples, args.ranks)
    if not args.bars:
        for verb, records in samples.items():
            for key in records[0].keys() - {"verb"}:
                values = [record[key] for record in records]
                least, most = min(values), max(values)
                print(f"{verb:12} {key:18} {statistics.median(values):14.3f} ({least} to {most})")
    return report_bars(verdicts, print_all=args.bars)


if __name__ == "__main__":
    sys.exit(main())
