"""`waywiser place`: which rank goes where, in the form that a launcher takes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args

from waywiser.analyse.placement import METHODS_ON_REQUEST, Order
from waywiser.api.place import place, verify_placement
from waywiser.errors import InvalidCommand
from waywiser.launch.placing.forms import FORMS
from waywiser.model.placement import Objective
from waywiser.report.placement import check_text, placement_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    forms = "; ".join(f"{form.name}: {form.about}" for form in FORMS.values())
    parser.description = (
        "Finds the order of ranks on the hosts of a job that makes communication "
        "cheapest, says what that gains, and writes it for a launcher."
    )
    parser.epilog = f"Forms: {forms}"
    parser.add_argument(
        "pattern",
        metavar="RUN|MATRIX.mtx",
        type=Path,
        help="directory of a run, or a Matrix Market file of bytes, beside which "
        "MATRIX.mtx.messages.mtx may have the messages",
    )
    parser.add_argument("--on", metavar="MACHINE", help="machine to place on, a file or a name")
    parser.add_argument(
        "--hosts", type=Path, metavar="FILE", help="hosts of the job (default: those of the run)"
    )
    parser.add_argument(
        "--slots", type=int, default=0, metavar="N", help="let each host take N ranks"
    )
    parser.add_argument(
        "--for",
        dest="form",
        choices=FORMS,
        metavar="FORM",
        help="write the placement in this form, see below",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write the placement to FILE, and its record to FILE.json",
    )
    parser.add_argument(
        "--objective",
        choices=get_args(Objective),
        default="hop-bytes",
        help="cost to minimise (default: %(default)s)",
    )
    parser.add_argument(
        "--order",
        choices=get_args(Order),
        help="write this order instead of the cheapest",
    )
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        choices=METHODS_ON_REQUEST,
        help="also try this method beside Waywiser's own: "
        + "; ".join(f"{name}: {about}" for name, about in METHODS_ON_REQUEST.items()),
    )
    parser.add_argument("--seed", type=int, default=1, help="random seed (default: %(default)s)")
    parser.add_argument(
        "--draw", type=Path, metavar="FILE.svg", help="draw the matrix before and after"
    )
    parser.add_argument(
        "--verify",
        action="store_true",
        help="check that RUN's ranks ran on the hosts that its placement names, and that the"
        " ranks of each host share memory",
    )
    parser.add_argument(
        "--placement",
        type=Path,
        metavar="FILE",
        help="placement to verify (default: that of RUN's command)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.set_defaults(action=run)


def run(arguments: argparse.Namespace) -> int:
    return _verify(arguments) if arguments.verify else _place(arguments)


def _verify(arguments: argparse.Namespace) -> int:
    check = verify_placement(arguments.pattern, arguments.placement)
    print(check.model_dump_json(indent=1) if arguments.json else check_text(check), end="")
    return 1 if check.misplaced or check.split_hosts else 0


def _place(arguments: argparse.Namespace) -> int:
    if arguments.on is None:
        raise InvalidCommand("--on MACHINE is missing: `waywiser machine list` has the names")
    if arguments.placement is not None:
        raise InvalidCommand("--placement FILE is what --verify compares with; add --verify")
    found = place(
        arguments.pattern,
        on=arguments.on,
        hosts=arguments.hosts,
        slots=arguments.slots,
        for_=arguments.form,
        output=arguments.output,
        objective=arguments.objective,
        order=arguments.order,
        also=arguments.also,
        seed=arguments.seed,
        draw=arguments.draw,
    )
    text = found.model_dump_json(indent=1) + "\n" if arguments.json else placement_text(found)
    print(text, end="")
    return 0
