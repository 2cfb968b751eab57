"""The gate of every verb that makes statements about a run.

The conditions: the ranks had their CPUs to themselves; the trace is whole, and the replay of the
unchanged run meets the recorded time. If one fails, the verb first reports it with the remedy.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from waywiser.analyse.diagnosis import diagnosed
from waywiser.analyse.profiled import contention_reasons, threads_of
from waywiser.analyse.roofline import kernels_of
from waywiser.launch.launchers.table import NO_LAUNCHER, kind_of_run
from waywiser.model.cpus import cpu_mask
from waywiser.model.gate import Gate
from waywiser.model.result import Result
from waywiser.model.run import Run
from waywiser.model.summary import Summary
from waywiser.model.trace import Trace
from waywiser.stats.gate import Reason
from waywiser.store.read import read_run
from waywiser.store.samples import samples_of_run
from waywiser.units import count_text, counted, percent_text, seconds_text

if TYPE_CHECKING:
    from waywiser.store.timeline import Window

REPLAY_LIMIT = 0.15
"""Share of the recorded time by which the replay of the unchanged run may differ. Replays of quiet
runs differ by a few percent (docs/design/016-replay.md)."""

LIST_HOSTS = (
    "If nodes share links, list the run's hosts in the file of that machine: then messages share "
    "its links in the replay"
)
RECORD_AGAIN = "Then record the run again"
MAKE_AGAIN = "Then make these runs again"
AGAIN = (RECORD_AGAIN, MAKE_AGAIN)
"""Ends of all remedies."""


def read_gated(directory: Path, window: Window | None = None) -> tuple[Run, Summary]:
    """Read a run with its gate, kernels and diagnosis; arguments and errors as of `read_run`."""
    run, summary = read_run(directory, window)
    kernels = kernels_of(samples_of_run(directory, ()))
    return run, diagnosed(summary.replace(gate=gate_of(run, summary), roofline=kernels))


def gate_of(run: Run, summary: Summary) -> Gate:
    """Return the gate: whether the ranks of a run had their CPUs to themselves."""
    nodes = len({rank.host for rank in summary.per_rank or ()})
    gate = gate_of_launch(run, summary, summary.ranks, threads_of(run), nodes)
    return _and_then(gate, RECORD_AGAIN)


def gate_of_launch(run: Run, summary: Summary | None, ranks: int, threads: int, nodes: int) -> Gate:
    """Return the gate of a run that may have no profile, as `gate_of` does; the arguments are those
    of `contention_reasons`."""
    reasons = contention_reasons(run, summary, ranks, threads, nodes)
    return Gate(
        unreliable=tuple(reason.sentence for reason in reasons),
        remedies=tuple(_remedies(run, summary, reasons, threads)),
    )


def gate_of_sets(sets: Mapping[str, Sequence[Result]]) -> Gate:
    """Return the gate of statements about many runs.

    Args:
        sets: the runs that count, by the name of their set; "" where there is one set only.
    """
    unreliable_runs = {
        name: [result for result in results if result.unreliable] for name, results in sets.items()
    }
    clauses = (
        f"{_runs_text(name, len(unreliable), len(sets[name]))} {unreliable[0].unreliable[0]}"
        for name, unreliable in unreliable_runs.items()
        if unreliable
    )
    remedies = (
        remedy for runs in unreliable_runs.values() for result in runs for remedy in result.remedies
    )
    gate = Gate(unreliable=tuple(clauses), remedies=tuple(dict.fromkeys(remedies)))
    return _and_then(gate, MAKE_AGAIN)


def _runs_text(name: str, unreliable: int, runs: int) -> str:
    """Return "3 of 20 runs of A, in the first of which"; "in A," if A is a single run."""
    if name and runs == 1:
        return f"in {name},"
    of = f" of {name}" if name else ""
    which = "the first of which" if unreliable > 1 else "which"
    return f"{unreliable} of {counted(runs, 'run')}{of}, in {which}"


def gate_of_all(gates: Mapping[str, Gate]) -> Gate:
    """Return the gate of statements about several runs or studies together.

    Args:
        gates: by the name of the run or study; "" for a gate whose sentences have names already.
    """
    clauses = (
        f"{name}: {why}" if name else why for name, gate in gates.items() for why in gate.unreliable
    )
    unlike = (
        f"{name}: {gate.unlike}" if name else gate.unlike
        for name, gate in gates.items()
        if gate.unlike
    )
    remedies = dict.fromkeys(remedy for gate in gates.values() for remedy in gate.remedies)
    ends_last = sorted(remedies, key=AGAIN.__contains__)
    return Gate(unreliable=tuple(clauses), unlike="; ".join(unlike), remedies=tuple(ends_last))


def _and_then(gate: Gate, last: str) -> Gate:
    """Add the last remedy to a gate with remedies."""
    if not gate.remedies:
        return gate
    return gate.replace(remedies=(*gate.remedies, last))


def with_replay(
    gate: Gate,
    trace: Trace | None,
    recorded_s: float,
    replayed_s: float,
    leaves_out_links: bool = False,
) -> Gate:
    """Return the gate of predictions: the given gate, and whether trace and replay describe the
    run.

    Args:
        trace: the replayed trace.
        recorded_s: recorded time, > 0.
        leaves_out_links: nodes may share links that the replay does not model.
    """
    if trace is not None and trace.lost_calls:
        calls = trace.calls + trace.lost_calls
        share = percent_text(trace.lost_calls / calls)
        return gate.replace(
            unlike=f"the trace lacks {share} of the run's {count_text(calls)} calls",
            remedies=tuple(dict.fromkeys((*trace.lost, *gate.remedies))),
        )
    error = replayed_s / recorded_s - 1
    if abs(error) <= REPLAY_LIMIT:
        return gate
    unlike = (
        f"the replay of the unchanged run takes {seconds_text(replayed_s)}, "
        f"{percent_text(abs(error))} {'more' if error > 0 else 'less'} than the recorded "
        f"{seconds_text(recorded_s)} (limit: {percent_text(REPLAY_LIMIT)})"
    )
    remedies = gate.remedies
    if not gate.unreliable:
        remedies = (
            "Measure the network with `waywiser machine calibrate` and name it with --from MACHINE",
            *([LIST_HOSTS] if leaves_out_links else ()),
            "Look for time that the replay leaves as recorded, such as files or set-up calls, with "
            "`waywiser show`",
        )
    return gate.replace(unlike=unlike, remedies=remedies)


def _remedies(
    run: Run, summary: Summary | None, reasons: Sequence[Reason], threads: int
) -> Iterator[str]:
    """Yield remedies for each cause, in the words of the run's launcher."""
    causes = {reason.cause for reason in reasons}
    launcher = kind_of_run(run) or NO_LAUNCHER
    hosts = _masks_of_hosts(summary)
    outnumbered = "binding" in causes and any(
        _outnumbered(masks, threads) for masks in hosts.values()
    )
    oversubscribed = "oversubscribed" in causes or outnumbered
    if oversubscribed:
        yield from _more_cpus(run, {host: len(masks) for host, masks in hosts.items()}, threads)
    if ("binding" in causes and not outnumbered) or (
        "descheduled" in causes and not oversubscribed and any(map(_share_cpus, hosts.values()))
    ):
        how = launcher.binds_to_cores
        yield "Bind each rank to a core of its own" + (f": `{how}`" if how else "")
    if causes & {"foreign", "descheduled"} and not oversubscribed:
        exclusive = f" (`{launcher.exclusive}`)" if launcher.exclusive else ""
        yield f"Use an otherwise idle node{exclusive}"
    if "stolen" in causes:
        yield "Use another node: the host of this virtual machine is busy"


