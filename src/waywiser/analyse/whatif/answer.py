"""Answers to questions about a recorded run, by replays beside that of its base."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from waywiser import __version__
from waywiser.analyse.gate import with_replay
from waywiser.analyse.whatif.bounds import most_gained
from waywiser.analyse.whatif.links import (
    OF_BASE,
    OF_PREDICTION,
    held_up_inside,
    left_out,
    rerouted,
    sharing,
)
from waywiser.analyse.whatif.network import Part
from waywiser.analyse.whatif.question import Question
from waywiser.analyse.whatif.requested import Recorded, Requested, requested_setting
from waywiser.analyse.whatif.setting import (
    Floats,
    Replayed,
    Replayer,
)
from waywiser.errors import InvalidCommand
from waywiser.model.gate import Gate
from waywiser.model.summary import Summary
from waywiser.model.whatif import (
    FunctionTime,
    PathPart,
    RankTimes,
    Replay,
    Spread,
    WhatIf,
)
from waywiser.units import percent_text

NS_PER_S = 1e9
BASE = "as recorded"

UNVALIDATED = 0.1
"""Relative error of a predicted change on a machine without validation: the error of predictions on
emulated networks (docs/design/016-replay.md)."""

REROUTED = 0.2
"""Error where messages share links between switches on other ways than in the base, as a share of
the transfer on the critical path. Replays were wrong by up to 0.17 (docs/placement-study.md)."""

DOUBTFUL = 0.1
"""Difference of the base's replay from the recorded time from which answers have a remark."""


@dataclass(frozen=True)
class Base:
    """A run and its replay as recorded, the base of every other replay."""

    recorded: Recorded
    replayed: Replayed
    replay: Replayer
    per_rank: bool = False
    """True if answers have the times of every rank."""

    @property
    def seconds(self) -> float:
        """The recorded time."""
        return self.replayed.recorded_ns / NS_PER_S

    @property
    def error(self) -> float:
        """(replayed - recorded) / recorded"""
        return self.replayed.makespan_ns / self.replayed.recorded_ns - 1

    def uncertainty(self, parts: Sequence[Part]) -> float:
        """Return the relative error of a predicted change: that of the base's replay, or that of
        predictions with these costs of messages, whichever is larger."""
        errors = [UNVALIDATED if part.error is None else part.error for part in parts]
        return max(abs(self.error), *errors)

    def least_seconds(self, computing: float) -> float:
        """Return the time below which the run cannot fall [s]: the computing of the rank with most.
        It is 0 if several threads of a rank call MPI, whose computing adds up.

        Args:
            computing: of the rank with most [s].
        """
        ranks = self.recorded.summary.per_rank or ()
        return 0.0 if any(rank.mpi_threads > 1 for rank in ranks) else computing

    @property
    def gate(self) -> Gate:
        """The gate of predictions from the replay."""
        replayed = self.replayed.makespan_ns / NS_PER_S
        summary = self.recorded.summary
        shared = self.recorded.base.leaves_out_links
        return with_replay(summary.gate, summary.trace, self.seconds, replayed, shared)


def doubts(base: Base) -> Iterator[str]:
    """Yield a warning if the replay of the base is far from the recorded time."""
    if base.gate.predicts and abs(base.error) > DOUBTFUL:
        longer = "longer" if base.error > 0 else "shorter"
        yield (
            f"the replay of the unchanged run is {percent_text(abs(base.error))} {longer} than the "
            "recorded run: every gain has at least this relative error"
        )


def base_of(recorded: Recorded, replay: Replayer) -> Base:
    """
    Raises:
        InvalidCommand: the replay takes no time, so that nothing can be compared with it.
    """
    replayed = replay(recorded.base)
    if not (replayed.makespan_ns > 0 and replayed.recorded_ns > 0):
        nothing = f"{recorded.name}: nothing in its trace takes time"
        raise InvalidCommand("; ".join([nothing, *replayed.remarks[:1]]))
    return Base(recorded, replayed, replay)


def hosts_as_recorded(summary: Summary, name: str) -> list[str]:
    """Return the host of each rank.

    Raises:
        InvalidCommand: a rank left no profile, so that its host is not known.
    """
    hosts = [rank.host for rank in summary.per_rank or ()]
    if len(hosts) != summary.ranks:
        raise InvalidCommand(
            f"{name}: {len(hosts)} of {summary.ranks} ranks left a profile; a replay needs all"
        )
    return hosts


