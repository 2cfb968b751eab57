"""Every launcher's form: each rank is written with its host, and what is unsafe is refused."""

from __future__ import annotations

import random
import re

import pytest

from tests.support import ROOT
from waywiser.launch.placing.form import Unsafe
from waywiser.launch.placing.forms import FORMS, hosts_text
from waywiser.launch.placing.placed import Placed

SLIDES = Placed(("n0", "n1", "n2"), (0, 0, 1, 1, 2, 2), (0, 2, 4, 1, 3, 5))
"""Three nodes of two slots: rank 0 with 3, 1 with 4, 2 with 5."""

WRITTEN = {
    "openmpi": "rank 0=n0\nrank 1=n1\nrank 2=n2\nrank 3=n0\nrank 4=n1\nrank 5=n2\n",
    "openmpi-slot": "rank 0=n0 slot=0\nrank 1=n1 slot=0\nrank 2=n2 slot=0\n"
    "rank 3=n0 slot=1\nrank 4=n1 slot=1\nrank 5=n2 slot=1\n",
    "openmpi-relative": "rank 0=+n0 slot=0\nrank 1=+n1 slot=0\nrank 2=+n2 slot=0\n"
    "rank 3=+n0 slot=1\nrank 4=+n1 slot=1\nrank 5=+n2 slot=1\n",
    "openmpi-seq": "n0\nn1\nn2\nn0\nn1\nn2\n",
    "openmpi4": "rank 0=n0 slot=0\nrank 1=n1 slot=0\nrank 2=n2 slot=0\n"
    "rank 3=n0 slot=1\nrank 4=n1 slot=1\nrank 5=n2 slot=1\n",
    "impi": "n0:1\nn1:1\nn2:1\nn0:1\nn1:1\nn2:1\n",
    "slurm": "n0\nn1\nn2\nn0\nn1\nn2\n",
    "pals": "0,3,1,4,2,5\n",
    "jsrun": "cpu_index_using: logical\n"
    "rank: 0: { host: 1; cpu: {0} }\nrank: 1: { host: 2; cpu: {0} }\n"
    "rank: 2: { host: 3; cpu: {0} }\nrank: 3: { host: 1; cpu: {1} }\n"
    "rank: 4: { host: 2; cpu: {1} }\nrank: 5: { host: 3; cpu: {1} }\n",
    "pbs": "n0\nn1\nn2\nn0\nn1\nn2\n",
    "cray": "0,3,1,4,2,5\n",
    "rerank": "0\n2\n4\n1\n3\n5\n",
}


@pytest.mark.parametrize("name", WRITTEN)
def test_the_example_of_the_slides(name: str) -> None:
    assert FORMS[name].text(SLIDES) == WRITTEN[name]


def test_the_page_has_a_row_for_every_form() -> None:
    page = (ROOT / "docs" / "placement.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z][a-z0-9-]*)` \|", page, re.MULTILINE) == list(FORMS)


def test_every_form_but_mpichs_takes_any_permutation() -> None:
    assert set(WRITTEN) | {"mpich"} == set(FORMS)


def permuted(seed: int, *, spare: bool) -> Placed:
    """Random hosts and slots, the slots of a host not beside each other, ranks anywhere."""
    rng = random.Random(seed)
    names = tuple(f"node{number}" for number in rng.sample(range(100), rng.randint(1, 9)))
    slots = tuple(rng.randrange(len(names)) for _ in range(rng.randint(12, 150)))
    ranks = rng.randint(1, len(slots)) if spare else len(slots)
    return Placed(names, slots, tuple(rng.sample(range(len(slots)), ranks)))


def hosts_of(form: str, text: str, placed: Placed) -> tuple[str, ...]:
    """The host of each rank, as launchers read the form."""
    names = [name for name, _ in placed.slots_of_hosts]
    slots = [placed.names[host] for host in placed.slots]
    numbers = [int(word) for word in re.findall(r"\d+", text)]
    match form:
        case "openmpi" | "openmpi-slot" | "openmpi4":
            return tuple(re.findall(r"=(\w+)(?: slot=\d+)?\n", text))
        case "openmpi-relative":
            return tuple(names[int(number)] for number in re.findall(r"=\+n(\d+) ", text))
        case "jsrun":
            return tuple(names[int(number) - 1] for number in re.findall(r"host: (\d+);", text))
        case "mpich" | "impi":
            lines = [line.split(":") for line in text.split()]
            return tuple(host for host, count in lines for _ in range(int(count)))
        case "cray" | "pals":
            return tuple(slots[numbers.index(rank)] for rank in range(placed.ranks))
        case "rerank":
            return tuple(slots[slot] for slot in numbers)
    return tuple(text.split())


