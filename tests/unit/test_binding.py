"""Ranks, threads and free cores of a run in each launcher's terms."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import MpiLibrary
from waywiser.launch.binding import binding_environment, forwarding_words, launch_words
from waywiser.launch.command import identify_launcher, parse_command
from waywiser.launch.launchers.launcher import Launcher
from waywiser.launch.launchers.table import KINDS
from waywiser.launch.shape import Shape, enclosing

ONE_NODE = Shape(nodes=1, ranks=4, threads=7, free_cores=1, cores_per_node=32)
FOUR_NODES = Shape(nodes=4, ranks=14, threads=3, free_cores=1, cores_per_node=16)
TOO_MANY = Shape(nodes=1, ranks=4, threads=1, free_cores=1, cores_per_node=7)


def launcher(kind: str) -> Launcher:
    return Launcher(Path("mpirun"), next(k for k in KINDS if k.name == kind), "1.0")


@pytest.mark.parametrize(
    ("kind", "shape", "words"),
    [
        ("Open MPI", ONE_NODE, "-n 4 --map-by slot:PE=8 --bind-to core"),
        ("Open MPI", FOUR_NODES, "-n 14 --map-by ppr:4:node:PE=4 --bind-to core"),
        ("Open MPI", TOO_MANY, "-n 4 --bind-to none"),
        ("MPICH", ONE_NODE, "-n 4 -bind-to core:8"),
        ("MPICH", FOUR_NODES, "-n 14 -ppn 4 -bind-to core:4"),
        ("MPICH", TOO_MANY, "-n 4 -bind-to none"),
        ("Intel MPI", ONE_NODE, "-n 4"),
        ("Intel MPI", FOUR_NODES, "-n 14 -ppn 4"),
        ("Slurm", ONE_NODE, "-N 1 -n 4 -c 8 --cpu-bind=cores --mpi=pmi2"),
        ("Slurm", FOUR_NODES, "-N 4 -n 14 -c 4 --cpu-bind=cores --mpi=pmi2"),
        ("Slurm", TOO_MANY, "-N 1 -n 4 -c 2 --cpu-bind=none --mpi=pmi2"),
    ],
)
def test_the_options_of_each_launcher(kind: str, shape: Shape, words: str) -> None:
    assert launch_words(launcher(kind), shape, pmi="pmi2") == ["mpirun", *words.split()]


def test_the_options_are_found_by_the_parser_of_commands(mpi: MpiLibrary, tmp_path: Path) -> None:
    """Whatever is said to a launcher, `waywiser profile` finds the program behind it."""
    mpirun = identify_launcher(mpi.bin / "mpirun")
    words = [
        *launch_words(mpirun, FOUR_NODES),
        *forwarding_words(mpirun, ["OMP_NUM_THREADS"]),
        "sh",
    ]

    assert parse_command(words).program() == "sh"


def test_threads_take_the_first_cores_of_their_rank() -> None:
    assert binding_environment(launcher("Open MPI"), ONE_NODE) == {
        "OMP_NUM_THREADS": "7",
        "OMP_PLACES": "cores(7)",
        "OMP_PROC_BIND": "close",
    }


def test_intel_mpi_gets_its_domains_in_cores() -> None:
    variables = binding_environment(launcher("Intel MPI"), ONE_NODE)

    assert variables["I_MPI_PIN_CELL"] == "core"
    assert variables["I_MPI_PIN_DOMAIN"] == "8:compact"


def test_nothing_is_bound_where_cores_are_short() -> None:
    assert binding_environment(launcher("Intel MPI"), TOO_MANY) == {
        "OMP_NUM_THREADS": "1",
        "OMP_PROC_BIND": "false",
        "SLURM_CPU_BIND": "none",
        "SLURM_MPI_TYPE": "none",
        "I_MPI_PIN": "0",
    }


def test_only_open_mpi_needs_a_list_to_pass_on() -> None:
    assert forwarding_words(launcher("Open MPI"), ["A", "B"]) == ["-x", "A", "-x", "B"]
    assert forwarding_words(launcher("MPICH"), ["A", "B"]) == []


def test_a_job_has_room_for_each_of_its_runs() -> None:
    """The job has the ranks of one run and the cores of the other."""
    many_ranks, many_cores = Shape(nodes=2, ranks=16), Shape(nodes=1, ranks=2, threads=12)
    both = enclosing([many_cores, many_ranks])
    assert (both.nodes, both.ranks_per_node) == (2, 8)
    assert both.ranks_per_node * both.cores_per_rank == 24
    assert enclosing([many_cores, many_cores]) == many_cores
