"""Text on a run with virtual clocks, for the end of `waywiser profile --virtual` and for `show`."""

from __future__ import annotations

from waywiser.model.virtual import VirtualClocks
from waywiser.report.answers.whatif import validation_words
from waywiser.units import count_text, percent_text, seconds_text

FUNCTIONS = 5


def virtual_lines(clocks: VirtualClocks) -> list[str]:
    """Lines on the times, their parts, and the functions that take longest."""
    cpu = "" if clocks.cpu == 1 else f", CPU x {clocks.cpu:g}"
    name = f"virtual clocks on {clocks.title}{cpu}"
    if clocks.seconds is None:
        return [f"{name}: no time", *(f"  {remark}" for remark in clocks.remarks)]
    ranks = clocks.per_rank
    whole = sum(rank.seconds for rank in ranks) or 1.0
    parts = {
        part: percent_text(sum(getattr(rank, f"{part}_seconds") for rank in ranks) / whole)
        for part in ("compute", "waiting", "transfer", "overhead")
    }
    lines = [
        f"{name}: {seconds_text(clocks.seconds)}, here {seconds_text(clocks.real_seconds)}; "
        f"{validation_words(clocks.validation_error)}",
        "  " + ", ".join(f"{part} {share}" for part, share in parts.items()),
    ]
    lines += [
        f"  {function:24}{count_text(totals.calls):>11} calls{seconds_text(totals.seconds):>11}, "
        f"waiting {seconds_text(totals.waiting_seconds)}"
        for function, totals in list(clocks.functions.items())[:FUNCTIONS]
        if totals.seconds > 0
    ]
    if clocks.senders_seconds > 0:
        lines.append(
            f"  left out: senders' waiting for receivers, at most "
            f"{seconds_text(clocks.senders_seconds)} of all ranks"
        )
    return [*lines, *(f"  {remark}" for remark in clocks.remarks)]
