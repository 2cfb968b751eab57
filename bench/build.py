"""Measures the time of a build, compared with an earlier commit.

Both commits are cloned; the time of `make environments` is not counted. Each round then deletes the
build products of this commit and of the earlier one, and builds both again. The limit is on
processor time, which other work on the machine changes less than wall time.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bench.common import HERE, Add, Record, at_most, options, run, runner

EARLIER = "9c3e8e43"
"""The last commit before builds were made faster."""

MOST = 0.5
"""Largest ratio of processor times, this commit over the earlier one, for a complete build."""

NOW, THEN = "now", "earlier"
KEYS = ("cpu_seconds", "seconds")


def parse(argv: list[str] | None) -> argparse.Namespace:
    parser = options(__name__, rounds=(1, "of both commits"))
    parser.add_argument(
        "--target", default="setup", help="what make builds, e.g. demo (default: setup)"
    )
    parser.add_argument("--earlier", default=EARLIER, help=f"a commit (default: {EARLIER})")
    return parser.parse_args(argv)


def checkout(commit: str, tree: Path) -> Path:
    """Clone a commit and make its environments."""
    run(["git", "clone", "--quiet", "--shared", HERE.parent, tree])
    run(["git", "-C", tree, "checkout", "--quiet", commit])
    run(["make", "-C", tree, "environments"])
    return tree


def build(tree: Path, target: str) -> Record:
    """Times of a build from scratch."""
    for built in ("build", "demo", "src/waywiser/native"):
        shutil.rmtree(tree / built, ignore_errors=True)
    os.sync()
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(["make", "-C", tree, target], check=True, stdout=sys.stderr)
    seconds, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"cpu_seconds": used, "seconds": seconds}


def measure(args: argparse.Namespace, directory: Path, add: Add) -> list[dict[str, Record]]:
    """Commit -> times of its build, for every round."""
    rounds = []
    commits = {NOW: "HEAD", THEN: args.earlier}
    trees = {when: checkout(commit, directory / when) for when, commit in commits.items()}
    for number in range(args.rounds):
        results = {when: build(tree, args.target) for when, tree in trees.items()}
        rounds.append(results)
        for when, record in results.items():
            add({"round": number, "built": when, "target": args.target, **record})
    return rounds


def bar(rounds: list[dict[str, Record]], key: str) -> Record:
    ratio = statistics.median(results[NOW][key] / results[THEN][key] for results in rounds)
    medians = {
        when: statistics.median(results[when][key] for results in rounds) for when in (NOW, THEN)
    }
    return at_most(MOST, f"{key} of a build, over the earlier", "ratio", ratio, **medians)


def bars(_: argparse.Namespace, rounds: list[dict[str, Record]]) -> list[Record]:
    return [bar(rounds, key) for key in KEYS]


def show(rounds: list[dict[str, Record]]) -> None:
    for record in (bar(rounds, key) for key in KEYS):
        print(f"{record['bar']}: {record['value']:.2f} ({record[NOW]:.0f} s, {record[THEN]:.0f} s)")


main = runner(parse, measure, bars, show)
