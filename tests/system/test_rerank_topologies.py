"""Communicators with a topology whose ranks get the order that is best on a machine: every use of
them, and orders whose optimum is known.

Their nodes are names that the programs give themselves; the libraries know nothing of them. So no
launcher and no library has a part in what is found.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.rigs.hosts import why_not
from tests.support import MpiLibrary, Waywiser, assert_refused, captured, cases, succeeded
from tests.system.conftest import PROGRAMS, TRANSPORT, Build, debian_library
from tests.system.test_exports import compile_plain, wrappers
from tests.unit.test_places import MACHINE
from waywiser.native import SHIM

pytestmark = [
    pytest.mark.in_turn,
    pytest.mark.skipif(why_not() is not None, reason=str(why_not())),
]

DEALT = "n0,n1,n2,n0,n1,n2"
"""Host by host, as launchers deal ranks out with --map-by node."""

FILLED = "n0,n0,n1,n1,n2,n2"

TOPOLOGY = re.compile(r"^(\D+): (as before|anew), cut (\d+)$", re.MULTILINE)


@pytest.fixture
def rig(waywiser: Waywiser) -> Waywiser:
    """The command, in a directory with the places of three nodes on one switch."""
    succeeded(waywiser.here("machine", "places", "rig-3", "-o", "rig.places"))
    return waywiser


def reordered(
    waywiser: Waywiser, *command: str | Path, env: Mapping[str, str] | None = None
) -> tuple[str, str]:
    """Output of a program whose ranks are reordered, and Waywiser's messages on it."""
    done = waywiser.succeeds("rerank", "rig.places", "--", *command, env=env, timeout=120)
    assert "0 checks failed" in done.stdout.splitlines(), done.stdout
    return done.stdout, done.stderr


def topologies(output: str) -> dict[str, tuple[str, int]]:
    """Communicator -> whether its ranks have another order, and the weight between two nodes."""
    return {match[1]: (match[2], int(match[3])) for match in TOPOLOGY.finditer(output)}


@pytest.mark.every_mpi
def test_every_use_of_ranks_dealt_out(mpi: MpiLibrary, rig: Waywiser, build: Build) -> None:
    """Each rank's neighbours on a grid are on the other nodes: all of a ring's 12 edges are cut,
    where arcs of two ranks cut 6."""
    output, notes = reordered(rig, *mpi.command(6, build(mpi, "topologies.c"), DEALT))

    by_name = topologies(output)
    assert by_name["plain ring"] == ("as before", 12)
    assert by_name["ring"] == ("anew", 6)
    assert by_name["line"] == ("anew", 4)
    assert by_name["plane"] == ("anew", 8)  # three rows of two
    assert by_name["box"] == ("anew", 12)  # a ring of three such rows
    assert by_name["some"] == ("anew", 4)  # a square on two of the nodes
    assert by_name["graph"] == ("as before", 0)
    assert "MPI_Cart_create reorders its 6 ranks: weighted hops fall from 24 to 12\n" in notes
    assert notes.count("weighted hops") == 1


@pytest.mark.every_mpi
def test_every_use_of_ranks_filled_in(mpi: MpiLibrary, rig: Waywiser, build: Build) -> None:
    """Graphs that join ranks to those half way round need them on one node; rings do not."""
    output, notes = reordered(rig, *mpi.command(6, build(mpi, "topologies.c"), FILLED))

    by_name = topologies(output)
    assert by_name["ring"] == by_name["plain ring"] == ("as before", 6)
    assert by_name["plain graph"] == ("as before", 6)
    assert by_name["graph"] == ("anew", 0)
    assert by_name["uneven"] == ("anew", 0)
    # Only the light edges of the ring are cut: 6 of 1, not 3 + 6 x 1,000 and more.
    assert by_name["plain adjacent"] == ("as before", 7503)
    assert by_name["adjacent"] == by_name["by others"] == ("anew", 6)
    assert by_name["plain by the first"] == ("as before", 306)
    assert by_name["by the first"] == ("anew", 12)
    assert "MPI_Cart_create keeps the order of its 6 ranks: weighted hops stay at 12\n" in notes


