"""jsrun of IBM's Job Step Manager and PALS's mpiexec, as their documentation has them: given what
options they take, told from other files, and with placements. No test has met an LSF or a Cray."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.foreign_launchers import write_launcher
from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import Build
from tests.unit.test_gate import of_ranks, run
from waywiser.analyse.gate import gate_of
from waywiser.errors import InvalidCommand, ToolMissing
from waywiser.launch.binding import binds_itself, launch_words
from waywiser.launch.command import identify_launcher, parse_command
from waywiser.launch.launchers.jsrun import JSRUN
from waywiser.launch.launchers.launcher import Launcher, LauncherKind
from waywiser.launch.launchers.pals import PALS
from waywiser.launch.placing.form import Unsafe
from waywiser.launch.placing.forms import FORMS
from waywiser.launch.placing.placed import Placed
from waywiser.launch.rank_order import check_rank_order
from waywiser.launch.recognise import recognise_launcher
from waywiser.launch.shape import Shape

PLACED = Placed(("h1", "h2"), (0, 0, 1, 1), (0, 2, 1, 3))
TWO_NODES = Shape(nodes=2, ranks=8, threads=7, free_cores=1, cores_per_node=32)
JSRUN_OPTIONS = {
    "-n|--nrs|-p|--np": "ranks=$2; shift 2",
    "-n[0-9]*": "ranks=${1#-n}; shift",
    "-[acdgrblEXK]|--bind|--rs_per_host|--tasks_per_rs|--cpu_per_rs|--smpiargs": "shift 2",
    "-[acgr][0-9]*|--bind=*|--smpiargs=*": "shift",
    "--erf_input=*": 'ranks=$(grep -c "^rank:" "${1#*=}"); shift',
}
SAYS = "mpiexec (PALS) 1.4.2"
CRAY_MPICH = "MPI VERSION    : CRAY MPICH version 8.1.28.29 (ANL base 3.4a2)"
PALS_OPTIONS = {
    "-n|-np|--np": "ranks=$2; shift 2",
    "-ppn|--ppn|-d|--depth|--cpu-bind|-e|--env|--hostfile|--hosts|--mem-bind|--wdir": "shift 2",
    "--cpu-bind=*|--pmi=*|--env=*": "shift",
    "-l|--label|--line-buffer|--envall|-genvall|--no-vni|-v|--verbose": "shift",
}


@pytest.fixture
def jsrun(tmp_path: Path, openmpi: MpiLibrary) -> Path:
    file = tmp_path / "jsm" / "jsrun"
    variables = "JSM_NAMESPACE_RANK=$RANK"
    return write_launcher(
        file, openmpi, version="jsrun version: 10.4.0.4", cases=JSRUN_OPTIONS, rank=variables
    )


@pytest.fixture
def mpiexec(tmp_path: Path, mpich: MpiLibrary) -> Path:
    """An installation like PALS's, with its library in a directory beside it."""
    file = tmp_path / "pals" / "bin" / "mpiexec"
    write_launcher(file, mpich, version=SAYS, cases=PALS_OPTIONS, rank="PALS_RANKID=$RANK")
    (tmp_path / "pals" / "lib").mkdir()
    (tmp_path / "pals" / "lib" / "libpals.so.0").write_bytes(b"")
    return file


@pytest.fixture
def launchers(jsrun: Path, mpiexec: Path) -> dict[str, Path]:
    return {"jsrun": jsrun, "mpiexec": mpiexec}


@pytest.mark.parametrize(
    "line",
    [
        "jsrun -n 2",
        "jsrun -n2 -a1 -c7 -g1 -r6 -l gpu-cpu -b packed:7 -d packed",
        "jsrun --nrs 2 --tasks_per_rs 1 --cpu_per_rs 8 --gpu_per_rs=0 --bind rs",
        "jsrun -p 2 -E OMP_NUM_THREADS=4 -X 1 --stdio_stdout out.%t -k err.%t",
        "jsrun --erf_input data --smpiargs -gpu",
        "jsrun -h / -n 1",
        "mpiexec -n 2",
        "mpiexec -np 2 -ppn 1 -d 8 --cpu-bind depth -genvall",
        "mpiexec -n 2 --ppn 2 --depth=8 --cpu-bind=verbose,depth --env A=1 --envall",
        "mpiexec --np=2 --hostfile data --no-vni --cpu-bind list:1-7:9-15 --pmi=pmix",
        "mpiexec --hosts a,b -n 2 --line-buffer -l --mem-bind local",
        "mpiexec -n 2 -o out.%r -e err.%r",
    ],
)
def test_the_program_is_found_behind_its_options(launchers: dict[str, Path], line: str) -> None:
    name, *options = line.split()

    command = parse_command([str(launchers[name]), *options, "sh", "-n", "5"])

    assert (command.program(), command.arguments()) == ("sh", ("-n", "5"))


