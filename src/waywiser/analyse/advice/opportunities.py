"""The opportunities: the changes that each makes to a run, and the conditions for a gain. A new one
is a function and a line of OPPORTUNITIES."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from waywiser.analyse.whatif.answer import Base, answer
from waywiser.analyse.whatif.collectives import algorithms, collective_of
from waywiser.analyse.whatif.quantity import UNLIMITED, Change
from waywiser.analyse.whatif.question import Question
from waywiser.analyse.whatif.recorded import tunable
from waywiser.launch.tuning.forced import library_of, setting_of
from waywiser.launch.tuning.tuner import Environment
from waywiser.model.waits import WaitCause
from waywiser.model.whatif import Replay
from waywiser.units import count_text, percent_text, seconds_text

ABSORBS = 0.9
"""Share of waiting in a collective's time from which the collective only absorbs delays."""

NOTABLE = 0.01
"""Share of the ranks' time from which on an MPI function is considered."""


@dataclass(frozen=True)
class Seen:
    """The facts that opportunities are found from."""

    base: Base
    replay: Replay
    """Replay of the base."""

    ideal: Replay
    """Replay in which messages take no time."""

    options: str
    """Options of the base, for commands: "--from m.toml", or ""."""

    @property
    def several_nodes(self) -> bool:
        return len(set(self.base.recorded.base.nodes)) > 1

    @property
    def rank_seconds(self) -> float:
        """Time of the recorded run, summed over ranks [s]."""
        return self.base.recorded.summary.ranks * self.base.seconds

    @property
    def transfer_share(self) -> float | None:
        """Share of the recorded time that is in MPI and not waiting for other ranks; None if
        unknown."""
        waits = self.base.recorded.summary.waits
        if waits is None:
            return None
        return max(0.0, waits.mpi_seconds - sum(waits.seconds.values())) / self.rank_seconds

    def share(self, function: str) -> float:
        """Share of the recorded time in this function."""
        totals = self.base.recorded.summary.functions.get(function)
        return totals.seconds / self.rank_seconds if totals else 0.0

    def waiting(self, function: str) -> float | None:
        """Share of this function's recorded time that is waiting for other ranks; None if
        unknown."""
        summary = self.base.recorded.summary
        totals = summary.functions.get(function)
        if summary.waits is None or totals is None or totals.seconds <= 0:
            return None
        return min(1.0, summary.waits.functions.get(function, 0.0) / totals.seconds)

    def command(self, *options: str) -> str:
        words = ["waywiser", "whatif", self.base.recorded.name]
        return shlex.join([*words, *shlex.split(self.options), *options])


@dataclass(frozen=True)
class Candidate:
    """A possible change to the run."""

    name: str
    what: str
    ratio: float
    """Ratio of the replayed time to that of the base."""

    computing_seconds: float
    """Useful computation of the rank with most, in the replay."""

    because: str
    command: str | None
    """Command that predicts the opportunity; None where no command does."""

    bound: bool = False
    function: str | None = None
    """MPI function that would use another algorithm; None for other opportunities."""

    cause: WaitCause | None = None
    """Main cause of the waiting that the opportunity would save; None if unknown."""


def balance(seen: Seen) -> Iterator[Candidate]:
    balanced = answer(seen.base, Question(balanced=True))
    computation = seen.replay.computing
    because = (
        f"rank {computation.most_rank} computes {seconds_text(computation.most)}, ranks on average "
        f"{seconds_text(computation.mean)}"
    )
    yield Candidate(
        "balance",
        "computation shared evenly by the ranks",
        balanced.ratio,
        balanced.computing.most,
        because,
        seen.command("--balanced"),
        cause=_largest_delay(seen),
    )


def _largest_delay(seen: Seen) -> WaitCause | None:
    waits = seen.base.recorded.summary.waits
    return next((cause for cause in waits.causes if cause.computing), None) if waits else None


def early_sends(seen: Seen) -> Iterator[Candidate]:
    """Yield the opportunity to send before computing, while the receiver waits."""
    waits = seen.base.recorded.summary.waits
    late = waits.seconds.get("late_sender", 0.0) if waits else 0.0
    if waits is None or late < NOTABLE * seen.rank_seconds:
        return
    early = answer(seen.base, Question(early_sends=True))
    yield Candidate(
        "early sends",
        "each send posted before the computation that precedes it, where the data allow it",
        early.ratio,
        early.computing.most,
        f"waiting for late senders is {percent_text(late / seen.rank_seconds)} of the ranks' time",
        seen.command("--early-sends"),
        cause=next((cause for cause in waits.causes if cause.wait == "late_sender"), None),
    )


def joined_messages(seen: Seen) -> Iterator[Candidate]:
    joined = answer(seen.base, Question(join_messages=True))
    before = seen.replay.messages
    if before == 0 or joined.messages > (1 - NOTABLE) * before:
        return
    yield Candidate(
        "join messages",
        "messages sent right after each other to the same rank, as one",
        joined.ratio,
        joined.computing.most,
        f"{count_text(joined.messages)} messages would do instead of {count_text(before)}",
        seen.command("--join-messages"),
    )


def placement(seen: Seen) -> Iterator[Candidate]:
    if seen.several_nodes:
        best = Question(placement="best")
        change = "ranks that communicate most on one node"
        yield _of_messages(seen, "placement", change, best, ("--placement", "best"))


def latency(seen: Seen) -> Iterator[Candidate]:
    half = Question(latency=Change(0.5, relative=True))
    change = "half the latency of messages"
    yield _of_messages(seen, "latency", change, half, ("--latency", "x0.5"), "latency")


