"""The options of `waywiser whatif` as users write them, and the questions that they ask."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TypeVar

from waywiser.analyse.whatif.collectives import collective_choices
from waywiser.analyse.whatif.nodes import NAMED
from waywiser.analyse.whatif.quantity import (
    bandwidth_of,
    factor_of,
    latency_of,
    noise_of,
    size_of,
    whole_of,
)
from waywiser.analyse.whatif.question import Question
from waywiser.analyse.whatif.sweep import AXES, Part, Range, part_of, ranges_of
from waywiser.errors import InvalidCommand, not_found
from waywiser.machines.library import read_machine

T = TypeVar("T")

OF_MESSAGES = ("on", "topology", "latency", "bandwidth")
"""Options that change the time of messages; refused if messages take no time."""


@dataclass(frozen=True)
class Options:
    """Options by name; an option that is None, False or empty is not given.

    Raises:
        InvalidCommand: a value is an empty text.
    """

    ranks: str | None = None
    on: Sequence[str] = ()
    topology: str | None = None
    latency: str | None = None
    bandwidth: str | None = None
    ideal_network: bool = False
    eager_limit: str | None = None
    placement: str | None = None
    ranks_per_node: str | None = None
    collective: Sequence[str] = ()
    cpu: str | None = None
    noise: str | None = None
    early_sends: bool = False
    join_messages: bool = False
    no_noise: bool = False
    balanced: bool = False
    progress: str | None = None
    seed: str | None = None
    threads: str | None = None
    sweep: Sequence[str] = ()
    part: str | None = None
    machine: str | None = None
    """Value of `--from`."""

    per_rank: bool = False

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if "" in (value if isinstance(value, list | tuple) else [value]):
                option = "from" if field.name == "machine" else field.name.replace("_", "-")
                raise InvalidCommand(f"--{option}: expected a value, found none")


@dataclass(frozen=True)
class Request:
    """The request of all options together."""

    questions: tuple[Question, ...]
    """Questions, each with its own answer."""

    labelled: tuple[tuple[str, Question], ...]
    """Questions of the sweep, with the machines' names."""

    ranges: tuple[Range, ...]
    """Ranges of the sweep; empty: no sweep."""

    part: Part | None
    counts: tuple[int, ...]
    """Numbers of ranks for the extrapolation of several runs; empty: the run as it was recorded."""

    is_range: bool
    """Whether the numbers are a range, of which those are meant that the runs' growth reaches."""

    ranks_per_node: int | None
    """Number of ranks on each node of the extrapolated base."""


def request_of(runs: Sequence[Path], options: Options) -> Request:
    """
    Raises:
        InvalidCommand: an option does not take its value; options contradict each other or ask
            nothing; or the number of runs does not fit the options. Or a run or a machine does not
            exist.
    """
    if missing := [run for run in runs if not run.exists()]:
        raise InvalidCommand(
            f"{not_found(missing[0], 'run or study')}; a run is a directory that `waywiser profile "
            "--trace -o RUN` has made"
        )
    question, ranks_per_node = _question_of(options), None
    counts = () if options.ranks is None else counts_of(options.ranks)
    if counts:  # no change, but the place of the ranks in the base
        question, ranks_per_node = replace(question, ranks_per_node=None), question.ranks_per_node
    questions = [Question(**{**vars(question), "machine": name}) for name in options.on]
    ranges = ranges_of(options.sweep)
    placements = [span.values for span in ranges if span.axis == "placement"]
    _check_runs(runs, options, {question.placement, *itertools.chain(*placements)}, counts)
    if not questions and (question.changes or not (ranges or counts)):
        questions = [question]
    if options.part is not None and not ranges:
        raise InvalidCommand("--part requires --sweep AXIS=FROM:TO")
    if not ranges and not counts and not any(variant.changes for variant in questions):
        raise InvalidCommand(
            "no change is given; give one, such as --on MACHINE, --latency x0.5 or --balanced"
        )
    _check_ranges(options, question, ranges)
    for name in filter(None, (*options.on, options.topology, options.machine)):
        read_machine(name)  # also of a run from which nothing is predicted
    labelled = [(variant.machine, variant) for variant in questions] or [("", question)]
    part = None if options.part is None else part_of(options.part)
    is_range = ":" in (options.ranks or "")
    return Request(
        tuple(questions), tuple(labelled), ranges, part, counts, is_range, ranks_per_node
    )


