"""Facts on a node and a program that are recorded, and those that are withheld."""

from __future__ import annotations

import pytest

from waywiser.launch import host
from waywiser.model.run import readable


@pytest.mark.parametrize(
    "name",
    [
        *("OMPI_MCA_btl", "PRTE_MCA_rmaps_default_mapping_policy", "MPIR_CVAR_CH4_NETMOD"),
        *("I_MPI_FABRICS", "FI_PROVIDER", "UCX_TLS", "OMP_PLACES", "KMP_AFFINITY"),
        *("SLURM_JOB_ID", "SLURM_NTASKS", "PBS_JOBID", "FLUX_JOB_ID", "LD_LIBRARY_PATH"),
    ],
)
def test_variables_that_change_how_mpi_runs_are_kept(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "value")

    assert host.environment()[name] == "value"


@pytest.mark.parametrize(
    "name", ["AWS_SECRET_ACCESS_KEY", "HOME", "SLURM_JWT", "MY_OMP_TOKEN", "GITHUB_TOKEN"]
)
def test_no_other_variable_is_kept(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "secret")

    assert name not in host.environment()


def test_text_that_is_no_utf_8_becomes_readable() -> None:
    assert readable(b"caf\xe9".decode("utf-8", "surrogateescape")) == "caf\N{REPLACEMENT CHARACTER}"


def test_hardware_threads_of_one_core_are_one_core(monkeypatch: pytest.MonkeyPatch) -> None:
    node = host.machine().replace(cores=4, hardware_threads=8)
    monkeypatch.setattr(host, "machine", lambda: node)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1, 2, 3, 4, 5})
    assert host.usable_cores() == 3


@pytest.mark.parametrize(
    ("cpuinfo", "cpu"),
    [
        ("processor\t: 0\nmodel name\t: AMD EPYC 7763\n", "AMD EPYC 7763"),
        (
            "processor\t: 0\nCPU implementer\t: 0x46\nCPU architecture: 8\nCPU part\t: 0x001\n",
            "Arm implementer 0x46, part 0x001",
        ),
        ("", "unknown"),
    ],
)
def test_a_cpu_has_its_name_or_its_numbers(
    monkeypatch: pytest.MonkeyPatch, cpuinfo: str, cpu: str
) -> None:
    monkeypatch.setattr(host, "_read", lambda path: cpuinfo if path == "/proc/cpuinfo" else "")

    assert host.machine().cpu == cpu
