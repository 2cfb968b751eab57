"""The launcher that a study file means, determined without starting any program that it names."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.checked_study import READERS, remarks_of, study_directory, study_of
from tests.support import MpiLibrary, Waywiser, executable, mpi_libraries
from waywiser.errors import InvalidCommand, ToolMissing
from waywiser.launch.binding import launch_words, option_names
from waywiser.launch.command import identify_launcher
from waywiser.launch.launchers.launcher import Launcher
from waywiser.launch.launchers.table import KINDS
from waywiser.launch.recognise import recognise_launcher
from waywiser.launch.shape import Shape
from waywiser.model.study import LIBRARIES, MpiChoice
from waywiser.study import launchers as module
from waywiser.study.check import check
from waywiser.study.configurations import configurations_of
from waywiser.study.launchers import launcher_of

WRAPPERS = ("mpirun", "mpiexec")
LOADER = """
void _start(void) {
    long number = 2;
    __asm__ volatile("syscall" : "+a"(number) : "D"("MARK"), "S"(0101), "d"(0644)
                     : "rcx", "r11", "memory");
    __asm__ volatile("syscall" : : "a"(60), "D"(0));
}
"""
"""Source of a program's own loader, which creates a file and exits."""

CONSTRUCTOR = """
#include <fcntl.h>
#include <unistd.h>
__attribute__((constructor)) static void begun(void)
{
    close(open("MARK", O_CREAT | O_WRONLY, 0644));
}
"""
AUDIT = """
unsigned la_version(unsigned version) { return version; }
"""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return study_directory(tmp_path)


