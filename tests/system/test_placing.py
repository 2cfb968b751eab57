"""The six-rank example of docs/placement.md from profile to launch, on hosts of its own."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.rigs.hosts import Host, hosts, launcher_settings, why_not
from tests.support import BIN, ROOT, MpiLibrary, Waywiser, environment

pytestmark = pytest.mark.skipif(why_not() is not None, reason=str(why_not()))

PAIRS = ((0, 3), (1, 4), (2, 5))
SIX = [f"n{number}" for number in range(6)]
GAIN = ("  it may", "  more than", "  no effect", "  Not assessed", "  A run with")
GATE = ("Validity gate failed: ", "Remedy: ")
"""Six ranks are more than this machine may have CPUs."""
THREE_NODES = "".join(f"n{host} slots=2\n" for host in range(3))
SIX_NODES = "".join(f"{name} slots=1\n" for name in SIX)


class Rig:
    """Six hosts and the example's program; each command runs on the first host."""

    def __init__(self, nodes: list[Host], openmpi: MpiLibrary) -> None:
        self.host = nodes[0]
        self.directory = nodes[0].directory
        self.env = environment(
            {**launcher_settings(self.directory), "PATH": f"{openmpi.bin}:{BIN}:/usr/bin:/bin"}
        )
        # This policy would have Open MPI put all ranks on the first host.
        del self.env["PRTE_MCA_rmaps_default_mapping_policy"]
        openmpi.build(ROOT / "examples" / "six_ranks.c", self.directory / "six_ranks")

    def __call__(self, command: str, code: int = 0) -> str:
        done = self.host.run("sh", "-c", command, env=self.env, timeout=300)
        assert done.returncode == code, done.stderr + done.stdout
        return done.stdout

    def profile(self, run: str, command: str, options: str = "") -> dict[str, Any]:
        shutil.rmtree(self.directory / run, ignore_errors=True)
        self(f"waywiser profile -o {run} {options} -- {command}")
        return self.document(f"waywiser show {run} --per-rank")

    def document(self, command: str, code: int = 0) -> dict[str, Any]:
        """JSON document of a verb that starts nothing, on whichever host."""
        _, *words = command.split()
        done = Waywiser(self.directory)(*words, "--json", env=self.env)
        assert done.returncode == code, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer


@pytest.fixture(scope="module")
def rig(openmpi: MpiLibrary) -> Iterator[Rig]:
    with (
        tempfile.TemporaryDirectory(prefix="ww-") as directory,  # short: sockets are in it
        hosts(SIX, Path(directory)) as started,
    ):
        rig = Rig(started, openmpi)
        (rig.directory / "three").write_text(THREE_NODES)
        (rig.directory / "six").write_text(SIX_NODES)
        rig.profile("default", "mpirun --hostfile three -n 6 ./six_ranks")
        yield rig


def sent_bytes(document: dict[str, Any]) -> Counter[tuple[int, int]]:
    sent: Counter[tuple[int, int]] = Counter()
    for matrix in (document["matrix"], document["collective_matrix"]):
        for source, to, amount in matrix["bytes"]:
            sent[source, to] += amount
    return sent


def hosts_of(document: dict[str, Any]) -> list[str]:
    return [rank["host"] for rank in document["per_rank"]]


def off_node(sent: Counter[tuple[int, int]], where: list[str]) -> int:
    return sum(amount for (a, b), amount in sent.items() if where[a] != where[b])


def test_three_nodes_of_two_slots(rig: Rig) -> None:
    before = rig.document("waywiser show default --per-rank")
    sent = sent_bytes(before)
    assert not any(hosts_of(before)[a] == hosts_of(before)[b] for a, b in PAIRS)

    placed = rig.document(
        "waywiser place default --on rig-3 --hosts three --for openmpi -o placed --draw m.svg"
    )
    after = rig.profile("after", placed["command"])

    assert all(hosts_of(after)[a] == hosts_of(after)[b] for a, b in PAIRS)
    assert placed["host_of_rank"] == hosts_of(after)
    assert placed["before_is"] == "as run"
    assert placed["before"]["off_node_bytes"] == off_node(sent, hosts_of(before))
    assert placed["after"]["off_node_bytes"] == off_node(sent_bytes(after), hosts_of(after))
    # The cheapest of all 720 orders; any two of the nodes are two hops apart.
    slots = ["n0", "n0", "n1", "n1", "n2", "n2"]
    cheapest = min(off_node(sent, list(order)) for order in itertools.permutations(slots))
    assert placed["after"]["hop_bytes"] == 2 * cheapest / 2
    assert json.loads((rig.directory / "placed.json").read_text()) == placed
    assert "<svg" in (rig.directory / "m.svg").read_text()

    right = rig.document("waywiser place after --verify")
    assert (right["misplaced"], right["split_hosts"]) == ([], [])
    wrong = rig.document("waywiser place default --verify --placement placed", code=1)
    assert [rank["rank"] for rank in wrong["misplaced"]] == [
        rank for rank in range(6) if hosts_of(before)[rank] != hosts_of(after)[rank]
    ]


