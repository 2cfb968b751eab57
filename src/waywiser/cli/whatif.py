"""`waywiser whatif RUN`: the run replayed on another network, machine or number of ranks."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from waywiser.analyse.whatif.answer import answers
from waywiser.analyse.whatif.collectives import collective_choices
from waywiser.analyse.whatif.extrapolated import extrapolated_answers, read_extrapolated
from waywiser.analyse.whatif.nodes import NAMED
from waywiser.analyse.whatif.quantity import bandwidth_of, factor_of, latency_of, size_of, whole_of
from waywiser.analyse.whatif.question import Question
from waywiser.analyse.whatif.recorded import read_base
from waywiser.analyse.whatif.sweep import AXES, range_of, swept
from waywiser.errors import InvalidCommand
from waywiser.report.answer_files import ENDINGS, check_ending, write_whatif
from waywiser.report.whatif import whatif_text


def add_parser(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    parser = verbs.add_parser(
        "whatif",
        help="the run on another network, machine, placement, …",
        description="Replays the trace of a run with what is asked for, and as it was recorded; "
        "the ratio of both, applied to the recorded time, is the prediction.",
        epilog="Latency and bandwidth take a value (1.5us, 12.5GB/s, 100Gbit/s) or a factor of "
        "what there is (x0.5). They are of messages between nodes; of all messages where the run "
        "has one node.",
    )
    parser.add_argument(
        "runs",
        type=Path,
        nargs="+",
        metavar="RUN",
        help="directory of a traced run; with --ranks three or more, of P, 2 P, 4 P, … ranks",
    )
    parser.add_argument(
        "--ranks",
        metavar="N[,N…]|FROM:TO",
        help="the program on so many ranks, extrapolated from the runs",
    )
    parser.add_argument(
        "--on",
        action="append",
        default=[],
        metavar="MACHINE",
        help="a machine file or name; several are set side by side",
    )
    parser.add_argument(
        "--topology",
        metavar="MACHINE",
        help="messages share the links of this machine's interconnect",
    )
    parser.add_argument("--latency", metavar="TIME|xFACTOR")
    parser.add_argument("--bandwidth", metavar="RATE|xFACTOR")
    parser.add_argument("--ideal-network", action="store_true", help="messages take no time")
    parser.add_argument("--eager-limit", metavar="SIZE|unlimited")
    parser.add_argument(
        "--placement", metavar="FILE|best|random|round-robin", help="FILE is of `waywiser place`"
    )
    parser.add_argument("--ranks-per-node", metavar="N")
    parser.add_argument(
        "--collective",
        action="append",
        default=[],
        metavar="NAME=ALGORITHM",
        help="e.g. allreduce=ring; may be repeated",
    )
    parser.add_argument("--cpu", metavar="FACTOR", help="computing so many times as fast")
    parser.add_argument(
        "--noise", metavar="PERCENT", help="mean delay of each stretch of computing"
    )
    parser.add_argument("--balanced", action="store_true", help="computing shared evenly")
    parser.add_argument("--progress", choices=("in-calls", "asynchronous"))
    parser.add_argument("--seed", type=int, default=1, help="of chance; default: %(default)s")
    parser.add_argument(
        "--sweep",
        metavar="AXIS=FROM:TO[:POINTS]",
        help=f"e.g. latency=1us:100us, in steps of equal ratio; AXIS is one of {', '.join(AXES)}",
    )
    add_base_options(parser)
    add_output(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(action=run)


def add_base_options(parser: argparse.ArgumentParser) -> None:
    """What the base is replayed on, of `whatif` and `advise`."""
    parser.add_argument(
        "--from",
        dest="machine",
        default="",
        metavar="MACHINE",
        help="where it was recorded; default: estimated from the trace",
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """Where answers are written beside standard output, of `whatif` and `advise`."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help=f"a page, a figure or its data, as the name ends: {', '.join(ENDINGS)}",
    )


