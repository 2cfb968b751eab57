"""Place of the program in a launcher's command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import MpiLibrary, executable, mpi_libraries
from waywiser.errors import InvalidCommand, ToolMissing
from waywiser.launch.command import parse_command
from waywiser.launch.launchers.launcher import Launcher, why_refused
from waywiser.launch.launchers.table import KINDS

LAUNCHERS = {library.name: str(library.bin / "mpirun") for library in mpi_libraries()}
APP = "./app"


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with two programs, a wrapper script and a file that is none."""
    for name in ("app", "other", "wrapper.sh"):
        executable(tmp_path / name, "#!/bin/sh\n")
    (tmp_path / "data").write_text("")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "options",
    [
        "",
        "-n 2",
        "-np 2 --oversubscribe",
        "--map-by :OVERSUBSCRIBE --bind-to core",
        "--mca btl self,sm -x OMP_NUM_THREADS=2",
        "-x NAME --hostfile data",
        "--tag-output --report-bindings -n 2",
        "--allow-run-as-root --host a:2,b:2 --wdir /elsewhere",
        "--display=map -n 1",
        "-H localhost -c 4 -q",
    ],
)
def test_options_of_open_mpi(options: str) -> None:
    command = parse_command([LAUNCHERS["openmpi"], *options.split(), APP, "-n", "5"])

    assert command.program() == APP
    assert command.arguments() == ("-n", "5")


@pytest.mark.parametrize(
    "options",
    [
        "",
        "-n 2",
        "-np 2 -ppn 1",
        "-genv NAME value -n 2",
        "-genv NAME=value -env NAME=value -n 2",
        "-env NAME value -l",
        "-f data -bind-to core -map-by hwthread",
        "-genvall -hosts a,b -iface lo",
        "-outfile-pattern out.%r -n 1",
    ],
)
def test_options_of_mpich(options: str) -> None:
    command = parse_command([LAUNCHERS["mpich"], *options.split(), APP, "-genv", "x"])

    assert command.program() == APP
    assert command.arguments() == ("-genv", "x")


@pytest.fixture
def srun(directory: Path) -> str:
    """A program that answers like Slurm's srun."""
    executable(directory / "srun", "#!/bin/sh\necho slurm-wlm 22.05.8\n")
    return "./srun"


@pytest.mark.parametrize(
    "options",
    [
        "",
        "-n 2",
        "-n2 -N1 -c 4",
        "--ntasks=2 --export=NONE --mpi=pmix",
        "--ntasks 2 --export NONE --mpi pmi2 -l",
        "--exclusive -K --kill-on-bad-exit=1 -p data",
        "--cpu-bind=cores --distribution block:cyclic -u",
        "--chdir=/elsewhere -J name -t 10:00",
    ],
)
def test_options_of_slurm(srun: str, options: str) -> None:
    command = parse_command([srun, *options.split(), APP, "-n", "5"])

    assert (command.program(), command.arguments()) == (APP, ("-n", "5"))
    assert command.launcher is not None
    assert str(command.launcher) == "srun of Slurm 22.05.8"


def test_steps_of_slurm_may_be_heterogeneous(srun: str) -> None:
    words = f"{srun} --het-group=0 -n 1 ./app 1 : --het-group=1 -n 2 ./other".split()

    command = parse_command(words)

    assert [command.program(i) for i in range(2)] == ["./app", "./other"]
    assert command.before_each_program(["SHIM"]) == (
        f"{srun} --het-group=0 -n 1 SHIM ./app 1 : --het-group=1 -n 2 SHIM ./other".split()
    )


def test_programs_in_a_file_of_slurm_are_started_by_hand(srun: str) -> None:
    with pytest.raises(InvalidCommand, match="hides the programs in a file; write `ww-exec --run"):
        parse_command([srun, "-n", "2", "--multi-prog", "data"])


@pytest.mark.parametrize("option", ["--chdir={}", "--chdir {}", "-D {}"])
def test_the_program_is_where_slurm_changes_to(srun: str, directory: Path, option: str) -> None:
    there = directory / "there"
    there.mkdir()
    executable(there / "run-me", "#!/bin/sh\n")

    command = parse_command([srun, *option.format(there).split(), "./run-me"])

    assert command.file() == there / "run-me"