def test_without_it_nothing_changes(mpi: MpiLibrary, rig: Waywiser, build: Build) -> None:
    """The program's own checks hold, and libraries keep the order, whatever `reorder` says."""
    done = rig.bare(mpi.command(6, build(mpi, "topologies.c"), DEALT))

    assert "0 checks failed" in done.stdout.splitlines(), done.stdout
    assert {order for order, _ in topologies(done.stdout).values()} == {"as before"}


def test_nearer_nodes_are_distinguished_from_farther_ones(
    openmpi: MpiLibrary, rig: Waywiser, build: Build
) -> None:
    """No order keeps an edge of the ring within a node on three switches of two nodes each. An
    order from switch to switch has 3 pairs at 2 hops and 3 at 3, instead of all at 3."""
    assert rig.here("machine", "places", "rig-6", "-o", "rig.places").returncode == 0

    done = rig(
        *("rerank", "rig.places", "--"),
        *openmpi.command(6, build(openmpi, "reordered_ring.c"), "n0,n2,n4,n1,n3,n5"),
    )

    assert "weighted hops fall from 36 to 30" in done.stderr
    pairs = {frozenset(pair) for pair in sends(done.stdout)}
    assert {frozenset(pair) for pair in ((0, 3), (1, 4), (2, 5))} <= pairs


def sends(output: str) -> list[tuple[int, int]]:
    """Pairs of sender and receiver on the ring, by ranks in MPI_COMM_WORLD."""
    return [(int(a), int(b)) for a, b in re.findall(r"^(\d) sends to (\d)$", output, re.MULTILINE)]


@pytest.mark.parametrize(
    ("hosts", "says"),
    [
        # The link between n1 and n2 is down: what is left is the path n2, n3, n0, n1.
        ("n2,n0,n3,n1", "reorders its 4 ranks: weighted hops fall from 16 to 12"),
        # Ranks 1 and 2, and 3 and 0, are on different sockets.
        ("n0,n0,n0,n0", "keeps the order of its 4 ranks: weighted hops stay at 4"),
    ],
)
def test_failed_links_and_sockets_count(
    openmpi: MpiLibrary, rig: Waywiser, build: Build, hosts: str, says: str
) -> None:
    """A machine file, given to `waywiser profile` as it is."""
    (rig.directory / "ring.toml").write_text(MACHINE)
    command = openmpi.command(4, build(openmpi, "reordered_ring.c"), hosts)

    done = rig.succeeds("profile", "-o", "run", "--rerank", "ring.toml", "--", *command)

    assert says in done.stderr


def test_the_profile_has_the_new_neighbours(mpi: MpiLibrary, rig: Waywiser, build: Build) -> None:
    """The matrix is of the ranks of MPI_COMM_WORLD, which are as ever; calls are the program's."""
    command = mpi.command(6, build(mpi, "reordered_ring.c"), DEALT)

    options = ("--trace", "--callsites", "--rerank", "rig.places")
    done = rig.succeeds("profile", "-o", "run", *options, "--", *command)

    assert "reorders its 6 ranks: weighted hops fall from 24 to 12" in done.stderr
    document = rig.show("run", "--per-rank")
    around = sends(done.stdout)
    assert Counter(rank for rank, _ in around) == Counter(range(6))
    assert around != [(rank, (rank + 1) % 6) for rank in range(6)]
    matrix = {(source, target) for source, target, size in document["matrix"]["bytes"] if size}
    assert set(around) <= matrix
    sent = {(s, t): size for s, t, size in document["matrix"]["bytes"]}
    assert all(sent[pair] >= 1000 for pair in around)
    (site,) = [
        call_site
        for call_site in document["call_sites"]
        if call_site["function"] == "MPI_Cart_create"
    ]
    assert "reordered_ring.c" in str(site["place"])
    for rank in document["per_rank"]:
        calls = {name: of["calls"] for name, of in rank["functions"].items()}
        assert calls["MPI_Cart_create"] == calls["MPI_Comm_free"] == 1
        assert "MPI_Comm_split" not in calls
        assert "MPI_Gather" not in calls


