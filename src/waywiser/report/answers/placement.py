"""`waywiser place` on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from waywiser.model.placement import Placement, PlacementCheck, PlacementCost, PlacementGain
from waywiser.report.gate import gate_sentences
from waywiser.units import (
    bytes_text,
    count_text,
    counted,
    seconds_text,
    seconds_with_error_text,
    three_digits,
)

MOST_MISPLACED = 5

GAIN_WORDS = {
    "expected": "more than runs differ by anyway",
    "possible": "it may be lost in the noise of runs: measure it with `waywiser study`",
    "none": "no effect to be expected: less than runs differ by anyway",
    "loss": "the run gets slower, by more than runs differ by anyway",
}


def placement_text(placement: Placement) -> str:
    return "\n".join(_lines(placement)) + "\n"


def _lines(placement: Placement) -> Iterator[str]:
    yield from gate_sentences(placement.gate, predicts=True)
    used = f"{count_text(placement.after.hosts)} of {counted(len(placement.hosts), 'host')}"
    count = placement.after.switches
    switches = f", on {count_text(count)} switch{'' if count == 1 else 'es'}" if count else ""
    yield (
        f"{counted(placement.ranks, 'rank')} of {placement.pattern} on {used}{switches}: "
        f"{placement.machine}"
    )
    how = (
        f"{placement.method}, seed {placement.seed}"
        if placement.method == "random"
        else placement.method
    )
    yield f"Objective: {placement.objective}; order: {how}"
    if placement.after == placement.before:
        compared = "the run's own" if placement.before_is == "as run" else "the default one"
        yield f"Nothing is to be gained: this order costs as much as {compared}."
    yield ""
    yield f"{'':<28}{placement.before_is:>16}{'placed':>16}"
    before, after = placement.before, placement.after
    yield _row("J [bytes x hops]", before.hop_bytes, after.hop_bytes, three_digits)
    yield _row("Bytes that leave nodes", before.off_node_bytes, after.off_node_bytes, bytes_text)
    yield _row(
        "Bytes on the busiest link",
        *(before.busiest_link_bytes, after.busiest_link_bytes),
        bytes_text,
    )
    yield _row("Bound of latency, bandwidth", before.seconds, after.seconds, seconds_text)
    yield f"{'Communication time':<28}{time_text(before):>16}{time_text(after):>16}"
    if placement.gain or placement.command or placement.remarks:
        yield ""
    if placement.gain is not None:
        yield from _gain_lines(placement.gain)
    if placement.command is not None:
        yield f"Wrote {placement.file}. Launch with"
        yield f"  {placement.command}"
    yield from (f"Note: {remark}" for remark in placement.remarks)


def _row(title: str, before: float, after: float, text: Callable[[float], str]) -> str:
    change = f"{100 * (after / before - 1):+.1f} %" if before else ""
    return f"{title:<28}{text(before):>16}{text(after):>16}{change:>10}".rstrip()


def time_text(cost: PlacementCost) -> str:
    """The middle of the bounds, and their distance from it."""
    half = (cost.seconds_at_most - cost.seconds) / 2
    return seconds_with_error_text(cost.seconds + half, half)


def _gain_lines(gain: PlacementGain) -> Iterator[str]:
    def share(seconds: float) -> str:
        return f"{100 * seconds / gain.wall_seconds:.1f} %" if gain.wall_seconds else "0 %"

    error = (gain.high_seconds - gain.low_seconds) / 2
    yield (
        f"Predicted gain: {seconds_with_error_text(gain.expected_seconds, error)} of "
        f"{seconds_text(gain.wall_seconds)} ({share(gain.low_seconds)} to "
        f"{share(gain.high_seconds)});"
    )
    if gain.assessment == "refused":
        yield "  Not assessed: the run failed the validity gate."
        return
    known = "as calibrated" if gain.noise_measured else "1 % assumed"
    yield f"  {GAIN_WORDS[gain.assessment]} ({seconds_text(gain.noise_seconds)}, {known})."
    if gain.assessment == "possible" and not gain.waiting_known:
        yield "  A trace (--trace) shows how much of it is wait time, which no placement removes."


def check_text(check: PlacementCheck) -> str:
    right = check.ranks - check.unchecked - len(check.misplaced)
    lines = [
        f"{right} of {counted(check.ranks, 'rank')} of {check.run} are where {check.placement} "
        "puts them"
    ]
    lines += [
        f"  rank {misplaced.rank}: {misplaced.actual}, not {misplaced.intended}"
        for misplaced in check.misplaced[:MOST_MISPLACED]
    ]
    if len(check.misplaced) > MOST_MISPLACED:
        lines.append(f"  and {len(check.misplaced) - MOST_MISPLACED} more")
    lines += list(_sharing(check))
    lines += [f"Note: {remark}" for remark in check.remarks]
    return "\n".join(lines) + "\n"


def _sharing(check: PlacementCheck) -> Iterator[str]:
    if check.split_hosts is None:
        yield "Which ranks share memory is not known: `waywiser profile --sharing` asks for it."
        return
    if not check.split_hosts:
        yield "The ranks of each host share memory."
    for host in check.split_hosts[:MOST_MISPLACED]:
        groups = f"are {counted(host.groups, 'group')} of shared memory"
        if host.strangers:
            groups += f" with {counted(host.strangers, 'rank')} of other hosts"
        yield f"  {host.host}: its {counted(host.ranks, 'rank')} {groups}"
    if len(check.split_hosts) > MOST_MISPLACED:
        yield f"  and {counted(len(check.split_hosts) - MOST_MISPLACED, 'more host')}"
    if any(host.groups > 1 for host in check.split_hosts):
        yield "MPI takes the slower way between ranks that do not share memory."
