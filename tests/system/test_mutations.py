"""Wrong copies of Waywiser's programs, of which each must fail its own checks.

mutations.txt has them. The section of a program begins with its options and the reason that it
gives. A mutation has a name (with a star where `make test` has it), a file, options of its own and
perhaps another reason; then comes what stands in the file once, and what takes its place. Braces
have options for several runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.mutants import mutant
from tests.support import MpiLibrary

HEAD = re.compile(
    r"(\* )?([^:]+): ([^ ,]+)(?:, (\d) ranks)?(?:, (\d) threads)?((?: -\S+)*)(?: => (.*))?"
)
REACHES = {"stencil/coefficients.hpp": ["stencil/stencil.cpp"]}
"""Sources of other programs' folders that a header's mutation is compiled into."""


class Mutation(NamedTuple):
    short: bool
    program: str
    name: str
    fault: tuple[str, str, str]
    ranks: int
    threads: int
    options: str
    reason: str


def _mutations() -> Iterator[Mutation]:
    text = Path(__file__).with_name("mutations.txt").read_text(encoding="utf-8")
    for section in text.removeprefix("# ").split("\n# "):
        title, *lines = section.rstrip("\n").split("\n")
        options, _, reason = title.partition(" => ")
        program, _, options = options.partition(" ")
        for head, *fault in zip(lines[::3], lines[1::3], lines[2::3], strict=True):
            found = HEAD.fullmatch(head)
            assert found, head
            star, name, file, ranks, threads, more, own = found.groups()
            right, wrong = (
                line[4:].replace("\\n", "\n").replace("(nothing)", "") for line in fault
            )
            where = file if "/" in file else f"{program}/{file}"
            yield Mutation(
                bool(star), program, name, (where, right, wrong), int(ranks or 1),
                int(threads or 1), f"{options}{more}", own or reason,
            )  # fmt: skip


def _runs(options: str) -> list[list[str]]:
    """Options as a shell expands their braces."""
    braces = re.search(r"\{(.*?)\}", options)
    each = braces[1].split(",") if braces else [""]
    return [re.sub(r"\{.*?\}", one, options).split() for one in each]


@pytest.mark.parametrize(
    "mutation",
    [
        pytest.param(
            one, id=f"{one.program}: {one.name}", marks=() if one.short else pytest.mark.long
        )
        for one in _mutations()
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


@pytest.mark.long
def test_a_copy_without_a_fault_is_verified(openmpi: MpiLibrary, tmp_path: Path) -> None:
    harmless = ("common/streams.cpp", "// A loop that copies", "// A  loop")
    program = mutant(openmpi, "memory", harmless, tmp_path)
    assert openmpi.run(1, program, "--n1=21", "--tries=2").stdout.endswith("\nverified\n")