def run(arguments: argparse.Namespace) -> int:
    question, ranks_per_node = question_of(arguments), None
    if arguments.ranks is not None:  # no change, but where the ranks are in the base, too
        question, ranks_per_node = replace(question, ranks_per_node=None), question.ranks_per_node
    questions = [Question(**{**vars(question), "machine": name}) for name in arguments.on]
    counts = None if arguments.ranks is None else counts_of(arguments.ranks)
    _check_runs(arguments, question)
    if not questions and (question.changes or (arguments.sweep is None and counts is None)):
        questions = [question]
    if not arguments.sweep and not counts and not any(one.changes for one in questions):
        raise InvalidCommand("nothing is asked; e.g. --on MACHINE, --latency x0.5 or --balanced")
    values = None if arguments.sweep is None else range_of(arguments.sweep)
    if values and getattr(arguments, AXES[values.axis].field.replace("_bytes", "")) is not None:
        raise InvalidCommand(f"--{values.axis} and --sweep {values.axis} exclude each other")
    if arguments.output is not None:
        check_ending(arguments.output)
    if question.ideal_network and question.topology:
        raise InvalidCommand("--ideal-network and --topology exclude each other")
    if counts is None:
        base = read_base(arguments.runs[0], arguments.machine)
        found = answers(base, questions)
    else:
        program = read_extrapolated(arguments.runs, arguments.machine)
        found, base = extrapolated_answers(program, counts, questions, ranks_per_node)
    if values is not None:
        labelled = [(one.machine, one) for one in questions] or [("", question)]
        found = found.model_copy(update={"sweep": swept(base, labelled, values)})
    if arguments.output is not None:
        write_whatif(found, arguments.output)
    print(found.model_dump_json(indent=1) + "\n" if arguments.json else whatif_text(found), end="")
    return 0


def counts_of(text: str) -> list[int]:
    """ "64,1024" as they are, "64:1024" in powers of two; rising.

    Raises:
        InvalidCommand: it is neither.
    """
    if ":" not in text:
        return sorted({whole_of("--ranks", word) for word in text.split(",")})
    first, *rest = text.split(":")
    low, high = whole_of("--ranks", first), whole_of("--ranks", ":".join(rest))
    counts = [low]
    while counts[-1] * 2 <= high:
        counts.append(counts[-1] * 2)
    if counts[-1] != high:
        raise InvalidCommand(
            f"--ranks {text}: expected FROM:TO, TO being FROM times a power of two"
        )
    return counts


def _check_runs(arguments: argparse.Namespace, question: Question) -> None:
    """
    Raises:
        InvalidCommand: it is not so many runs that are asked about, or not in this way.
    """
    runs, several = (
        len(arguments.runs),
        arguments.ranks is not None and not arguments.ranks.isdigit(),
    )
    if arguments.ranks is None and runs > 1:
        raise InvalidCommand(f"{runs} runs: --ranks N says what they are extrapolated to")
    if arguments.ranks is not None and runs < 3:
        raise InvalidCommand(
            f"--ranks: expected three or more traced runs, of P, 2 P, 4 P, … ranks, found {runs}"
        )
    if several and arguments.sweep is not None:
        raise InvalidCommand("--sweep and several numbers of --ranks exclude each other")
    if arguments.ranks is not None and question.placement not in ("", *NAMED[1:]):
        raise InvalidCommand(
            f"--placement {question.placement}: with --ranks expected one of {', '.join(NAMED[1:])}"
        )


def question_of(arguments: argparse.Namespace) -> Question:
    """What the options ask, but for the machine.

    Raises:
        InvalidCommand: a value is none that its option takes.
    """
    given = vars(arguments)
    return Question(
        topology=given["topology"] or "",
        latency=given["latency"] and latency_of("--latency", given["latency"]),
        bandwidth=given["bandwidth"] and bandwidth_of("--bandwidth", given["bandwidth"]),
        eager_limit_bytes=given["eager_limit"] and size_of("--eager-limit", given["eager_limit"]),
        placement=given["placement"] or "",
        ranks_per_node=given["ranks_per_node"]
        and whole_of("--ranks-per-node", given["ranks_per_node"]),
        collectives=collective_choices(given["collective"]),
        cpu=factor_of("--cpu", given["cpu"]) if given["cpu"] else 1.0,
        noise=_noise_of(given["noise"]) if given["noise"] else 0.0,
        ideal_network=given["ideal_network"],
        balanced=given["balanced"],
        progress=given["progress"],
        seed=given["seed"],
    )


def _noise_of(text: str) -> float:
    """ "5" or "5%" as a share."""
    try:
        return factor_of("--noise", text.removesuffix("%")) / 100
    except InvalidCommand:
        raise InvalidCommand(f"--noise {text}: expected per cent of computing, such as 5") from None
