"""Rules that are put into MPICH's own: they hold where they shall, and nothing else changes.

The oracle walks the trees as MPICH does (src/mpi/coll/src/csel.c), and asks a call for its size
only where MPICH would.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from waywiser.errors import ToolMissing
from waywiser.launch.tuning.mpich_rules import PAGE_BYTES, VARIABLES, Reach, write_rules
from waywiser.launch.tuning.tuner import Algorithm, Rule

Tree = dict[str, Any]
RANKS = 8


def leaf(name: str) -> Tree:
    return {name: {}}


DEVICE: Tree = {
    "collective=bcast": {
        "comm_type=intra": {
            "comm_hierarchy=parent": {
                "comm_size<8": leaf("composition=bcast_alpha"),
                "comm_size=any": {
                    "avg_msg_size<300": leaf("composition=bcast_beta"),
                    "avg_msg_size=any": leaf("composition=bcast_gamma"),
                },
            },
            "comm_hierarchy=any": leaf("composition=bcast_gamma"),
        }
    },
    **{
        f"collective={name}": {
            "comm_type=intra": {
                "comm_size=node_comm_size": leaf(f"composition={name}_gamma"),
                "comm_size=any": leaf(f"composition={name}_beta"),
            }
        }
        for name in ("allgather", "allreduce", "alltoall", "reduce_scatter_block")
    },
}
SHARED: Tree = {
    f"collective={name}": {
        "comm_type=intra": {"is_multi_threaded=no": leaf(f"algorithm=MPIDI_POSIX_mpi_{name}_own")}
    }
    for name in ("allreduce", "bcast")
}
WHOLE: Tree = {
    f"collective={name}": {
        "comm_type=intra": {
            "comm_size=pow2": leaf(f"algorithm=MPIR_{name}_pow2"),
            "comm_size=any": leaf(f"algorithm=MPIR_{name}_any"),
        },
        "comm_type=inter": leaf(f"algorithm=MPIR_{name}_inter"),
    }
    for name in ("allgather", "allreduce", "alltoall", "bcast", "reduce_scatter_block")
}
OWN = {"device": DEVICE, "shared_memory": SHARED, "whole": WHOLE}


@dataclass(frozen=True)
class Call:
    """A call of a collective on a communicator; a size is of one block."""

    ranks: int = RANKS
    size: int | None = 100
    inter: bool = False
    hierarchy: bool = False
    one_host: bool = True
    built_in: bool = True
    commutative: bool = True
    in_place: bool = False
    threads: bool = False
    count: int = 1000

    def holds(self, condition: str) -> bool:
        if condition.endswith("=any"):
            return True
        for name, of_blocks in (("avg_msg_size", 1), ("total_msg_size", self.ranks)):
            if condition.startswith(f"{name}<"):
                assert self.size is not None, "the size has no meaning"
                limit = condition.removeprefix(f"{name}<")
                value = of_blocks * self.size
                return value <= int(limit[1:]) if limit[0] == "=" else value < int(limit)
        if condition.startswith("comm_size<"):
            limit = condition.removeprefix("comm_size<")
            return self.ranks <= int(limit.removeprefix("="))  # "<" as MPICH takes it
        return {
            "comm_type=intra": not self.inter,
            "comm_type=inter": self.inter,
            "comm_hierarchy=parent": self.hierarchy,
            "comm_size=pow2": self.ranks & (self.ranks - 1) == 0,
            "comm_size=node_comm_size": self.one_host,
            "is_op_built_in=yes": self.built_in,
            "is_op_built_in=no": not self.built_in,
            "is_commutative=yes": self.commutative,
            "is_commutative=no": not self.commutative,
            "is_sendbuf_inplace=yes": self.in_place,
            "is_sendbuf_inplace=no": not self.in_place,
            "is_multi_threaded=yes": self.threads,
            "is_multi_threaded=no": not self.threads,
            "count<pow2": self.count < self.ranks,
        }[condition]


def answer(tree: Tree, call: Call) -> str | None:
    """The first condition that holds is final."""
    for condition, branch in tree.items():
        if condition.startswith(("algorithm=", "composition=")):
            return " ".join([condition, *branch])
        if call.holds(condition):
            return answer(branch, call)
    return None


def library(directory: Path, trees: dict[str, Tree]) -> Path:
    """A file with the trees among other things, as a compiler puts them there."""
    file = directory / "libmpi.so"
    texts = [json.dumps(tree, separators=(",", ":")).encode() for tree in trees.values()]
    file.write_bytes(b"\x7fELF collective=\0" + b"\0\0\xff".join([*texts, b"end"]) + b"\0")
    return file


def written(directory: Path, reach: Reach, *rules: Rule) -> dict[str, Tree]:
    """The trees of which there is a file, the library's own of the others."""
    environment = write_rules(library(directory, OWN), {reach: rules}, directory)
    files = {layer: environment.get(variable) for layer, variable in VARIABLES.items()}
    return {
        layer: json.loads(Path(file).read_text()) if file else OWN[layer]
        for layer, file in files.items()
    }


