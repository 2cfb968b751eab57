"""The properties of this node: CPU, memory, kernel, and variables that affect MPI."""

from __future__ import annotations

import os
import platform
import re
from pathlib import Path

from waywiser.launch.masking import masked_environment
from waywiser.model.run import Machine, readable

# Settings of MPI libraries, transports, OpenMP and schedulers; never the whole environment,
# which holds secrets.
ENVIRONMENT = re.compile(
    r"(OMPI_MCA|PRTE_MCA|PMIX_MCA|MPICH|MPIR_CVAR|I_MPI|FI|UCX|HFI|PSM2|PSM3|NCCL|OMP|KMP|GOMP|"
    r"MKL|OPENBLAS|BLIS|MALLOC)_\w+|LD_LIBRARY_PATH|LD_PRELOAD|"
    r"SLURM_(JOB_ID|JOB_NUM_NODES|NTASKS|CPUS_PER_TASK|JOB_PARTITION)|PBS_JOBID|FLUX_JOB_ID"
)


def environment() -> dict[str, str]:
    """The variables on the allow-list, by name; secrets in them are masked."""
    names = filter(ENVIRONMENT.fullmatch, sorted(os.environ))
    return masked_environment({name: readable(os.environ[name]) for name in names})


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def _field(text: str, key: str) -> str:
    match = re.search(rf"^{re.escape(key)}\s*[:=]\s*\"?(.*?)\"?$", text, re.MULTILINE)
    return match[1] if match else "unknown"


def _cpu(cpuinfo: str) -> str:
    """The CPU's name; on aarch64, the implementer and part numbers that the kernel reports."""
    name, part = _field(cpuinfo, "model name"), _field(cpuinfo, "CPU part")
    if name != "unknown" or part == "unknown":
        return name
    return f"Arm implementer {_field(cpuinfo, 'CPU implementer')}, part {part}"


def _count_distinct(pattern: str) -> int:
    values = {_read(str(path)) for path in Path("/sys/devices/system/cpu").glob(pattern)}
    return max(1, len(values - {""}))


def machine() -> Machine:
    """The properties of the node on which this process runs."""
    cpuinfo = _read("/proc/cpuinfo")
    topology = "cpu[0-9]*/topology"
    sockets = _count_distinct(f"{topology}/physical_package_id")
    core_pairs = {
        (_read(f"{directory}/physical_package_id"), _read(f"{directory}/core_id"))
        for directory in Path("/sys/devices/system/cpu").glob(topology)
    }
    smt = {"1": "on", "0": "off"}.get(_read("/sys/devices/system/cpu/smt/active"), "unknown")
    memory_kilobytes = re.search(r"^MemTotal:\s+(\d+)", _read("/proc/meminfo"), re.MULTILINE)
    return Machine.model_validate(
        {
            "host": platform.node(),
            "kernel": f"{platform.system()} {platform.release()}",
            "system": _field(_read("/etc/os-release"), "PRETTY_NAME"),
            "cpu": _cpu(cpuinfo),
            "sockets": sockets,
            "cores": max(1, len(core_pairs)),
            "hardware_threads": os.cpu_count() or 1,
            "smt": smt,
            "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") or "unknown",
            "numa_nodes": max(1, len(list(Path("/sys/devices/system/node").glob("node[0-9]*")))),
            "memory_bytes": 1024 * int(memory_kilobytes[1]) if memory_kilobytes else 0,
        }
    )


def usable_cores() -> int:
    """The number of cores in this process's affinity mask; hardware threads of one core count
    once."""
    here = machine()
    threads_per_core = max(1, here.hardware_threads // here.cores)
    return max(1, len(os.sched_getaffinity(0)) // threads_per_core)