@pytest.mark.parametrize("launcher", LAUNCHERS.values(), ids=LAUNCHERS)
def test_several_programs(launcher: str) -> None:
    """MPMD: the shim goes before each; a `:` inside an argument separates nothing."""
    words = f"{launcher} -n 1 ./app a:b --flag : -n 2 ./other : -n 1 app".split()

    command = parse_command(words)

    assert [command.program(i) for i in range(3)] == ["./app", "./other", "app"]
    assert [command.arguments(i) for i in range(3)] == [("a:b", "--flag"), (), ()]
    assert command.before_each_program(["SHIM", "x"]) == (
        f"{launcher} -n 1 SHIM x ./app a:b --flag : -n 2 SHIM x ./other : -n 1 SHIM x app".split()
    )


def test_a_wrapper_script_is_the_program() -> None:
    command = parse_command([LAUNCHERS["openmpi"], "-n", "2", "./wrapper.sh", APP, "5"])

    assert (command.program(), command.arguments()) == ("./wrapper.sh", (APP, "5"))


def test_a_shell_line_is_the_program() -> None:
    line = "cd there && exec ./app : x"

    command = parse_command([LAUNCHERS["mpich"], "-n", "2", "sh", "-c", line])

    assert (command.program(), command.arguments()) == ("sh", ("-c", line))


def test_program_without_launcher() -> None:
    command = parse_command([APP, "-n", "2", ":", "x"])

    assert command.launcher is None
    assert command.arguments() == ("-n", "2", ":", "x")
    assert command.before_each_program(["SHIM"]) == ["SHIM", APP, "-n", "2", ":", "x"]


@pytest.mark.parametrize("name", ["mpirun", "mpiexec"])
@pytest.mark.parametrize("library", mpi_libraries(), ids=lambda library: library.name)
def test_launcher_from_the_path(
    library: MpiLibrary, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = Path(LAUNCHERS[library.name]).parent
    monkeypatch.setenv("PATH", str(directory), prepend=":")

    command = parse_command([name, "-n", "2", APP])

    assert command.launcher is not None
    assert command.launcher.path == directory / name
    assert command.launcher.kind.name == library.full_name


@pytest.mark.parametrize(
    ("words", "error", "says"),
    [
        ([], InvalidCommand, "no command"),
        (["aprun", "-n", "2", APP], InvalidCommand, "aprun"),
        (["./absent"], InvalidCommand, "no program ./absent"),
        (["./data"], InvalidCommand, "not executable"),
        ([LAUNCHERS["openmpi"], "-n", "2"], InvalidCommand, "no MPI program"),
        ([LAUNCHERS["openmpi"], "-n", "2", APP, ":", "-n", "1"], InvalidCommand, "no MPI program"),
        ([LAUNCHERS["openmpi"], "--app", "file"], InvalidCommand, "hides the programs in a file"),
        ([LAUNCHERS["mpich"], "-configfile", "file"], InvalidCommand, "hides the programs"),
        (["./mpirun", "-n", "2", APP], ToolMissing, "there is no ./mpirun"),
    ],
)
def test_what_cannot_work_is_reported(words: list[str], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        parse_command(words)


def test_a_launcher_that_is_none(directory: Path) -> None:
    executable(directory / "mpirun", "#!/bin/sh\necho something else 1.0\n")

    with pytest.raises(ToolMissing, match="not a launcher that Waywiser knows"):
        parse_command(["./mpirun", "-n", "2", APP])


@pytest.mark.parametrize(
    ("version", "output", "expected"),
    [
        ("5.0.11", "There are not enough slots available in the system", "OVERSUBSCRIBE"),
        ("4.1.4", "There are not enough slots available in the system", "--oversubscribe"),
        ("5.0.11", "help about:\n    prterun:not-enough-slots\nfrom the file", "OVERSUBSCRIBE"),
    ],
)
def test_refusals_name_the_option(version: str, output: str, expected: str) -> None:
    (sentence,) = why_refused(Launcher(Path("mpirun"), KINDS[0], version), output)

    assert expected in sentence


def test_other_failures_get_no_advice() -> None:
    assert why_refused(Launcher(Path("mpirun"), KINDS[0], "5.0.11"), "segmentation fault") == []
    assert why_refused(Launcher(Path("mpirun"), KINDS[1], "5.0.2"), "not enough slots") == []
