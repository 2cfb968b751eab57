"""`waywiser place`: computes a placement of ranks and writes it in a launcher's form."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import get_args

from waywiser.analyse.placement import METHODS_ON_REQUEST, Order
from waywiser.api.place import place, verify_placement
from waywiser.cli.arguments import declare
from waywiser.errors import InvalidCommand
from waywiser.launch.placing.forms import FORMS
from waywiser.model.placement import Objective
from waywiser.report.answers.placement import check_text, placement_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    widest = max(map(len, FORMS))
    forms = "\n".join(f"  {form.name:{widest}}  {form.about}" for form in FORMS.values())
    parser.description = (
        "Find the order of ranks on the hosts of a job that makes communication "
        "cheapest, predict its gain, and write it for a launcher."
    )
    parser.epilog = f"forms:\n{forms}"
    declare(
        parser,
        """
        pattern RUN|MATRIX.mtx  directory of a run, or a Matrix Market file of bytes, beside which
            MATRIX.mtx.messages.mtx may have the messages
        --on MACHINE  machine to place on, a file or a name
        --hosts FILE  hosts of the job (default: those of the run)
        --slots N  let each host take N ranks
        --for FORM  write the placement in this form, see below
        -o, --output FILE  write the placement to FILE, and its record to FILE.json
        --objective  cost to minimise (default: %(default)s)
        --order  write this order instead of the cheapest
        """,
        {Path: "pattern hosts output", int: "slots"},
        {
            "slots": 0,
            "for": {"dest": "form", "choices": FORMS},
            "objective": {"choices": get_args(Objective), "default": "hop-bytes"},
            "order": {"choices": get_args(Order)},
        },
    )
    parser.add_argument(
        "--also",
        action="append",
        default=[],
        choices=METHODS_ON_REQUEST,
        help="also try this method beside Waywiser's own: "
        + "; ".join(f"{name}: {about}" for name, about in METHODS_ON_REQUEST.items()),
    )
    declare(
        parser,
        """
        --seed  random seed (default: %(default)s)
        --draw FILE.svg  draw the matrix before and after
        --verify  check that RUN's ranks ran on the hosts that its placement names, and that the
            ranks of each host share memory
        --placement FILE  placement to verify (default: that of RUN's command)
        --json  print one JSON document
        """,
        {int: "seed", Path: "draw placement"},
        {"seed": 1},
    )


def run(arguments: argparse.Namespace) -> int:
    return _verify(arguments) if arguments.verify else _place(arguments)


def _verify(arguments: argparse.Namespace) -> int:
    check = verify_placement(arguments.pattern, arguments.placement)
    print(check.model_dump_json(indent=1) if arguments.json else check_text(check), end="")
    return 1 if check.misplaced or check.split_hosts else 0


def _place(arguments: argparse.Namespace) -> int:
    if arguments.on is None:
        raise InvalidCommand("--on MACHINE is required; `waywiser machine list` shows the machines")
    if arguments.placement is not None:
        raise InvalidCommand("--placement requires --verify")
    placement = place(
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
    text = (
        placement.model_dump_json(indent=1) + "\n" if arguments.json else placement_text(placement)
    )
    print(text, end="")
    return 0
