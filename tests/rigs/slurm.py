"""A real Slurm with one node per host of `Hosts`. Needs Debian's slurm-wlm and munge.

Its state, keys and logs lie in the rig's folder. The controller runs on host n0, from where jobs
are started: `slurm.run("srun", "-n", "2", "hostname")`.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.rigs import hosts as rig
from tests.rigs.hosts import Hosts, wait_until

DAEMONS = ("munged", "slurmctld", "slurmd")
CPUS_PER_NODE = 4

CONFIGURATION = """\
ClusterName=rig
SlurmctldHost=n0({controller})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
MailProg=/bin/true
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
SchedulerParameters=bf_interval=1
MpiDefault=pmix
ReturnToService=2
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
NODE = "NodeName={name} NodeAddr={address} CPUs={cpus} RealMemory=4000 State=UNKNOWN"


def why_not() -> str | None:
    """Why there can be no Slurm on this machine; None if there can."""
    for daemon in DAEMONS:
        if shutil.which(daemon, path="/usr/sbin:/usr/bin") is None:
            return f"{daemon} is not installed (slurm-wlm, munge)"
    return rig.why_not()


class Slurm:
    """Slurm on hosts that are up; it ends with them."""

    def __init__(self, hosts: Hosts) -> None:
        self.hosts = hosts
        self.folder = hosts.folder
        self.environment = {"SLURM_CONF": str(self.folder / "slurm.conf")}
        self._configure()
        self._start()

    def run(
        self,
        *argv: str | Path,
        folder: Path | str = "/",
        env: Mapping[str, str] | None = None,
        timeout: float = 120,
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command on the controller's host; its exit code is the caller's to judge."""
        return subprocess.run(
            self.hosts.command("n0", *argv, folder=folder),
            env={**(os.environ if env is None else env), **self.environment},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def _configure(self) -> None:
        (self.folder / "state").mkdir()
        (self.folder / "pmix").mkdir()
        nodes = []
        for name, address in self.hosts.addresses.items():
            (self.folder / f"spool-{name}").mkdir()
            nodes.append(NODE.format(name=name, address=address, cpus=CPUS_PER_NODE))
        text = CONFIGURATION.format(
            folder=self.folder,
            controller=self.hosts.addresses["n0"],
            nodes="\n".join(nodes),
        )
        (self.folder / "slurm.conf").write_text(text, encoding="utf-8")
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        (self.folder / "mpi.conf").write_text(f"PMIxCliTmpDirBase={self.folder}/pmix\n")
        key = self.folder / "munge.key"
        key.write_bytes(secrets.token_bytes(1024))
        key.chmod(0o400)

    def _start(self) -> None:
        self.hosts.run("n0", "/usr/sbin/munged", "--force", *self._munge_options())
        self.hosts.run("n0", *self._daemon("slurmctld"))
        for name in self.hosts.names:
            # PMIx's sockets have the same names on every node, which here share their files.
            self.hosts.run(name, "mount", "-t", "tmpfs", "none", self.folder / "pmix")
            self.hosts.run(name, *self._daemon("slurmd"), "-N", name)
        count = str(len(self.hosts.names))
        wait_until("Slurm", lambda: self._idle() == count, self.folder / "slurmctld.log")

    def _munge_options(self) -> list[str]:
        names = {"key-file": "key", "pid-file": "pid", "log-file": "log", "seed-file": "seed"}
        files = [f"--{option}={self.folder}/munge.{end}" for option, end in names.items()]
        origin = f"--origin={self.hosts.addresses['n0']}"
        return [f"--socket={self.folder}/munge.sock", origin, *files]

    def _daemon(self, name: str) -> list[str]:
        return [f"/usr/sbin/{name}", "-f", str(self.folder / "slurm.conf")]

    def _idle(self) -> str:
        return self.run("sinfo", "--noheader", "--states=idle", "--format=%D").stdout.strip()
