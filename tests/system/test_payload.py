"""Calls, bytes, receive bytes and message sizes of every form of call, against what the arguments
of the test programs imply."""

from __future__ import annotations

import operator
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support import MpiLibrary, mpi_library
from tests.system.ledger import Ledger

pytestmark = [pytest.mark.every_mpi, pytest.mark.in_turn]

INT = 4
DOUBLE = 8

ProfileOf = Callable[..., dict[str, Any]]
Payload = Callable[[int], tuple[int, int]]


def test_point_to_point(mpi: MpiLibrary, profile_of: ProfileOf) -> None:
    n = 3
    ledger = Ledger(n)
    for rank in ledger.ranks:
        left, right = (rank - 1) % n, (rank + 1) % n
        sends = ("Send", "Ssend", "Rsend", "Bsend", "Isend", "Issend", "Irsend", "Ibsend")
        for k, name in enumerate(sends, 1):
            ledger.send(rank, f"MPI_{name}", right, INT * (10 * k + rank))
        ledger.call(rank, "MPI_Irecv", posted=INT * 300, times=len(sends) + 2)
        for name, count in (("Recv", 200), ("Mrecv", 210), ("Imrecv", 220)):
            ledger.send(rank, "MPI_Isend", right, INT * (90 + rank))
            ledger.call(rank, f"MPI_{name}", posted=INT * count)
        ledger.send(rank, "MPI_Sendrecv", right, INT * (100 + rank), posted=INT * 310)
        ledger.send(rank, "MPI_Sendrecv_replace", right, INT * 110, posted=INT * 110)
        ledger.send(rank, "MPI_Isendrecv", right, INT * (120 + rank), posted=INT * 320)
        ledger.send(rank, "MPI_Isendrecv_replace", right, INT * 130, posted=INT * 130)
        # MPI_PROC_NULL: the call and no bytes.
        for name in ("Send", "Recv", "Mrecv"):
            ledger.call(rank, f"MPI_{name}")
        posted = 0 if right == 0 else INT * 6
        if rank == 0:
            ledger.call(rank, "MPI_Sendrecv", posted=posted)
        else:
            ledger.send(rank, "MPI_Sendrecv", left, INT * 5, posted=posted)
        # A datatype with gaps counts its size, not its extent.
        ledger.send(rank, "MPI_Send", right, (2 + rank) * 6 * INT)
        ledger.send(rank, "MPI_Send", right, 0)
        ledger.send(rank, "MPI_Sendrecv", right, 1, posted=9)

    ledger.check(
        profile_of(mpi, "point_to_point.c", n),
        "MPI_Barrier MPI_Wait MPI_Mprobe MPI_Improbe MPI_Type_vector MPI_Type_commit MPI_Type_free "
        "MPI_Buffer_attach MPI_Buffer_detach",
    )


def _enter_forms(ledger: Ledger, name: str, payload: Payload, *, persistent: bool = True) -> None:
    """The blocking and the nonblocking call, and a persistent one that is started twice."""
    for rank in ledger.ranks:
        sent, posted = payload(rank)
        ledger.call(rank, f"MPI_{name}", sent=sent, posted=posted)
        ledger.call(rank, f"MPI_I{name.lower()}", sent=sent, posted=posted)
        if persistent:
            ledger.call(rank, f"MPI_{name}_init")
            ledger.call(rank, "MPI_Start", sent=sent, posted=posted, times=2)


def _rooted(root: int, at_root: tuple[int, int], elsewhere: Payload) -> Payload:
    return lambda rank: at_root if rank == root else elsewhere(rank)


def _same_both_directions(size: int, _rank: int) -> tuple[int, int]:
    return size, size


