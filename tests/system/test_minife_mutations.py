"""ww-minife with one thing wrong in its source does not verify: what its check is worth."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import ROOT, MpiLibrary

NATIVE = ROOT / "native"
FOLDERS = ("base", "workloads/common", "workloads/minife")
FLAGS = ["-std=c++20", "-O1", "-fopenmp", "-DOMPI_SKIP_MPICXX", "-DWAYWISER_NO_CLONES"]


@dataclass(frozen=True)
class Mutation:
    """`found`, which stands once in the file, becomes `put`; `options` then fail on `ranks`."""

    file: str
    found: str
    put: str
    options: str
    ranks: int = 1


MATRIX_FREE = "--operator=matrix-free"
MUTATIONS = [
    Mutation("kernels", "given[i - 1] + given[i + 1]", "given[i - 1] + given[i]", MATRIX_FREE),
    Mutation("kernels", "x[1][i] + x[7][i]", "x[1][i] + x[1][i]", f"{MATRIX_FREE} --cg=fused"),
    Mutation("kernels", "given[n] = high ?", "given[n] = !high ?", MATRIX_FREE),
    Mutation("kernels", "* around[i + 1]", "* around[i]", "--operator=blocks"),
    Mutation("kernels", "+ c[i] * x[i + 1]", "+ c[i] * x[i]", "--operator=symmetric"),
    Mutation("kernels", "values[k] * x[columns[k]]", "values[k]", "--operator=csr"),
    Mutation(
        "kernels",
        "r[i + j] - alpha * q[i + j]",
        "r[i + j] - static_cast<Real>(1.001) * alpha * q[i + j]",
        "--operator=blocks --cg=fused",
    ),
    Mutation("kernels", "w[i] -= alpha * z[i]", "w[i] -= alpha * s[i]", "--cg=pipelined"),
    Mutation(
        "formats",
        "values(1 - middle, node) - 1",
        "values(1 - middle, node)",
        "--operator=symmetric",
    ),
    Mutation("matrix_free", "coupling += integrals", "coupling += 1.01 * integrals", MATRIX_FREE),
    Mutation("matrix_free", "begin > 1, begin", "begin > 0, begin", MATRIX_FREE),
    Mutation("matrix_free", "value -= sums", "value += sums", MATRIX_FREE),
    Mutation(
        "halo", "k < received_nodes()", "k + 1 < received_nodes()", f"{MATRIX_FREE} --cg=fused", 2
    ),
    Mutation("solving", "MPI_SUM", "MPI_MAX", f"{MATRIX_FREE} --cg=fused", 2),
    Mutation(
        "fused",
        "b[s.row + i] - r[i]",
        "0.999 * b[s.row + i] - r[i]",
        f"{MATRIX_FREE} --cg=fused --precision=mixed",
    ),
]


def compile_one(mpi: MpiLibrary, source: Path, include: Path, to: Path) -> Path:
    to.parent.mkdir(parents=True, exist_ok=True)
    command = [str(mpi.bin / "mpicxx"), *FLAGS, f"-I{include}", "-c", str(source), "-o", str(to)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return to


def link(mpi: MpiLibrary, objects: list[Path], to: Path) -> Path:
    command = [str(mpi.bin / "mpicxx"), "-fopenmp", *map(str, objects), "-o", str(to)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return to


@pytest.fixture(scope="module")
def objects(openmpi: MpiLibrary, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The program's objects as they should be, by their place below native/."""
    folder = tmp_path_factory.mktemp("objects")
    sources = [file for room in FOLDERS for file in sorted((NATIVE / room).glob("*.cpp"))]
    names = [str(source.relative_to(NATIVE).with_suffix("")) for source in sources]
    return {
        name: compile_one(openmpi, source, NATIVE, folder / f"{name}.o")
        for name, source in zip(names, sources, strict=True)
    }


def includers(folder: Path, name: str) -> set[Path]:
    """The file itself, and those that include it, through others too."""
    texts = {file: file.read_text(encoding="utf-8") for file in folder.iterdir()}
    found = {folder / name}
    while True:
        more = {
            file
            for file, text in texts.items()
            if any(f'#include "workloads/minife/{other.name}"' in text for other in found)
        }
        if more <= found:
            return found
        found |= more


def mutated(mpi: MpiLibrary, objects: dict[str, Path], mutation: Mutation, folder: Path) -> Path:
    """The program with the mutation, every file that may see it compiled anew."""
    source = NATIVE / "workloads/minife"
    header = not (source / f"{mutation.file}.cpp").exists()
    file = source / f"{mutation.file}{'.hpp' if header else '.cpp'}"
    text = file.read_text(encoding="utf-8")
    assert text.count(mutation.found) == 1, mutation
    tree = folder / "native"
    copy = tree / "workloads/minife"
    copy.mkdir(parents=True)
    for other in source.iterdir():
        (copy / other.name).symlink_to(other)
    for room in ("base", "workloads/common"):
        (tree / room).symlink_to(NATIVE / room)
    (copy / file.name).unlink()
    (copy / file.name).write_text(text.replace(mutation.found, mutation.put), encoding="utf-8")
    changed = {unit.stem for unit in includers(copy, file.name) if unit.suffix == ".cpp"}
    for stem in changed:
        name = f"workloads/minife/{stem}"
        unit = compile_one(mpi, tree / f"{name}.cpp", tree, folder / f"{name}.o")
        objects = {**objects, name: unit}
    return link(mpi, list(objects.values()), folder / "ww-minife")


def run(mpi: MpiLibrary, program: Path, mutation: Mutation) -> subprocess.CompletedProcess[str]:
    options = ["--nx=10", "--nz=12", *mutation.options.split()]
    return mpi.run(mutation.ranks, program, *options, check=False)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: f"{m.file}: {m.put}")
def test_a_mutated_program_does_not_verify(
    openmpi: MpiLibrary, objects: dict[str, Path], tmp_path: Path, mutation: Mutation
) -> None:
    sound = link(openmpi, list(objects.values()), tmp_path / "sound")
    assert run(openmpi, sound, mutation).returncode == 0

    done = run(openmpi, mutated(openmpi, objects, mutation, tmp_path), mutation)

    assert done.returncode == 1
    assert "NOT VERIFIED" in done.stdout
