"""Several hosts on one machine, as sets of Linux namespaces. Needs root, iproute2 and util-linux.

Each host has a name, processes, shared memory, /proc and network of its own, and shares the files.
A switch (one more set) connects them: host `n0` is 10.77.0.1, `n1` 10.77.0.2, and so on. Nothing
outside is changed, so that any number of rigs can be up at once; all processes of a host end with
the process that holds its namespaces.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

NAMESPACES = ("--net", "--uts", "--mount", "--pid", "--ipc")
PATIENCE_SECONDS = 30.0


def why_not() -> str | None:
    """Why there can be no hosts on this machine; None if there can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    missing = [tool for tool in ("ip", "unshare", "nsenter") if shutil.which(tool) is None]
    if missing:
        return f"{missing[0]} is not installed (iproute2, util-linux)"
    tried = subprocess.run(["unshare", *NAMESPACES, "--fork", "true"], check=False)
    return "namespaces are not permitted here" if tried.returncode else None


class Hosts:
    """`with Hosts(folder, 2) as hosts: hosts.run("n0", "hostname")`."""

    def __init__(self, folder: Path, count: int) -> None:
        self.folder = folder
        self.names = [f"n{i}" for i in range(count)]
        self.addresses = {name: f"10.77.0.{i + 1}" for i, name in enumerate(self.names)}
        self._holders: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            self._bring_up()
        except BaseException:
            self._take_down()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._take_down()

    def command(self, name: str, *argv: str | Path, folder: Path | str = "/") -> list[str]:
        """The command line that runs `argv` on a host, in `folder`."""
        pid = (self.folder / f"{name}.pid").read_text(encoding="utf-8")
        there = ["env", f"--chdir={folder}"]
        return ["nsenter", "--target", pid, *NAMESPACES, *there, *map(str, argv)]

    def run(self, name: str, *argv: str | Path) -> None:
        """Runs `argv` on a host; it must succeed."""
        subprocess.run(self.command(name, *argv), check=True, timeout=60)

    def ssh(self) -> Path:
        """A stand-in for ssh, `ssh [options] HOST COMMAND…`, for the launchers' agents."""
        path = self.folder / "ssh"
        path.write_text(
            "#!/bin/bash\n"
            "while [[ $1 == -* ]]; do case $1 in -l | -p | -o) shift 2 ;; *) shift ;; esac; done\n"
            f'pid=$(<"{self.folder}/$1.pid") && shift\n'
            f'exec nsenter --target "$pid" {" ".join(NAMESPACES)} /bin/sh -c "$*"\n',
            encoding="utf-8",
        )
        path.chmod(0o755)
        return path

    def _bring_up(self) -> None:
        switch = self._hold("switch")
        self._link(switch, "add", "bridge", "type", "bridge")
        self._link(switch, "set", "bridge", "up")
        for name, address in self.addresses.items():
            holder = self._hold(name)
            cable = ["type", "veth", "peer", "name", "eth0", "netns", str(holder)]
            self._link(switch, "add", name, "master", "bridge", *cable)
            self._link(switch, "set", name, "up")
            self.run(name, "ip", "address", "add", f"{address}/24", "dev", "eth0")
            self.run(name, "ip", "link", "set", "eth0", "up")

    def _link(self, holder: int, *argv: str) -> None:
        """`ip link` in a host's network, with this machine's process numbers."""
        enter = ["nsenter", "--target", str(holder), "--net"]
        subprocess.run([*enter, "ip", "link", *argv], check=True, timeout=60)

    def _hold(self, name: str) -> int:
        """Starts the process that holds a host's namespaces; all others there end with it."""
        prepare = f"hostname {name} && mount -t tmpfs none /dev/shm && ip link set lo up"
        holder = subprocess.Popen(
            [
                *("unshare", *NAMESPACES, "--fork", "--kill-child", "--mount-proc"),
                *("/bin/sh", "-c", f"{prepare} && echo up && exec sleep infinity"),
            ],
            stdout=subprocess.PIPE,
        )
        self._holders[name] = holder
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"up\n", f"host {name} did not come up"
        children = Path(f"/proc/{holder.pid}/task/{holder.pid}/children")
        (child,) = children.read_text(encoding="utf-8").split()
        (self.folder / f"{name}.pid").write_text(child, encoding="utf-8")
        return int(child)

    def _take_down(self) -> None:
        for holder in self._holders.values():
            holder.kill()
            holder.wait()
            if holder.stdout is not None:
                holder.stdout.close()


def wait_until(what: str, holds: object, log: Path) -> None:
    """Waits for `holds()`, at most `PATIENCE_SECONDS`; then fails with the end of a log."""
    assert callable(holds)
    end = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        if time.monotonic() > end:
            said = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
            raise AssertionError(f"{what} did not come up:\n{said[-2000:]}")
        time.sleep(0.1)
