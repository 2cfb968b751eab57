"""A real Slurm with one node per host of `hosts`. Needs Debian's slurm-wlm and munge.

Its state, keys and logs lie in the rig's directory. The controller runs on host n0, from where jobs
are started: `with started(2) as slurm: slurm.run("srun", "-n", "2", "hostname")`.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.rigs import hosts as rig
from tests.rigs.hosts import Host
from tests.support import executable

DAEMONS = ("munged", "slurmctld", "slurmd")
COMMANDS = ("sbatch", "squeue", "sacct", "sacctmgr", "scancel", "scontrol", "srun")
CPUS_PER_NODE = 4
PATIENCE_SECONDS = 30.0
JOBCOMP = "jobcomp.txt"
"""File in the rig's directory with Slurm's records of ended jobs, if a rig asks for them."""

CONFIGURATION = """\
ClusterName=rig
SlurmctldHost=n0
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={directory}/munge.sock
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool-%n
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd-%n.pid
SlurmctldLogFile={directory}/slurmctld.log
SlurmdLogFile={directory}/slurmd-%n.log
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin={task_plugin}
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=500
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
JobCompType={job_completion}
SwitchType=switch/none
SchedulerParameters=bf_interval=1
MpiDefault=pmix
ReturnToService=2
{nodes}
PreemptType=preempt/partition_prio
PreemptMode=CANCEL
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
PartitionName=urgent Nodes=ALL PriorityTier=2 MaxTime=INFINITE State=UP
"""
NODE = "NodeName={name} CPUs={cpus} RealMemory=4000 State=UNKNOWN"


def why_not() -> str | None:
    """The reason why Slurm cannot run on this machine; None if it can."""
    for daemon in DAEMONS:
        if shutil.which(daemon, path="/usr/sbin:/usr/bin") is None:
            return f"{daemon} is not installed (slurm-wlm, munge)"
    return rig.why_not()


@contextmanager
def started(nodes: int, *, cpus: int = CPUS_PER_NODE, jobcomp: bool = False) -> Iterator[Slurm]:
    """A Slurm of its own on hosts n0, n1, …; skips the test where there can be none."""
    reason = why_not()
    if reason:
        pytest.skip(reason)
    directory = Path(tempfile.mkdtemp(prefix="ww-"))  # short: sockets are in it
    try:
        with rig.hosts([f"n{i}" for i in range(nodes)], directory) as hosts:
            yield Slurm(hosts, cpus=cpus, jobcomp=jobcomp)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


class Slurm:
    """Slurm on hosts that are up; it ends with them."""

    def __init__(
        self, hosts: Sequence[Host], *, cpus: int = CPUS_PER_NODE, jobcomp: bool = False
    ) -> None:
        """
        Args:
            cpus: of each node. Where this machine has as many, Slurm binds ranks to them.
            jobcomp: whether it keeps `JOBCOMP`.
        """
        self.hosts = hosts
        self.cpus = cpus
        self.jobcomp = jobcomp
        self.directory = hosts[0].directory
        self.environment = {"SLURM_CONF": str(self.directory / "slurm.conf")}
        self._configure()
        self._start()

    def run(
        self,
        *argv: str | Path,
        directory: Path | str = "/",
        env: Mapping[str, str] | None = None,
        timeout: float = 120,
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command on the controller's host; its exit code is the caller's to judge."""
        return subprocess.run(
            self.hosts[0].command("env", f"--chdir={directory}", *argv),
            env={**(os.environ if env is None else env), **self.environment},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def commands(self) -> Path:
        """A directory for PATH, with Slurm's commands as they are on the controller's host."""
        directory = self.directory / "commands"
        directory.mkdir(exist_ok=True)
        for name in COMMANDS:
            words = self.hosts[0].command("env", '--chdir="$PWD"', f"/usr/bin/{name}", '"$@"')
            settings = " ".join(f"{key}={value}" for key, value in self.environment.items())
            executable(directory / name, f"#!/bin/sh\n{settings} exec {' '.join(words)}\n")
        return directory

    def _configure(self) -> None:
        (self.directory / "state").mkdir()
        (self.directory / "pmix").mkdir()
        nodes = []
        for host in self.hosts:
            (self.directory / f"spool-{host.name}").mkdir()
            nodes.append(NODE.format(name=host.name, cpus=self.cpus))
        text = CONFIGURATION.format(
            directory=self.directory,
            nodes="\n".join(nodes),
            job_completion=f"jobcomp/filetxt\nJobCompLoc={self.directory / JOBCOMP}"
            if self.jobcomp
            else "jobcomp/none",
            task_plugin="task/affinity" if self.cpus <= (os.cpu_count() or 1) else "task/none",
        )
        (self.directory / "slurm.conf").write_text(text, encoding="utf-8")
        (self.directory / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        (self.directory / "mpi.conf").write_text(f"PMIxCliTmpDirBase={self.directory}/pmix\n")
        key = self.directory / "munge.key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o400)

    def _start(self) -> None:
        controller = self.hosts[0]
        self._call(controller, "/usr/sbin/munged", "--force", *self._munge_options())
        self._call(controller, *self._daemon("slurmctld"))
        for host in self.hosts:
            # PMIx's sockets have the same names on every node, which here share their files.
            self._call(host, "mount", "-t", "tmpfs", "none", self.directory / "pmix")
            self._call(host, *self._daemon("slurmd"), "-N", host.name)
        end = time.monotonic() + PATIENCE_SECONDS
        while self._idle() != str(len(self.hosts)):
            log = self.directory / "slurmctld.log"
            assert time.monotonic() < end, f"Slurm did not come up:\n{log.read_text()[-2000:]}"
            time.sleep(0.1)

    def _call(self, host: Host, *argv: str | Path) -> None:
        # Not through pipes, which the daemons would hold open.
        subprocess.run(host.command(*argv), check=True, timeout=200)

    def _munge_options(self) -> list[str]:
        names = {"key-file": "key", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        files = [f"--{option}={self.directory}/munge.{end}" for option, end in names.items()]
        return [f"--socket={self.directory}/munge.sock", *files]

    def _daemon(self, name: str) -> list[str]:
        return [f"/usr/sbin/{name}", "-f", str(self.directory / "slurm.conf")]

    def _idle(self) -> str:
        return self.run("sinfo", "--noheader", "--states=idle", "--format=%D").stdout.strip()
