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
    """`found`, which stands once in the file, becomes `put`; `options` then fail."""

    file: str
    found: str
    put: str
    options: str
    ranks: int = 1
    threads: int = 1


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
        "solving.hpp",
        "b[s.row + i] - line[i]",
        "0.999 * b[s.row + i] - line[i]",
        f"{FUSED} --precision=mixed",
    ),
    # Threads: a lost sum, a plane and a node that nobody has, a layer that nobody assembles,
    # scratch memory that all share, directions read before another thread has updated them.
    Mutation(
        "shares.hpp",
        "const Sum& one : partial) total += one",
        "const Sum& one : partial) total = one",
        FUSED,
        threads=2,
    ),
    Mutation(
        "shares.cpp",
        "planes * (k + 1) / count",
        "planes * (k + 1) / count - (k == 0)",
        "",
        threads=2,
    ),
    Mutation(
        "shares.cpp",
        "runs.back().length += next.length",
        "runs.back().length += next.length - 1",
        "",
        threads=2,
    ),
    Mutation("assembly.cpp", "std::max<Index>(0, box.lo[axis] - 1)", "box.lo[axis]", "", threads=2),
    Mutation(
        "shares.hpp",
        "static_cast<std::size_t>(thread_number())",
        "0",
        f"{FUSED} --nx=40",
        threads=2,
    ),
    Mutation(
        "fused.hpp",
        "std::max(end - shared, inner_begin)",
        "end",
        "--operator=blocks --cg=fused --nx=40",
        threads=2,
    ),
]


ONE_OF_EACH_FILE = {one.file: one for one in MUTATIONS if one.file.endswith(".cpp")}.values()


@pytest.mark.parametrize(
    "mutation", cases([*ONE_OF_EACH_FILE][:2], long=MUTATIONS), ids=lambda m: f"{m.file}: {m.put}"
)
def test_a_mutated_program_does_not_verify(
    openmpi: MpiLibrary, tmp_path: Path, mutation: Mutation
) -> None:
    fault = (f"minife/{mutation.file}", mutation.found, mutation.put)
    program = mutant(openmpi, "minife", fault, tmp_path)

    options = ["--nx=10", "--nz=12", *mutation.options.split()]
    threads = {"OMP_NUM_THREADS": str(mutation.threads)}
    sound = openmpi.run(
        mutation.ranks, openmpi.program("ww-minife"), *options, check=False, env=threads
    )
    # What threads overwrite for each other may be right by chance, above all on a busy machine.
    for _ in range(10 if mutation.threads > 1 else 1):
        done = openmpi.run(mutation.ranks, program, *options, check=False, env=threads)
        if done.returncode != 0:
            break

    assert sound.returncode == 0
    assert done.returncode == 1
    assert "NOT VERIFIED" in done.stdout
