"""Collectives on virtual clocks are played as in the replay of the same run.

Both take the algorithms that the library selects by its own rules, round by round.
"""

from __future__ import annotations

import pytest

from tests.support import MpiLibrary, Waywiser, cases
from tests.system.conftest import Build
from tests.system.virtual_clocks import LATENCY, followed, local_seconds, replayed

SIZES = (8, 1000, 20_000, 200_000)
"""Bytes of each rank: on either side of the eager limit, and of the rules' thresholds."""

ASIDE = {"MPI_Send", "MPI_Recv", "MPI_Comm_rank", "MPI_Comm_size", "MPI_Finalize"}
"""Calls not compared: in the replay they wait for ranks that started later, or take local times."""


@pytest.mark.in_turn
@pytest.mark.parametrize("layout", cases(["4", "7", "2+2"], long=["3", "3+1"]))
def test_each_collective_takes_as_long_as_in_the_replay(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, layout: str
) -> None:
    """Computing takes no time; each function's time is compared, on several nodes, too."""
    nodes = [node for node, ranks in enumerate(layout.split("+")) for _ in range(int(ranks))]
    ranks = len(nodes)
    options = ("--trace", "--cpu", "1e12", "--ranks-per-node", str(nodes.count(0)))
    program = "virtual_collectives.c"
    clocks = followed(waywiser, mpi, build, ranks, *SIZES, source=program, options=options)

    seconds, functions = replayed(waywiser, mpi.name, 1e12, nodes)
    measured = {name: function["seconds"] for name, function in clocks["functions"].items()}
    assert clocks["remarks"] == []
    assert clocks["seconds"] == pytest.approx(seconds, rel=0.01, abs=2 * LATENCY)
    assert len(measured.keys() - ASIDE) > 20
    for name in measured.keys() - ASIDE:
        expected = pytest.approx(functions[name], rel=0.01, abs=local_seconds(clocks))
        assert measured[name] == expected, name


@pytest.mark.in_turn
@pytest.mark.parametrize("ranks", cases([5], long=[3]))
def test_a_program_of_collectives_agrees_with_its_replay(
    mpi: MpiLibrary, waywiser: Waywiser, build: Build, ranks: int
) -> None:
    """Ranks compute, and come late in turn; clock and replay agree within 5 %."""
    program = "virtual_collectives.c"
    clocks = followed(waywiser, mpi, build, ranks, *SIZES, source=program, options=("--trace",))

    seconds, _functions = replayed(waywiser, mpi.name, 1.0)
    assert clocks["remarks"] == []
    assert clocks["seconds"] == pytest.approx(seconds, rel=0.05)