def _question_of(options: Options) -> Question:
    """Return the question of the options, without the machine."""
    return Question(
        topology=options.topology or "",
        latency=_parsed(latency_of, "--latency", options.latency),
        bandwidth=_parsed(bandwidth_of, "--bandwidth", options.bandwidth),
        eager_limit_bytes=_parsed(size_of, "--eager-limit", options.eager_limit),
        placement=options.placement or "",
        ranks_per_node=_parsed(whole_of, "--ranks-per-node", options.ranks_per_node),
        collectives=collective_choices(options.collective),
        cpu=factor_of("--cpu", options.cpu) if options.cpu else 1.0,
        noise=noise_of("--noise", options.noise) if options.noise else 0.0,
        ideal_network=options.ideal_network,
        balanced=options.balanced,
        early_sends=options.early_sends,
        join_messages=options.join_messages,
        no_noise=options.no_noise,
        progress=_parsed(AXES["progress"].parse, "--progress", options.progress),
        seed=whole_of("--seed", options.seed, least=0) if options.seed else 1,
    )


def _parsed(parse: Callable[[str, str], T], option: str, text: str | None) -> T | None:
    return None if text is None else parse(option, text)


def counts_of(text: str) -> tuple[int, ...]:
    """Return the numbers in "64,1024", or the powers of two in "64:1024"; ascending.

    Raises:
        InvalidCommand: the text has neither form.
    """
    if ":" not in text:
        return tuple(sorted({whole_of("--ranks", word) for word in text.split(",")}))
    first, *rest = text.split(":")
    low, high = whole_of("--ranks", first), whole_of("--ranks", ":".join(rest))
    counts = [low]
    while counts[-1] * 2 <= high:
        counts.append(counts[-1] * 2)
    if counts[-1] != high:
        raise InvalidCommand(
            f"--ranks {text}: expected FROM:TO, TO being FROM times a power of two"
        )
    return tuple(counts)


def _check_ranges(options: Options, question: Question, ranges: Sequence[Range]) -> None:
    for axis in (span.axis for span in ranges):
        if getattr(options, axis.replace("-", "_")):
            raise InvalidCommand(f"--{axis} and --sweep {axis} are mutually exclusive")
    if question.ideal_network or any(span.axis == "ideal-network" for span in ranges):
        others = [name for name in OF_MESSAGES if getattr(options, name)]
        others += [f"sweep {span.axis}" for span in ranges if span.axis in OF_MESSAGES]
        if others:
            raise InvalidCommand(f"--ideal-network and --{others[0]} are mutually exclusive")


def _check_runs(
    runs: Sequence[Path], options: Options, placements: Iterable[object], counts: tuple[int, ...]
) -> None:
    """
    Args:
        placements: requested placements.

    Raises:
        InvalidCommand: a run is given twice; or the number of runs, or an option, does not fit an
            extrapolation.
    """
    places = [run.resolve() for run in runs]
    if again := [run for at, run in enumerate(runs) if places[at] in places[:at]]:
        raise InvalidCommand(f"{again[0]}: given twice; each recording counts once")
    if not counts:
        return
    if len(runs) < 3:
        raise InvalidCommand(
            "--ranks: expected three or more traced runs, of P, 2 P, 4 P, … or P, 4 P, 16 P, … "
            f"ranks, found {len(runs)}"
        )
    for option in ("part", "per_rank"):
        if getattr(options, option):
            raise InvalidCommand(f"--{option.replace('_', '-')} and --ranks are mutually exclusive")
    if len(counts) > 1 and options.sweep:
        raise InvalidCommand("--sweep and several numbers of --ranks are mutually exclusive")
    for placement in placements:
        if placement not in ("", *NAMED[1:]):
            raise InvalidCommand(
                f"--placement {placement}: with --ranks expected one of {', '.join(NAMED[1:])}"
            )
