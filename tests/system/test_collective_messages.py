"""Schedules and selection rules against Open MPI itself, which counts its own messages."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.rigs.hosts import Host, hosts, launcher_settings, why_not
from tests.support import captured, cases, environment, mpi_library, succeeded
from tests.system.conftest import Build
from waywiser.native import _native as native

Pairs = dict[tuple[int, int], tuple[int, int]]
"""Source and destination to messages and bytes."""

FORCED: dict[str, dict[int, tuple[str, int]]] = {
    "barrier": {
        **{1: ("linear", 0), 2: ("double ring", 0), 3: ("recursive doubling", 0)},
        **{4: ("dissemination", 0), 5: ("two ranks", 0), 6: ("tree", 0)},
    },
    "bcast": {
        **{1: ("linear", 0), 2: ("chain", 4), 3: ("chain", 1), 4: ("split binary tree", 0)},
        **{5: ("binary tree", 0), 6: ("binomial tree", 0), 7: ("k-nomial tree", 4)},
        8: ("scatter and recursive doubling allgather", 0),
        9: ("scatter and ring allgather", 0),
    },
    "gather": {1: ("linear", 0), 2: ("binomial tree", 0), 3: ("linear, synchronised", 0)},
    "scatter": {1: ("linear", 0), 2: ("binomial tree", 0), 3: ("linear, concurrent", 0)},
    "allgather": {
        **{2: ("Bruck", 0), 3: ("recursive doubling", 0), 4: ("ring", 0)},
        **{5: ("neighbour exchange", 0), 6: ("two ranks", 0)},
    },
    "alltoall": {
        **{1: ("linear", 0), 2: ("pairwise exchange", 0), 3: ("Bruck", 0)},
        **{4: ("linear, throttled", 0), 5: ("two ranks", 0)},
    },
    "reduce": {
        **{1: ("linear", 0), 2: ("chain", 4), 3: ("chain", 1), 4: ("binary tree", 0)},
        **{5: ("binomial tree", 0), 6: ("in-order binary tree", 0), 7: ("Rabenseifner", 0)},
    },
    "allreduce": {
        **{1: ("linear", 0), 3: ("recursive doubling", 0), 4: ("ring", 0), 5: ("ring", 0)},
        6: ("Rabenseifner, folding halves", 0),
    },
    "reduce_scatter": {2: ("recursive halving", 0), 3: ("ring", 0), 4: ("butterfly", 0)},
    "reduce_scatter_block": {
        **{2: ("recursive doubling", 0), 3: ("recursive halving", 0)},
    },
    "scan": {1: ("chain", 0), 2: ("recursive doubling", 0)},
    "exscan": {1: ("chain", 0), 2: ("recursive doubling", 0)},
}
"""Our algorithm for each of coll/tuned's by number, and its fan-out where one is forced."""

AS_IT_IS, IN_ORDER = -1, -2
"""Replace an algorithm's number: none is forced; IN_ORDER has an operator that does not commute."""

ROOTED = {"bcast", "gather", "gatherv", "scatter", "scatterv", "reduce"}
OF_BLOCKS = {"gatherv", "scatterv", "allgatherv", "alltoallv", "reduce_scatter"}
BARE_NAME = {"reduce_scatter_block": "reduce_scatter", "exscan": "scan"}


class Case:
    """One collective that is run, forced to an algorithm or not."""

    def __init__(
        self,
        name: str,
        number: int,
        size: int,
        root: int,
        ranks: int,
        nodes: Sequence[int] = (),
    ) -> None:
        self.argument = f"{name}:{number}:{size}:{root}"
        self.nonblocking = name.startswith("i")
        plain = name[1:] if self.nonblocking else name
        self.collective = BARE_NAME.get(plain, plain.removesuffix("v"))
        self.call = native.CollectiveCall(
            ranks,
            root=root,
            bytes=size,
            shares=[size] * ranks if plain in OF_BLOCKS else [],
            fan_out=FORCED.get(plain, {}).get(number, ("", 0))[1],
            commutative=number != IN_ORDER,
            nodes=list(nodes),
        )
        self.ranks = ranks
        self.algorithm = FORCED.get(plain, {}).get(number, ("", 0))[0]

    def serves(self) -> bool:
        try:
            native.collective_cost(self.collective, self.algorithm, self.call)
        except native.InvalidInput:
            return False
        return True

    def is_exact(self) -> bool:
        stages = native.select_collective(
            "openmpi", self.collective, self.call, nonblocking=self.nonblocking
        )
        return all(stage.exact for stage in stages)

    def predicted(self) -> Pairs:
        def sent(rank: int) -> Iterator[tuple[int, int]]:
            if self.algorithm:
                stages = [native.collective_sent(self.collective, self.algorithm, self.call, rank)]
            else:
                chosen = native.select_collective(
                    "openmpi", self.collective, self.call, nonblocking=self.nonblocking
                )
                stages = [stage.sent(rank) for stage in chosen]
            for messages in stages:
                yield from ((to, size) for _round, to, size in messages)

        messages: Counter[tuple[int, int]] = Counter()
        volume: Counter[tuple[int, int]] = Counter()
        for rank in range(self.ranks):
            for to, size in sent(rank):
                messages[rank, to] += 1
                volume[rank, to] += size
        return {pair: (messages[pair], volume[pair]) for pair in messages}


