"""Chooses ww-shallow's `--work` for a share of MPI, for docs/placement-study.md.

python tools/shallow_work.py default.json work*.json --cells 655362 --levels 55 --mpi-share 15
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from waywiser.errors import InvalidCommand
from waywiser.model.placement import Placement, PlacementCost
from waywiser.report.machines.terminal import text_table
from waywiser.units import percent_text, seconds_text


@dataclass(frozen=True)
class Computation:
    """Time that ww-shallow computes for a cell, level and step [s]: a part that each `--work`
    repeats, and the rest."""

    repeated: float
    rest: float

    @classmethod
    def of(cls, measured: dict[int, float]) -> Computation:
        """
        Args:
            measured: `--work` -> time; two or more, as a line goes through them.
        """
        repeated, rest = np.polyfit(list(measured), list(measured.values()), 1)
        return cls(float(repeated), float(rest))

    def work_for(self, seconds: float) -> int:
        """The `--work` that computes closest to a time."""
        return max(1, round((seconds - self.rest) / self.repeated))


def read_times(paths: Sequence[Path]) -> dict[int, float]:
    """`--work` -> core seconds for a cell, level and step, of ww-shallow's samples.

    Raises:
        InvalidCommand: the samples have fewer than two values of `--work`.
    """
    samples = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    times = {
        sample["parameters"]["work"]: sample["seconds"] * sample["ranks"] / sample["points"]
        for sample in samples
    }
    if len(times) < 2:
        raise InvalidCommand(
            f"{', '.join(map(str, paths))}: expected samples of at least two values of --work,"
            f" found {', '.join(map(str, times)) or 'none'}"
        )
    return times


def work_text(
    cost: PlacementCost, cell_levels: float, measured: dict[int, float], mpi_share: float
) -> str:
    """The predicted share of MPI of each measured `--work`, and the `--work` of a given share.

    Args:
        cell_levels: of a rank.
        measured: `--work` -> seconds for a cell, level and step.
        mpi_share: of the run time [%].
    """
    communication = (cost.middle_seconds, cost.seconds, cost.seconds_at_most)
    rows: list[Sequence[str]] = [("--work", "computation of a step", "share of MPI")]
    for work, seconds in sorted(measured.items()):
        computation = cell_levels * seconds
        shares = [percent_text(time / (time + computation)) for time in communication]
        rows.append(
            (str(work), seconds_text(computation), f"{shares[0]} ({shares[1]} to {shares[2]})")
        )
    line = Computation.of(measured)
    works = [line.work_for(time * (100 / mpi_share - 1) / cell_levels) for time in communication]
    return (
        f"{text_table(rows, left=set())}\n"
        f"MPI takes {mpi_share:g} % with --work {works[0]} ({works[1]} to {works[2]})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("document", type=Path, help="of `waywiser place --json`")
    parser.add_argument("samples", type=Path, nargs="+", help="of ww-shallow with several --work")
    parser.add_argument("--cells", type=int, required=True, help="of the whole job")
    parser.add_argument("--levels", type=int, required=True)
    parser.add_argument("--mpi-share", type=float, required=True, help="of the run time [%%]")
    arguments = parser.parse_args()
    placement = Placement.model_validate_json(arguments.document.read_text(encoding="utf-8"))
    cell_levels = arguments.cells * arguments.levels / placement.ranks
    try:
        measured = read_times(arguments.samples)
    except InvalidCommand as error:
        parser.error(str(error))
    print(work_text(placement.after, cell_levels, measured, arguments.mpi_share))


if __name__ == "__main__":
    main()