def _collectives(ledger: Ledger, library: str) -> None:
    n = len(ledger.ranks)

    def enter(name: str, payload: Payload) -> None:
        # Intel MPI 2021.18 aborts where a persistent scatter is completed.
        _enter_forms(ledger, name, payload, persistent=(library, name) != ("impi", "Scatter"))

    counts = (1, 2, 3)
    enter("Bcast", _rooted(1, (5 * DOUBLE, 0), lambda _: (0, 5 * DOUBLE)))
    enter("Gather", _rooted(2, (3 * INT, 3 * n * INT), lambda _: (3 * INT, 0)))
    enter("Gather", _rooted(1, (4 * INT, 4 * n * INT), lambda _: (4 * INT, 0)))
    for root in (2, 1):
        at_root = (counts[root] * INT, sum(counts) * INT)
        enter("Gatherv", _rooted(root, at_root, lambda rank: (counts[rank] * INT, 0)))
    enter("Scatter", _rooted(2, (6 * n * INT, 6 * INT), lambda _: (0, 6 * INT)))
    enter("Scatter", _rooted(1, (7 * n * INT, 7 * INT), lambda _: (0, 7 * INT)))
    for root in (2, 1):
        at_root = (sum(counts) * INT, counts[root] * INT)
        enter("Scatterv", _rooted(root, at_root, lambda rank: (0, counts[rank] * INT)))
    enter("Reduce", _rooted(2, (8 * INT, 8 * INT), lambda _: (8 * INT, 0)))
    enter("Reduce", _rooted(1, (9 * INT, 9 * INT), lambda _: (9 * INT, 0)))

    uneven = (3, 1, 2)
    enter("Allgather", lambda _: (2 * INT, 2 * n * INT))
    enter("Allgather", lambda _: (3 * INT, 3 * n * INT))
    for _ in range(2):  # the second one in place
        enter("Allgatherv", lambda rank: (uneven[rank] * INT, sum(uneven) * INT))
    enter("Alltoall", lambda _: (4 * n * INT, 4 * n * INT))
    enter("Alltoall", lambda _: (5 * n * INT, 5 * n * INT))

    def size(rank: int, peer: int) -> int:
        return DOUBLE if (rank + peer) % 2 else INT

    peers = range(n)
    enter(
        "Alltoallv",
        lambda r: (sum(r + 2 * p for p in peers) * INT, sum(p + 2 * r for p in peers) * INT),
    )
    enter("Alltoallv", lambda r: 2 * (sum(r + p for p in peers) * INT,))
    enter(
        "Alltoallw",
        lambda r: (
            sum((r + 2 * p) * size(r, p) for p in peers),
            sum((p + 2 * r) * size(r, p) for p in peers),
        ),
    )
    enter("Alltoallw", lambda r: 2 * (sum((r + p) * size(r, p) for p in peers),))

    for name, count in (("Allreduce", 3), ("Allreduce", 4), ("Scan", 5), ("Exscan", 6)):
        enter(name, partial(_same_both_directions, count * INT))
    for _ in range(2):  # the second one in place
        enter("Reduce_scatter", lambda rank: (sum(counts) * INT, counts[rank] * INT))
    enter("Reduce_scatter_block", lambda _: (2 * n * INT, 2 * INT))
    enter("Barrier", lambda _: (0, 0))


def test_collectives(mpi: MpiLibrary, profile_of: ProfileOf) -> None:
    ledger = Ledger(3)
    _collectives(ledger, mpi.name)

    ledger.check(profile_of(mpi, "collectives.c", 3), "MPI_Wait MPI_Request_free")


def test_neighbourhood_collectives(mpi: MpiLibrary, profile_of: ProfileOf) -> None:
    ledger = Ledger(4)
    for rank in ledger.ranks:
        left, right = (rank - 1) % 4, (rank + 1) % 4
        across = 2 * [rank ^ 2] + 2 * [rank ^ 1]
        topologies = [
            (across, across),  # 2 x 2 grid, periodic
            2 * ([r for r in (rank - 1, rank + 1) if 0 <= r < 4],),  # line, open at its ends
            ([left, right], [left, right]),  # graph
            ([left, 0] if rank == 2 else [left], [right, 2] if rank == 0 else [right]),
        ]
        for senders, receivers in topologies:
            n_in, n_out = len(senders), len(receivers)
            mine = (rank + 1) * INT
            received = sum(INT * (sender + 1) for sender in senders)
            for name, sent, posted in (
                ("allgather", 2 * INT, 2 * INT * n_in),
                ("allgatherv", mine, received),
                ("alltoall", 3 * INT * n_out, 3 * INT * n_in),
                ("alltoallv", mine * n_out, received),
                ("alltoallw", mine * n_out, received),
            ):
                ledger.call(rank, f"MPI_Neighbor_{name}", sent=sent, posted=posted)
                ledger.call(rank, f"MPI_Ineighbor_{name}", sent=sent, posted=posted)
                ledger.call(rank, f"MPI_Neighbor_{name}_init")
                ledger.call(rank, "MPI_Start", sent=sent, posted=posted)

    ledger.check(
        profile_of(mpi, "neighbours.c", 4),
        "MPI_Wait MPI_Request_free MPI_Cart_create MPI_Graph_create MPI_Dist_graph_create_adjacent",
    )