def measured(program: Path, ranks: int, cases: Sequence[Case]) -> list[Pairs]:
    mpi = mpi_library("openmpi")
    counting = {"pml_monitoring_enable": "1", "coll_tuned_use_dynamic_rules": "1"}
    done = captured(
        [mpi.bin / "mpirun", "-n", str(ranks), program, *(case.argument for case in cases)],
        env={f"OMPI_MCA_{name}": value for name, value in counting.items()},
        check=True,
        timeout=240,
    )
    return counted(done.stdout, cases)


def counted(output: str, cases: Sequence[Case]) -> list[Pairs]:
    by_case: dict[int, Pairs] = defaultdict(dict)
    for line in output.splitlines():
        case, source, destination, messages, size = map(int, line.split())
        if source != destination:  # a copy, which the library makes as it likes
            by_case[case][source, destination] = (messages, size)
    return [by_case[i] for i in range(len(cases))]


def differences(cases: Sequence[Case], observed: Sequence[Pairs]) -> list[str]:
    return [
        f"{case.argument} on {case.ranks}: predicted {sorted(case.predicted().items())}, measured "
        f"{sorted(pairs.items())}"
        for case, pairs in zip(cases, observed, strict=True)
        if case.predicted() != pairs
    ]


@pytest.fixture(name="program")
def _program(build: Build) -> Path:
    openmpi = mpi_library("openmpi")
    return build(openmpi, "collective_messages.c")


