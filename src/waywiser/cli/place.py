"""`waywiser place`: which rank goes where, in the form that a launcher takes."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path

import numpy as np

from waywiser import __version__
from waywiser.analyse.gate import read_gated
from waywiser.analyse.placement import (
    METHODS_ON_REQUEST,
    Job,
    best_order,
    cost_of,
    job_of,
    named_order,
    order_as_run,
    remarks_of,
    value,
)
from waywiser.analyse.placement_check import check_placement, placement_of_run
from waywiser.analyse.placement_gain import predicted_gain
from waywiser.analyse.traffic import Traffic, traffic_of_matrix, traffic_of_run
from waywiser.errors import InvalidCommand
from waywiser.launch.placing.form import Files, Form
from waywiser.launch.placing.forms import FORMS, hosts_text
from waywiser.launch.placing.placed import Placed
from waywiser.machines.allocation import Allocation, allocation_of, read_allocation
from waywiser.machines.library import read_machine, topology_of
from waywiser.model.gate import OPEN
from waywiser.model.machine import Machine
from waywiser.model.pairs import Pairs
from waywiser.model.placement import Placement
from waywiser.model.run import Run
from waywiser.model.summary import Summary
from waywiser.report.placement import check_text, placement_text
from waywiser.report.placement_picture import placement_svg
from waywiser.store.durable import STDOUT, write_output
from waywiser.store.matrix_market import read_matrix_market
from waywiser.store.read import read_run
from waywiser.units import counted

MATRIX = re.compile(r".*\.mtx(\.gz)?")
MESSAGES = ".messages.mtx"
"""Behind the name of a matrix of bytes."""

UNNAMED_PROGRAM = "PROGRAM"


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
        choices=("hop-bytes", "busiest-link", "time"),
        default="hop-bytes",
        help="cost to minimise (default: %(default)s)",
    )
    parser.add_argument(
        "--order",
        choices=("default", "round-robin", "random"),
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
    described, summary = read_run(arguments.pattern)
    path, placement = placement_of_run(arguments.pattern, described, arguments.placement)
    check = check_placement(str(arguments.pattern), summary, str(path), placement)
    print(check.model_dump_json(indent=1) if arguments.json else check_text(check), end="")
    return 1 if check.misplaced or check.split_hosts else 0


def _place(arguments: argparse.Namespace) -> int:
    _refuse(arguments)
    if (arguments.form is None) != (arguments.output is None):
        raise InvalidCommand("--for FORM and -o FILE belong together; one of them is missing")
    form = FORMS[arguments.form] if arguments.form else None
    described, summary, traffic = _read(arguments)
    machine = read_machine(arguments.on)
    allocation = _allocation(arguments, machine, summary)
    job = job_of(
        traffic,
        machine,
        topology_of(machine),
        allocation,
        source=str(arguments.hosts or arguments.pattern),
        all_slots=form is None or not form.permutes,
    )
    found, before = _found(arguments, machine, allocation, job, summary)
    if form is not None:
        found = _write(found, form, arguments.output, described)
    if arguments.draw is not None:
        write_output(arguments.draw, placement_svg(found, _bytes_of(traffic), before))
    print(
        found.model_dump_json(indent=1) + "\n" if arguments.json else placement_text(found), end=""
    )
    return 0


def _refuse(arguments: argparse.Namespace) -> None:
    """What cannot be meant, before anything is read."""
    if arguments.on is None:
        raise InvalidCommand("--on MACHINE is missing: `waywiser machine list` has the names")
    if arguments.placement is not None:
        raise InvalidCommand("--placement FILE is what --verify compares with; add --verify")
    if arguments.slots < 0 or arguments.seed < 0:
        option = "slots" if arguments.slots < 0 else "seed"
        raise InvalidCommand(
            f"--{option} {getattr(arguments, option)}: expected a whole number of 0 or more"
        )
    if arguments.output == STDOUT:
        raise InvalidCommand("-o -: a placement is written with FILE.json beside it; name a file")
    for option in ("output", "draw"):
        path: Path | None = getattr(arguments, option)
        if path is not None and (path.is_dir() or not path.parent.is_dir()):
            raise InvalidCommand(f"--{option} {path}: expected a file in a folder that exists")
    if arguments.draw is not None and arguments.draw.suffix != ".svg":
        raise InvalidCommand(f"--draw {arguments.draw}: expected FILE.svg")


def _read(arguments: argparse.Namespace) -> tuple[Run | None, Summary | None, Traffic]:
    path: Path = arguments.pattern
    if MATRIX.fullmatch(path.name):
        return None, None, _traffic_of_files(path, arguments.objective)
    described, summary = read_gated(path)
    return described, summary, traffic_of_run(summary, str(path))


def _traffic_of_files(path: Path, objective: str) -> Traffic:
    """Bytes of a matrix, and messages of the one beside it that the workloads write."""
    beside = path.with_name(f"{path.name}{MESSAGES}")
    if not beside.is_file():
        if objective == "time":
            raise InvalidCommand(
                f"--objective time: {path} has bytes without messages, and there is no {beside}; "
                "give a run, or take hop-bytes or busiest-link"
            )
        return traffic_of_matrix(read_matrix_market(path))
    matrix, messages = read_matrix_market(path), read_matrix_market(beside)
    if messages.ranks != matrix.ranks:
        raise InvalidCommand(
            f"{beside}: {counted(messages.ranks, 'rank')}, but {path} has {matrix.ranks}; "
            "write both anew, or remove the messages"
        )
    return traffic_of_matrix(matrix, messages)


def _allocation(
    arguments: argparse.Namespace, machine: Machine, summary: Summary | None
) -> Allocation:
    if arguments.hosts is not None:
        return read_allocation(machine, arguments.hosts, arguments.slots)
    if summary is None or not summary.per_rank:
        raise InvalidCommand("--hosts FILE is missing: a matrix does not say what hosts there are")
    text = "\n".join(rank.host for rank in summary.per_rank)
    return allocation_of(machine, text, str(arguments.pattern), arguments.slots)


def _found(
    arguments: argparse.Namespace,
    machine: Machine,
    allocation: Allocation,
    job: Job,
    summary: Summary | None,
) -> tuple[Placement, tuple[int, ...]]:
    """The placement, and the order that it is compared with."""
    hosts = [rank.host for rank in summary.per_rank or ()] if summary else []
    as_run = order_as_run(job, allocation, hosts)
    before = as_run or named_order(job, "default", 0)
    before_cost = cost_of(job, before)
    if arguments.order:
        order, method = named_order(job, arguments.order, arguments.seed), arguments.order
    else:
        order, method = best_order(job, arguments.objective, arguments.seed, arguments.also)
    cost = cost_of(job, order)
    if not arguments.order and value(cost, arguments.objective) >= value(
        before_cost, arguments.objective
    ):
        order, cost, method = before, before_cost, "as run" if as_run else "default"
    found = Placement(
        waywiser=__version__,
        pattern=str(arguments.pattern),
        machine=machine.title,
        form=None,
        file=None,
        command=None,
        objective=arguments.objective,
        method=method,
        seed=arguments.seed,
        ranks=job.traffic.ranks,
        hosts=allocation.hosts,
        slots=allocation.slots,
        order=order,
        host_of_rank=tuple(allocation.hosts[host] for host in job.host[list(order)].tolist()),
        before_is="as run" if as_run else "default order",
        before=before_cost,
        after=cost,
        gain=predicted_gain(summary, before_cost, cost, machine) if summary else None,
        gate=summary.gate if summary else OPEN,
        remarks=(*job.traffic.remarks, *remarks_of(job, machine)),
    )
    return found, before


def _write(found: Placement, form: Form, output: Path, described: Run | None) -> Placement:
    """Writes FILE, FILE.hosts where the launcher wants it, and FILE.json."""
    slots = tuple(host for host, count in enumerate(found.slots) for _ in range(count))
    placed = Placed(found.hosts, slots, found.order)
    text = form.text(placed, described.mpi.abi if described else "unknown")
    hosts = output.with_name(f"{output.name}.hosts")
    command = form.launch(placed, Files(shlex.quote(str(output)), shlex.quote(str(hosts))))
    warning = form.warn(placed)
    found = found.model_copy(
        update={
            "form": form.name,
            "file": str(output),
            "command": f"{command} {_program_of(described)}",
            "remarks": (*found.remarks, *([warning] if warning else [])),
        }
    )
    write_output(output, text)
    if str(hosts) in command:
        write_output(hosts, hosts_text(placed))
    sidecar = output.with_name(f"{output.name}.json")
    write_output(sidecar, found.model_dump_json(indent=1) + "\n")
    return found


def _program_of(described: Run | None) -> str:
    """The program's words, as the user wrote them where these can be told from the launcher's."""
    if described is None:
        return UNNAMED_PROGRAM
    path, arguments = described.program.path, described.program.arguments
    written = described.command[len(described.command) - len(arguments) - 1 :]
    if str(Path(described.directory, written[0]).resolve()) == str(Path(path).resolve()):
        return shlex.join(written)
    return shlex.join([path, *arguments])


def _bytes_of(traffic: Traffic) -> Pairs:
    columns = (traffic.sources, traffic.targets, traffic.bytes)
    return Pairs(np.stack(columns, axis=1).astype(np.uint64))