def answer(base: Base, question: Question, label: str = "") -> Replay:
    """
    Raises:
        InvalidCommand: the question does not fit the run.
    """
    requested = requested_setting(base.recorded, question)
    changes = question.changes
    label = label or question.machine or ", ".join(changes)
    most = most_gained(base.recorded.summary, question)
    return described(base, requested, base.replay(requested.setting), label, changes, most)


def described(
    base: Base,
    requested: Requested,
    replayed: Replayed,
    label: str,
    changes: Sequence[str] = (),
    most_saved: float = inf,
) -> Replay:
    """Describe a replay beside that of the base.

    Args:
        most_saved: largest saving [s], from `most_gained`.
    """
    saved = base.seconds * (1 - replayed.makespan_ns / base.replayed.makespan_ns)
    predicted = base.seconds - min(saved, most_saved)
    ratio = predicted / base.seconds
    errors = [part.error for part in requested.setting.parts]
    validated = None if None in errors else max(error for error in errors if error is not None)
    wrong = base.uncertainty(requested.setting.parts) * abs(predicted - base.seconds)
    if rerouted(requested.setting, base.recorded.base) and held_up_inside(replayed.links):
        transfer = replayed.critical_path.get("transfer", 0.0) / replayed.makespan_ns
        wrong = max(wrong, REROUTED * transfer * predicted)
    least = min(predicted, base.least_seconds(float(replayed.compute_ns.max()) / NS_PER_S))
    low, high = max(least, predicted - wrong), predicted + wrong
    of = OF_BASE if requested.setting is base.recorded.base else OF_PREDICTION
    return Replay(
        label=label,
        changes=tuple(changes),
        network="; ".join(dict.fromkeys(part.origin for part in requested.setting.parts)),
        nodes=len(set(requested.setting.nodes)),
        replayed_seconds=replayed.makespan_ns / NS_PER_S,
        ratio=ratio,
        predicted_seconds=predicted,
        low_seconds=low,
        high_seconds=high,
        low_ratio=low / base.seconds,
        high_ratio=high / base.seconds,
        validation_error=validated,
        computing=_spread(replayed.compute_ns),
        mpi=_spread(replayed.mpi_ns),
        waiting=_spread(replayed.waiting_ns),
        transfer=_spread(replayed.transfer_ns),
        overhead=_spread(replayed.overhead_ns),
        per_rank=_rank_times(replayed) if base.per_rank else None,
        functions=tuple(
            FunctionTime(
                name=function.name,
                calls=function.calls,
                seconds=function.ns / NS_PER_S,
                waiting_seconds=function.waiting_ns / NS_PER_S,
            )
            for function in sorted(
                replayed.functions, key=lambda function: (-function.ns, function.name)
            )
        ),
        critical_path=tuple(
            PathPart(part=part, seconds=ns / NS_PER_S)
            for part, ns in sorted(replayed.critical_path.items(), key=lambda item: -item[1])
            if ns > 0
        ),
        messages=replayed.messages,
        bytes=replayed.bytes,
        progress="asynchronous" if requested.setting.asynchronous else "in-calls",
        links=sharing(requested.setting.interconnect, replayed),
        remarks=tuple(
            dict.fromkeys(
                (
                    *requested.remarks,
                    *left_out(requested.setting, replayed, base.recorded.summary, of),
                    *replayed.remarks,
                )
            )
        ),
    )


def _spread(ns: Floats) -> Spread:
    most = int(np.argmax(ns))
    return Spread(
        least=float(ns.min()) / NS_PER_S,
        mean=float(ns.mean()) / NS_PER_S,
        most=float(ns[most]) / NS_PER_S,
        most_rank=most,
    )


def _rank_times(replayed: Replayed) -> RankTimes:
    def seconds(ns: Floats) -> tuple[float, ...]:
        return tuple((ns / NS_PER_S).tolist())

    return RankTimes(
        computing=seconds(replayed.compute_ns),
        mpi=seconds(replayed.mpi_ns),
        waiting=seconds(replayed.waiting_ns),
        transfer=seconds(replayed.transfer_ns),
        overhead=seconds(replayed.overhead_ns),
    )


def answers(base: Base, questions: Sequence[Question]) -> WhatIf:
    """Answer all questions beside the base, in one document."""
    recorded = base.recorded
    return WhatIf(
        waywiser=__version__,
        run=recorded.name,
        ranks=recorded.summary.ranks,
        recorded_seconds=base.seconds,
        base=described(base, Requested(recorded.base, ()), base.replayed, BASE),
        base_error=base.error,
        gate=base.gate,
        predictions=tuple(answer(base, question) for question in questions if base.gate.predicts),
        remarks=(*doubts(base), *recorded.base.network.remarks),
    )
