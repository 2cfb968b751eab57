"""Placements: what they cost and gain, whether ranks were where they belong, and their picture."""

from __future__ import annotations

from typing import Any

from tests.made_placements import COST, placement
from tests.said import Cases, Said
from tests.said.plots import alike
from waywiser.model.gain import Verdict
from waywiser.model.pairs import Pairs
from waywiser.model.placement import Misplaced, PlacementCheck, PlacementGain, SplitHost
from waywiser.report.placement import check_text, placement_text
from waywiser.report.placement_picture import placement_svg

MADE = placement("n0", "n1")
CHEAPER = COST.replace(bytes_by_hops=(90, 10))
DEARER = COST.replace(bytes_by_hops=(10, 90), hop_bytes=90)


def placed(**change: Any) -> Said:
    return lambda: placement_text(MADE.replace(**change))


def gains(verdict: Verdict, *, traced: bool = False) -> Said:
    gain = PlacementGain(
        low_seconds=0.0,
        high_seconds=0.2,
        expected_seconds=0.1,
        waiting_known=traced,
        wall_seconds=10.0,
        noise_seconds=0.1,
        noise_measured=False,
        verdict=verdict,
    )
    return placed(gain=gain)


def checked(*hosts: SplitHost, asked: bool = True, misplaced: int = 0) -> Said:
    """A check of a run, on which hosts ranks did not share memory."""
    check = PlacementCheck(
        run="run",
        placement="placed",
        ranks=4,
        misplaced=tuple(
            Misplaced(rank=rank, intended="n0", actual="n1") for rank in range(misplaced)
        ),
        split_hosts=hosts if asked else None,
    )
    return lambda: check_text(check)


APART = SplitHost(host="n0", ranks=2, groups=2, strangers=0)
MIXED = SplitHost(host="n0", ranks=2, groups=1, strangers=2)

PLACEMENT = (
    alike(
        placed(),
        checked(),
        "Objective: {}; order: {}",
        "J [bytes x hops]",
        "Bytes that leave nodes",
        "Bytes on the busiest link",
        "Bound of latency, bandwidth",
        "Communication time",
    )
    | alike(
        placed(after=COST),
        placed(after=CHEAPER),
        "Nothing is to be gained: this order costs as much as {}.",
    )
    | alike(placed(before_is="as run"), placed(before_is="default order"), "the run's own")
    | alike(placed(before_is="default order"), placed(before_is="as run"), "the default one")
    | alike(
        placed(command="mpirun -n 2 a.out"),
        placed(),
        "Wrote {}. Launch with",
    )
    | alike(gains("none"), placed(), "Predicted gain: {} of {} ({} to {});")
    | alike(gains("expected"), gains("possible"), "more than runs differ by anyway")
    | alike(
        gains("possible"),
        gains("expected"),
        "it may be lost in the noise of runs: measure it with `waywiser study`",
    )
    | alike(
        gains("none"),
        gains("possible"),
        "no effect to be expected: less than runs differ by anyway",
    )
    | alike(
        gains("loss"),
        gains("none"),
        "the run gets slower, by more than runs differ by anyway",
    )
    | alike(gains("refused"), gains("none"), "  No verdict: the run was contended.")
    | alike(
        gains("possible"),
        gains("possible", traced=True),
        "  A run with --trace tells how much of it is waiting, which no placement buys back.",
    )
    | alike(checked(), placed(), "{} of {} of {} are where {} wants them")
    | alike(
        checked(asked=False),
        checked(),
        "Which ranks share memory is not known: `waywiser profile --sharing` asks for it.",
    )
    | alike(checked(), checked(APART), "The ranks of each host share memory.")
    | alike(checked(APART), checked(), "are {} of shared memory")
    | alike(checked(MIXED), checked(APART), " with {} of other hosts")
    | alike(
        checked(APART),
        checked(MIXED),
        "MPI takes the slower way between ranks that do not share memory.",
    )
    | alike(checked(*[APART] * 6), checked(*[APART] * 5), "more host")
)


ONE_PAIR, SILENT = Pairs([(0, 1, 100)]), Pairs(())


def picture(*slots: int, pairs: Pairs = ONE_PAIR) -> Said:
    """Of two ranks on hosts with these slots. A semicolon ends what `says` takes for a value."""
    found = MADE.replace(
        slots=slots, hosts=tuple(f"n{n}" for n in range(len(slots))), before=DEARER, after=CHEAPER
    )
    return lambda: placement_svg(found, pairs, (0, 1)).replace("image/png;", "image/png,")


PICTURE = (
    alike(
        picture(2, 2),
        placed(),
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {} {}" font-family="sans-serif" '
        'font-size="13">',
        '<rect width="{}" height="{}" fill="white"/>',
        '<rect x="{}" y="{}" width="13" height="13" fill="{}"/>',
        '<rect x="{}" y="{}" width="{}" height="{}" fill="none" stroke="#444"/>',
        '<rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>',
        '<svg x="{}" y="{}" width="{}" height="{}"><image width="{}" height="{}" '
        'style="image-rendering:pixelated" href="{}"/></svg>',
        '<text x="{}" y="{}" font-size="{}" text-anchor="{}">{}</text>',
        '<path d="M{} {}h{}" stroke="#444"/>',
        "Bytes from slot (down) to slot (right); {}",
        "Share of the bytes by the hops that they travel:",
        "hops (0: within a node)",
    )
    | alike(
        picture(2, 2),
        picture(2, 2, pairs=SILENT),
        '<image x="{}" y="{}" width="{}" height="12" preserveAspectRatio="none" href="{}"/>',
    )
    | alike(
        picture(2, 2),
        picture(*[2] * 65),
        '<path d="M{} {}v{}M{} {}h{}" stroke="#bbb" stroke-width="0.7"/>',
        "squares enclose hosts",
    )
    | alike(picture(*[2] * 65), picture(2, 2), "one dot a pair")
    | alike(picture(*[2] * 288), picture(*[3, 5] * 100), "one dot for {} host{} each way")
    | alike(picture(*[3, 5] * 100), picture(*[2] * 288), "one dot for {} slots each way")
)

CASES: Cases = {"report.placement": PLACEMENT, "report.placement_picture": PICTURE}