def forced_cases(ranks: int) -> list[Case]:
    """Sizes that every number of ranks here divides, as the library then cuts vectors as we do."""
    cases = [
        Case(name, number, 0 if name == "barrier" else size, root, ranks)
        for name, numbers in FORCED.items()
        for number in numbers
        for size in (120, 96_000)
        for root in ((0, ranks - 1, ranks // 2) if name in ROOTED else (0,))
    ]
    return [case for case in cases if case.serves()]


@pytest.mark.parametrize("ranks", cases([3, 4], long=[2, 6]))
def test_a_forced_algorithm_sends_what_its_schedule_says(program: Path, ranks: int) -> None:
    cases = forced_cases(ranks)
    assert len({case.argument.rsplit(":", 2)[0] for case in cases}) > 35

    assert differences(cases, measured(program, ranks, cases)) == []


CUT = {"bcast", "reduce", "allreduce", "ibcast", "ireduce", "iallreduce"}
"""Collectives that cut vectors; if a vector is not cut evenly, rules differ by an element."""


def sizes(name: str, ranks: int) -> list[int]:
    """Sizes on both sides of every power of two, where the library's rules have their limits."""
    if name.endswith("barrier"):
        return [0]
    unit = math.lcm(ranks, 1 << ranks.bit_length() - 1)
    powers = [1 << bit for bit in range(20)]
    if name not in CUT:
        return sorted({*powers, *(power - 1 for power in powers[1:])})
    return sorted({*(-(-power // unit) * unit for power in powers)} | {*_below(powers, unit)})


def _below(limits: Sequence[int], unit: int) -> Iterator[int]:
    return ((limit - 1) // unit * unit for limit in limits if limit > unit)


def selected_cases(ranks: int) -> list[Case]:
    blocking = [*FORCED, "gatherv", "scatterv", "allgatherv", "alltoallv"]
    nonblocking = ["ibarrier", "ibcast", "igather", "iscatter", "iallgather", "ialltoall", "iscan"]
    return [
        Case(name, 0 if name in FORCED else AS_IT_IS, size, root, ranks)
        for name in [*blocking, *nonblocking, "ireduce", "iallreduce", "ireduce_scatter"]
        for size in sizes(name, ranks)[:: 4 if name in nonblocking else 1]
        for root in ((0, 1) if name in ROOTED else (0,))
    ]


@pytest.mark.parametrize("ranks", cases([3, 4], long=[2, 6, 8]))
def test_the_library_chooses_as_its_rules_say(program: Path, ranks: int) -> None:
    cases = selected_cases(ranks)
    standing_in = {case.collective for case in cases if not case.is_exact()}
    assert standing_in <= {"reduce_scatter"}

    cases = [case for case in cases if case.is_exact()]
    assert differences(cases, measured(program, ranks, cases)) == []


LAYOUTS = {
    "2+2": ("n0:2,n1:2", "slot", [0, 0, 1, 1]),
    "2+2 in turn": ("n0:2,n1:2", "node", [0, 1, 0, 1]),
    "3+3": ("n0:3,n1:3", "slot", [0, 0, 0, 1, 1, 1]),
    "2+2+2": ("n0:2,n1:2,n2:2", "slot", [0, 0, 1, 1, 2, 2]),
    "2+2+2 in turn": ("n0:2,n1:2,n2:2", "node", [0, 1, 2, 0, 1, 2]),
    "3+1": ("n0:3,n1:1", "slot", [0, 0, 0, 1]),
    "1+1": ("n0:1,n1:1", "slot", [0, 1]),
}
"""Distributions of ranks over hosts: slots, mapping, and the host of each rank."""

AROUND_SEGMENTS = (24, 9600, 65520, 65536, 65544, 131_072, 196_608, 199_680, 262_152)
"""Bytes: segments have 65536."""


def counted_on_hosts(
    program: Path, started: Sequence[Host], slots: str, mapping: str, cases: Sequence[Case]
) -> list[Pairs]:
    mpi = mpi_library("openmpi")
    launch: list[str | Path] = [mpi.bin / "mpirun", "--host", slots, "-n", str(cases[0].ranks)]
    launch += ["--map-by", mapping, program, *(case.argument for case in cases)]
    settings = {**launcher_settings(started[0].directory), "OMPI_MCA_pml_monitoring_enable": "1"}

    run = succeeded(started[0].run(*launch, env=environment(settings), timeout=240))

    return counted(run.stdout, cases)


def cases_on(nodes: Sequence[int]) -> list[Case]:
    ranks = len(nodes)
    collectives = [(name, AS_IT_IS) for name in (*FORCED, "allgatherv", "ibcast", "iallreduce")]
    collectives += [(name, IN_ORDER) for name in ("reduce", "allreduce", "reduce_scatter_block")]
    return [
        Case(name, number, 0 if name == "barrier" else size, root, ranks, nodes)
        for name, number in collectives
        for size in (AROUND_SEGMENTS if name != "barrier" else (0,))
        for root in ((0, 1, ranks - 1) if name in ROOTED else (0,))
    ]


@pytest.mark.skipif(why_not() is not None, reason=str(why_not()))
@pytest.mark.parametrize("layout", cases(["2+2 in turn", "3+1", "1+1"], long=LAYOUTS))
def test_on_several_hosts_the_library_goes_through_levels(
    program: Path, tmp_path: Path, layout: str
) -> None:
    slots, mapping, nodes = LAYOUTS[layout]
    cases = [case for case in cases_on(nodes) if case.is_exact()]

    with hosts([f"n{i}" for i in range(max(nodes) + 1)], tmp_path) as started:
        pairs = counted_on_hosts(program, started, slots, f"{mapping}:oversubscribe", cases)

    assert differences(cases, pairs) == []


def test_levels_change_what_is_sent() -> None:
    """The test above says nothing of levels unless they change what is sent."""

    def changed(nodes: list[int]) -> set[str]:
        flat = cases_on([0] * len(nodes))
        pairs = zip(cases_on(nodes), flat, strict=True)
        return {
            case.collective
            for case, flat_case in pairs
            if case.predicted() != flat_case.predicted()
        }

    even = {"barrier", "bcast", "gather", "scatter", "allgather", "reduce", "allreduce"}
    assert changed([0, 0, 0, 1, 1, 1]) >= even
    assert changed([0, 0, 0, 1]) & even == {"barrier", "allreduce"}
    assert changed([0, 1]) == set()