def test_six_nodes_on_three_switches(rig: Rig) -> None:
    placed = rig.document("waywiser place default --on rig-6 --hosts six --for openmpi -o on-six")
    where = hosts_of(rig.profile("six-after", placed["command"]))

    switch = {name: number // 2 for number, name in enumerate(SIX)}
    assert placed["host_of_rank"] == where
    assert all(switch[where[a]] == switch[where[b]] for a, b in PAIRS)
    assert (placed["after"]["hosts"], placed["after"]["switches"]) == (6, 3)
    assert not rig.document("waywiser place six-after --verify")["misplaced"]


def test_a_new_order_names_its_placement(rig: Rig) -> None:
    rig.document("waywiser place default --on rig-3 --hosts three --for rerank -o order")

    after = rig.profile("anew", "mpirun --hostfile three -n 6 ./six_ranks", "--rerank order")

    right = rig.document("waywiser place anew --verify")
    assert (right["placement"], right["misplaced"], right["split_hosts"]) == ("order", [], [])
    assert all(hosts_of(after)[a] == hosts_of(after)[b] for a, b in PAIRS)
    leaders = [rank["sharing_leader"] for rank in after["per_rank"]]
    assert leaders == [0, 1, 2, 0, 1, 2]


def test_hosts_whose_ranks_do_not_share_memory(rig: Rig, mpich: MpiLibrary) -> None:
    """Intel's machinefile, given to MPICH: ranks are on their hosts and each of them is alone."""
    mpich.build(ROOT / "examples" / "six_ranks.c", rig.directory / "six_mpich")
    (rig.directory / "blocks").write_text("n0:2\nn1:2\nn2:2\n")
    mpiexec = f"{mpich.bin}/mpiexec"
    rig.profile("blocked", f"{mpiexec} -f blocks -n 6 ./six_mpich")
    order = "--on rig-3 --hosts three --order round-robin"
    rig(f"waywiser place blocked {order} --for impi -o dealt")

    rig.profile("split", f"{mpiexec} -f dealt -n 6 ./six_mpich")

    check = rig.document("waywiser place split --verify", code=1)
    assert check["misplaced"] == []
    assert [(host["host"], host["groups"]) for host in check["split_hosts"]] == [
        (host, 2) for host in SIX[:3]
    ]
    assert "n0: its 2 ranks are 2 groups of shared memory" in rig(
        "waywiser place split --verify", code=1
    )


def test_the_page(rig: Rig) -> None:
    """The page's commands are run; their output differs from the page in times only."""
    page = (ROOT / "docs" / "placement.md").read_text(encoding="utf-8")
    (rig.directory / "hosts").rename(rig.directory / "names")  # of the rig
    (rig.directory / "hosts").write_text(THREE_NODES)
    shutil.rmtree(rig.directory / "default")
    shutil.rmtree(rig.directory / "after", ignore_errors=True)
    console = "".join(re.findall(r"```console\n(.*?)```", page, re.DOTALL))
    shown = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", console, re.MULTILINE)
    assert len(shown) == 6
    for command, output in shown[1:]:
        printed = rig(command)
        if output:
            assert timeless(printed) == timeless(output), command


def timeless(text: str) -> list[str]:
    """The lines without a gain, whose times differ from run to run, and without the gate's."""
    kept = []
    for block in text.strip().split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith(GATE)]
        if lines[0].startswith("Predicted gain: "):
            lines = [line for line in lines[1:] if not line.startswith(GAIN)]
        kept += lines
    return kept
