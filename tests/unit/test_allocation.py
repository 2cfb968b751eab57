"""Hosts as launchers and batch systems name them, and the nodes that they are."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.machine_files import machine_file
from waywiser.errors import InvalidCommand
from waywiser.machines.allocation import allocation_of, read_allocation
from waywiser.machines.hostlist import InvalidHostlist, compress, expand
from waywiser.machines.library import machine_from_text
from waywiser.model.machine import Machine


def machine(hosts: str = '["n[0-7]"]') -> Machine:
    topology = 'kind = "all-to-all"\nswitches = 2\nnodes_per_switch = 4'
    text = machine_file(topology, title="Eight", top=f"hosts = {hosts}", cores=4)
    return machine_from_text(text, "m.toml")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("n0", ["n0"]),
        ("n[0-3,7]", ["n0", "n1", "n2", "n3", "n7"]),
        ("tux[08-11]", ["tux08", "tux09", "tux10", "tux11"]),
        ("a,b[1,3]-ib,c", ["a", "b1-ib", "b3-ib", "c"]),
        ("r[1-2]i[0-1]n0", ["r1i0n0", "r1i1n0", "r2i0n0", "r2i1n0"]),
        ("10.140.71.103, n-1.site", ["10.140.71.103", "n-1.site"]),
        ("n[0-1,5-6]x[00-01]", [f"n{i}x0{j}" for i in (0, 1, 5, 6) for j in (0, 1)]),
    ],
)
def test_a_hostlist_names_hosts_in_its_order(text: str, names: list[str]) -> None:
    assert expand(text) == names


@pytest.mark.parametrize(
    "text", ["", "n[", "n]", "n[1-]", "n[a-b]", "n[3-1]", "n[[1]]", "a,,b", "n[]"]
)
def test_what_is_no_hostlist_is_named(text: str) -> None:
    with pytest.raises(InvalidCommand, match="is not a list of"):
        expand(text)


def test_a_hostlist_of_too_many_is_not_expanded() -> None:
    with pytest.raises(InvalidCommand, match="names 25000000 hosts; at most 1048576"):
        expand("n[1-5000]x[1-5000]")


def test_names_in_any_order_come_back_from_hostlists() -> None:
    draw = random.Random(7)
    for _ in range(300):
        names = [
            draw.choice(["n", "x1c", "a-b", ""])
            + str(draw.randint(0, 12)).zfill(draw.randint(1, 3))
            + draw.choice(["", "", "x"])
            for _ in range(draw.randint(1, 30))
        ]
        assert [name for text in compress(names) for name in expand(text)] == names
    assert compress([f"n{i:03}" for i in range(98, 1003)]) == ["n[098-1002]"]
    assert compress(["n9", "n10", "login"]) == ["n[9-10]", "login"]
    with pytest.raises(InvalidHostlist, match="a host's name has at most 255 characters"):
        compress(["n" + "1" * 255])


@pytest.mark.parametrize(
    ("text", "hosts", "nodes", "slots"),
    [
        ("n2 slots=3\nn0 slots=2 max_slots=4\n", ["n2", "n0"], [2, 0], [3, 2]),
        ("n2:3\n\n# all\nn0:2 # one\n", ["n2", "n0"], [2, 0], [3, 2]),
        ("n1\nn1\nn3\nn3\nn3\n", ["n1", "n3"], [1, 3], [2, 3]),  # $PBS_NODEFILE
        ("n1\nn3\nn1\n", ["n1", "n3"], [1, 3], [2, 1]),
        ("n1\nn3\n", ["n1", "n3"], [1, 3], [4, 4]),
        ("n[0-2,7]", ["n0", "n1", "n2", "n7"], [0, 1, 2, 7], [4, 4, 4, 4]),  # $SLURM_JOB_NODELIST
        ("n[0-1]:2\nn4", ["n0", "n1", "n4"], [0, 1, 4], [2, 2, 4]),
        ("n5.cluster.site\n", ["n5.cluster.site"], [5], [4]),
    ],
)
def test_each_form_gives_hosts_nodes_and_slots(
    text: str, hosts: list[str], nodes: list[int], slots: list[int]
) -> None:
    allocation = allocation_of(machine(), text, "hosts")

    assert (list(allocation.hosts), list(allocation.nodes), list(allocation.slots)) == (
        hosts,
        nodes,
        slots,
    )


def test_slots_that_are_given_hold_for_all_hosts() -> None:
    assert allocation_of(machine(), "n0 slots=3\nn1", "hosts", slots=1).slots == (1, 1)


def test_more_slots_than_cores_are_refused() -> None:
    says = "^--slots 5, but a node of Eight has 4 cores; give each host at most 4 slots$"
    with pytest.raises(InvalidCommand, match=says):
        allocation_of(machine(), "n0", "hosts", slots=5)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("n0\nm7\n", r"^hosts: m7 is not a host of Eight, whose hosts are n\[0-7\]$"),
        ("n0 2\n", "hosts, line 1: 'n0 2' is not a host; expected one like n0, n0:2, n0 slots=2"),
        ("n0 slots=two\n", "hosts, line 1: 'n0 slots=two' is not a host"),
        ("# none\n\n", "^hosts names no host$"),
        ("n0\nn0.site\n", "^hosts: n0 and n0.site are one node of Eight$"),
        ("n[0-\n", r"'n\[0-' is not a list of hosts"),
        ("n0:4\nn1:5\n", "^hosts: n1 has 5 slots, but a node of Eight has 4 cores; give each host"),
    ],
)
def test_a_mistake_names_the_file_and_the_host(text: str, says: str) -> None:
    with pytest.raises(InvalidCommand, match=says) as raised:
        allocation_of(machine(), text, "hosts")
    assert "\n" not in str(raised.value)


def test_a_machine_without_names_says_so() -> None:
    with pytest.raises(
        InvalidCommand, match="its file names no hosts; add the key `hosts` to a copy"
    ):
        allocation_of(machine("[]"), "n0", "hosts")


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidCommand, match="none: No such file"):
        read_allocation(machine(), tmp_path / "none")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\n")
    with pytest.raises(InvalidCommand, match="binary is not a list of hosts"):
        read_allocation(machine(), tmp_path / "binary")
    (tmp_path / "good").write_text("n3:2\n")
    assert read_allocation(machine(), tmp_path / "good").nodes == (3,)