@pytest.mark.parametrize(
    ("kind", "options", "kept", "binds"),
    [
        (JSRUN, "--bind packed:8", "-n 8 -r 4 -a 1 -c 8", True),
        (JSRUN, "-b rs --cpu_per_rs 16", "-n 8 -r 4 -a 1", True),
        (JSRUN, "-c 16", "-n 8 -r 4 -a 1 -b rs", False),
        (PALS, "--cpu-bind list:0:8", "-n 8 --ppn 4 --depth 8", True),
        (PALS, "-d 4", "-n 8 --ppn 4 --cpu-bind depth", False),
        (PALS, "--ppn 8", "-n 8 --depth 8 --cpu-bind depth", False),
    ],
)
def test_what_a_user_says_comes_instead(
    kind: LauncherKind, options: str, kept: str, binds: bool
) -> None:
    launcher = Launcher(Path("launcher"), kind, "1.4")

    assert launch_words(launcher, TWO_NODES, options=options.split())[1:] == kept.split()
    assert binds_itself(launcher, options.split()) == binds


@pytest.mark.parametrize(("name", "more"), [("jsrun", "--smpiargs -gpu"), ("mpiexec", "--no-vni")])
def test_a_program_is_profiled_behind_it(
    launchers: dict[str, Path],
    openmpi: MpiLibrary,
    mpich: MpiLibrary,
    build: Build,
    waywiser: Waywiser,
    name: str,
    more: str,
) -> None:
    words = launch_words(identify_launcher(launchers[name]), Shape(nodes=1, ranks=2))
    program = build(openmpi if name == "jsrun" else mpich, "sharing.c")

    done = waywiser.profiles([*words, *more.split(), program])

    assert sorted(re.findall(r"rank \d of \d", done.stdout)) == ["rank 0 of 2", "rank 1 of 2"]
    assert waywiser.show()["ranks"] == 2


def test_jsrun_is_recognised_by_its_name(jsrun: Path) -> None:
    assert recognise_launcher(jsrun).kind is JSRUN
    assert not (jsrun.parent / "started").exists()
    assert str(identify_launcher(jsrun)) == "jsrun of JSM 10.4.0.4"
    jsrun.write_text("#!/bin/sh\necho something else\n")
    assert identify_launcher(jsrun) == Launcher(jsrun, JSRUN, "")


def test_programs_in_a_file_are_refused(jsrun: Path) -> None:
    with pytest.raises(InvalidCommand, match="hides the programs in a file"):
        parse_command([str(jsrun), "--appfile", "data"])


def test_each_rank_gets_a_resource_set() -> None:
    launcher = Launcher(Path("jsrun"), JSRUN, "")
    oversubscribed = Shape(nodes=1, ranks=4, threads=1, free_cores=1, cores_per_node=7)

    words = launch_words(launcher, TWO_NODES, pmi="pmix")
    assert " ".join(words) == "jsrun -n 8 -r 4 -a 1 -c 8 -b rs"
    assert launch_words(launcher, oversubscribed)[-4:] == ["-c", "1", "-b", "none"]


def test_a_resource_file_places_ranks(
    jsrun: Path, openmpi: MpiLibrary, build: Build, waywiser: Waywiser, tmp_path: Path
) -> None:
    form = FORMS["jsrun"]
    (tmp_path / "placed.erf").write_text(form.text(PLACED, "openmpi"), encoding="utf-8")
    command = form.launch(PLACED.ranks, "placed.erf").split()

    done = waywiser.bare([jsrun, *command[1:], build(openmpi, "sharing.c")])

    assert command[0] == "jsrun"
    assert done.stdout.count(" of 4 on ") == 4, done.stderr


