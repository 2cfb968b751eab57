"""Workloads built from sources with one fault planted: a check that cannot fail is none.

Everything is compiled once for a session, and of a mutant only what the fault is in.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.support import ROOT, MpiLibrary

NATIVE = ROOT / "native"
OPTIONS = ("-std=c++20", "-O1", "-fopenmp", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")
SHARED = ("base", "workloads/common")


def _compile(mpi: MpiLibrary, sources: Path, files: list[Path], folder: Path) -> dict[Path, Path]:
    """Source, relative to `sources` -> its object file in `folder`."""
    objects = {file: folder / ("_".join(file.with_suffix(".o").parts)) for file in files}

    def compile_one(file: Path) -> None:
        command = [str(mpi.bin / f"mpicxx{mpi.suffix}"), *OPTIONS, f"-I{sources}", "-c"]
        command += [str(sources / file), "-o", str(objects[file])]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert done.returncode == 0, done.stderr

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(compile_one, files))
    return objects


@functools.cache
def _unchanged(mpi: MpiLibrary, room: str) -> dict[Path, Path]:
    folder = Path(tempfile.mkdtemp(prefix="ww-objects-"))
    files = [file.relative_to(NATIVE) for file in sorted((NATIVE / room).glob("*.cpp"))]
    return _compile(mpi, NATIVE, files, folder)


def mutant(mpi: MpiLibrary, name: str, fault: tuple[str, str, str], folder: Path) -> Path:
    """ww-NAME with a fault.

    Args:
        fault: a file below native/workloads, a text that it has once, and what stands there
            instead. Of a header, only the workload's own files see the fault.
        folder: for the program and what it is made of.
    """
    where, old, new = fault
    file = Path("workloads") / where
    sources = folder / "native"
    for room in (*SHARED, f"workloads/{name}"):
        shutil.copytree(NATIVE / room, sources / room, dirs_exist_ok=True)
    text = (sources / file).read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file} has {old!r} {text.count(old)} times"
    (sources / file).write_text(text.replace(old, new), encoding="utf-8")

    objects = {}
    for room in (*SHARED, f"workloads/{name}"):
        objects |= _unchanged(mpi, room)
    own = [of for of in objects if of.parent == Path("workloads") / name]
    objects |= _compile(mpi, sources, own if file.suffix == ".hpp" else [file], folder)
    program = folder / f"ww-{name}"
    command = [str(mpi.bin / f"mpicxx{mpi.suffix}"), "-fopenmp", *map(str, objects.values())]
    subprocess.run([*command, "-o", str(program), "-ldl"], check=True, timeout=120)
    return program
