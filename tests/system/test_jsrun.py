"""jsrun of IBM's Job Step Manager, as its documentation has it: given options that it takes, and
resource files for placements. No test has met an LSF."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.foreign_launchers import write_launcher
from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import Build
from tests.unit.test_gate import of_ranks, run
from waywiser.analyse.gate import gate_of
from waywiser.errors import InvalidCommand
from waywiser.launch.binding import binds_itself, launch_words
from waywiser.launch.command import identify_launcher, parse_command
from waywiser.launch.launchers.jsrun import JSRUN
from waywiser.launch.launchers.launcher import Launcher
from waywiser.launch.placing.form import Files, InvalidPlacement
from waywiser.launch.placing.forms import FORMS
from waywiser.launch.placing.placed import Placed
from waywiser.launch.rank_order import check_rank_order
from waywiser.launch.recognise import recognise_launcher
from waywiser.launch.shape import Shape

PLACED = Placed(("h1", "h2"), (0, 0, 1, 1), (0, 2, 1, 3))
TWO_NODES = Shape(nodes=2, ranks=8, threads=7, free_cores=1, cores_per_node=32)
OPTIONS = {
    "-n|--nrs|-p|--np": "ranks=$2; shift 2",
    "-n[0-9]*": "ranks=${1#-n}; shift",
    "-[acdgrblEXK]|--bind|--rs_per_host|--tasks_per_rs|--cpu_per_rs|--smpiargs": "shift 2",
    "-[acgr][0-9]*|--bind=*|--smpiargs=*": "shift",
    "--erf_input=*": 'ranks=$(grep -c "^rank:" "${1#*=}"); shift',
}


@pytest.fixture
def jsrun(tmp_path: Path, openmpi: MpiLibrary) -> Path:
    file = tmp_path / "jsm" / "jsrun"
    variables = "JSM_NAMESPACE_RANK=$RANK"
    return write_launcher(
        file, openmpi, version="jsrun version: 10.4.0.4", cases=OPTIONS, rank=variables
    )


def test_it_is_told_by_its_name(jsrun: Path) -> None:
    assert recognise_launcher(jsrun).kind is JSRUN
    assert not (jsrun.parent / "started").exists()
    assert str(identify_launcher(jsrun)) == "jsrun of JSM 10.4.0.4"
    jsrun.write_text("#!/bin/sh\necho something else\n")
    assert identify_launcher(jsrun) == Launcher(jsrun, JSRUN, "")


@pytest.mark.parametrize(
    "options",
    [
        "-n 2",
        "-n2 -a1 -c7 -g1 -r6 -l gpu-cpu -b packed:7 -d packed",
        "--nrs 2 --tasks_per_rs 1 --cpu_per_rs 8 --gpu_per_rs=0 --bind rs",
        "-p 2 -E OMP_NUM_THREADS=4 -X 1 --stdio_stdout out.%t -k err.%t",
        "--erf_input data --smpiargs -gpu",
        "-h / -n 1",
    ],
)
def test_the_program_is_found_behind_its_options(jsrun: Path, options: str) -> None:
    command = parse_command([str(jsrun), *options.split(), "sh", "-n", "5"])

    assert (command.program(), command.arguments()) == ("sh", ("-n", "5"))


def test_programs_in_a_file_are_refused(jsrun: Path) -> None:
    with pytest.raises(InvalidCommand, match="hides the programs in a file"):
        parse_command([str(jsrun), "--appfile", "data"])


def test_each_rank_gets_a_resource_set() -> None:
    launcher = Launcher(Path("jsrun"), JSRUN, "")
    crowded = Shape(nodes=1, ranks=4, threads=1, free_cores=1, cores_per_node=7)

    words = launch_words(launcher, TWO_NODES, pmi="pmix")
    assert " ".join(words) == "jsrun -n 8 -r 4 -a 1 -c 8 -b rs"
    assert launch_words(launcher, crowded)[-4:] == ["-c", "1", "-b", "none"]


@pytest.mark.parametrize(
    ("options", "kept", "binds"),
    [
        ("--bind packed:8", "-n 8 -r 4 -a 1 -c 8", True),
        ("-b rs --cpu_per_rs 16", "-n 8 -r 4 -a 1", True),
        ("-c 16", "-n 8 -r 4 -a 1 -b rs", False),
    ],
)
def test_what_a_user_says_comes_instead(options: str, kept: str, binds: bool) -> None:
    launcher = Launcher(Path("jsrun"), JSRUN, "")

    assert launch_words(launcher, TWO_NODES, options=options.split())[1:] == kept.split()
    assert binds_itself(launcher, options.split()) == binds


def test_a_program_is_profiled_behind_it(
    jsrun: Path, openmpi: MpiLibrary, build: Build, waywiser: Waywiser
) -> None:
    words = launch_words(identify_launcher(jsrun), Shape(nodes=1, ranks=2))

    done = waywiser.profile([*words, "--smpiargs", "-gpu", build(openmpi, "sharing.c")])

    assert done.returncode == 0, done.stderr
    assert sorted(re.findall(r"rank \d of \d", done.stdout)) == ["rank 0 of 2", "rank 1 of 2"]
    assert waywiser.show()["ranks"] == 2


def test_a_resource_file_places_ranks(
    jsrun: Path, openmpi: MpiLibrary, build: Build, waywiser: Waywiser, tmp_path: Path
) -> None:
    form = FORMS["jsrun"]
    (tmp_path / "placed.erf").write_text(form.text(PLACED, "openmpi"), encoding="utf-8")
    command = form.launch(PLACED, Files("placed.erf", "")).split()

    done = waywiser.bare([jsrun, *command[1:], build(openmpi, "sharing.c")])

    assert command[0] == "jsrun"
    assert done.stdout.count(" of 4 on ") == 4, done.stderr


def test_resource_files_of_others_are_read() -> None:
    text = (
        "app 0: ./program\ncpu_index_using: logical\noverlapping_rs: warn\n"
        "rank: 0: { host: 2; cpu: {0-3} ; gpu: {0} ; mem: {0-999} }  # first\n"
        "rank: 1: { host: 1; cpu: {0-83},{88-171} } : app 0\n"
        "2 : {host: 1; cpu: {84-87}; mem: * }\n"
    )

    assert FORMS["jsrun"].read(text, PLACED) == ("h2", "h1", "h1")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rank: 0: { host: 1; cpu: {0} }\nrank: 2: {\n", r"line 2: .* is not 'rank: 1: \{ host"),
        ("rank: 1: { host: 1; cpu: {0} }\n", "line 1: .* is not 'rank: 0:"),
        ("rank: 0: { host: 3; cpu: {0} }\n", "line 1: host 3 is none of the job's, .* 1 to 2"),
        ("rank: 0: { host: 0; cpu: {0} }\n", "line 1: host 0 is none"),
    ],
)
def test_a_damaged_file_is_named_by_its_line(text: str, says: str) -> None:
    with pytest.raises(InvalidPlacement, match=says):
        FORMS["jsrun"].read(text, PLACED)


def test_resource_sets_are_not_counted_as_ranks(jsrun: Path, tmp_path: Path) -> None:
    order = tmp_path / "order"
    order.write_text("1\n0\n3\n2\n")
    command = parse_command([str(jsrun), "-n", "2", "-a", "2", "sh"])

    found, sentence = check_rank_order(order, command)

    assert found == (1, 0, 3, 2)
    assert "JSM_NAMESPACE_RANK" in sentence
    with pytest.raises(InvalidCommand, match="orders 4 ranks, but the command starts 3"):
        check_rank_order(order, parse_command([str(jsrun), "-p3", "sh"]))


def test_records_of_runs_tell_it_by_its_name() -> None:
    gate = gate_of(run(command="/opt/ibm/jsm/bin/jsrun"), of_ranks(("n0", "0", 0.0)))
    shared = gate_of(run(command="jsrun"), of_ranks(("n0", "0", 0.0), ("n0", "0", 0.0)))

    assert gate.holds
    assert shared.remedies[0].endswith("`jsrun -n RANKS -a 1 -c 1 -b rs`")
    busy = gate_of(run(command="jsrun", busy_s=90.0), of_ranks(("n0", "0", 0.1), ("n0", "1", 0.2)))
    assert busy.holds
