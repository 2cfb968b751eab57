"""ww-minife with one thing wrong in its source does not verify: what its check is worth."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.mutants import mutant
from tests.support import MpiLibrary, cases

MATRIX_FREE = "--operator=matrix-free"
FUSED = f"{MATRIX_FREE} --cg=fused"


@dataclass(frozen=True)
class Mutation:
    """`found`, which stands once in the file, becomes `put`; `options` then fail on `ranks`."""

    file: str
    found: str
    put: str
    options: str
    ranks: int = 1


MUTATIONS = [
    Mutation("kernels.cpp", "given[i - 1] + given[i + 1]", "given[i - 1] + given[i]", MATRIX_FREE),
    Mutation("kernels.cpp", "x[1][i] + x[7][i]", "x[1][i] + x[1][i]", FUSED),
    Mutation("kernels.cpp", "given[n] = high ?", "given[n] = !high ?", MATRIX_FREE),
    Mutation("kernels.cpp", "* around[i + 1]", "* around[i]", "--operator=blocks"),
    Mutation("kernels.cpp", "+ c[i] * x[i + 1]", "+ c[i] * x[i]", "--operator=symmetric"),
    Mutation(
        "kernels.cpp",
        "r[i + j] - alpha * q[i + j]",
        "r[i + j] - static_cast<Real>(1.001) * alpha * q[i + j]",
        "--nx=20 --operator=blocks --cg=fused",
    ),
    Mutation("kernels.cpp", "w[i] -= alpha * z[i]", "w[i] -= alpha * s[i]", "--cg=pipelined"),
    Mutation(
        "formats.cpp",
        "values(1 - middle, node) - 1",
        "values(1 - middle, node)",
        "--operator=symmetric",
    ),
    Mutation("matrix_free.cpp", "coupling += ", "coupling += 1.01 * ", MATRIX_FREE),
    Mutation("matrix_free.cpp", "begin > 1, begin", "begin > 0, begin", MATRIX_FREE),
    Mutation("matrix_free.cpp", "value -= sums", "value += sums", MATRIX_FREE),
    Mutation("halo.cpp", "= received_.values[k]", "= received_.values[0]", FUSED, ranks=2),
    Mutation("solving.hpp", "MPI_SUM", "MPI_MAX", FUSED, ranks=2),
    Mutation(
        "fused.cpp",
        "b[s.row + i] - r[i]",
        "0.999 * b[s.row + i] - r[i]",
        f"{FUSED} --precision=mixed",
    ),
]


ONE_OF_EACH_FILE = {one.file: one for one in MUTATIONS if one.file.endswith(".cpp")}.values()


@pytest.mark.parametrize(
    "mutation", cases(ONE_OF_EACH_FILE, long=MUTATIONS), ids=lambda m: f"{m.file}: {m.put}"
)
def test_a_mutated_program_does_not_verify(
    openmpi: MpiLibrary, tmp_path: Path, mutation: Mutation
) -> None:
    fault = (f"minife/{mutation.file}", mutation.found, mutation.put)
    program = mutant(openmpi, "minife", fault, tmp_path)

    options = ["--nx=10", "--nz=12", *mutation.options.split()]
    sound = openmpi.run(mutation.ranks, openmpi.program("ww-minife"), *options, check=False)
    done = openmpi.run(mutation.ranks, program, *options, check=False)

    assert sound.returncode == 0
    assert done.returncode == 1
    assert "NOT VERIFIED" in done.stdout