@pytest.fixture
def nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with Debian's Open MPI in PATH at most, and no environments of Waywiser's."""
    monkeypatch.setattr(module, "MPI_HOME", tmp_path / "none")
    monkeypatch.setattr(module, "launchers_of", lambda name: iter(()))


@pytest.mark.parametrize("name", WRAPPERS)
@pytest.mark.parametrize("library", mpi_libraries(), ids=lambda library: library.name)
def test_looking_at_a_launcher_tells_what_asking_it_does(library: MpiLibrary, name: str) -> None:
    path = library.bin / name

    assert recognise_launcher(path).kind == identify_launcher(path).kind


@pytest.mark.parametrize("path", ["/usr/bin/mpirun.openmpi", "/usr/bin/mpirun.mpich"])
def test_two_libraries_of_one_directory_are_distinguished(path: str) -> None:
    assert recognise_launcher(Path(path)).kind == identify_launcher(Path(path)).kind


@pytest.mark.usefixtures("nothing_here")
@pytest.mark.parametrize("name", LIBRARIES)
def test_a_known_library_that_is_not_here_is_an_error(name: str, tmp_path: Path) -> None:
    """The first mpirun in PATH does not stand in for the library."""
    with pytest.raises(InvalidCommand, match=f"^mpi.{name}: {LIBRARIES[name]} is not found here"):
        launcher_of(name, MpiChoice(), tmp_path)
    assert launcher_of(name, MpiChoice(), tmp_path, elsewhere=True).version == "of its modules"


def test_a_known_library_is_found_behind_another_ones_mpirun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MPI_HOME", tmp_path / "none")
    others = [library for library in mpi_libraries() if library.name != "mpich"]
    monkeypatch.setenv("PATH", os.pathsep.join(str(library.bin) for library in others))

    assert launcher_of("mpich", MpiChoice(), tmp_path).kind.name == "MPICH"


def test_a_script_is_not_run_and_the_file_may_say_what_it_is(directory: Path) -> None:
    script = _script(directory, directory / "asked")

    with pytest.raises(ToolMissing, match=r"^mpi\.site\.launcher: .*say which it is with library"):
        launcher_of("site", MpiChoice(launcher=str(script)), directory)
    found_launcher = launcher_of(
        "site", MpiChoice(launcher=str(script), library="mpich"), directory
    )
    assert str(found_launcher) == "launcher of MPICH as the study file says"
    wrong = f'mpi.site = {{launcher = "{script}", library = "mpich"}}'
    (remark,) = remarks_of("no launcher", wrong, directory)
    assert (remark.level, remark.key) == ("warning", "mpi.site.launcher")
    assert "a check starts nothing that a study file names" in remark.text
    assert not (directory / "asked").exists()


def test_checking_starts_nothing_that_the_file_names(directory: Path, waywiser: Waywiser) -> None:
    """Neither launcher nor program, nor a program's own loader, nor what the loader is told to
    load: each would leave its mark."""
    launcher = _script(directory, directory / "launcher-ran")
    loader = directory / "loader"
    mark = str(directory / "loader-ran")
    _compile(directory, LOADER.replace("MARK", mark), loader, "-nostdlib", "-static-pie", "-fPIE")
    program = directory / "own-loader"
    _compile(directory, "int main(void) { return 0; }", program, f"-Wl,--dynamic-linker={loader}")
    plain = directory / "plain"
    _compile(directory, "int main(void) { return 0; }", plain)
    code = CONSTRUCTOR.replace("MARK", str(directory / "library-ran"))
    for name, more in (("preloaded.so", ""), ("audit.so", AUDIT)):
        _compile(directory, code + more, directory / name, "-shared", "-fPIC")
    file = directory / "study.toml"
    file.write_text(
        'title = "data"\n'
        f'[mpi.site]\nlauncher = "{launcher}"\nlibrary = "mpich"\n'
        f'[mpi.other]\nlauncher = "{launcher}"\n'
        "[mpi.site.environment]\n"
        f'LD_PRELOAD = "{directory}/preloaded.so"\nLD_AUDIT = "{directory}/audit.so"\n'
        + "".join(
            f'[application.{each.name}]\nprogram = "{each}"\nsuccess = "x"\n'
            for each in (program, plain)
        )
    )

    done = waywiser.here("study", "check", str(file))

    assert done.returncode == 2
    assert "error: mpi.other.launcher" in done.stdout
    assert not list(directory.glob("*-ran"))
    subprocess.run([program], check=False)
    assert (directory / "loader-ran").exists(), "the test would not see that something was started"


@pytest.mark.parametrize("name", ["Open MPI", "MPICH"])
@pytest.mark.parametrize(
    "options", [["-bind-to", "none"], ["--map-by", "socket"], ["--bind-to=none"]]
)
@pytest.mark.parametrize("cores", [8, 1])
def test_what_a_user_says_of_binding_is_reported_once(
    name: str, options: list[str], cores: int
) -> None:
    launcher = Launcher(Path("mpirun"), next(kind for kind in KINDS if kind.name == name), "")
    words = launch_words(launcher, Shape(1, 4, cores_per_node=cores), options=options)

    assert words[:3] == ["mpirun", "-n", "4"]
    assert "bind-to" not in option_names(words)
    assert not option_names(words) & option_names(options) & launcher.kind.binding


def test_check_refuses_in_one_sentence_for_each_name(directory: Path) -> None:
    study = study_of("mpi.mvapich2 = {}\nmpi.mpihc = {}")

    errors = [str(error) for error in check(study, configurations_of(study), directory, READERS)]

    assert len(errors) == 2
    assert all(error.startswith('error: mpi: "m') for error in errors)


def test_a_missing_launcher_is_an_error_where_the_runs_start_here(directory: Path) -> None:
    wrong = 'mpi.site = {library = "mpich", launcher = "/nowhere/mpirun"}'

    (remark,) = remarks_of("no launcher", wrong, directory)
    assert remark.key == "mpi.site.launcher"
    elsewhere = f'{wrong}\nresources = {{scheduler = "slurm"}}'
    assert remarks_of("no launcher", elsewhere, directory) == []


def _script(directory: Path, mark: Path) -> Path:
    """Something that leaves a mark when it is started, and says that it is MPICH."""
    script = directory / "bin" / "launcher"
    script.parent.mkdir(exist_ok=True)
    executable(script, f'#!/bin/sh\n: >"{mark}"\necho "HYDRA build details:\n    Version: 4.0"\n')
    return script


def _compile(directory: Path, code: str, target: Path, *options: str) -> None:
    source = directory / f"{target.name}.c"
    source.write_text(code)
    subprocess.run(["gcc", *options, "-o", target, source], check=True)