@pytest.mark.parametrize("form", cases([1, 3], long=[2]))
def test_fortran(rig: Waywiser, tmp_path: Path, form: int) -> None:
    """Open MPI 4 may hang in MPI_Dist_graph_create with reorder = false: it is left alone there."""
    if shutil.which("gfortran") is None:
        pytest.skip("no Fortran compiler (gfortran)")
    library = debian_library("openmpi")
    options = [f"-DFORM={form}", f"-J{tmp_path}", "-ffree-line-length-none"]
    options += ["-w", "-fallow-argument-mismatch"]
    program = library.build(PROGRAMS / "topologies.F90", tmp_path / "topologies", *options)

    command = library.command(6, program, *FILLED.split(","))
    output, notes = reordered(rig, *command, env=TRANSPORT[".openmpi"])

    by_name = dict(re.findall(r"^([a-z ]+): (as before|anew)", output, re.MULTILINE))
    names = ("grid", "graph", "adjacent", "adjacent without weights")
    assert {name: by_name[name] for name in names} == dict.fromkeys(names, "anew")
    assert by_name["by others"] == "as before"
    assert "Open MPI 4 may hang in MPI_Dist_graph_create" in notes


def test_a_library_that_mixes_up_windows_is_left_alone(rig: Waywiser, tmp_path: Path) -> None:
    library = debian_library("mpich")
    program = library.build(PROGRAMS / "reordered_ring.c", tmp_path / "ring")

    done = rig("rerank", "rig.places", "--", *library.command(6, program, DEALT))

    assert sorted(sends(done.stdout)) == [(rank, (rank + 1) % 6) for rank in range(6)]
    assert done.stderr.count("MPICH 4.0 mixes up windows") == 1


SMALL = "topology all-to-all\nnumber switches 1\nnumber nodes_per_switch 2\n"


LONG = pytest.mark.long


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"{SMALL}hosts n0 n1\n", "n2 is not a host of the machine"),
        (None, "cannot be read"),
        pytest.param("topology torus\nlist dims 2\nhosts n0\n", "torus", marks=LONG),
        pytest.param(f"{SMALL}number switches many\n", ":4: expected a line as", marks=LONG),
        pytest.param(f"{SMALL}level 0 1\n", ":4: expected a line as", marks=LONG),
        pytest.param("hosts n0\n", "no line 'topology'", marks=LONG),
        pytest.param(
            f"{SMALL}hosts n0 n1 n2\n",
            "names 3 hosts, but the topology has 2 nodes",
            marks=LONG,
        ),
    ],
)
def test_bad_places_do_no_harm(
    openmpi: MpiLibrary, waywiser: Waywiser, build: Build, text: str | None, says: str
) -> None:
    """A start by hand checks nothing before: there is one sentence, and the library's call."""
    if text is not None:
        (waywiser.directory / "rig.places").write_text(text)
    program = build(openmpi, "reordered_ring.c")

    shim = (SHIM, "--rerank=rig.places", "--", program)
    done = succeeded(waywiser.bare(openmpi.command(6, *shim, DEALT)))

    assert sorted(sends(done.stdout)) == [(rank, (rank + 1) % 6) for rank in range(6)]
    (sentence,) = [line for line in done.stderr.splitlines() if line.startswith("waywiser: ")]
    assert says in sentence
    assert sentence.endswith("; MPI_Cart_create is left to the MPI library")


@pytest.mark.parametrize("verb", ["rerank", "profile"])
def test_bad_places_are_refused_before_the_start(waywiser: Waywiser, verb: str) -> None:
    option = ("--rerank",) if verb == "profile" else ()
    place = waywiser.directory / "rig.places"
    for text, says in (
        ("topology torus\n", "rig.places has no line 'hosts'"),
        ("hosts n0\nnonsense\n", "rig.places:2: expected a line as"),
    ):
        place.write_text(text)
        assert_refused(waywiser(verb, *option, "rig.places", "--", "true"), says)


def test_processes_see_the_calls_of_their_library(
    mpi: MpiLibrary, rig: Waywiser, tmp_path: Path
) -> None:
    """A process without MPI sees none, by neither name."""
    names = [*wrappers(), "PMPI_Cart_create", "PMPI_Dist_graph_create_adjacent"]
    asker = PROGRAMS / "asker.c"
    for program in (
        mpi.build(asker, tmp_path / "asker", "-DWITH_MPI"),
        compile_plain("asker.c", tmp_path / "without"),
    ):
        bare = captured([program, *names], check=True)
        done = rig("rerank", "rig.places", "--", program, *names)
        assert (done.returncode, done.stdout) == (0, bare.stdout), done.stderr