def test_collectives_between_two_groups(mpi: MpiLibrary, profile_of: ProfileOf) -> None:
    """Ranks 0 and 2 against rank 1. Roots are rank 1, then rank 2 beside an idle rank 0."""
    ledger = Ledger(3)
    for rank in ledger.ranks:
        alone, root = rank == 1, rank == 2
        opposite = 2 if alone else 1
        for name, sent, posted in (
            ("Scatter", 2 * 4 * alone, 4 * (not alone)),
            ("Gatherv", (3, 0, 4)[rank], (3 + 4) * alone),
            ("Bcast", 5 * root, 5 * alone),
            ("Gather", 3 * alone, 3 * root),
            ("Gatherv", 2 * alone, 2 * root),
            ("Reduce", 6 * alone, 6 * root),
            ("Allgather", 7, 7 * opposite),
            ("Alltoall", 8 * opposite, 8 * opposite),
            ("Allreduce", 9, 9),
        ):
            ledger.call(rank, f"MPI_{name}", sent=INT * sent, posted=INT * posted)

    ledger.check(
        profile_of(mpi, "intercommunicator.c", 3),
        "MPI_Comm_split MPI_Intercomm_create MPI_Comm_free",
    )


def test_persistent_and_partitioned(mpi: MpiLibrary, profile_of: ProfileOf) -> None:
    n = 3
    ledger = Ledger(n)
    for rank in ledger.ranks:
        left, right = (rank - 1) % n, (rank + 1) % n
        for k, name in enumerate(("Send", "Ssend", "Rsend", "Bsend"), 1):
            ledger.call(rank, f"MPI_{name}_init")
            ledger.call(rank, "MPI_Recv_init")
            times = k + 1
            ledger.call(rank, "MPI_Start", posted=1000, times=times)
            ledger.call(rank, "MPI_Start", sent=10 * k + rank, times=times)
            ledger.message(rank, right, 10 * k + rank, times)
        # Two of each kind, of which one goes to and one comes from MPI_PROC_NULL.
        ledger.call(rank, "MPI_Send_init", times=2)
        ledger.call(rank, "MPI_Recv_init", times=2)
        ledger.call(rank, "MPI_Startall", sent=100, posted=500, times=3)
        ledger.message(rank, right, 100, 3)
        # Through a communicator whose ranks are reversed, the next one is the left one.
        ledger.call(rank, "MPI_Send_init")
        ledger.call(rank, "MPI_Recv_init")
        ledger.call(rank, "MPI_Startall", sent=70, posted=70)
        ledger.message(rank, left, 70)
        ledger.call(rank, "MPI_Psend_init")
        ledger.call(rank, "MPI_Precv_init")
        ledger.call(rank, "MPI_Startall", sent=4 * 25 * INT, posted=4 * 25 * INT, times=2)
        ledger.message(rank, right, 4 * 25 * INT, 2)

    ledger.check(
        profile_of(mpi, "persistent.c", n),
        "MPI_Barrier MPI_Waitall MPI_Request_free MPI_Comm_split MPI_Comm_free MPI_Pready "
        "MPI_Buffer_attach MPI_Buffer_detach",
    )


def test_one_sided_and_file(mpi: MpiLibrary, profile_of: ProfileOf, tmp_path_factory: Any) -> None:
    ledger = Ledger(2)
    for rank in ledger.ranks:
        for name, sent, posted in (
            ("Put", 3, 0),
            ("Put", 0, 0),  # to MPI_PROC_NULL
            ("Get", 0, 4),
            ("Accumulate", 5, 0),
            ("Get_accumulate", 6, 6),
            ("Get_accumulate", 0, 7),  # MPI_NO_OP sends nothing
            ("Fetch_and_op", 1, 1),
            ("Compare_and_swap", 1, 1),
            ("Rput", 8, 0),
            ("Rget", 0, 9),
            ("Raccumulate", 10, 0),
            ("Rget_accumulate", 11, 11),
            ("File_write_at", 12, 0),
            ("File_write_at_all", 13, 0),
            ("File_iwrite_at", 14, 0),
            ("File_read_at", 0, 15),
            ("File_read_at_all", 0, 16),
            ("File_write", 17, 0),
            ("File_write_all_begin", 18, 0),
        ):
            ledger.call(rank, f"MPI_{name}", sent=INT * sent, posted=INT * posted)

    file = tmp_path_factory.mktemp("file") / "data"
    ledger.check(
        profile_of(mpi, "one_sided.c", 2, str(file)),
        "MPI_Wait MPI_Win_allocate MPI_Win_lock_all MPI_Win_unlock_all MPI_Win_flush_all "
        "MPI_Win_free MPI_File_open MPI_File_seek MPI_File_write_all_end MPI_File_close",
    )


