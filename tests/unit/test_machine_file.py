"""The machine file: each mistake is named by its key, and what is written is read again."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from waywiser.errors import InvalidCommand
from waywiser.machines.library import machine_from_text, read_machine, topology_of
from waywiser.machines.text import machine_text
from waywiser.model.machine import (
    Calibration,
    FailedLink,
    Level,
    LogGP,
    Machine,
    Network,
    Nic,
    Node,
    Source,
    Topology,
    parse_machine,
)

TOP = 'title = "t"\n'
SOURCE = '[source]\ndocument = "d"\ndate = 2026-11-01\n'
NODE = "[node]\nsockets = 2\ncores = 8\n"
NETWORK = "[network]\nlink_bandwidth_GBps = 12.5\n"
TOPOLOGY = '[network.topology]\nkind = "all-to-all"\nswitches = 1\nnodes_per_switch = 3\n'
GOOD = TOP + SOURCE + NODE + NETWORK + TOPOLOGY


def mistakes(text: str) -> str:
    with pytest.raises(InvalidCommand) as raised:
        machine_from_text(text, "m.toml")
    message = str(raised.value)
    assert message.startswith("m.toml")
    assert "\n" not in message
    return message


def test_the_least_machine_has_defaults_for_the_rest() -> None:
    machine = machine_from_text(GOOD, "m.toml")

    assert (machine.node.levels, machine.network.loggp, machine.hosts) == ((), (), ())
    assert machine.source.date == "2026-11-01"
    assert machine.network.topology.parameters == {"switches": 1, "nodes_per_switch": 3}


def test_all_wrong_keys_are_named_at_once() -> None:
    message = mistakes(
        'titel = "t"\n[source]\ndate = "soon"\n[node]\ncore = 2\n[[node.levels]]\nsize = 2\n'
        "[network]\nlink_bandwidth_GBps = 0\nspeed = 1\n"
        '[network.topology]\nkind = "torus"\nlength = [2]\n'
    )

    for key in (
        *(
            "title: Field required",
            "titel: unknown key, expected one of calibration, hosts, network",
        ),
        *("source.date: ", "source.document: ", "node.core: unknown key, expected one of cores, "),
        *("node.levels.0.size: unknown key, expected one of cores, distance, name", "node.cores: "),
        *("network.link_bandwidth_GBps: ", "network.speed: unknown key, expected one of eager_lim"),
        "network.topology: torus has no parameter 'length'; it has: lengths, ",
    ):
        assert key in message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("title = ", "is not valid TOML: "),
        (GOOD.replace("cores = 8", "cores = 7"), "node: cores = 7 cannot be shared by 2 sockets"),
        (GOOD.replace("cores = 8", "cores = true"), "node.cores: "),
        (GOOD.replace("12.5", "-1"), "network.link_bandwidth_GBps: Input should be greater than 0"),
        (GOOD.replace("12.5", "nan"), "network.link_bandwidth_GBps: "),
        (GOOD.replace("2026-11-01", '"2026-1"'), "source.date: "),
        (GOOD.replace('"all-to-all"', '"star"'), "network.topology: there is no topology 'star'"),
        (GOOD.replace("switches = 1", "switches = 0"), "switches must be a whole number from 1"),
        (GOOD.replace("switches = 1", "switches = [[1.5]]"), "network.topology: "),
        (GOOD.replace("switches = 1", "switches = true"), "network.topology: "),
        (GOOD.replace('"t"', '"t\\n"'), "title: expected one line of text"),
        (f'hosts = ["n[0-3]"]\n{GOOD}', "hosts: 4 names, but the topology has 3 nodes"),
        (f'hosts = ["n[3-0]"]\n{GOOD}', "[3-0] is not a list of numbers: expected one"),
        (f'hosts = ["a", "b", "a"]\n{GOOD}', "hosts, switches: a is named twice"),
        (f'hosts = ["a"]\nswitches = ["a"]\n{GOOD}', "hosts, switches: a is named twice"),
        (f'switches = ["s[0-1]"]\n{GOOD}', "switches: 2 names, but the topology has 1 switch"),
    ],
)
def test_a_mistake_is_named_in_one_sentence(text: str, says: str) -> None:
    assert says in mistakes(text)


@pytest.mark.parametrize(
    ("levels", "says"),
    [
        ([("a", 3, 0), ("node", 8, 0)], "levels: node with 8 cores does not hold several of a"),
        ([("a", 8, 0), ("b", 8, 0)], "levels: b with 8 cores does not hold several of a with 8"),
        ([("a", 2, 2), ("node", 8, 1)], "levels: distance = 1 of node is less than that of a"),
        ([("a", 2, 0)], "levels: the last one holds the whole node, cores = 8; a has 2"),
    ],
)
def test_levels_nest_up_to_the_node(levels: list[tuple[str, int, int]], says: str) -> None:
    text = "".join(
        f'[[node.levels]]\nname = "{name}"\ncores = {cores}\ndistance = {distance}\n'
        for name, cores, distance in levels
    )

    assert says in mistakes(TOP + SOURCE + NODE + text + NETWORK + TOPOLOGY)


@pytest.mark.parametrize(
    ("bounds", "says"),
    [
        (["64", "32", ""], "loggp: all but the last have up_to_bytes, each more than the one"),
        (["", ""], "loggp: all but the last have up_to_bytes"),
        (["64"], "loggp: the last one holds for all longer messages: leave out up_to_bytes"),
    ],
)
@pytest.mark.parametrize("table", ["node", "network"])
def test_sizes_of_messages_are_covered_once(table: str, bounds: list[str], says: str) -> None:
    pieces = "".join(
        f"[[{table}.loggp]]\nlatency_us = 1\noverhead_us = 1\nbandwidth_GBps = 1\n"
        + (f"up_to_bytes = {bound}\n" if bound else "")
        for bound in bounds
    )
    text = TOP + SOURCE + NODE + (pieces if table == "node" else "") + NETWORK + TOPOLOGY

    message = mistakes(text + (pieces if table == "network" else ""))
    assert f"{table}: " in message
    assert says in message


def test_a_part_is_calibrated_once() -> None:
    once = '[[calibration]]\npart = "node"\ndate = 2026-11-22\ndocument = "d"\n'

    assert machine_from_text(GOOD + once, "m.toml").calibration[0].date == "2026-11-22"
    assert "calibration: a part (node or network) is given twice" in mistakes(GOOD + once + once)


def test_a_nic_is_at_a_socket_that_there_is() -> None:
    text = TOP + SOURCE + NODE + '[[node.nics]]\nname = "hfi1_0"\nsocket = 2\n'

    assert "nics: hfi1_0 is at socket 2; there are 0 to 1" in mistakes(text + NETWORK + TOPOLOGY)


def test_nics_have_their_old_name_too() -> None:
    nics = '[[node.NICS]]\nname = "hfi1_0"\nsocket = 0\n'
    rest = TOP + SOURCE + NODE, NETWORK + TOPOLOGY

    old, new = (
        machine_from_text(nics.replace("NICS", name).join(rest), "m.toml")
        for name in ("cards", "nics")
    )

    assert old == new
    assert [nic.name for nic in new.node.nics] == ["hfi1_0"]
    assert "[[node.nics]]" in machine_text(old)


def test_a_name_that_is_none_says_which_there_are(tmp_path: Path) -> None:
    with pytest.raises(InvalidCommand, match=r"no machine nothing; there are archer2, cheyenne, "):
        read_machine("nothing")
    with pytest.raises(InvalidCommand, match=r"none\.toml: No such file"):
        read_machine(str(tmp_path / "none.toml"))
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(InvalidCommand, match=r"binary\.toml is not valid TOML"):
        read_machine(str(binary))


def test_what_is_written_is_read_again() -> None:
    """Random machines, with texts that TOML has to escape."""
    draw = random.Random(6)
    for _ in range(200):
        machine = random_machine(draw)
        assert parse_machine(machine_text(machine), "written") == machine


def random_machine(draw: random.Random) -> Machine:
    def word() -> str:
        return "".join(draw.choices("aZ09 \"'\\#=[]{}.,-_€\u2028", k=draw.randint(1, 12)))

    sockets = draw.choice([1, 2])
    levels = (Level(name=word(), cores=2), Level(name=word(), cores=8, distance=draw.randint(0, 9)))
    pieces = tuple(
        LogGP(
            up_to_bytes=bound,
            latency_us=draw.uniform(0, 1e-3),
            overhead_us=draw.randint(0, 9),
            gap_us=draw.choice([0.0, 1e-9]),
            bandwidth_GBps=draw.uniform(1e-6, 1e6),
            overhead_ns_per_byte=draw.choice([0.0, 1e-9]),
        )
        for bound in (64, 65536, None)
    )
    parameters = {
        "edges": [[draw.randint(0, 99), draw.randint(0, 99)] for _ in range(draw.randint(0, 60))],
        "word": word(),
        "number": draw.randint(-(2**40), 2**40),
        "list": [1, 2],
    }
    return Machine(
        title=word(),
        hosts=tuple(word() for _ in range(draw.randint(0, 20))),
        source=Source(document=word(), date=draw.choice(["2026", "2026-11", "2026-11-22"])),
        node=Node(
            sockets=sockets,
            cores=8,
            levels=draw.choice([(), levels]),
            nics=tuple(Nic(name=word(), socket=socket) for socket in range(sockets)),
            loggp=draw.choice([(), pieces]),
            memory_bandwidth_GBps=draw.choice([None, 100, 0.5]),
            measured_memory_GBps=draw.choice([None, 86.5]),
            eager_limit_bytes=draw.choice([None, 4096]),
        ),
        network=Network(
            topology=Topology.model_validate({"kind": word()} | parameters),
            link_bandwidth_GBps=12.5,
            link_latency_us=draw.choice([None, 0.0]),
            eager_limit_bytes=draw.choice([None, 0, 65536]),
            loggp=pieces,
            failed=tuple(
                FailedLink(between=(word(), word()), cables=draw.choice([None, 2]))
                for _ in range(draw.randint(0, 3))
            ),
        ),
        calibration=draw.choice(
            [
                (),
                (
                    Calibration(part="node", date="2026-11-22", document=word()),
                    Calibration(part="network", date="2026", document=word(), error_per_cent=4.5),
                ),
            ]
        ),
    )


FAILED = '[[network.failed]]\nbetween = ["{}", "{}"]\n'
SIX = GOOD.replace("switches = 1\nnodes_per_switch = 3", "switches = 3\nnodes_per_switch = 2")


def far(text: str) -> tuple[int, int]:
    """Hops from the first node to the third and to the last one of six on three switches."""
    topology = topology_of(machine_from_text(text, "m.toml"))
    to = np.array([2, 5], dtype=np.uint32)
    third, last = topology.hops(np.zeros(2, dtype=np.uint32), to).tolist()
    return third, last


def test_links_that_failed_are_gone_around() -> None:
    named = f'switches = ["s[0-2]"]\n{SIX}'

    assert far(SIX) == (3, 3)
    assert far(SIX + FAILED.format("switch 0", "switch 1")) == (4, 3)
    assert far(named + FAILED.format("s2", "s0")) == (3, 4)


def test_cables_that_failed_leave_those_beside_them() -> None:
    double = SIX.replace("nodes_per_switch", "cables = 2\nnodes_per_switch")
    damaged = double + FAILED.format("switch 0", "switch 1") + "cables = 1\n"

    assert far(damaged) == (3, 3)
    whole, left = (
        topology_of(machine_from_text(text, "m.toml")).properties.network_cables
        for text in (double, damaged)
    )
    assert (whole, left) == (6, 5)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            FAILED.format("s7", "switch 0"),
            "network.failed: there is no s7; expected names of hosts",
        ),
        (FAILED.format("node 0", "node 1"), "network.failed: "),
        (FAILED.format("node 0", "switch 0"), "network.failed: "),
        (FAILED.format("switch 0", "switch 1") + "cables = 9\n", "network.failed: "),
        (FAILED.format("switch 0", "switch 1") + "cables = 0\n", "network.failed.0.cables: "),
        (
            FAILED.format("a", "b") + "cable = 1\n",
            "failed.0.cable: unknown key, expected one of be",
        ),
        ('[[network.failed]]\nbetween = ["a"]\n', "network.failed.0.between.1: Field required"),
    ],
)
def test_failed_links_are_ones_that_there_are(text: str, says: str) -> None:
    assert says in mistakes(SIX + text)
