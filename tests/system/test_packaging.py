"""The recipes of packaging/ under their ecosystems' own checkers; the modulefile is loaded."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.support import BIN, ROOT, captured
from waywiser import __version__

PACKAGING = ROOT / "packaging"
MODULES = Path("/usr/share/modules/init/bash")
"""Shell code of Environment Modules, as Debian installs it."""


def easybuild(recipe: Path, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """EasyBuild parses the recipe and checks its style."""
    site = next((BIN.parent / "easybuild").glob("lib/python3*/site-packages"), None)
    command = next(Path("/usr/lib").glob("*/modulecmd.tcl"), None)
    if site is None or command is None:
        pytest.skip("EasyBuild or environment-modules is not installed (`make environments`, apt)")
    (tmp_path / "libexec").mkdir()
    (tmp_path / "libexec" / command.name).symlink_to(command)  # where EasyBuild looks for it
    options = [
        *("--check-style", f"--prefix={tmp_path}", "--allow-modules-tool-mismatch"),
        *("--modules-tool=EnvironmentModules", "--module-syntax=Tcl"),
        "--allow-use-as-root-and-accept-consequences",
    ]
    return captured(
        [sys.executable, "-m", "easybuild.main", recipe, *options],
        cwd=tmp_path,
        env={"PYTHONPATH": str(site), "MODULESHOME": str(tmp_path), "HOME": str(tmp_path)},
    )


def test_easybuild_parses_the_recipe_and_accepts_its_style(tmp_path: Path) -> None:
    (recipe,) = (PACKAGING / "easybuild").glob("*.eb")

    done = easybuild(recipe, tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "All style checks PASSed" in done.stdout


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("homepage = ", "homepage= ", "[FAIL]"),
        ("'PythonBundle'", "'NoSuchBundle'", "NoSuchBundle"),
        ("homepage = ", "home_page = ", "homepage"),
    ],
)
def test_easybuild_would_refuse_a_faulty_recipe(
    tmp_path: Path, right: str, wrong: str, says: str
) -> None:
    (recipe,) = (PACKAGING / "easybuild").glob("*.eb")
    faulty = tmp_path / recipe.name
    faulty.write_text(recipe.read_text(encoding="utf-8").replace(right, wrong), encoding="utf-8")

    done = easybuild(faulty, tmp_path)

    assert done.returncode != 0
    assert says in done.stdout + done.stderr


def test_what_the_build_needs_may_come_by_pythonpath(tmp_path: Path) -> None:
    """Spack and EasyBuild build so: the interpreter itself knows none of the packages."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    python = tmp_path / "bare" / "bin" / "python"
    variables = {"PYTHONPATH": sysconfig.get_path("purelib"), "PATH": f"{BIN}:{os.defpath}"}
    generated = ("native/profile/generated/wrappers.cpp", "native/rerank/generated/forwarders.cpp")

    commands: list[list[str | Path]] = [
        ["-S", ROOT, "-B", tmp_path / "build", "-G", "Ninja", f"-DPython_EXECUTABLE={python}"],
        ["--build", tmp_path / "build", "--target", *generated],
    ]
    for command in commands:
        done = captured([BIN / "cmake", *command], env=variables, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr

    assert all((tmp_path / "build" / name).stat().st_size > 0 for name in generated)


def in_shell_with_modules(commands: str, directory: Path) -> list[str]:
    """Output of commands in a shell that has the command `module`."""
    if not MODULES.exists():
        pytest.skip("environment-modules is not installed")
    done = captured(
        ["bash", "-euc", f"set +u; . {MODULES}; set -u\n{commands}"],
        cwd=directory,
        env={"PATH": os.defpath, "MODULEPATH": ""},
        check=True,
    )
    return done.stdout.splitlines()


def test_the_module_brings_waywiser_into_the_path_and_takes_it_away(tmp_path: Path) -> None:
    """The module's own path says where the programs are: PREFIX/waywiser/VERSION/bin."""
    prefix = tmp_path / "a prefix"
    programs = prefix / "waywiser" / __version__ / "bin"
    programs.mkdir(parents=True)
    (programs / "waywiser").symlink_to(BIN / "waywiser")
    shutil.copytree(PACKAGING / "modulefiles", prefix / "modulefiles")

    output = in_shell_with_modules(
        """
        module use "$PWD/modulefiles"
        before=$PATH
        module load waywiser
        command -v waywiser
        waywiser --version | head -n 1
        module unload waywiser
        [ "$PATH" = "$before" ] && ! command -v waywiser && echo gone
        module whatis waywiser 2>&1 | grep -o 'Waywiser [0-9.]*'
        """,
        prefix,
    )

    version = f"waywiser {__version__}"
    assert output == [f"{programs}/waywiser", version, "gone", version.title()]