@pytest.mark.parametrize("name", FORMS)
def test_every_rank_is_written_with_its_host(name: str) -> None:
    form = FORMS[name]
    for seed in range(100):
        placed = permuted(seed, spare=not form.permutes)
        if name == "mpich":  # each host in one block
            order = sorted(placed.order, key=lambda slot: placed.slots[slot])
            placed = Placed(placed.names, placed.slots, tuple(order))

        assert hosts_of(name, form.text(placed), placed) == placed.hosts


def test_positions_are_distinguished() -> None:
    placed = permuted(7, spare=True)
    places = set(zip(placed.hosts, placed.positions, strict=True))
    slots = dict(placed.slots_of_hosts)
    assert len(places) == placed.ranks
    assert all(position < slots[host] for host, position in places)


def test_hosts_of_the_job() -> None:
    assert hosts_text(SLIDES) == "n0 slots=2\nn1 slots=2\nn2 slots=2\n"


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("openmpi", "mpirun --hostfile f.hosts --map-by rankfile:FILE=f -n 6"),
        ("openmpi4", "mpirun --hostfile f.hosts --rankfile f -n 6"),
        ("openmpi-seq", "mpirun --hostfile f --map-by seq -n 6"),
        ("mpich", "mpiexec -f f -n 6"),
        ("impi", "mpirun -machinefile f -n 6"),
        ("slurm", "SLURM_HOSTFILE=f srun -n 6 --distribution=arbitrary"),
        ("cray", "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE=f srun -n 6"),
    ],
)
def test_the_command(name: str, command: str) -> None:
    assert FORMS[name].launch(6, "f", "f.hosts") == command


def test_mpichs_repeated_hosts_are_refused() -> None:
    with pytest.raises(Unsafe, match=r"n0 would have two lines.*would not share memory.*rerank"):
        FORMS["mpich"].text(SLIDES)
    blocks = Placed(SLIDES.names, SLIDES.slots, (4, 5, 0, 1, 2))
    assert FORMS["mpich"].text(blocks) == "n2:2\nn0:2\nn1:1\n"


@pytest.mark.parametrize(
    ("name", "family", "says"),
    [
        ("slurm", "mpich", "so that ranks share no memory"),
        ("openmpi", "mpich", "launcher of another MPI library"),
        ("impi", "openmpi", "launcher of another MPI library"),
    ],
)
def test_forms_of_other_libraries_are_refused(name: str, family: str, says: str) -> None:
    with pytest.raises(Unsafe, match=says):
        FORMS[name].text(SLIDES, family)


@pytest.mark.parametrize("name", ["cray", "rerank"])
def test_renumbering_does_not_reach_other_slots(name: str) -> None:
    with pytest.raises(Unsafe, match="processes on the first 2 slots"):
        FORMS[name].text(Placed(SLIDES.names, SLIDES.slots, (0, 5)))


def test_warnings() -> None:
    alternating = Placed(
        ("a", "b"),
        (0,) * 200 + (1,) * 200,
        tuple(rank // 2 + 200 * (rank % 2) for rank in range(400)),
    )
    assert "1,023 bytes" in FORMS["cray"].warn(alternating)
    assert "would lose shared memory" in FORMS["pbs"].warn(alternating)
    assert not FORMS["cray"].warn(SLIDES)
    assert not FORMS["openmpi"].warn(SLIDES)
    many = Placed(("a",), (0,) * 5000, tuple(range(5000)))
    assert "openmpi-seq is faster" in FORMS["openmpi"].warn(many)


def test_only_the_first_slots_are_renumbered() -> None:
    for name in ("cray", "rerank"):
        with pytest.raises(Unsafe, match="only renumbers the processes on the first 2 slots"):
            FORMS[name].text(Placed(("a", "b"), (0, 0, 1), (0, 2)))
