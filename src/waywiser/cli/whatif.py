"""`waywiser whatif RUN`: the run replayed on another network, machine or number of ranks."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

from waywiser.analyse.whatif.options import Options, request_of
from waywiser.analyse.whatif.predict import check_points, predict
from waywiser.analyse.whatif.quantity import whole_of
from waywiser.analyse.whatif.sweep import AXES, size_of_sweep
from waywiser.cli.answer_options import add_answer_options
from waywiser.cli.arguments import REPEATED, declare
from waywiser.cli.question_options import add_question
from waywiser.cli.refusals import of_predictions
from waywiser.errors import InvalidCommand
from waywiser.launch.schedulers import SCHEDULERS
from waywiser.model.study import LOCAL
from waywiser.model.whatif import WhatIf
from waywiser.report.answers.files import check_output, document_text, write_whatif
from waywiser.report.answers.whatif import whatif_text
from waywiser.store.durable import beside
from waywiser.study.campaign import is_study, open_campaign
from waywiser.study.sweeps import MOST_PARTS, answer_of, write_sweep
from waywiser.units import counted

OPTIONS = {"machine": "from"}
"""Field of `Options` -> the option's name, where they differ."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Predict the run time under changed conditions: the ratio of two replays of the "
        "trace, changed and unchanged, scales the recorded time."
    )
    parser.epilog = (
        "Latency and bandwidth take a value (1.5us, 12.5GB/s, 100Gbit/s) or a factor of "
        "the present one (x0.5). They apply to messages between nodes, or to all messages where "
        "the run has one node."
    )
    declare(
        parser,
        """
        runs RUN  a traced run, several recordings of one program, with --ranks runs of P, 2 P, 4 P,
            … or P, 4 P, 16 P, … ranks, or a study of --study, to collect its answer
        --ranks N[,N…]|FROM:TO  predict the program on N ranks, extrapolated from the runs
        --on MACHINE  predict the run on MACHINE, a file or a name; repeat to compare machines
        """,
        {Path: "runs"},
        {"runs": {"nargs": "+"}, "on": REPEATED},
    )
    add_question(parser)
    declare(
        parser,
        f"""
        --threads N  threads of a replay, which do not change the answer (default: as many as help;
            one where ranks share a NIC or links)
        --sweep AXIS=FROM:TO[:POINTS]  predict the run for each value of AXIS, e.g.
            latency=1us:100us in steps of equal ratio, cpu=1,2,4 or placement=best,random; repeat
            for every combination of two; AXIS is one of {", ".join(AXES)}
        """,
        settings={"sweep": REPEATED},
    )
    add_answer_options(parser)
    declare(parser, "--per-rank  with --json: add the times of each rank")
    _add_study(parser)


def _add_study(parser: argparse.ArgumentParser) -> None:
    """Adds the options that write a sweep as a study of parts."""
    group = parser.add_argument_group("a sweep as a study")
    declare(
        group,
        f"""
        --study FILE  write a study file whose runs answer parts of the sweep, and predict nothing
            now
        --scheduler  batch system of that study (default: local)
        --parts N  number of parts of the sweep (default: its points, but at most {MOST_PARTS})
        --part K/N  answer only this part of the sweep
        """,
        {Path: "study"},
        {"scheduler": {"choices": SCHEDULERS}},
    )


def run(arguments: argparse.Namespace) -> int:
    if arguments.output is not None:
        check_output(arguments.output)
    if len(arguments.runs) == 1 and is_study(arguments.runs[0]):
        return _say(arguments, _collected(arguments))
    if arguments.per_rank and not arguments.json:
        raise InvalidCommand("--per-rank requires --json")
    options = Options(**{field.name: getattr(arguments, field.name) for field in fields(Options)})
    _check_study(arguments)
    if arguments.study is not None:
        return _write_study(arguments, options)
    return _say(arguments, predict(arguments.runs, options))


def _say(arguments: argparse.Namespace, answer: WhatIf) -> int:
    if arguments.output is not None:
        write_whatif(answer, arguments.output)
    text = document_text(answer) if arguments.json else whatif_text(answer)
    print(text, end="", file=beside(arguments.output))
    # A part is a run of a study, which has the refusal as its result; the joined answer refuses.
    return 0 if arguments.part else of_predictions(answer.gate)


def _check_study(arguments: argparse.Namespace) -> None:
    """
    Raises:
        InvalidCommand: options of a study are given without --study, or --study cannot be used.
    """
    if arguments.study is None:
        for option in ("scheduler", "parts"):
            if getattr(arguments, option) is not None:
                raise InvalidCommand(f"--{option} requires --study FILE")
        return
    if arguments.ranks is not None:
        raise InvalidCommand("--study and --ranks are mutually exclusive")
    if not arguments.sweep:
        raise InvalidCommand("--study requires --sweep AXIS=FROM:TO")
    for option in ("output", "json", "part"):
        if getattr(arguments, option):
            raise InvalidCommand(f"--{option} and --study are mutually exclusive")


def _write_study(arguments: argparse.Namespace, options: Options) -> int:
    """Writes the sweep as a study; raises errors that every part would raise."""
    request = request_of(arguments.runs, options)
    points = size_of_sweep(len(request.labelled), request.ranges)
    parts = whole_of("--parts", arguments.parts) if arguments.parts else min(points, MOST_PARTS)
    if parts > points:
        raise InvalidCommand(f"--parts {parts}: the sweep has {counted(points, 'point')}")
    for run in arguments.runs:
        check_points(run, arguments.machine, request)
    file, scheduler = arguments.study, arguments.scheduler or LOCAL
    words = [*map(str, arguments.runs), *_words_of(arguments)]
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


NOT_ASKING = {
    *("verb", "action", "runs", "output", "json"),
    *("study", "scheduler", "parts", "part"),
}


def _words_of(arguments: argparse.Namespace) -> list[str]:
    """The options of the question as words of a command line."""
    words = []
    for name, argument in vars(arguments).items():
        if name in NOT_ASKING or argument is None or argument is False:
            continue
        option = f"--{OPTIONS.get(name, name).replace('_', '-')}"
        values = argument if isinstance(argument, list) else [argument]
        words += [option if value is True else f"{option}={value}" for value in values]
    return words
