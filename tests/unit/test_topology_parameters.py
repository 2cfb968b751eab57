"""Parameters of topologies: each is listed, and a wrong one is refused in a sentence."""

from __future__ import annotations

import re
from typing import Any

import pytest

from waywiser.native._native import InvalidInput, make_topology, topology_kinds


@pytest.mark.parametrize(
    ("kind", "parameters", "sentence"),
    [
        ("tours", {}, "there is no topology 'tours'; there are: torus, mesh, "),
        ("torus", {}, "torus: lengths is missing; it must be a list of whole numbers from 1"),
        ("torus", {"lengths": []}, "torus: lengths must be a list of whole numbers"),
        ("torus", {"lengths": [4, 0]}, "torus: lengths must be a list of whole numbers from 1"),
        ("torus", {"lengths": [1.5]}, "torus: lengths must be a list of whole numbers"),
        ("torus", {"lengths": 4}, "torus: lengths must be a list of whole numbers"),
        ("torus", {"length": [4]}, "torus has no parameter 'length'; it has: lengths, nodes_"),
        ("torus", {"lengths": [4, 4], "cables": [1]}, "cables must be one whole number .* of 2"),
        ("mesh", {"lengths": [5000, 5000]}, "lengths must be such that there are at most"),
        ("hyperx", {"lengths": [1 << 15]}, "hyperx: lengths must be smaller"),
        ("hyperx", {"lengths": [2], "routing": "x"}, "routing must be minimal or adaptive"),
        ("all-to-all", {"switches": 2, "routing": "adaptive"}, "has no parameter 'routing'"),
        ("hypercube", {"dimensions": True}, "dimensions must be a whole number from 0 to 24"),
        (
            "hypercube",
            {"dimensions": 3, "switches_per_plane": 4},
            "switches_per_plane must be a whole number from 5 to 8",
        ),
        ("fat-tree", {"down": [2], "routing": "x"}, "routing must be d-mod-k or ecmp"),
        ("three-level-fat-tree", {"ports": 5}, "ports must be an even number"),
        ("hierarchy", {"sizes": [2, 2], "distances": [4, 2]}, "distances must be a list that"),
        ("graph", {"nodes": 2, "edges": [[0, 2]]}, "edges must be between vertices from 0 to 1"),
        ("graph", {"nodes": 2, "edges": [[0]]}, r"edges must be a list of \[vertex, vertex\]"),
        ("graph", {"nodes": 2, "edges": [[1, 1]]}, "edges must be between two vertices"),
        ("graph", {"nodes": 2, "edges": []}, "graph: no links join node 0 and node 1"),
        (
            "graph",
            {"nodes": 2, "switches": 1, "edges": [[0, 1]]},
            "edges must be from nodes to switches .* 0 and 1 are nodes",
        ),
    ],
)
def test_wrong_parameters_are_named_with_what_is_accepted(
    kind: str, parameters: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        make_topology(kind, parameters)


@pytest.mark.parametrize(
    ("failed", "sentence"),
    [
        ([[0, 3]], "failed: there is no link between node 0 and node 3"),
        ([[0, 1, 3]], "failed: between node 0 and node 1 are only 2 cables"),
        ([[0, 1], [0, 2]], "failed: no links join node 0 and node 1"),
        ([[0]], "failed: expected lists of two vertices"),
    ],
)
def test_wrong_failures_are_named(failed: list[list[int]], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        make_topology("torus", {"lengths": [2, 2]}, failed)


def test_the_table_lists_each_parameter_once_with_a_line_about_it() -> None:
    kinds = topology_kinds()

    assert len({name for name, _, _ in kinds}) == len(kinds)
    for name, about, parameters in kinds:
        assert re.fullmatch(r"[a-z-]+", name)
        assert about
        assert len({key for key, _ in parameters}) == len(parameters)
        assert all(key and sentence for key, sentence in parameters)


def test_nodes_that_are_not_there_are_refused() -> None:
    topology = make_topology("torus", {"lengths": [4]})

    with pytest.raises(InvalidInput, match="node 4 is not in the network"):
        topology.route(0, 4)
