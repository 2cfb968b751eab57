"""Names that the profiler shows to a process: those of its MPI library, whenever it is loaded."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tests.support import MpiLibrary, Waywiser
from tests.system.conftest import PROGRAMS
from waywiser.native import PROFILER

pytestmark = [pytest.mark.every_mpi, pytest.mark.in_turn]


def wrappers() -> list[str]:
    """Every name that the profiler can show, and some that no library has."""
    with PROFILER.open("rb") as file:
        table = ELFFile(file).get_section_by_name(".dynsym")
        assert isinstance(table, SymbolTableSection)
        names = [s.name for s in table.iter_symbols() if s["st_shndx"] != "SHN_UNDEF"]
    return [
        *(name for name in names if name.lower().startswith("mpi_")),
        "MPI_Nothing",
        "PMPI_Init",
    ]


def compile_plain(source: str, output: Path, *options: str | Path) -> Path:
    """A program or library that is not linked to MPI."""
    command = ["cc", "-O1", "-g", str(PROGRAMS / source), "-o", str(output), *map(str, options)]
    subprocess.run(command, check=True, timeout=200)
    return output


def same_bare_and_profiled(waywiser: Waywiser, *command: str | Path, code: int = 0) -> str:
    """A program's output, which must be the same with and without the profiler."""
    bare = waywiser.bare(command)
    assert bare.returncode == code, bare.stderr
    done = waywiser.profile(command)
    assert (done.returncode, done.stdout) == (code, bare.stdout), done.stderr
    return bare.stdout


@pytest.mark.parametrize("binding", ["-Wl,-z,lazy", "-Wl,-z,now"])
def test_a_process_sees_the_calls_of_its_library(
    mpi: MpiLibrary, waywiser: Waywiser, tmp_path: Path, binding: str
) -> None:
    program = mpi.build(PROGRAMS / "asker.c", tmp_path / "asker", "-DWITH_MPI", binding)

    names = same_bare_and_profiled(waywiser, program, *wrappers()).split("\n")

    assert "MPI_Init" in names
    assert "MPI_Nothing" not in names
    assert ("MPI_Send_c" in names) == (mpi.name != "openmpi")
    assert waywiser.show()["functions"]["MPI_Init"]["calls"] == 1


@pytest.mark.parametrize("binding", ["-Wl,-z,lazy", "-Wl,-z,now", "-no-pie"])
def test_a_process_without_mpi_sees_none(waywiser: Waywiser, tmp_path: Path, binding: str) -> None:
    program = compile_plain("asker.c", tmp_path / "asker", binding)

    assert same_bare_and_profiled(waywiser, program, *wrappers()) == ""


@pytest.mark.parametrize(
    ("through", "mode"), [("plugin", "global"), ("plugin-of-plugin", "local"), ("soname", "local")]
)
def test_mpi_behind_a_plugin(
    mpi: MpiLibrary, waywiser: Waywiser, tmp_path: Path, through: str, mode: str
) -> None:
    """A library of the program brings MPI: itself, through another one, or found by RUNPATH."""
    shared = ("-shared", "-fPIC")
    plugin = mpi.build(PROGRAMS / "plugin.c", tmp_path / "libplugin.so", *shared)
    here = "-Wl,-rpath,$ORIGIN"
    named: str | Path = plugin
    if through == "plugin-of-plugin":
        outer = (*shared, "-Wl,--no-as-needed", plugin, here)
        (tmp_path / "empty.c").write_text("")
        named = compile_plain(str(tmp_path / "empty.c"), tmp_path / "libouter.so", *outer)
    elif through == "soname":
        named = "libplugin.so"
    program = compile_plain("opener.c", tmp_path / "opener", here)

    same_bare_and_profiled(waywiser, *mpi.command(1, program, "plugin", mode, named))

    document = waywiser.show()
    assert (document["status"], document["lost"]) == ("complete", [])
    counts = document["functions"]["MPI_Sendrecv"]
    assert (counts["calls"], counts["bytes"], counts["receive_bytes"]) == (25, 100, 100)
    assert document["mpi"]["abi"] == mpi.abi


