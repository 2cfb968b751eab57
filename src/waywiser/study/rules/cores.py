"""Whether ranks, threads and free cores fit the nodes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from waywiser.launch.binding import quoted
from waywiser.launch.launchers.open_mpi import OPEN_MPI
from waywiser.launch.launchers.table import OWN_LAUNCHERS
from waywiser.study.points import Point
from waywiser.study.remark import Remark, error, warning
from waywiser.study.rules.subject import Subject, said
from waywiser.units import counted

ALLOWANCE = re.compile(
    r"--?(oversubscribe|overcommit)|-O|\S*:oversubscribe\S*|(--?bind-to|--cpu-bind)[ =]none",
    re.IGNORECASE,
)
"""Options by which a user lets ranks share cores, in one word or two."""

ALLOWING_VARIABLES = {
    "OMPI_MCA_rmaps_base_oversubscribe": ("1", "true", "yes"),
    "PRTE_MCA_rmaps_default_mapping_policy": (":oversubscribe",),
    "I_MPI_PIN": ("0", "off", "no", "disable"),
}

HOSTS = frozenset(
    {"hosts", "host", "H", "hostfile", "machinefile", "machine", "f", "nodelist", "w"}
)

# Progress threads; Intel MPI Library Developer Reference 2021 ("Asynchronous Progress Control"),
# MPICH's README.envvar, SeisSol's documentation ("Environment variables").
PROGRESS_THREADS = {
    "I_MPI_ASYNC_PROGRESS": ("1", "on", "yes", "enable"),
    "MPICH_ASYNC_PROGRESS": ("1", "on", "yes", "true"),
    "MPIR_CVAR_ASYNC_PROGRESS": ("1", "on", "yes", "true"),
    "SEISSOL_COMMTHREAD": ("1", "on", "yes", "true"),
}


def unknown_nodes(subject: Subject) -> Iterator[Remark]:
    resources = subject.study.resources
    if not subject.cores_per_node:
        yield error(
            "resources.cores_per_node",
            f'with scheduler = "{resources.scheduler}" say how many cores a node has; without that '
            "nothing can be bound or checked",
        )


def nodes_of_one_machine(subject: Subject) -> Iterator[Remark]:
    if not subject.study.resources.local:
        return
    wide = [
        point
        for point in subject.points
        if point.nodes > 1 and not HOSTS & {w.lstrip("-") for w in subject.launcher_words(point)}
    ]
    if wide:
        yield error(
            "axes.nodes",
            f"{said(wide)} asks for {wide[0].nodes} nodes, but a local run has one; name a "
            "scheduler in [resources], or the hosts in launcher_arguments",
        )


def uneven_nodes(subject: Subject) -> Iterator[Remark]:
    if few := [point for point in subject.points if point.ranks < point.nodes]:
        point = few[0]
        yield error(
            "axes.ranks",
            f"{said(few)} has {counted(point.ranks, 'rank')} for {point.nodes} nodes; give each "
            "node one at least",
        )
    uneven = [p for p in subject.points if p.ranks > p.nodes and p.ranks % p.nodes]
    if uneven:
        point = uneven[0]
        yield warning(
            "axes.ranks",
            f"{said(uneven)} has {point.ranks} ranks on {point.nodes} nodes, so that some nodes "
            "have more than others",
        )


def ranks_exceed_cores(subject: Subject) -> Iterator[Remark]:
    yield from _where(
        subject,
        "axes.ranks",
        lambda point, cores: _on_node(point) > cores,
        lambda point, cores: (
            f"{_on_node(point)} ranks on a node are more than its {counted(cores, 'core')} (slots)"
        ),
    )


def threads_exceed_cores(subject: Subject) -> Iterator[Remark]:
    yield from _where(
        subject,
        "axes.threads",
        lambda point, cores: _on_node(point) <= cores < _on_node(point) * point.threads,
        lambda point, cores: (
            f"{counted(_on_node(point), 'rank')} x {counted(point.threads, 'thread')} on a node "
            f"are more than its {counted(cores, 'core')}"
        ),
    )


def no_free_core(subject: Subject) -> Iterator[Remark]:
    def lacks(point: Point, cores: int) -> bool:
        wanted = point.threads + point.application.free_cores
        return _on_node(point) * point.threads <= cores < _on_node(point) * wanted

    yield from _where(
        subject,
        "axes.threads",
        lacks,
        lambda point, cores: (
            f"{counted(_on_node(point), 'rank')} x {counted(point.threads, 'thread')} leave no "
            f"core free for each rank's communication thread on a node of "
            f"{counted(cores, 'core')}: with free_cores = {point.application.free_cores} it would "
            f"need {_on_node(point) * (point.threads + point.application.free_cores)}"
        ),
    )


def forgotten_free_core(subject: Subject) -> Iterator[Remark]:
    """A progress thread polls; on a core of a worker thread it takes that one's time."""
    asking: dict[str, list[Point]] = {}
    for point in subject.points:
        if point.application.free_cores or point.ranks == 1:
            continue
        environment = subject.environment(point)
        for name, values in PROGRESS_THREADS.items():
            if name in environment and environment[name].value.lower() in values:
                asking.setdefault(name, []).append(point)
        if point.application.reader == "seissol" and "SEISSOL_COMMTHREAD" not in environment:
            asking.setdefault("SeisSol", []).append(point)
    for asker, points in asking.items():
        yield warning(
            f"application.{points[0].values['application']}.free_cores",
            f"{asker} gives each rank of {said(points)} a communication thread, and no core is "
            "left free for it; write free_cores = 1",
        )


def _on_node(point: Point) -> int:
    """Ranks on the fullest node."""
    return -(-point.ranks // point.nodes)


def _where(
    subject: Subject,
    key: str,
    holds: Callable[[Point, int], bool],
    text: Callable[[Point, int], str],
) -> Iterator[Remark]:
    """One remark on all points that do not fit: an error, or a warning if the file allows it."""
    cores = subject.cores_per_node
    wrong = [point for point in subject.points if cores and holds(point, cores)]
    allowed = [point for point in wrong if _allowed(subject, point)]
    forbidden = [point for point in wrong if not _allowed(subject, point)]
    if forbidden:
        yield error(
            key,
            f"{said(forbidden)}: {text(forbidden[0], cores)}; ask for fewer, or let them share "
            f"cores with launcher_arguments = {_how_to_allow(subject, forbidden)}",
        )
    if allowed:
        yield warning(
            key,
            f"{said(allowed)}: {text(allowed[0], cores)}; its runs count as contended, and nothing "
            "can be decided by them",
        )


def _how_to_allow(subject: Subject, points: list[Point]) -> str:
    libraries = dict.fromkeys(subject.library(str(point.values["mpi"])) for point in points)
    kinds = [kind for name, kind in OWN_LAUNCHERS.items() if name in libraries]
    texts = [f"[{quoted(kind.shares_cores)}] for {kind.name}" for kind in kinds]
    return ", ".join(texts) or f"[{quoted(OPEN_MPI.shares_cores)}]"


def _allowed(subject: Subject, point: Point) -> bool:
    words = subject.launcher_words(point)
    if any(ALLOWANCE.fullmatch(text) for text in (*words, *map(" ".join, pairwise(words)))):
        return True
    given = {name: setting.value for name, setting in subject.environment(point).items()}
    given |= {words[i + 1]: words[i + 2] for i in range(len(words) - 2) if words[i] == "-genv"}
    return any(given.get(name, "").lower() in values for name, values in ALLOWING_VARIABLES.items())
