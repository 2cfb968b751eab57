"""The script that checks the preloaded library: this build obeys it, a bad library is refused."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.support import ROOT

SCRIPT = ROOT / "tools" / "check_exports.py"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_exports", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def compiled(source: str, output: Path, *options: str) -> Path:
    """A shared library of C code; without a word of glibc, so that only what is written counts."""
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-nostdlib", "-xc", "-", "-xnone", "-o", output, *options],
        input=source,
        text=True,
        check=True,
        timeout=200,
    )
    return output


@pytest.fixture
def new_libc(tmp_path: Path) -> Path:
    """A stand-in for the libc of a year to come, with a call that today's lacks."""
    versions = tmp_path / "versions"
    versions.write_text("GLIBC_2.5 { global: old_call; };\nGLIBC_9.1 { global: new_call; };\n")
    return compiled(
        "void new_call(void) {} void old_call(void) {}",
        tmp_path / "libc.so.6",
        "-Wl,-soname,libc.so.6",
        f"-Wl,--version-script={versions}",
    )


def complaints(library: Path, *table: str) -> list[str]:
    texts: list[str] = script().check_library(library, set(table))
    return [complaint.removeprefix(f"{library}: ") for complaint in texts]


def test_this_build_passes() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], capture_output=True, text=True, check=False, timeout=200
    )

    assert done.returncode == 0, done.stderr


def test_the_table_is_the_generators() -> None:
    calls = script().table()

    assert {"MPI_Init", "MPI_Send_c", "MPI_Type_struct"} <= calls
    assert "MPI_Wtime" not in calls


def test_what_a_good_library_is_like(tmp_path: Path, new_libc: Path) -> None:
    source = "void old_call(void); void MPI_Send(void) { old_call(); }"

    assert complaints(compiled(source, tmp_path / "lib.so", str(new_libc)), "MPI_Send") == []


@pytest.mark.parametrize(
    ("source", "options", "says"),
    [
        ("void new_call(void); void MPI_Send(void) { new_call(); }", [], "new_call of GLIBC_9.1"),
        (
            "void elsewhere(void); void MPI_Send(void) { elsewhere(); }",
            [],
            "needs elsewhere, which",
        ),
        ("void MPI_Send(void) {} void helper(void) {}", [], "exports helper"),
        ("void MPI_Recv(void) {}", [], "does not export MPI_Send"),
        ("void MPI_Send(void) {}", ["-Wl,-z,execstack"], "executable stack"),
        ("void MPI_Send(void) {}", ["-Wl,-rpath,/some/where"], "looks for libraries in /some"),
        ("void MPI_Send(void) {}", ["-Wl,--no-as-needed", "-lstdc++"], "needs libstdc++.so.6"),
        (
            'int here; void MPI_Send(void) {} __asm__(".text\\n.quad here");',
            ["-Wl,-z,notext"],
            "relocations in its code",
        ),
    ],
)
def test_a_bad_library_is_refused(
    tmp_path: Path, new_libc: Path, source: str, options: list[str], says: str
) -> None:
    library = compiled(source, tmp_path / "lib.so", str(new_libc), *options)

    texts = complaints(library, "MPI_Send")

    assert any(says in complaint for complaint in texts), texts


def test_bindings_bring_their_cxx_runtime(tmp_path: Path) -> None:
    source = "void PyInit_x(void) {}"
    library = compiled(source, tmp_path / "x.so", "-Wl,--no-as-needed", "-lstdc++", "-lm")

    (complaint,) = script().check_bindings(library)

    assert "needs libstdc++.so.6" in complaint


def test_a_program_that_needs_libraries_is_refused(tmp_path: Path) -> None:
    program = tmp_path / "program"
    subprocess.run(
        ["cc", "-xc", "-", "-o", program],
        input="int main(void) { return 0; }",
        text=True,
        check=True,
    )

    assert "dynamically linked" in script().check_program(program)[0]