@pytest.mark.parametrize("mode", ["local", "global"])
def test_mpi_by_its_handle(mpi: MpiLibrary, waywiser: Waywiser, tmp_path: Path, mode: str) -> None:
    """A program that opens libmpi itself and takes its functions by dlsym, as MPI.jl does."""
    names = {"openmpi": "libmpi.so.40"}
    library = mpi.bin.parent / "lib" / names.get(mpi.name, "libmpi.so.12")
    program = compile_plain("opener.c", tmp_path / "opener")

    same_bare_and_profiled(waywiser, *mpi.command(1, program, "library", mode, library))

    functions = waywiser.show()["functions"]
    calls = {name: function["calls"] for name, function in functions.items()}
    assert calls == {"MPI_Init": 1, "MPI_Initialized": 7, "MPI_Finalize": 1}


def renamed(mpi: MpiLibrary, directory: Path, name: str) -> Path:
    """A copy of the library under another name, in the file and inside it."""
    soname = b"libmpi.so.40" if mpi.name == "openmpi" else b"libmpi.so.12"
    content = (mpi.bin.parent / "lib" / soname.decode()).resolve().read_bytes()
    assert len(name) == len(soname)
    assert content.count(soname + b"\0") == 1
    for file in (mpi.bin.parent / "lib").iterdir():
        (directory / file.name).symlink_to(file)  # what the library finds by $ORIGIN
    copy = directory / name
    copy.write_bytes(content.replace(soname + b"\0", name.encode() + b"\0"))
    return copy


def test_a_library_of_another_name(mpi: MpiLibrary, waywiser: Waywiser, tmp_path: Path) -> None:
    """Libraries of Cray, MVAPICH and ParaStation have such names: the symbols tell the family."""
    directory = tmp_path / "prefix" / "lib"
    directory.mkdir(parents=True)
    library, source = renamed(mpi, directory, "libcray.so.9"), tmp_path / "plugin.o"
    mpi.build(PROGRAMS / "plugin.c", source, "-c")
    (tmp_path / "main.c").write_text("int solve(int);\nint main(void) { return solve(25); }\n")
    program = compile_plain(
        str(tmp_path / "main.c"),
        tmp_path / "program",
        *(source, library, f"-Wl,-rpath,{directory}", "-Wl,--allow-shlib-undefined"),
    )

    waywiser.profiles(mpi.command(2, program))

    document = waywiser.show()
    assert (document["mpi"]["abi"], document["mpi"]["library"]) == (mpi.abi, mpi.full_name)
    counts = document["functions"]["MPI_Sendrecv"]
    assert (counts["calls"], counts["bytes"]) == (50, 200)


def test_a_library_of_no_known_family(
    openmpi: MpiLibrary, mpich: MpiLibrary, waywiser: Waywiser, tmp_path: Path
) -> None:
    """Calls and time are recorded, no bytes, and it is said. The launcher tells the ranks."""
    library = compile_plain("strange_mpi.c", tmp_path / "libstrange.so", "-shared", "-fPIC")
    program = compile_plain(
        "strange_program.c", tmp_path / "program", library, f"-Wl,-rpath,{tmp_path}"
    )

    for launcher in (openmpi, mpich):
        waywiser.profiles(launcher.command(2, program), launcher.name)

        document = waywiser.show(launcher.name, "--per-rank")
        assert document["mpi"]["library"] == "Strange MPI 1.0"
        assert document["mpi"]["abi"] == "unknown"
        assert [rank["rank"] for rank in document["per_rank"]] == [0, 1]
        for rank in document["per_rank"]:
            calls = {name: f["calls"] for name, f in rank["functions"].items()}
            assert calls == {"MPI_Init": 1, "MPI_Barrier": 4, "MPI_Send": 3, "MPI_Finalize": 1}
            assert rank["functions"]["MPI_Send"]["bytes"] == 0
        (sentence,) = document["lost"]
        assert "Strange MPI 1.0" in sentence
        assert "no family that Waywiser knows" in sentence