def _more_cpus(run: Run, ranks: Mapping[str, int], threads: int) -> Iterator[str]:
    """Yield remedies for more ranks than CPUs on a node: idle nodes and CPUs of the job come first.

    Args:
        ranks: number of ranks by host; empty if unknown.
    """
    allocated = run.environment.get("SLURM_JOB_NUM_NODES", "")
    nodes = max(int(allocated) if allocated.isdecimal() else 0, len(ranks), 1)
    most, least = (choose(ranks, key=ranks.__getitem__, default="") for choose in (max, min))
    idle = nodes > len(ranks) > 0
    uneven = bool(ranks) and ranks[most] - ranks[least] > 1
    if idle:
        yield f"Place ranks on all {nodes} nodes of the job: they were on {len(ranks)}"
    elif uneven:
        yield (
            f"Distribute the ranks evenly over the nodes: {most} had "
            f"{counted(ranks[most], 'rank')}, {least} {ranks[least]}"
        )
    cpus = run.machine.hardware_threads
    if not (idle or uneven) or math.ceil(sum(ranks.values()) / nodes) * threads > cpus:
        have = counted(cpus, "CPU")
        yield f"Start fewer ranks on a node (this one has {have}), or use more nodes"


def _masks_of_hosts(summary: Summary | None) -> dict[str, list[int]]:
    """Return the CPUs that each rank of a host may run on, as bits; 0 if they are unknown."""
    masks: dict[str, list[int]] = {}
    for rank in (summary.per_rank if summary is not None else None) or ():
        masks.setdefault(rank.host, []).append(cpu_mask(rank.cpus) or 0)
    return masks


def _outnumbered(masks: Sequence[int], threads: int) -> bool:
    """Return True if ranks that may run on the same two or more CPUs outnumber them."""
    return len(set(masks)) == 1 and 1 < masks[0].bit_count() < len(masks) * threads


def _share_cpus(masks: Sequence[int]) -> bool:
    """Return True if ranks may run on the same CPUs."""
    taken = itertools.accumulate(masks, operator.or_, initial=0)
    return any(mask & before for mask, before in zip(masks, taken, strict=False))