def test_resource_sets_are_not_counted_as_ranks(jsrun: Path, tmp_path: Path) -> None:
    order = tmp_path / "order"
    order.write_text("1\n0\n3\n2\n")
    command = parse_command([str(jsrun), "-n", "2", "-a", "2", "sh"])

    ranks, sentence = check_rank_order(order, command)

    assert ranks == (1, 0, 3, 2)
    assert "JSM_NAMESPACE_RANK" in sentence
    with pytest.raises(InvalidCommand, match="orders 4 ranks, but the command starts 3"):
        check_rank_order(order, parse_command([str(jsrun), "-p3", "sh"]))


def test_records_of_runs_tell_jsrun_by_its_name() -> None:
    gate = gate_of(run(command="/opt/ibm/jsm/bin/jsrun"), of_ranks(("n0", "0", 0.0)))
    shared = gate_of(run(command="jsrun"), of_ranks(("n0", "0", 0.0), ("n0", "0", 0.0)))

    assert gate.holds
    assert shared.remedies[0].endswith("`jsrun -n RANKS -a 1 -c 1 -b rs`")
    busy = gate_of(run(command="jsrun", busy_s=90.0), of_ranks(("n0", "0", 0.1), ("n0", "1", 0.2)))
    assert busy.holds


def test_pals_is_recognised_by_what_it_says(mpiexec: Path) -> None:
    (mpiexec.parent.parent / "lib" / "libpals.so.0").unlink()

    assert str(identify_launcher(mpiexec)) == "mpiexec of PALS 1.4.2"
    with pytest.raises(ToolMissing, match="is not recognised: neither it nor"):
        recognise_launcher(mpiexec)


def test_pals_is_recognised_by_what_lies_beside_it(mpiexec: Path) -> None:
    """Whatever it says, and without being started."""
    assert recognise_launcher(mpiexec).kind is PALS
    assert not (mpiexec.parent / "started").exists()
    mpiexec.write_text("#!/bin/sh\necho version 1.4\n")
    assert identify_launcher(mpiexec) == Launcher(mpiexec, PALS, "")


def test_several_programs(mpiexec: Path) -> None:
    command = parse_command(f"{mpiexec} -n 1 sh a : --ppn 2 -n 2 true b".split())

    assert [command.program(index) for index in range(2)] == ["sh", "true"]


def test_ranks_get_cores_by_depth() -> None:
    launcher = Launcher(Path("mpiexec"), PALS, "1.4")
    oversubscribed = Shape(nodes=1, ranks=4, threads=1, free_cores=1, cores_per_node=7)

    words = launch_words(launcher, TWO_NODES, pmi="pmi2")
    assert " ".join(words) == "mpiexec -n 8 --ppn 4 --depth 8 --cpu-bind depth"
    assert launch_words(launcher, oversubscribed)[-2:] == ["--cpu-bind", "none"]


def test_options_of_other_launchers_would_be_seen(mpiexec: Path, waywiser: Waywiser) -> None:
    done = waywiser.bare([mpiexec, "-n", "1", "-bind-to", "core", "true"])

    assert (done.returncode, done.stderr) == (2, "mpiexec: there is no option -bind-to\n")


def test_another_order_of_ranks_is_given_by_its_variable(tmp_path: Path) -> None:
    placed = Placed(("n0", "n1", "n2"), (0, 0, 1, 1, 2, 2), (0, 2, 4, 1, 3, 5))

    assert FORMS["pals"].text(placed, "mpich") == "0,3,1,4,2,5\n"
    assert FORMS["pals"].launch(6, "f", "f.hosts") == (
        "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=f mpiexec -n 6"
    )
    with pytest.raises(Unsafe, match="only renumbers the processes"):
        FORMS["pals"].text(Placed(placed.names, placed.slots, (0, 5)))


def test_records_of_runs_tell_pals_by_the_library() -> None:
    """PALS's ranks are a daemon's children, so that they look like other programs."""
    shared = of_ranks(("n0", "0", 0.0), ("n0", "0", 0.0))

    cray = gate_of(run(library=CRAY_MPICH, command="/opt/cray/pals/1.6/bin/mpiexec"), shared)
    assert cray.remedies[0].endswith("`mpiexec --cpu-bind core`")
    busy = run(library=CRAY_MPICH, command="mpiexec", busy_s=90.0)
    assert gate_of(busy, of_ranks(("n0", "0", 0.1), ("n0", "1", 0.2))).holds
