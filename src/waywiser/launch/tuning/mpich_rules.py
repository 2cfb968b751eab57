"""Change MPICH's rules for collectives by the size of messages and communicators.

MPICH decides in up to three trees, each a JSON object whose keys are conditions. The device has a
tree (the path through hosts and network), and so has its shared memory. The third tree chooses
among algorithms on a whole communicator, for calls that the other two do not answer. In an object,
the first condition that holds is final. A file replaces a whole tree. To keep the library's own
choice for everything else, the trees are read from the installed library and then changed.

Source: MPICH 5.0, src/mpi/coll/src/csel.c (conditions, and the sizes that they compare),
src/mpid/ch4/src/ch4_coll.h and src/mpid/ch4/shm/posix/posix_coll.h (use of the trees),
src/mpi/coll/coll_algorithms.txt (needs of algorithms), src/mpi/coll/cvars.txt (their parameters).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from waywiser.errors import ToolMissing
from waywiser.launch.tuning.tuner import Environment, Rule
from waywiser.model.tuning import MOST_BYTES

Tree = dict[str, "Tree"]
Layer = Literal["device", "shared_memory", "whole"]
Reach = Literal["whole", "shared_memory", "variable"]
"""Place of an algorithm's choice: among those for whole communicators, among those for shared
memory, or by a variable. The variable enables it for all messages that the device routes to it."""

VARIABLES: dict[Layer, str] = {
    "device": "MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE",
    "shared_memory": "MPIR_CVAR_CH4_POSIX_COLL_SELECTION_TUNING_JSON_FILE",
    "whole": "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE",
}
MARKS: tuple[tuple[bytes, Layer], ...] = (
    (b'"composition=', "device"),
    (b'"algorithm=MPIDI_POSIX_', "shared_memory"),
    (b'"algorithm=MPIR_', "whole"),
)
"""Text that a tree of a layer contains and trees of earlier layers do not."""

AS_MEASURED = frozenset({"allreduce", "alltoall", "bcast", "reduce"})
"""Collectives whose rules compare the message size that ww-mpibench counts."""

BLOCKS_TOGETHER = frozenset({"allgather"})
"""Collectives whose rules compare the size of all ranks' blocks, where ww-mpibench counts one
block."""

FOR_CALLS = {
    "allreduce": ("is_op_built_in=no", "is_op_built_in=yes"),
    "alltoall": ("is_sendbuf_inplace=yes", "is_sendbuf_inplace=no"),
    "reduce": ("is_op_built_in=no", "is_op_built_in=yes"),
    "reduce_scatter_block": ("is_commutative=no", "is_commutative=yes"),
}
"""Conditions of calls that were not measured and keep the library's own choice, and of the others:
an algorithm may be wrong for the former, or their size be unknown."""

_HAS_NODES = ("comm_hierarchy=any", "comm_hierarchy=parent")
_ONE_THREAD = ("is_multi_threaded=yes", "is_multi_threaded=no")
_PARTS = ("count<pow2", "count=any")
_POWER_OF_TWO = ("comm_size=any", "comm_size=pow2")
FOR_ALGORITHMS = {
    ("allgather", "recursive_doubling"): _POWER_OF_TWO,
    ("allreduce", "reduce_scatter_allgather"): _PARTS,
    ("allreduce", "release_gather"): _ONE_THREAD,
    ("allreduce", "smp"): _HAS_NODES,
    ("bcast", "release_gather"): _ONE_THREAD,
    ("bcast", "smp"): _HAS_NODES,
    ("reduce", "reduce_scatter_gather"): _PARTS,
    ("reduce", "release_gather"): _ONE_THREAD,
    ("reduce", "smp"): _HAS_NODES,
    ("reduce_scatter_block", "noncommutative"): _POWER_OF_TWO,
}
"""Conditions of calls that an algorithm does not support, and of the others. For the former, MPICH
ignores a variable that selects the algorithm, but not a rule.
"""

_ONE_PHASE = ("k=2", "single_phase_recv=0")
PARAMETERS = {
    ("allgather", "k_brucks"): ("k=2",),
    ("allgather", "recexch_doubling"): _ONE_PHASE,
    ("allgather", "recexch_halving"): _ONE_PHASE,
    ("allreduce", "k_reduce_scatter_allgather"): _ONE_PHASE,
    ("allreduce", "recexch"): _ONE_PHASE,
    ("allreduce", "recursive_multiplying"): ("k=2",),
    ("allreduce", "tree"): ("tree_type=knomial_1", "k=2", "chunk_size=0", "buffer_per_child=0"),
    ("alltoall", "k_brucks"): ("k=2",),
    ("bcast", "tree"): ("tree_type=kary", "k=2", "is_non_blocking=1"),
    ("bcast", "pipelined_tree"): (
        *("tree_type=kary", "k=2", "is_non_blocking=1", "chunk_size=8192", "recv_pre_posted=0"),
    ),
}
"""Defaults of the control variables of algorithms; MPICH does not look these up for a tree."""

PAGE_BYTES = 4096
Choice = Callable[[Rule, Tree], Tree]
"""(rule, the library's own choice) -> the tree for the rule's messages."""


def knows(library: Path, reach: Reach, collective: str, algorithm: str) -> bool:
    """True if the library knows the algorithm's name in rules; it aborts at an unknown name.
    Algorithms that a variable enables need no rule."""
    if reach == "variable":
        return True
    name = (_whole if reach == "whole" else _shared_memory)(collective, algorithm)
    return f"{name}\0".encode() in library.read_bytes()


def _shared_memory(collective: str, algorithm: str) -> str:
    return f"algorithm=MPIDI_POSIX_mpi_{collective}_{algorithm}"


def _whole(collective: str, algorithm: str) -> str:
    return f"algorithm=MPIR_{collective.capitalize()}_intra_{algorithm}"


def own_trees(library: Path) -> dict[Layer, Tree]:
    """The trees that are built into a library.

    Raises:
        ToolMissing: the library has no trees, like MPICH before version 4.
    """
    trees: dict[Layer, Tree] = {}
    for text in re.findall(rb'\{"collective=[^\0]*', library.read_bytes()):
        layer = next((layer for mark, layer in MARKS if mark in text), None)
        if layer:
            trees.setdefault(layer, _closed(json.loads(text)))
    if "whole" not in trees:
        raise ToolMissing(
            f"{library} has no rules for collectives that could be changed; MPICH has from "
            "version 4 on"
        )
    return trees


def _closed(tree: Tree) -> Tree:
    """Replace `comm_size<N`, which MPICH reads as `comm_size<=N` below other conditions."""
    return {
        re.sub(r"^comm_size<(\d+)$", lambda m: f"comm_size<={int(m[1]) - 1}", condition): _closed(
            branch
        )
        for condition, branch in tree.items()
    }


def write_rules(
    library: Path, rules: Mapping[Reach, Sequence[Rule]], directory: Path
) -> Environment:
    """Writes a file for each tree that the rules change.

    Returns:
        The variables that name the files.

    Raises:
        ToolMissing: the library has no rules that could be changed.
    """
    whole, shared = rules.get("whole", ()), rules.get("shared_memory", ())
    by_variable = rules.get("variable", ())
    turned_on = {rule.collective for rule in by_variable}

    def blocking_rule(rule: Rule, own: Tree) -> Tree:
        return own if rule in by_variable else _no_answer(own)

    def other_rule(collective: str, own: Tree) -> Tree:
        return _no_answer(own) if collective in turned_on else own

    def own_choice(_: str, own: Tree) -> Tree:
        return own

    changes: dict[Layer, tuple[Sequence[Rule], Choice, Callable[[str, Tree], Tree]]] = {
        "device": ([*whole, *by_variable], blocking_rule, other_rule),
        "shared_memory": (shared, _of_shared_memory, own_choice),
        "whole": (whole, _of_whole, own_choice),
    }
    environment = {}
    for layer, tree in own_trees(library).items():
        changed, choice, rest = changes[layer]
        if changed:
            text = json.dumps(_amended(tree, changed, choice, rest), separators=(",", ":"))
            environment[VARIABLES[layer]] = str(_written(text, layer, directory))
    return environment


def _no_answer(own: Tree) -> Tree:
    """Return a tree without an answer: its condition does not hold within a communicator."""
    return {"comm_type=inter": own}


def _of_shared_memory(rule: Rule, _own: Tree) -> Tree:
    return {_shared_memory(rule.collective, rule.algorithm.value): {}}


def _of_whole(rule: Rule, _own: Tree) -> Tree:
    choice = (rule.collective, rule.algorithm.value)
    return {_whole(*choice): {parameter: {} for parameter in PARAMETERS.get(choice, ())}}


def _amended(
    tree: Tree, rules: Sequence[Rule], choice: Choice, rest: Callable[[str, Tree], Tree]
) -> Tree:
    """
    Args:
        rest: (collective, own choice) -> the tree for messages without a rule.
    """
    amended = dict(tree)
    for collective in dict.fromkeys(rule.collective for rule in rules):
        key = f"collective={collective}"
        if key not in tree:
            continue  # as where the tree has no answer
        own = tree[key]["comm_type=intra"]
        others = rest(collective, own)
        by_ranks: Tree = {}
        for ranks in sorted({rule.ranks for rule in rules if rule.collective == collective}):
            chosen = [r for r in rules if (r.collective, r.ranks) == (collective, ranks)]
            sizes = _by_size(chosen, {rule: choice(rule, own) for rule in chosen}, others)
            by_ranks.setdefault(f"comm_size<={ranks - 1}", others)
            by_ranks[f"comm_size<={ranks}"] = _kept(FOR_CALLS.get(collective), others, sizes)
        by_ranks["comm_size=any"] = others
        amended[key] = {**tree[key], "comm_type=intra": by_ranks}
    return amended


def _by_size(rules: Sequence[Rule], chosen: Mapping[Rule, Tree], others: Tree) -> Tree:
    """A tree by message size, from rules for one collective and number of ranks."""
    by_size: Tree = {}
    end = others
    for rule in sorted(rules, key=lambda rule: rule.first):
        size = "avg_msg_size" if rule.collective in AS_MEASURED else "total_msg_size"
        blocks = rule.ranks if rule.collective in BLOCKS_TOGETHER else 1
        tuned = _kept(
            FOR_ALGORITHMS.get((rule.collective, rule.algorithm.value)), others, chosen[rule]
        )
        if rule.first > 0:
            by_size.setdefault(f"{size}<={blocks * rule.first - 1}", others)
        if blocks * rule.last >= MOST_BYTES:
            end = tuned
        else:
            by_size[f"{size}<={blocks * rule.last}"] = tuned
    return {**by_size, "avg_msg_size=any": end}


def _kept(conditions: tuple[str, str] | None, others: Tree, tuned: Tree) -> Tree:
    """`others` for calls of the first condition, else `tuned`; the condition that always holds
    comes last."""
    if conditions is None:
        return tuned
    branches = dict(zip(conditions, (others, tuned), strict=True))
    return dict(sorted(branches.items(), key=lambda branch: branch[0].endswith("=any")))


def _written(text: str, layer: Layer, directory: Path) -> Path:
    """Write a file named after its contents, so that runs with other rules stay distinct. MPICH
    maps the file without a final NUL: it must not fill its last page."""
    text += "\n" if (len(text) + 1) % PAGE_BYTES else "\n\n"
    name = hashlib.sha256(text.encode()).hexdigest()[:8]
    file = directory / f"mpich-{layer.replace('_', '-')}-{name}.json"
    file.write_text(text, encoding="utf-8")
    return file.resolve()
