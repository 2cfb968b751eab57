"""Transports that ww-mpibench reports, under settings that leave the library no choice."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.kernel_programs import mpibench
from tests.support import MpiLibrary, cases, mpi_library
from tests.system.conftest import Build
from waywiser.apps.application import Output
from waywiser.apps.table import find

SMALL, LARGE = 8, 1 << 18
ITERATIONS, WARMUP = 20, 2
OPTIONS = [f"--sizes={SMALL},{LARGE}", f"--iterations={ITERATIONS}", f"--warmup={WARMUP}"]
MEMORY, COPIED, TCP = "shared memory", "shared memory + CMA", "TCP"

SETTINGS: dict[str, tuple[str, dict[str, str], tuple[str, str]]] = {
    "Open MPI, CMA": ("openmpi", {"OMPI_MCA_smsc": "cma"}, (MEMORY, COPIED)),
    "Open MPI, two copies": ("openmpi", {"OMPI_MCA_smsc": "^cma,knem,xpmem"}, (MEMORY, MEMORY)),
    "Open MPI, TCP": ("openmpi", {"OMPI_MCA_btl": "self,tcp"}, (TCP, TCP)),
    "MPICH, CMA": ("mpich", {"MPIR_CVAR_CH4_CMA_ENABLE": "1"}, (MEMORY, COPIED)),
    "MPICH, two copies": ("mpich", {"MPIR_CVAR_CH4_CMA_ENABLE": "0"}, (MEMORY, MEMORY)),
    "MPICH, TCP": (
        "mpich",
        {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp,self"},
        (TCP, TCP),
    ),
    "Intel MPI, CMA": (
        "impi",
        {"I_MPI_FABRICS": "shm", "I_MPI_SHM_CMA": "2", "I_MPI_SHM_CMA_THRESHOLD": "65536"},
        (MEMORY, COPIED),
    ),
    "Intel MPI, two copies": (
        "impi",
        {"I_MPI_FABRICS": "shm", "I_MPI_SHM_CMA": "0"},
        (MEMORY, MEMORY),
    ),
    "Intel MPI, TCP": ("impi", {"I_MPI_FABRICS": "ofi", "FI_PROVIDER": "tcp"}, (TCP, TCP)),
}
"""Library, variables, and what carries messages of 8 B and of 256 KiB."""


@pytest.mark.parametrize("case", SETTINGS)
def test_what_carries_messages_is_named_beside_every_result(case: str, tmp_path: Path) -> None:
    name, settings, expected = SETTINGS[case]

    options = [*OPTIONS, "--benchmark=latency,bandwidth,bcast,put"]
    samples, done = mpibench(mpi_library(name), tmp_path, *options, env=settings)

    # What a library copies itself in collectives and one-sided calls is its own choice.
    pairs = ("latency", "bandwidth")
    details = [sample["details"] for sample in samples if sample["variant"] in pairs]
    assert [detail["carriers"] for detail in details] == [*expected] * 2
    for variable, value in settings.items():
        assert all(f"{variable}={value}" in detail["transport"] for detail in details)
    printed = re.findall(rf"^ +(?:{SMALL}|{LARGE}) +\d+ .*  (\S.*)$", done.stdout, re.MULTILINE)
    assert printed == [sample["details"]["carriers"] for sample in samples]
    reading = find("mpibench").read(Output(done.stdout, "", tmp_path))
    for carriers in expected:
        assert carriers in reading.transport


@pytest.mark.parametrize("case", [case for case in SETTINGS if "TCP" in case or "CMA" in case])
@pytest.mark.parametrize("large", cases([LARGE], long=[1 << 20]))
def test_every_byte_of_large_messages_is_seen(case: str, tmp_path: Path, large: int) -> None:
    """A ping-pong moves its message twice; a copy by the kernel is none by TCP."""
    name, settings, (_, carriers) = SETTINGS[case]

    # No busy machine makes fewer iterations.
    options = [f"--sizes={SMALL},{large}", *OPTIONS[1:], "--benchmark=latency", "--seconds=300"]
    [_, sample], _ = mpibench(mpi_library(name), tmp_path, *options, env=settings)

    details = sample["details"]
    moved = 2 * (ITERATIONS + WARMUP) * large
    seen = details["tcp_bytes" if carriers == TCP else "single_copy_bytes"]
    assert moved <= seen < 1.1 * moved
    assert details["single_copy_bytes" if carriers == TCP else "tcp_bytes"] < 0.1 * moved


def test_what_the_ranks_send_of_their_results_is_not_counted(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    """Times of 1,500 iterations, which are copied by the kernel, of messages that are not."""
    options = ["--benchmark=allreduce", "--sizes=8", "--iterations=1500", "--method=barrier"]

    [sample], _ = mpibench(openmpi, tmp_path, *options, env={"OMPI_MCA_smsc": "cma"})

    assert sample["details"]["carriers"] == MEMORY


def test_osu_scripts_get_the_transport_as_a_comment(openmpi: MpiLibrary, tmp_path: Path) -> None:
    options = [*OPTIONS, "--benchmark=latency", "--osu-format"]

    _, done = mpibench(openmpi, tmp_path, *options, env={"OMPI_MCA_smsc": "cma"})

    line = done.stdout.splitlines()[-1]
    assert line.startswith(f"# Transport: {MEMORY}, {COPIED} from {LARGE} B; pml ob1, ")
    assert find("osu").read(Output(done.stdout, "", tmp_path)).failure == ""


def test_what_moves_no_message_names_none(openmpi: MpiLibrary, tmp_path: Path) -> None:
    options = [*OPTIONS, "--benchmark=memory,init,latency,allreduce"]

    samples, _ = mpibench(openmpi, tmp_path, *options, "--pairs=0:1", env={})
    alone, _ = mpibench(
        openmpi, tmp_path, "--benchmark=allreduce", "--sizes=8", "--iterations=2", ranks=1, env={}
    )

    without = {sample["variant"] for sample in samples if sample["details"]["carriers"] is None}
    assert without == {"memory", "init"}
    assert [sample["details"]["carriers"] for sample in alone] == [None]


def test_a_device_that_is_mapped_is_named(
    openmpi: MpiLibrary, build: Build, tmp_path: Path
) -> None:
    """XPMEM's device file among a process's mappings, as a preloaded library shows them."""
    mapped = {"LD_PRELOAD": str(build(openmpi, "mapped_xpmem.c", "-shared", "-fPIC"))}
    options = ["--benchmark=latency", "--sizes=8", "--iterations=20"]

    [sample], _ = mpibench(openmpi, tmp_path, *options, env=mapped)

    assert sample["details"]["carriers"] == "shared memory + XPMEM"
