"""PALS's mpiexec, as its documentation has it: told from other files of that name, given options
that it takes, and read in records of runs. No test has met a Cray."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.foreign_launchers import write_launcher
from tests.support import MpiLibrary, Waywiser, mpi_libraries
from tests.system.conftest import Build
from tests.unit.test_gate import of_ranks, run
from waywiser.analyse.gate import gate_of
from waywiser.errors import ToolMissing
from waywiser.launch.binding import binds_itself, launch_words, why_unbound
from waywiser.launch.command import identify_launcher, parse_command
from waywiser.launch.launchers.launcher import Launcher
from waywiser.launch.launchers.pals import PALS
from waywiser.launch.placing.form import Files, Unsafe
from waywiser.launch.placing.forms import FORMS
from waywiser.launch.placing.placed import Placed
from waywiser.launch.recognise import recognise_launcher
from waywiser.launch.shape import Shape

SAYS = "mpiexec (PALS) 1.4.2"
TWO_NODES = Shape(nodes=2, ranks=8, threads=7, free_cores=1, cores_per_node=32)
CRAY_MPICH = "MPI VERSION    : CRAY MPICH version 8.1.28.29 (ANL base 3.4a2)"
OPTIONS = {
    "-n|-np|--np": "ranks=$2; shift 2",
    "-ppn|--ppn|-d|--depth|--cpu-bind|-e|--env|--hostfile|--hosts|--mem-bind|--wdir": "shift 2",
    "--cpu-bind=*|--pmi=*|--env=*": "shift",
    "-l|--label|--line-buffer|--envall|-genvall|--no-vni|-v|--verbose": "shift",
}


@pytest.fixture
def mpich() -> MpiLibrary:
    return next(mpi for mpi in mpi_libraries() if mpi.name == "mpich")


@pytest.fixture
def mpiexec(tmp_path: Path, mpich: MpiLibrary) -> Path:
    """What is installed as PALS is: with its library in the folder beside it."""
    file = tmp_path / "pals" / "bin" / "mpiexec"
    write_launcher(file, mpich, version=SAYS, cases=OPTIONS, rank="PALS_RANKID=$RANK")
    (tmp_path / "pals" / "lib").mkdir()
    (tmp_path / "pals" / "lib" / "libpals.so.0").write_bytes(b"")
    return file


def test_it_is_told_by_what_it_says(mpiexec: Path) -> None:
    (mpiexec.parent.parent / "lib" / "libpals.so.0").unlink()

    assert str(identify_launcher(mpiexec)) == "mpiexec of PALS 1.4.2"
    with pytest.raises(ToolMissing, match="cannot be told by looking at it"):
        recognise_launcher(mpiexec)


def test_it_is_told_by_what_lies_beside_it(mpiexec: Path) -> None:
    """Whatever it says, and without being started."""
    assert recognise_launcher(mpiexec).kind is PALS
    assert not (mpiexec.parent / "started").exists()
    mpiexec.write_text("#!/bin/sh\necho version 1.4\n")
    assert identify_launcher(mpiexec) == Launcher(mpiexec, PALS, "")


@pytest.mark.parametrize(
    "options",
    [
        "-n 2",
        "-np 2 -ppn 1 -d 8 --cpu-bind depth -genvall",
        "-n 2 --ppn 2 --depth=8 --cpu-bind=verbose,depth --env A=1 --envall",
        "--np=2 --hostfile data --no-vni --cpu-bind list:1-7:9-15 --pmi=pmix",
        "--hosts a,b -n 2 --line-buffer -l --mem-bind local",
        "-n 2 -o out.%r -e err.%r",
    ],
)
def test_the_program_is_found_behind_its_options(mpiexec: Path, options: str) -> None:
    command = parse_command([str(mpiexec), *options.split(), "sh", "-n", "5"])

    assert (command.program(), command.arguments()) == ("sh", ("-n", "5"))


def test_several_programs(mpiexec: Path) -> None:
    command = parse_command(f"{mpiexec} -n 1 sh a : --ppn 2 -n 2 true b".split())

    assert [command.program(index) for index in range(2)] == ["sh", "true"]


def test_ranks_get_cores_by_depth() -> None:
    launcher = Launcher(Path("mpiexec"), PALS, "1.4")
    crowded = Shape(nodes=1, ranks=4, threads=1, free_cores=1, cores_per_node=7)

    words = launch_words(launcher, TWO_NODES, pmi="pmi2")
    assert " ".join(words) == "mpiexec -n 8 --ppn 4 --depth 8 --cpu-bind depth"
    assert launch_words(launcher, crowded)[-2:] == ["--cpu-bind", "none"]
    assert (why_unbound(launcher, crowded) or "").endswith("so no rank is bound")


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ("--cpu-bind list:0:8", "-n 8 --ppn 4 --depth 8"),
        ("-d 4", "-n 8 --ppn 4 --cpu-bind depth"),
        ("--ppn 8", "-n 8 --depth 8 --cpu-bind depth"),
    ],
)
def test_what_a_user_says_comes_instead(options: str, kept: str) -> None:
    launcher = Launcher(Path("mpiexec"), PALS, "1.4")

    assert launch_words(launcher, TWO_NODES, options=options.split())[1:] == kept.split()
    assert binds_itself(launcher, options.split()) == ("bind" in options)


def test_a_program_is_profiled_behind_it(
    mpiexec: Path, mpich: MpiLibrary, build: Build, waywiser: Waywiser
) -> None:
    words = launch_words(identify_launcher(mpiexec), Shape(nodes=1, ranks=2))

    done = waywiser.profile([*words, "--no-vni", build(mpich, "sharing.c")])

    assert done.returncode == 0, done.stderr
    assert sorted(re.findall(r"rank \d of \d", done.stdout)) == ["rank 0 of 2", "rank 1 of 2"]
    assert waywiser.show()["ranks"] == 2


def test_options_of_other_launchers_would_be_seen(mpiexec: Path, waywiser: Waywiser) -> None:
    done = waywiser.bare([mpiexec, "-n", "1", "-bind-to", "core", "true"])

    assert (done.returncode, done.stderr) == (2, "mpiexec: there is no option -bind-to\n")


def test_another_order_of_ranks_is_given_by_its_variable(tmp_path: Path) -> None:
    placed = Placed(("n0", "n1", "n2"), (0, 0, 1, 1, 2, 2), (0, 2, 4, 1, 3, 5))

    assert FORMS["pals"].text(placed, "mpich") == "0,3,1,4,2,5\n"
    assert FORMS["pals"].launch(placed, Files("f", "f.hosts")) == (
        "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=f mpiexec -n 6"
    )
    with pytest.raises(Unsafe, match="only renumbers the processes"):
        FORMS["pals"].text(Placed(placed.names, placed.slots, (0, 5)))


def test_records_of_runs_tell_it_by_the_library() -> None:
    """Its ranks are a daemon's children, so that other programs cannot be told from them."""
    shared = of_ranks(("n0", "0", 0.0), ("n0", "0", 0.0))

    cray = gate_of(run(library=CRAY_MPICH, command="/opt/cray/pals/1.6/bin/mpiexec"), shared)
    assert cray.remedies[0].endswith("`mpiexec --cpu-bind core`")
    busy = run(library=CRAY_MPICH, command="mpiexec", busy_s=90.0)
    assert gate_of(busy, of_ranks(("n0", "0", 0.1), ("n0", "1", 0.2))).holds