def bandwidth(seen: Seen) -> Iterator[Candidate]:
    parts = seen.base.recorded.base.network
    part = parts.between if seen.several_nodes else parts.inside
    if part.costs[-1].ns_per_byte:
        twice = Question(bandwidth=Change(2.0, relative=True))
        change = "twice the bandwidth of messages"
        yield _of_messages(seen, "bandwidth", change, twice, ("--bandwidth", "x2"), "transfer")


def progress(seen: Seen) -> Iterator[Candidate]:
    if not seen.base.recorded.base.asynchronous:
        always = Question(progress="asynchronous")
        change = "long messages progress while ranks compute"
        option = ("--progress", "asynchronous")
        yield _of_messages(seen, "asynchronous progress", change, always, option)


def eager_limit(seen: Seen) -> Iterator[Candidate]:
    unlimited = Question(eager_limit_bytes=UNLIMITED)
    change = "no message waits for its receive to be posted"
    yield _of_messages(seen, "eager limit", change, unlimited, ("--eager-limit", "unlimited"))


def _of_messages(
    seen: Seen, name: str, change: str, question: Question, option: tuple[str, str], part: str = ""
) -> Candidate:
    """
    Args:
        option: option and value of the command that predicts the gain.
        part: part of the critical path that bounds the gain.
    """
    replay = answer(seen.base, question)
    because = _of_transfer(seen) + (f"; {_on_path(seen, part)}" if part else "")
    command = seen.command(*option)
    return Candidate(name, change, replay.ratio, replay.computing.most, because, command)


def collectives(seen: Seen) -> Iterator[Candidate]:
    for function in seen.replay.functions:
        collective = collective_of(function.name)
        if collective is None or seen.share(function.name) < NOTABLE:
            continue
        tried = {
            name: answer(seen.base, Question(collectives={collective: name}))
            for name in _choices(seen, collective)
        }
        if not tried:
            continue
        best = min(tried, key=lambda name: tried[name].replayed_seconds)
        waiting = seen.waiting(function.name)
        because = f"{function.name} takes {percent_text(seen.share(function.name))} of the time"
        if waiting is not None:
            because += f", {percent_text(waiting)} of it waiting for other ranks"
            if waiting >= ABSORBS:
                because += ", which no algorithm shortens: it absorbs imbalance"
        if setting := _setting(seen, collective, best):
            because += "; set " + " ".join(f"{name}={value}" for name, value in setting.items())
        yield Candidate(
            f"algorithm of {function.name}",
            f"{collective} by {best}, the fastest of {len(tried)} algorithms",
            tried[best].ratio,
            tried[best].computing.most,
            because,
            seen.command("--collective", f"{collective}={best}"),
            function=function.name,
        )


def _choices(seen: Seen, collective: str) -> list[str]:
    """Return the algorithms that the run's library can be set to use; all if the library is
    unknown."""
    known = algorithms(switches=False)[collective]
    settable = [name for name in known if _setting(seen, collective, name)]
    return settable or list(known)


def _setting(seen: Seen, collective: str, algorithm: str) -> Environment | None:
    base = seen.base.recorded.base
    library = library_of(base.library)
    if library is None or not tunable(library, base.nodes):
        return None
    return setting_of(library, collective, algorithm)


def noise(seen: Seen) -> Iterator[Candidate]:
    quiet = answer(seen.base, Question(no_noise=True))
    with_noise, without = seen.replay.computing.mean, quiet.computing.mean
    if with_noise <= 0:
        return
    yield Candidate(
        "noise",
        "no rank computes longer than the median of its repetitions, except where all ranks do",
        quiet.ratio,
        quiet.computing.most,
        f"delays of some ranks beyond the median are {percent_text(1 - without / with_noise)} of "
        "the computation",
        seen.command("--no-noise"),
    )


def overlap(seen: Seen) -> Iterator[Candidate]:
    """Yield the opportunity of overlap: it hides at most a rank's computing, and the cost of
    messages."""
    transfer, computation = seen.replay.transfer.most, seen.replay.computing.most
    whole = seen.replay.replayed_seconds
    hidden = min(transfer, computation, whole - seen.ideal.replayed_seconds)
    yield Candidate(
        "overlap",
        "all transfer behind computation",
        1 - max(0.0, hidden) / whole,
        computation,
        f"a rank spends at most {seconds_text(transfer)} in transfer",
        None,
        bound=True,
    )


def network(seen: Seen) -> Iterator[Candidate]:
    yield Candidate(
        "any network",
        "messages that take no time",
        seen.ideal.ratio,
        seen.ideal.computing.most,
        _of_transfer(seen),
        seen.command("--ideal-network"),
        bound=True,
    )


def _of_transfer(seen: Seen) -> str:
    share = seen.transfer_share
    if share is None:
        return "how much of MPI is transfer is not known"
    return f"MPI without waiting is {percent_text(share)} of the ranks' time"


def _on_path(seen: Seen, part: str) -> str:
    seconds = sum(
        path_part.seconds for path_part in seen.replay.critical_path if path_part.part == part
    )
    share = seconds / seen.replay.replayed_seconds
    return f"{part} is {percent_text(share)} of the replay's critical path"


OPPORTUNITIES: tuple[Callable[[Seen], Iterator[Candidate]], ...] = (
    *(balance, early_sends, joined_messages, placement, latency, bandwidth, collectives),
    *(progress, eager_limit, noise, overlap, network),
)
