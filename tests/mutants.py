"""Workloads built from sources with one fault planted: a check that cannot fail is none.

All but what the fault is in is linked as it was built.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.support import ROOT, MpiLibrary

NATIVE = ROOT / "native"
OPTIONS = ("-std=c++20", "-O1", "-fopenmp", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")
FIRST = ROOT / "build/workloads-openmpi/native"
"""The build whose objects without MPI the other libraries' programs link, too."""


def _compiler(mpi: MpiLibrary) -> str:
    return str(mpi.bin / f"mpicxx{mpi.suffix}")


def _built(mpi: MpiLibrary) -> Path:
    return ROOT / "build" / f"workloads-{mpi.name}" / "native"


def _compile(
    mpi: MpiLibrary, sources: Path, files: Iterable[Path], folder: Path
) -> dict[Path, Path]:
    """Source, relative to `sources` -> its object file in `folder`."""
    objects = {file: folder / ("_".join(file.with_suffix(".o").parts)) for file in files}

    def compile_one(file: Path) -> None:
        command = [_compiler(mpi), *OPTIONS, f"-I{sources}", "-c"]
        command += [str(sources / file), "-o", str(objects[file])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(compile_one, objects))
    return objects


def _own(mpi: MpiLibrary, name: str) -> dict[Path, Path]:
    """Source, relative to `native` -> its object file in the build, of the workload's own files."""
    objects: dict[Path, Path] = {}
    for native, target in ((_built(mpi), f"ww-{name}"), (FIRST, f"waywiser_{name}")):
        commands = (native.parent / "compile_commands.json").read_text(encoding="utf-8")
        outputs = [Path(command["output"]) for command in json.loads(commands)]
        folder = native / "workloads" / "CMakeFiles" / f"{target}.dir"
        found = [one for one in outputs if folder in one.parents and one.suffix == ".o"]
        assert found, f"{folder} has no objects"
        objects |= {
            Path("workloads") / one.relative_to(folder).with_suffix(""): one for one in found
        }
    return objects


def _shared(mpi: MpiLibrary) -> list[Path]:
    """Static libraries that several workloads link, in the linker's order."""
    without_mpi = [
        f"workloads/libwaywiser_{one}.a" for one in ("loops", "kernel_alone", "workload")
    ]
    return [
        _built(mpi) / "workloads/libwaywiser_kernel.a",
        *(FIRST / one for one in without_mpi),
        FIRST / "base/libwaywiser_base.a",
    ]


def mutant(
    mpi: MpiLibrary,
    name: str,
    fault: tuple[str, str, str],
    folder: Path,
    reaches: Iterable[str] = (),
) -> Path:
    """ww-NAME with a fault.

    Args:
        fault: a file below native/workloads, a text that it has once, and what stands there
            instead. Of a header, the workload's own files see the fault.
        folder: for the program and what it is made of.
        reaches: files below native/workloads that see it, too.
    """
    where, old, new = fault
    file = Path("workloads") / where
    sources = folder / "native"
    for room in ("base", "workloads"):
        shutil.copytree(NATIVE / room, sources / room)
    text = (sources / file).read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file} has {old!r} {text.count(old)} times"
    (sources / file).write_text(text.replace(old, new), encoding="utf-8")

    objects = _own(mpi, name)
    faulty = list(objects) if file.suffix == ".hpp" else [file]
    faulty += (Path("workloads") / one for one in reaches)
    objects |= _compile(mpi, sources, faulty, folder)
    program = folder / f"ww-{name}"
    linked = [str(one) for one in (*objects.values(), *_shared(mpi))]
    command = [_compiler(mpi), "-fopenmp", *linked, "-o", str(program), "-ldl"]
    subprocess.run(command, check=True, timeout=120)
    return program
