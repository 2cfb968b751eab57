"""Workloads built from sources with one fault planted: a check that cannot fail is none.

What workloads share is linked as it was built. A workload's own files are compiled once for a
session, and of a mutant only what the fault is in.
"""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.support import ROOT, MpiLibrary

NATIVE = ROOT / "native"
OPTIONS = ("-std=c++20", "-O1", "-fopenmp", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX")
STENCIL = ROOT / "build/workloads-openmpi/native/workloads/libwaywiser_stencil.a"
"""Built once for all libraries."""
SHARED = (
    *(f"workloads/libwaywiser_{room}.a" for room in ("kernel", "workload")),
    "base/libwaywiser_base.a",
)


def _compiler(mpi: MpiLibrary) -> str:
    return str(mpi.bin / f"mpicxx{mpi.suffix}")


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


@functools.cache
def _own(mpi: MpiLibrary, name: str) -> dict[Path, Path]:
    folder = Path(tempfile.mkdtemp(prefix="ww-objects-"))
    files = sorted((NATIVE / "workloads" / name).glob("*.cpp"))
    return _compile(mpi, NATIVE, [file.relative_to(NATIVE) for file in files], folder)


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

    objects = dict(_own(mpi, name))
    faulty = list(objects) if file.suffix == ".hpp" else [file]
    faulty += (Path("workloads") / one for one in reaches)
    objects |= _compile(mpi, sources, faulty, folder)
    built = ROOT / "build" / f"workloads-{mpi.name}" / "native"
    shared = [STENCIL, *(built / one for one in SHARED)]
    program = folder / f"ww-{name}"
    linked = [str(one) for one in (*objects.values(), *shared)]
    command = [_compiler(mpi), "-fopenmp", *linked, "-o", str(program), "-ldl"]
    subprocess.run(command, check=True, timeout=120)
    return program
