"""Several hosts on one machine: each has its own name, network and /dev/shm.

A host is the namespaces of a process; its memory is freed with the last process in them. Needs
root, iproute2 and util-linux.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.support import run_bounded

SSH = Path(__file__).parent / "ssh"
SWITCH = Path(__file__).parent / "switch.cpp"


@dataclass(frozen=True)
class SlowNetwork:
    """The emulated network between the hosts, since the machine's own is too fast."""

    delay_us: float
    """Time that a frame takes to cross the switch; the switch itself adds about 40 us."""

    gigabit_per_s: float
    """Rate of each port, each way."""

    uplink_gigabit_per_s: float = 0
    """Rate of the cable between two switches with hosts in turn, each way; 0: one switch."""


def why_not() -> str | None:
    """The reason why this machine cannot have hosts; None if it can."""
    if os.geteuid() != 0:
        return "hosts as namespaces need root"
    missing = [tool for tool in ("ip", "unshare", "nsenter", "mount") if shutil.which(tool) is None]
    if missing:
        return f"hosts as namespaces need {', '.join(missing)}"
    tried = subprocess.run(["unshare", "--net", "--uts", "--mount", "true"], check=False)
    return None if tried.returncode == 0 else "namespaces are not permitted here"


@dataclass(frozen=True)
class Host:
    name: str
    pid: int
    """Process that holds the host's namespaces."""

    namespace: str
    """Mount namespace of the host, as /proc names it."""

    directory: Path
    """Directory in which the host's commands start."""

    def command(self, *words: str | Path) -> list[str]:
        """The command line that runs `words` on this host, with the caller's environment."""
        enter = ["nsenter", "--target", str(self.pid), "--net", "--uts", "--mount"]
        return [*enter, "--", "env", f"--chdir={self.directory}", *map(str, words)]

    def run(
        self, *words: str | Path, env: Mapping[str, str] | None = None, timeout: float = 60
    ) -> subprocess.CompletedProcess[str]:
        """Nothing of it is left behind when the time is over."""
        return run_bounded(
            self.command(*words), cwd=self.directory, env=env or dict(os.environ), timeout=timeout
        )

    def processes(self, name: str = "") -> list[int]:
        """The host's processes, or those whose command is called `name`."""
        pids = []
        for directory in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it has just ended
                called = (directory / "comm").read_text().strip()
                here = os.readlink(directory / "ns" / "mnt") == self.namespace
                if here and name in ("", called):
                    pids.append(int(directory.name))
        return pids

    def kill(self, name: str = "") -> None:
        """Ends those processes by SIGKILL; stopped before, so that none sees another's end."""
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in self.processes(name):
                with suppress(ProcessLookupError):
                    os.kill(pid, number)


@contextmanager
def _namespaces(*kinds: str) -> Iterator[int]:
    """New namespaces, held by a process whose number is returned."""
    # The shell is within before it says so, and sleeps then, away from a terminal's signals.
    process = subprocess.Popen(
        ["unshare", *kinds, "sh", "-c", "echo ready; exec sleep infinity"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"ready\n", "the machine refuses namespaces"
        yield process.pid
    finally:
        process.kill()
        process.communicate()


def _call(*words: str) -> None:
    subprocess.run(words, check=True, timeout=200)


def _ip(namespace: int, command: str) -> None:
    _call("nsenter", "--target", str(namespace), "--net", "ip", *command.split())


@contextmanager
def _bridge(members: Sequence[Host]) -> Iterator[None]:
    """Joins the hosts as fast as the machine can."""
    with _namespaces("--net") as switch:
        _ip(switch, "link add bridge type bridge")
        _ip(switch, "link set bridge up")
        for i, host in enumerate(members, 1):
            _ip(switch, f"link add port{i} type veth peer name eth0 netns {host.pid}")
            _ip(switch, f"link set port{i} master bridge up")
        yield


@contextmanager
def _slow_switch(network: SlowNetwork, members: Sequence[Host], directory: Path) -> Iterator[None]:
    """Joins the hosts by `switch.cpp`."""
    program = directory / "switch"
    _call("c++", "-std=c++20", "-O2", "-pthread", "-o", str(program), str(SWITCH))
    rates = [str(1e9 * rate) for rate in (network.gigabit_per_s, network.uplink_gigabit_per_s)]
    pids = [str(host.pid) for host in members]
    process = subprocess.Popen(
        [str(program), str(network.delay_us), *rates, *pids],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"ready\n", "the switch did not start"
        yield
    finally:
        process.kill()
        process.communicate()


@contextmanager
def hosts(
    names: Sequence[str], directory: Path, network: SlowNetwork | None = None
) -> Iterator[list[Host]]:
    """The named hosts on one network; `directory / "ssh"` reaches them as ssh does."""
    with ExitStack() as stack:
        known = directory / "hosts"
        known.write_text(
            "127.0.0.1 localhost\n"
            + "".join(f"10.77.0.{i} {name}\n" for i, name in enumerate(names, 1))
        )
        shutil.copy(SSH, directory)
        members = []
        for name in names:
            holder = stack.enter_context(_namespaces("--net", "--uts", "--mount"))
            host = Host(name, holder, os.readlink(f"/proc/{holder}/ns/mnt"), directory)
            stack.callback(host.kill)
            (directory / name).write_text(str(host.pid))
            _call(*host.command("hostname", name))
            _call(*host.command("mount", "-t", "tmpfs", "none", "/dev/shm"))
            _call(*host.command("mount", "--bind", known, "/etc/hosts"))
            members.append(host)
        joined = _slow_switch(network, members, directory) if network else _bridge(members)
        stack.enter_context(joined)
        for i, host in enumerate(members, 1):
            _ip(host.pid, f"addr add 10.77.0.{i}/24 dev eth0")
            _ip(host.pid, "link set eth0 up")
            _ip(host.pid, "link set lo up")
            # Some others pace what they send (BBR): times that are not the network's.
            route = f"10.77.0.0/24 dev eth0 proto kernel scope link src 10.77.0.{i}"
            _ip(host.pid, f"route replace {route} congctl cubic")
        yield members


def launcher_settings(directory: Path, *, shared_memory: str = "sm") -> dict[str, str]:
    """Variables by which each launcher gets from host to host, and the ranks to each other.

    Args:
        shared_memory: what Open MPI calls its transport; "vader" before version 5.
    """
    ssh = str(directory / "ssh")
    return {
        "PRTE_MCA_plm_ssh_agent": ssh,
        "OMPI_MCA_plm_rsh_agent": ssh,
        "OMPI_MCA_oob_tcp_if_include": "eth0",
        "OMPI_MCA_btl": f"self,{shared_memory},tcp",
        "OMPI_MCA_btl_tcp_if_include": "eth0",
        # Each host counts the cores of the whole machine as its own, so that no launcher sees that
        # ranks which wait by spinning keep the others from running.
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "HYDRA_LAUNCHER": "ssh",
        "HYDRA_LAUNCHER_EXEC": ssh,
        "HYDRA_IFACE": "eth0",
        "I_MPI_HYDRA_BOOTSTRAP": "ssh",
        "I_MPI_HYDRA_BOOTSTRAP_EXEC": ssh,
        "I_MPI_HYDRA_IFACE": "eth0",
        "FI_PROVIDER": "tcp",
        "FI_TCP_IFACE": "eth0",
    }