def test_large_counts_have_names_of_their_own(mpich: MpiLibrary, profile_of: ProfileOf) -> None:
    ledger = Ledger(2)
    for rank in ledger.ranks:
        ledger.send(rank, "MPI_Isend_c", 1 - rank, 5 * INT)
        ledger.call(rank, "MPI_Recv_c", posted=50 * INT)
        ledger.call(rank, "MPI_Allreduce_c", sent=6 * INT, posted=6 * INT)
        ledger.call(rank, "MPI_Allgatherv_c", sent=(3, 4)[rank] * INT, posted=7 * INT)
        ledger.call(rank, "MPI_Send_init_c")
        sent, posted = (8 * INT, 0) if rank == 1 else (0, 8 * INT)
        ledger.call(rank, "MPI_Bcast", sent=sent, posted=posted)

    ledger.check(profile_of(mpich, "large_count.c", 2), "MPI_Wait MPI_Request_free")


def test_matrix_is_in_world_ranks(mpi: MpiLibrary, profile_of: ProfileOf) -> None:
    n = 4
    posted = 4096
    ledger = Ledger(n)

    def shift(members: list[int], size: Callable[[int], int]) -> None:
        for i, rank in enumerate(members):
            to = members[(i + 1) % len(members)]
            ledger.send(rank, "MPI_Sendrecv", to, size(rank), posted=posted)

    shift([3, 2, 1, 0], lambda rank: 1 + rank)
    for turn in range(6):
        members = [1, 0, 2, 3] if turn % 2 else [3, 2, 1, 0]
        shift(members, partial(operator.add, 10 * (turn + 1)))
    shift([3, 0, 2], lambda rank: 200 + rank)
    for rank, to in ((0, 1), (1, 0), (2, 3), (3, 2)):  # evens are 2, 0, odds are 3, 1
        ledger.send(rank, "MPI_Sendrecv", to, 300 + rank, posted=posted)
    for rank in range(n):
        shift([rank], lambda _: 400)

    ledger.check(
        profile_of(mpi, "matrix.c", n),
        "MPI_Comm_split MPI_Comm_free MPI_Comm_disconnect MPI_Comm_group MPI_Group_incl "
        "MPI_Comm_create MPI_Intercomm_create",
    )


@dataclass(frozen=True)
class StandardAbi(MpiLibrary):
    """The other personality of MPICH and of Intel MPI: the MPI-5 standard ABI.

    The program is built once, by MPICH, and runs over both: that is what the ABI is for.
    """

    compiler: Path = Path("mpicc_abi")

    def build(self, source: Path, output: Path, *options: str) -> Path:
        command = [str(self.compiler), str(source), "-o", str(output), *options]
        subprocess.run(command, check=True, timeout=120)
        return output

    def command(self, ranks: int, *argv: str | Path) -> list[str]:
        launcher, *rest = super().command(ranks, *argv)
        return [launcher, "-genv", "LD_LIBRARY_PATH", str(self.bin.parent / "lib"), *rest]


@pytest.mark.parametrize(("name", "options"), [("mpich", ()), ("impi", ("-DOVER_INTEL_MPI",))])
def test_standard_abi(
    mpich: MpiLibrary, profile_of: ProfileOf, name: str, options: tuple[str, ...]
) -> None:
    """The program for the MPI-5 standard ABI has other handles and other constants."""
    over = mpi_library(name)
    ledger = Ledger(3)
    _collectives(ledger, name)

    library = StandardAbi(f"{name}-abi", over.bin, compiler=mpich.bin / "mpicc_abi")
    document = profile_of(library, "collectives.c", 3, options=options)

    assert document["mpi"]["abi"] == "standard"
    assert document["mpi"]["library"] == over.full_name
    ledger.check(document, "MPI_Wait MPI_Request_free")
