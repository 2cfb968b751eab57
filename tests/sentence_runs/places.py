"""Placements: what they cost and gain, whether ranks were where they belong, and their picture."""

from __future__ import annotations

from typing import Any

from tests.synthetic_placements import COST, placement
from waywiser.model.gain import Assessment
from waywiser.model.pairs import Pairs
from waywiser.model.placement import Misplaced, PlacementCheck, PlacementGain, SplitHost
from waywiser.report.answers.placement import check_text, placement_text
from waywiser.report.answers.placement_plot import placement_svg

PLACEMENT = placement("n0", "n1")
CHEAPER = COST.replace(bytes_by_hops=(90, 10))
DEARER = COST.replace(bytes_by_hops=(10, 90), hop_bytes=90)


def placed(**change: Any) -> str:
    return placement_text(PLACEMENT.replace(**change))


def gains(assessment: Assessment, *, traced: bool = False) -> str:
    gain = PlacementGain(
        low_seconds=0.0,
        high_seconds=0.2,
        expected_seconds=0.1,
        waiting_known=traced,
        wall_seconds=10.0,
        noise_seconds=0.1,
        noise_measured=False,
        assessment=assessment,
    )
    return placed(gain=gain)


def checked(*hosts: SplitHost, requested: bool = True, misplaced: int = 0) -> str:
    """A check of a run, on which hosts ranks did not share memory."""
    check = PlacementCheck(
        run="run",
        placement="placed",
        ranks=4,
        misplaced=tuple(
            Misplaced(rank=rank, intended="n0", actual="n1") for rank in range(misplaced)
        ),
        split_hosts=hosts if requested else None,
    )
    return check_text(check)


APART = SplitHost(host="n0", ranks=2, groups=2, strangers=0)
MIXED = SplitHost(host="n0", ranks=2, groups=1, strangers=2)


ONE_PAIR, SILENT = Pairs([(0, 1, 100)]), Pairs(())


def plotted(*slots: int, pairs: Pairs = ONE_PAIR) -> str:
    """Picture of two ranks on hosts with these slots. `says` ends a value at a semicolon."""
    variant = PLACEMENT.replace(
        slots=slots, hosts=tuple(f"n{n}" for n in range(len(slots))), before=DEARER, after=CHEAPER
    )
    return placement_svg(variant, pairs, (0, 1)).replace("image/png;", "image/png,")
