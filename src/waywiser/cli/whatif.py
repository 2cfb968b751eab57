"""`waywiser whatif RUN`: the run replayed on another network, machine or number of ranks."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from waywiser.analyse.whatif.answer import Base, answers
from waywiser.analyse.whatif.answer import asked as as_setting
from waywiser.analyse.whatif.extrapolated import extrapolated_answers, read_extrapolated
from waywiser.analyse.whatif.nodes import NAMED
from waywiser.analyse.whatif.quantity import (
    whole_of,
)
from waywiser.analyse.whatif.question import Question
from waywiser.analyse.whatif.recorded import read_base, read_recorded
from waywiser.analyse.whatif.sweep import (
    AXES,
    Part,
    Range,
    part_of,
    ranges_of,
    size_of_sweep,
    swept,
)
from waywiser.cli.answer_options import add_base_options, add_output, refuse_empty
from waywiser.cli.question_options import add_question, question_of
from waywiser.errors import InvalidCommand
from waywiser.launch.schedulers import SCHEDULERS
from waywiser.model.study import LOCAL
from waywiser.model.whatif import WhatIf
from waywiser.report.answer_files import check_output, document_text, write_whatif
from waywiser.report.whatif import whatif_text
from waywiser.store.durable import beside
from waywiser.study.campaign import is_study, open_campaign
from waywiser.study.sweeps import MOST_PARTS, answer_of, write_sweep
from waywiser.units import counted

OPTIONS = {"machine": "from"}
"""Names of options that are not those of their values."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Predicts the run time under changed conditions: the ratio of two replays of the "
        "trace, changed and unchanged, scales the recorded time."
    )
    parser.epilog = (
        "Latency and bandwidth take a value (1.5us, 12.5GB/s, 100Gbit/s) or a factor of "
        "the present one (x0.5). They apply to messages between nodes, or to all messages where "
        "the run has one node."
    )
    refuse_empty(parser)
    parser.add_argument(
        "runs",
        type=Path,
        nargs="+",
        metavar="RUN",
        help="directory of a traced run; with --ranks three or more, of P, 2 P, 4 P, … "
        "ranks; or a study that --study wrote, to collect its answer",
    )
    parser.add_argument(
        "--ranks",
        metavar="N[,N…]|FROM:TO",
        help="predict the program on N ranks, extrapolated from the runs",
    )
    parser.add_argument(
        "--on",
        action="append",
        default=[],
        metavar="MACHINE",
        help="predict the run on MACHINE, a file or a name; repeat to compare machines",
    )
    add_question(parser)
    parser.add_argument(
        "--threads",
        metavar="N",
        help="threads of a replay, which do not change the answer (default: as many as help;"
        " one where ranks share a NIC or links)",
    )
    parser.add_argument(
        "--sweep",
        action="append",
        default=[],
        metavar="AXIS=FROM:TO[:POINTS]",
        help="predict the run for each value of AXIS, e.g. latency=1us:100us in steps of equal "
        "ratio, cpu=1,2,4 or placement=best,random; repeat for every combination of two; "
        f"AXIS is one of {', '.join(AXES)}",
    )
    add_base_options(parser)
    add_output(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument(
        "--per-rank", action="store_true", help="with --json: add the times of each rank"
    )
    _add_study(parser)
    parser.set_defaults(action=run)


def _add_study(parser: argparse.ArgumentParser) -> None:
    """A sweep in parts, for more than one machine can do."""
    group = parser.add_argument_group("a sweep as a study")
    group.add_argument(
        "--study",
        type=Path,
        metavar="FILE",
        help="write a study file whose runs answer parts of the sweep, and predict nothing now",
    )
    group.add_argument(
        "--scheduler", choices=SCHEDULERS, help="batch system of that study (default: local)"
    )
    group.add_argument(
        "--parts",
        metavar="N",
        help=f"number of parts of the sweep (default: its points, but at most {MOST_PARTS})",
    )
    group.add_argument("--part", metavar="K/N", help="answer only this part of the sweep")


@dataclass(frozen=True)
class Asked:
    """What a command line asks."""

    questions: tuple[Question, ...]
    """Each answered for itself."""

    labelled: tuple[tuple[str, Question], ...]
    """What the sweep is made of, with the machines' names."""

    ranges: tuple[Range, ...]
    """Empty: no sweep."""

    part: Part | None
    counts: tuple[int, ...]
    """Of ranks, to which several runs are extrapolated; empty: the run as it was recorded."""

    ranks_per_node: int | None
    """Of the extrapolated base."""


def run(arguments: argparse.Namespace) -> int:
    if arguments.output is not None:
        check_output(arguments.output)
    if missing := [run for run in arguments.runs if not run.exists()]:
        raise InvalidCommand(
            f"{missing[0]}: there is no such run or study; a run is a directory that `waywiser "
            "profile --trace -o RUN` has made"
        )
    if len(arguments.runs) == 1 and is_study(arguments.runs[0]):
        return _say(arguments, _collected(arguments))
    if arguments.per_rank and not arguments.json:
        raise InvalidCommand("--per-rank requires --json")
    asked = _asked(arguments)
    if arguments.study is not None:
        return _write_study(arguments, asked)
    found, base = _answered(arguments, asked)
    if asked.ranges and found.gate.predicts:
        sweep = swept(base, asked.labelled, asked.ranges, asked.part)
        found = found.model_copy(update={"sweep": sweep})
    return _say(arguments, found)


def _answered(arguments: argparse.Namespace, asked: Asked) -> tuple[WhatIf, Base]:
    """The answer without a sweep of its ranges, and what is compared with."""
    threads = 0 if arguments.threads is None else whole_of("--threads", arguments.threads)
    if asked.counts:
        program = read_extrapolated(arguments.runs, arguments.machine, threads)
        return extrapolated_answers(program, asked.counts, asked.questions, asked.ranks_per_node)
    base = read_base(arguments.runs[0], arguments.machine, threads)
    base = replace(base, per_rank=arguments.per_rank)
    return answers(base, asked.questions), base


def _say(arguments: argparse.Namespace, found: WhatIf) -> int:
    if arguments.output is not None:
        write_whatif(found, arguments.output)
    text = document_text(found) if arguments.json else whatif_text(found)
    print(text, end="", file=beside(arguments.output))
    return 0


def _asked(arguments: argparse.Namespace) -> Asked:
    """
    Raises:
        InvalidCommand: options contradict each other, or ask nothing.
    """
    question, ranks_per_node = question_of(arguments), None
    counts = () if arguments.ranks is None else counts_of(arguments.ranks)
    if counts:  # no change, but where the ranks are in the base, too
        question, ranks_per_node = replace(question, ranks_per_node=None), question.ranks_per_node
    questions = [Question(**{**vars(question), "machine": name}) for name in arguments.on]
    ranges = ranges_of(arguments.sweep)
    placements = [one.values for one in ranges if one.axis == "placement"]
    _check_runs(arguments, {question.placement, *itertools.chain(*placements)}, counts)
    if not questions and (question.changes or not (ranges or counts)):
        questions = [question]
    for option in ("study", "part"):
        if getattr(arguments, option) is not None and not ranges:
            raise InvalidCommand(f"--{option} is of a sweep; add --sweep AXIS=FROM:TO")
    if not ranges and not counts and not any(one.changes for one in questions):
        raise InvalidCommand("nothing is asked; e.g. --on MACHINE, --latency x0.5 or --balanced")
    for axis in (one.axis for one in ranges):
        if getattr(arguments, axis.replace("-", "_")) not in (None, False, []):
            raise InvalidCommand(f"--{axis} and --sweep {axis} exclude each other")
    if question.ideal_network or any(one.axis == "ideal-network" for one in ranges):
        others = [name for name in OF_MESSAGES if getattr(arguments, name)]
        others += [f"sweep {one.axis}" for one in ranges if one.axis in OF_MESSAGES]
        if others:
            raise InvalidCommand(f"--ideal-network and --{others[0]} exclude each other")
    for option in ("scheduler", "parts"):
        if getattr(arguments, option) is not None and arguments.study is None:
            raise InvalidCommand(f"--{option} is of a study; add --study FILE")
    labelled = [(one.machine, one) for one in questions] or [("", question)]
    part = None if arguments.part is None else part_of(arguments.part)
    return Asked(tuple(questions), tuple(labelled), ranges, part, counts, ranks_per_node)


def _write_study(arguments: argparse.Namespace, asked: Asked) -> int:
    """Writes the sweep as a study; what would fail in each part is said here."""
    for option in ("output", "json", "part"):
        if getattr(arguments, option):
            raise InvalidCommand(f"--{option} and --study exclude each other")
    points = size_of_sweep(len(asked.labelled), asked.ranges)
    parts = whole_of("--parts", arguments.parts) if arguments.parts else min(points, MOST_PARTS)
    if parts > points:
        raise InvalidCommand(f"--parts {parts}: the sweep has {counted(points, 'point')}")
    recorded = read_recorded(arguments.runs[0], arguments.machine)
    for _, question in asked.labelled:
        for values in itertools.product(*(axis.differing for axis in asked.ranges)):
            each = question
            for axis, value in zip(asked.ranges, values, strict=True):
                each = axis.asked(each, value)
            as_setting(recorded, each)
    file, scheduler = arguments.study, arguments.scheduler or LOCAL
    words = [str(arguments.runs[0]), *_words_of(arguments)]
    write_sweep(file, words, parts, scheduler)
    doing = "run" if scheduler == LOCAL else "submit"
    print(
        f"wrote {file}: {counted(points, 'point')} in {counted(parts, 'part')}; `waywiser study "
        f"{doing} {file}` makes them, `waywiser whatif {file}` then has the answer"
    )
    return 0


def _collected(arguments: argparse.Namespace) -> WhatIf:
    """The answer of a study that `_write_study` has written."""
    words = _words_of(arguments)
    if words or arguments.study or arguments.part:
        raise InvalidCommand(
            f"{arguments.runs[0]} is a what-if study; only -o and --json are allowed"
        )
    return answer_of(open_campaign(arguments.runs[0]))


OF_MESSAGES = ("on", "topology", "latency", "bandwidth")
"""Options by which messages take another time, where they take none."""

NOT_ASKING = {
    *("verb", "action", "runs", "output", "json"),
    *("study", "scheduler", "parts", "part"),
}


def _words_of(arguments: argparse.Namespace) -> list[str]:
    """The options that say what is asked, as they can be given again."""
    words = []
    for name, given in vars(arguments).items():
        if name in NOT_ASKING or given is None or given is False:
            continue
        option = f"--{OPTIONS.get(name, name).replace('_', '-')}"
        values = given if isinstance(given, list) else [given]
        words += [option if value is True else f"{option}={value}" for value in values]
    return words


def counts_of(text: str) -> tuple[int, ...]:
    """ "64,1024" as they are, "64:1024" in powers of two; rising.

    Raises:
        InvalidCommand: it is neither.
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


def _check_runs(
    arguments: argparse.Namespace, placements: Iterable[object], counts: tuple[int, ...]
) -> None:
    """
    Args:
        placements: that are asked.

    Raises:
        InvalidCommand: it is not so many runs that are asked about, or not in this way.
    """
    runs = len(arguments.runs)
    if not counts:
        if runs > 1:
            raise InvalidCommand(f"{runs} runs: --ranks N says what they are extrapolated to")
        return
    if runs < 3:
        raise InvalidCommand(
            f"--ranks: expected three or more traced runs, of P, 2 P, 4 P, … ranks, found {runs}"
        )
    for option in ("study", "part", "per_rank"):
        if getattr(arguments, option):
            raise InvalidCommand(f"--{option.replace('_', '-')} and --ranks exclude each other")
    if len(counts) > 1 and arguments.sweep:
        raise InvalidCommand("--sweep and several numbers of --ranks exclude each other")
    for placement in placements:
        if placement not in ("", *NAMED[1:]):
            raise InvalidCommand(
                f"--placement {placement}: with --ranks expected one of {', '.join(NAMED[1:])}"
            )