def ruled(
    collective: str, algorithm: str, first: int = 64, last: int = 255, ranks: int = RANKS
) -> Rule:
    return Rule(collective, ranks, first, last, Algorithm(algorithm, algorithm))


def calls() -> Iterator[Call]:
    sizes = (0, 1, 63, 64, 100, 255, 256, 10**6)
    for ranks, size, hierarchy, one_host in product(
        (1, 2, 7, 8, 9, 16), sizes, (False, True), (False, True)
    ):
        yield Call(ranks, size, hierarchy=hierarchy, one_host=one_host)
        yield Call(ranks, size, inter=True)


def ask(trees: dict[str, Tree], collective: str, call: Call) -> dict[str, str | None]:
    return {layer: answer(tree[f"collective={collective}"], call) for layer, tree in trees.items()}


CLOSED = json.loads(json.dumps(OWN).replace("comm_size<8", "comm_size<=7"))
"""`OWN` with closed limits, for MPICH without files, which takes "<" strictly in pruning trees."""


def own_answer(collective: str, call: Call) -> dict[str, str | None]:
    return ask(CLOSED, collective, call)


@pytest.mark.parametrize("collective", ["allreduce", "bcast"])
def test_rules_hold_for_their_messages_and_ranks_alone(tmp_path: Path, collective: str) -> None:
    trees = written(tmp_path, "whole", ruled(collective, "ring"))

    inside = 0
    for call in calls():
        answers = ask(trees, collective, call)
        if call.ranks == RANKS and not call.inter and 64 <= (call.size or 0) <= 255:
            inside += 1
            assert answers["device"] is None
            assert answers["whole"] == f"algorithm=MPIR_{collective.capitalize()}_intra_ring"
        else:
            assert answers == own_answer(collective, call), call
    assert inside == 12
    key = f"collective={collective}"
    for layer, own in CLOSED.items():
        others = [(name, tree) for name, tree in trees[layer].items() if name != key]
        assert others == [(name, tree) for name, tree in own.items() if name != key]


