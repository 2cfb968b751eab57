"""Workloads built from sources with one fault planted: a check that cannot fail is none.

All but what the fault is in is linked as it was built.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.support import ROOT, MpiLibrary, succeeded

NATIVE = ROOT / "native"
OPTIONS = ("-std=c++20", "-O1", "-fopenmp", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")
FIRST = ROOT / "build/workloads-openmpi/native"
"""The build whose objects without MPI the other libraries' programs link, too."""


def _compiler(mpi: MpiLibrary) -> str:
    return str(mpi.bin / f"mpicxx{mpi.suffix}")


def _built(mpi: MpiLibrary) -> Path:
    return ROOT / "build" / f"workloads-{mpi.name}" / "native"


def _compile(
    mpi: MpiLibrary, sources: Path, units: list[list[Path]], directory: Path
) -> list[Path]:
    """Compiles sources, relative to `sources`, each list of them as one."""

    def compile_one(number: int, unit: list[Path]) -> Path:
        file = directory / f"unit_{number}.cpp"
        file.write_text(
            "".join(f'#include "{sources / source}"\n' for source in unit), encoding="utf-8"
        )
        object_file = file.with_suffix(".o")
        command = [
            _compiler(mpi),
            *OPTIONS,
            f"-I{sources}",
            "-c",
            str(file),
            "-o",
            str(object_file),
        ]
        succeeded(subprocess.run(command, capture_output=True, text=True, timeout=300, check=False))
        return object_file

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(compile_one, range(len(units)), units))


def _sources(compiled: Path) -> list[Path]:
    """The sources of one compilation unit of CMake, or a single source, relative to `native`."""
    text = compiled.read_text(encoding="utf-8")
    alone = compiled.parent.name != "Unity"
    files = [str(compiled)] if alone else re.findall(r'^#include "(.+)"', text, re.MULTILINE)
    return [Path(file).relative_to(NATIVE) for file in files]


def _objects(native: Path, target: str) -> dict[Path, list[Path]]:
    """Object file of a target -> its sources, relative to `native`."""
    commands = (native.parent / "compile_commands.json").read_text(encoding="utf-8")
    directory = native / "workloads" / "CMakeFiles" / f"{target}.dir"
    outputs = {Path(entry["output"]): Path(entry["file"]) for entry in json.loads(commands)}
    return {out: _sources(file) for out, file in outputs.items() if directory in out.parents}


def _shared_objects(mpi: MpiLibrary) -> dict[Path, list[Path]]:
    """Objects that all workloads share."""
    shared = _objects(_built(mpi), "waywiser_kernel")
    for target in ("loops", "kernel_alone", "workload"):
        shared |= _objects(FIRST, f"waywiser_{target}")
    return shared


def _link(mpi: MpiLibrary, objects: Iterable[Path], program: Path) -> Path:
    parts = [_compiler(mpi), "-fopenmp", *objects, FIRST / "base/libwaywiser_base.a"]
    command = [*map(str, parts), "-o", str(program), "-ldl"]
    subprocess.run(command, check=True, timeout=120)
    return program


def workload(mpi: MpiLibrary, source: Path, program: Path) -> Path:
    """A workload of one file, compiled outside of `native`."""
    object_files = _compile(mpi, NATIVE, [[source]], program.parent)
    return _link(mpi, [*object_files, *_shared_objects(mpi)], program)


def mutant(
    mpi: MpiLibrary,
    name: str,
    fault: tuple[str, str, str],
    directory: Path,
    reaches: Iterable[str] = (),
) -> Path:
    """ww-NAME with a fault.

    Args:
        fault: a file below native/workloads, a text that it has once, and what stands there
            instead. Of a header, the workload's own files see the fault.
        directory: for the program and what it is made of.
        reaches: files below native/workloads that see it, too.
    """
    where, old, new = fault
    file = Path("workloads") / where
    sources = directory / "native"
    for room in ("base", "workloads"):
        shutil.copytree(NATIVE / room, sources / room)
    text = (sources / file).read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file} has {old!r} {text.count(old)} times"
    (sources / file).write_text(text.replace(old, new), encoding="utf-8")

    own = _objects(_built(mpi), f"ww-{name}")
    assert own, f"ww-{name} has no objects"
    own |= _objects(FIRST, f"waywiser_{name}")
    shared = _shared_objects(mpi)
    faulty = {file, *(Path("workloads") / path for path in reaches)}
    if file.suffix == ".hpp":
        faulty |= {source for unit in own.values() for source in unit}
    objects = own | shared
    replaced = {
        object_file: unit for object_file, unit in objects.items() if not faulty.isdisjoint(unit)
    }
    object_files = _compile(mpi, sources, list(replaced.values()), directory)
    return _link(
        mpi, [*object_files, *(objects.keys() - replaced.keys())], directory / f"ww-{name}"
    )
