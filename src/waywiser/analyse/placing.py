"""Place the ranks of a run or a matrix on a machine, in the form of a launcher."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np

from waywiser import __version__
from waywiser.analyse.gate import read_gated
from waywiser.analyse.placement import (
    METHODS_ON_REQUEST,
    Job,
    Order,
    best_order,
    cost_of,
    job_of,
    named_order,
    order_as_run,
    remarks_of,
    value,
)
from waywiser.analyse.placement_gain import predicted_gain
from waywiser.analyse.traffic import Traffic, traffic_of_matrix, traffic_of_run
from waywiser.errors import InvalidCommand
from waywiser.inputs import check_choice
from waywiser.launch.placing.form import Form
from waywiser.launch.placing.forms import hosts_text
from waywiser.launch.placing.placed import Placed
from waywiser.machines.allocation import Allocation, allocation_of, read_allocation
from waywiser.machines.library import read_machine, topology_of
from waywiser.model.gate import OPEN
from waywiser.model.machine import Machine
from waywiser.model.pairs import Pairs
from waywiser.model.placement import Objective, Placement
from waywiser.model.run import Run
from waywiser.model.summary import Summary
from waywiser.progress import progress
from waywiser.store.matrix_market import read_matrix_market
from waywiser.units import counted

MATRIX = re.compile(r".*\.mtx(\.gz)?")
MESSAGES = ".messages.mtx"
"""Suffix of the matrix of messages that belongs to a matrix of bytes."""

UNNAMED_PROGRAM = "PROGRAM"


@dataclass(frozen=True)
class Request:
    """The request of a placement, with the options of `waywiser place`.

    Raises:
        InvalidCommand: an option does not accept its value.
    """

    pattern: Path
    """A run, or a Matrix Market file of bytes."""

    on: str
    hosts: Path | None = None
    slots: int = 0
    objective: Objective = "hop-bytes"
    order: Order | None = None
    also: Sequence[str] = ()
    seed: int = 1

    def __post_init__(self) -> None:
        for option in ("slots", "seed"):
            number = getattr(self, option)
            if number < 0:
                raise InvalidCommand(f"--{option} {number}: expected a whole number of 0 or more")
        check_choice("--objective", self.objective, get_args(Objective))
        if self.order is not None:
            check_choice("--order", self.order, get_args(Order))
        for method in self.also:
            check_choice("--also", method, METHODS_ON_REQUEST)


@dataclass(frozen=True)
class PlacedPattern:
    """A placement with its input."""

    placement: Placement
    before: tuple[int, ...]
    """The order that the placement is compared with."""

    traffic: Traffic
    described: Run | None
    """Run whose ranks are placed; None where a matrix was placed."""

    @property
    def bytes(self) -> Pairs:
        columns = (self.traffic.sources, self.traffic.targets, self.traffic.bytes)
        return Pairs(np.stack(columns, axis=1).astype(np.uint64))


def find_placement(request: Request, form: Form | None = None) -> PlacedPattern:
    """
    Args:
        form: form of the written placement; some forms require orders of all slots.

    Raises:
        InvalidCommand: the machine is not found, or the request does not fit it.
        InvalidRun: the run is unreadable.
        InvalidMatrix: the matrix is unreadable.
    """
    described, summary, traffic = _read(request)
    machine = read_machine(request.on)
    allocation = _allocation(request, machine, summary)
    job = job_of(
        traffic,
        machine,
        topology_of(machine),
        allocation,
        source=str(request.hosts or request.pattern),
        all_slots=form is None or not form.permutes,
    )
    with progress(f"placing {counted(job.traffic.ranks, 'rank')}"):
        placement, before = _placement(request, machine, allocation, job, summary)
    return PlacedPattern(placement, before, traffic, described)


def _read(request: Request) -> tuple[Run | None, Summary | None, Traffic]:
    path: Path = request.pattern
    if MATRIX.fullmatch(path.name):
        return None, None, _traffic_of_files(path, request.objective)
    described, summary = read_gated(path)
    return described, summary, traffic_of_run(summary, str(path))


def _traffic_of_files(path: Path, objective: Objective) -> Traffic:
    """Read the bytes of a matrix, and the messages of the matrix beside it that workloads write."""
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


def _allocation(request: Request, machine: Machine, summary: Summary | None) -> Allocation:
    if request.hosts is not None:
        return read_allocation(machine, request.hosts, request.slots)
    if summary is None or not summary.per_rank:
        raise InvalidCommand("--hosts FILE is required, as a matrix names no hosts")
    text = "\n".join(rank.host for rank in summary.per_rank)
    return allocation_of(machine, text, str(request.pattern), request.slots)


def _placement(
    request: Request,
    machine: Machine,
    allocation: Allocation,
    job: Job,
    summary: Summary | None,
) -> tuple[Placement, tuple[int, ...]]:
    """Return the placement, and the order that it is compared with."""
    hosts = [rank.host for rank in summary.per_rank or ()] if summary else []
    as_run = order_as_run(job, allocation, hosts)
    before = as_run or named_order(job, "default", 0)
    before_cost = cost_of(job, before)
    order, method = _ordered(request, job)
    cost = cost_of(job, order)
    if not request.order and value(cost, request.objective) >= value(
        before_cost, request.objective
    ):
        order, cost, method = before, before_cost, "as run" if as_run else "default"
    placement = Placement(
        waywiser=__version__,
        pattern=str(request.pattern),
        machine=machine.title,
        form=None,
        file=None,
        command=None,
        objective=request.objective,
        method=method,
        seed=request.seed,
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
    return placement, before


def _ordered(request: Request, job: Job) -> tuple[tuple[int, ...], str]:
    """Return the requested order, or the cheapest, and the method that found it."""
    if request.order:
        return named_order(job, request.order, request.seed), request.order
    return best_order(job, request.objective, request.seed, request.also)


def in_form(
    placed_pattern: PlacedPattern, form: Form, output: Path
) -> tuple[Placement, Mapping[Path, str]]:
    """Return the placement in a launcher's form, and its files with their texts: FILE, FILE.hosts
    if the launcher requires it, and FILE.json."""
    placement, described = placed_pattern.placement, placed_pattern.described
    slots = tuple(host for host, count in enumerate(placement.slots) for _ in range(count))
    placed = Placed(placement.hosts, slots, placement.order)
    text = form.text(placed, described.mpi.abi if described else "unknown")
    hosts = output.with_name(f"{output.name}.hosts")
    command = form.launch(placed.ranks, shlex.quote(str(output)), shlex.quote(str(hosts)))
    warning = form.warn(placed)
    placement = placement.replace(
        form=form.name,
        file=str(output),
        command=f"{command} {_program_of(described)}",
        remarks=(*placement.remarks, *([warning] if warning else [])),
    )
    files = {output: text}
    if str(hosts) in command:
        files[hosts] = hosts_text(placed)
    files[output.with_name(f"{output.name}.json")] = placement.model_dump_json(indent=1) + "\n"
    return placement, files


def _program_of(described: Run | None) -> str:
    """Return the program's words, as the user wrote them if the launcher's can be separated."""
    if described is None:
        return UNNAMED_PROGRAM
    path, arguments = described.program.path, described.program.arguments
    written = described.command[len(described.command) - len(arguments) - 1 :]
    if str(Path(described.directory, written[0]).resolve()) == str(Path(path).resolve()):
        return shlex.join(written)
    return shlex.join([path, *arguments])