def test_blocks_of_all_ranks_are_counted_as_mpich_does(tmp_path: Path) -> None:
    for collective, blocks in (("allgather", 1), ("reduce_scatter_block", RANKS)):
        trees = written(tmp_path, "whole", ruled(collective, "ring"))
        tuned = f"algorithm=MPIR_{collective.capitalize()}_intra_ring"
        key = f"collective={collective}"
        for size in (63, 64, 255, 256):
            # ww-mpibench counts the blocks of all ranks of reduce_scatter_block as well.
            algorithm = answer(trees["whole"][key], Call(size=size // blocks))
            assert (algorithm == tuned) == (64 <= size // blocks * blocks <= 255), (
                collective,
                size,
            )


def test_ranges_follow_each_other_and_may_have_no_end(tmp_path: Path) -> None:
    rules = [ruled("bcast", "ring", 256, 2**31 - 1), ruled("bcast", "tree", 0, 63)]
    rules += [ruled("bcast", "binomial", 64, 99)]
    trees = written(tmp_path, "whole", *rules)

    def chosen(size: int) -> str | None:
        return answer(trees["whole"]["collective=bcast"], Call(size=size))

    tree = "algorithm=MPIR_Bcast_intra_tree tree_type=kary k=2 is_non_blocking=1"
    assert [chosen(0), chosen(63)] == [tree, tree]
    assert [chosen(64), chosen(99)] == ["algorithm=MPIR_Bcast_intra_binomial"] * 2
    assert [chosen(100), chosen(255)] == ["algorithm=MPIR_bcast_pow2"] * 2
    assert [chosen(256), chosen(2**31 - 1)] == ["algorithm=MPIR_Bcast_intra_ring"] * 2


@pytest.mark.parametrize(
    ("collective", "algorithm", "not_measured"),
    [
        ("allreduce", "ring", Call(built_in=False)),
        ("allreduce", "reduce_scatter_allgather", Call(count=7)),
        ("allreduce", "smp", Call(hierarchy=False)),
        ("allgather", "recursive_doubling", Call(ranks=6)),
        ("alltoall", "brucks", Call(in_place=True, size=None)),
        ("reduce_scatter_block", "pairwise", Call(commutative=False)),
    ],
)
def test_calls_that_an_algorithm_may_be_wrong_for_keep_the_librarys_choice(
    tmp_path: Path, collective: str, algorithm: str, not_measured: Call
) -> None:
    trees = written(
        tmp_path, "whole", ruled(collective, algorithm, 0, 255, ranks=not_measured.ranks)
    )
    layers = ("device", "whole")
    own = {layer: answer(OWN[layer][f"collective={collective}"], not_measured) for layer in layers}
    measured = Call(size=1, hierarchy=True)

    def chosen(call: Call) -> dict[str, str | None]:
        return {layer: answer(trees[layer][f"collective={collective}"], call) for layer in layers}

    assert chosen(not_measured) == own
    if not_measured.ranks == RANKS:
        name = f"algorithm=MPIR_{collective.capitalize()}_intra_{algorithm}"
        assert chosen(measured) == {"device": None, "whole": name}


def test_the_devices_own_shared_memory_is_chosen_in_its_own_tree(tmp_path: Path) -> None:
    trees = written(tmp_path, "shared_memory", ruled("bcast", "ipc_read"))

    assert (trees["device"], trees["whole"]) == (DEVICE, WHOLE)
    by_size = {size: answer(trees["shared_memory"]["collective=bcast"], Call(size=size))
             for size in (63, 64, 255, 256)}  # fmt: skip
    own = "algorithm=MPIDI_POSIX_mpi_bcast_own"
    tuned = "algorithm=MPIDI_POSIX_mpi_bcast_ipc_read"
    assert by_size == {63: own, 64: tuned, 255: tuned, 256: own}


def test_what_a_variable_turns_on_is_reached_in_its_range_alone(tmp_path: Path) -> None:
    trees = written(tmp_path, "variable", ruled("alltoall", "ipc_read"))

    assert trees["whole"] == WHOLE
    by_size = {size: answer(trees["device"]["collective=alltoall"], Call(size=size))
             for size in (63, 64, 255, 256)}  # fmt: skip
    shared = "composition=alltoall_gamma"
    assert by_size == {63: None, 64: shared, 255: shared, 256: None}
    assert answer(trees["device"]["collective=alltoall"], Call(ranks=4)) is None


def test_no_file_fills_its_last_page(tmp_path: Path) -> None:
    """MPICH reads it as a text that ends with a zero, which is what follows it in its page."""

    def length(padding: int) -> int:
        trees = {
            **OWN,
            "whole": {**WHOLE, "collective=scan": leaf("algorithm=MPIR_" + padding * "x")},
        }
        environment = write_rules(
            library(tmp_path, trees), {"whole": [ruled("bcast", "ring")]}, tmp_path
        )
        return Path(environment[VARIABLES["whole"]]).stat().st_size

    short = PAGE_BYTES - length(0) % PAGE_BYTES
    assert [length(short + more) % PAGE_BYTES for more in (-1, 0, 1)] == [PAGE_BYTES - 1, 1, 1]


def test_other_rules_are_other_files(tmp_path: Path) -> None:
    own = library(tmp_path, OWN)
    files = {
        write_rules(own, {"whole": [ruled("bcast", "ring", 64, last)]}, tmp_path)[
            VARIABLES["whole"]
        ]
        for last in (127, 255, 127)
    }

    assert len(files) == 2


def test_a_library_without_rules_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolMissing, match="has no rules for collectives that could be changed"):
        write_rules(library(tmp_path, {}), {"whole": [ruled("bcast", "ring")]}, tmp_path)
