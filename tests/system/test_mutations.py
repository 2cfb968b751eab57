"""Wrong copies of Waywiser's programs, of which each must fail its own checks.

mutations.txt has them. The section of a program begins with its options and the reason that it
gives. A mutation has a name (with a star where `make test` has it), a file, options of its own and
perhaps another reason; then comes what stands in the file once, and what takes its place. Braces
have options for several runs. Where the program itself has nothing to hold its result against, the
section names the test's judge that has.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.mutants import mutant
from tests.rupture_runs import SMALL_FAULT, run
from tests.support import MpiLibrary
from tests.system.test_modelling import off_in_layers, reflection
from tests.system.test_rupture_checkpoints import went_on
from tests.system.test_rupture_fault import change_by_patch, held_metrics
from tests.system.test_rupture_receivers import (
    COARSE_ERROR,
    disagreement,
    receivers_error,
    seen_on_fault,
    slips_to_the_right,
    works,
)
from tests.system.test_rupture_snapshots import mostly_sheared, snapshot_error
from tests.verification.test_spectral import triad_errors
from waywiser.errors import InvalidCommand
from waywiser.store.xdmf import read_xdmf

HEAD = re.compile(
    r"(\* )?([^:]+): ([^ ,]+)(?:, (\d) ranks)?(?:, (\d) threads)?((?: -\S+)*)(?: => (.*))?"
)
REACHES = {"stencil/coefficients.hpp": ["stencil/stencil.cpp"]}
"""Sources of other programs' directories that a header's mutation is compiled into."""


class Mutation(NamedTuple):
    short: bool
    program: str
    name: str
    fault: tuple[str, str, str]
    ranks: int
    threads: int
    options: str
    reason: str
    judge: str


def _mutations() -> Iterator[Mutation]:
    text = Path(__file__).with_name("mutations.txt").read_text(encoding="utf-8")
    for section in text.removeprefix("# ").split("\n# "):
        title, *lines = section.rstrip("\n").split("\n")
        options, _, reason = title.partition(" => ")
        options, _, judge = options.partition(" judged by ")
        program, _, options = options.partition(" ")
        for head, *fault in zip(lines[::3], lines[1::3], lines[2::3], strict=True):
            match = HEAD.fullmatch(head)
            assert match, head
            star, name, file, ranks, threads, more, own = match.groups()
            right, wrong = (
                line[4:].replace("\\n", "\n").replace("(nothing)", "") for line in fault
            )
            where = file if "/" in file else f"{program}/{file}"
            yield Mutation(
                bool(star), program, name, (where, right, wrong), int(ranks or 1),
                int(threads or 1), f"{options}{more}", own or reason, judge,
            )  # fmt: skip


def _runs(options: str) -> list[list[str]]:
    """Options as a shell expands their braces."""
    braces = re.search(r"\{(.*?)\}", options)
    each = braces[1].split(",") if braces else [""]
    return [re.sub(r"\{.*?\}", choice, options).split() for choice in each]


@pytest.mark.parametrize(
    "mutation",
    [
        pytest.param(
            mutation,
            id=f"{mutation.program}: {mutation.name}",
            marks=() if mutation.short else pytest.mark.long,
        )
        for mutation in _mutations()
        if not mutation.judge
    ],
)
def test_a_wrong_copy_is_not_verified(
    openmpi: MpiLibrary, tmp_path: Path, mutation: Mutation
) -> None:
    program = mutant(
        openmpi, mutation.program, mutation.fault, tmp_path, REACHES.get(mutation.fault[0], ())
    )
    env = {
        "OMP_NUM_THREADS": str(mutation.threads),
        "OMP_WAIT_POLICY": "passive",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    for options in _runs(mutation.options):
        # What threads overwrite for each other may be right by chance, above all on a busy machine.
        for _ in range(10 if mutation.threads > 1 else 1):
            done = openmpi.run(mutation.ranks, program, *options, check=False, env=env)
            if done.returncode != 0:
                break

        assert done.returncode == 1, done.stdout
        last = done.stdout.splitlines()[-1]
        assert re.match(f"NOT VERIFIED: .*{re.escape(mutation.reason)}", last), last


def _wrong_waves(mpi: MpiLibrary, directory: Path, program: Path) -> bool:
    coarse, fine = (receivers_error(mpi, directory, cells, program=program) for cells in (6, 12))
    return coarse > COARSE_ERROR or fine > coarse * 2**-4.65


def _other_works(mpi: MpiLibrary, directory: Path, program: Path) -> bool:
    predicted, seen = works(mpi, directory, program=program)
    return predicted != pytest.approx(seen, rel=0.05)


def _went_on_otherwise(mpi: MpiLibrary, directory: Path, program: Path) -> bool:
    whole, resumed = went_on(mpi, directory, program)
    return whole != resumed


def _wrong_snapshots(mpi: MpiLibrary, directory: Path, program: Path, ranks: int = 1) -> bool:
    try:
        return snapshot_error(mpi, directory, program=program, ranks=ranks) > 0.05
    except (AssertionError, InvalidCommand):
        return True  # the surface has another area, or the file another size


def _wrong_stress(mpi: MpiLibrary, directory: Path, program: Path) -> bool:
    options = [f"--snapshots={directory}/s.xdmf", "--snapshots-every=0.5", "--every=0.25"]
    run(mpi, directory, *SMALL_FAULT, *options, program=program)
    return not mostly_sheared(list(read_xdmf(directory / "s.xdmf")))


JUDGES: dict[str, Callable[[MpiLibrary, Path, Path], bool]] = {
    "a fault that holds": lambda *how: change_by_patch(*how) > 1e-6,
    "the side to which a fault slips": lambda mpi, directory, program: (
        not slips_to_the_right(seen_on_fault(mpi, directory, program=program)[0])
    ),
    "metrics of SeisSol": lambda mpi, directory, program: (
        held_metrics(mpi, directory, program)
        != pytest.approx(held_metrics(mpi, directory), rel=0.1)
    ),
    "receivers in waves": _wrong_waves,
    "receivers on a fault": lambda mpi, directory, program: (
        disagreement(*seen_on_fault(mpi, directory, program=program)) > 0.02
    ),
    "receivers on both sides": _other_works,
    "a restart": _went_on_otherwise,
    "snapshots": _wrong_snapshots,
    "snapshots of two ranks": lambda mpi, directory, program: _wrong_snapshots(
        mpi, directory, program, ranks=2
    ),
    "the stress on a fault": _wrong_stress,
    "what layers send back": lambda mpi, directory, program: (
        reflection(mpi, directory, "--layer=20", program=program) > 1e-3
    ),
    "a triad in NumPy": lambda mpi, directory, program: (
        triad_errors(mpi, directory, program)[0] > 1e-13
    ),
    "layers in NumPy": lambda mpi, directory, program: (
        off_in_layers(mpi, directory, 4, program) > 1e-6
    ),
}
"""True if the checks of other tests detect the error in a wrong copy."""


@pytest.mark.long
@pytest.mark.parametrize(
    "mutation",
    [mutation for mutation in _mutations() if mutation.judge],
    ids=lambda mutation: mutation.name,
)
def test_a_judge_sees_a_wrong_copy(openmpi: MpiLibrary, tmp_path: Path, mutation: Mutation) -> None:
    program = mutant(openmpi, mutation.program, mutation.fault, tmp_path)

    assert JUDGES[mutation.judge](openmpi, tmp_path, program)


@pytest.mark.long
def test_a_copy_without_a_fault_is_verified(openmpi: MpiLibrary, tmp_path: Path) -> None:
    harmless = ("common/streams.cpp", "// A loop that copies", "// A  loop")
    program = mutant(openmpi, "memory", harmless, tmp_path)
    assert openmpi.run(1, program, "--n1=21", "--tries=2").stdout.endswith("\nverified\n")
