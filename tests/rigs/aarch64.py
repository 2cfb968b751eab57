"""A machine with an aarch64 processor, emulated: Debian's arm64 packages in a directory.

QEMU's user mode runs each program that starts within: in a user namespace, the kernel is told so
(binfmt_misc; each namespace has its own since Linux 6.7). The machine itself stays as it is.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support import ROOT

TREE = ROOT / "build" / "aarch64-tree"
PACKAGES = (
    *("coreutils", "dash", "libfftw3-double3", "libopenmpi-dev", "libpython3-dev", "openmpi-bin"),
    "python3",
)
TOOLS = {
    "aarch64-linux-gnu-g++": "g++-aarch64-linux-gnu",
    "qemu-aarch64-static": "qemu-user-static",
    "mmdebstrap": "mmdebstrap",
    "unshare": "util-linux",
}
"""Command -> Debian's package."""

HOME = Path("/mnt")
"""Path of a machine's own directory within the machine."""

ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": str(HOME),
    "TMPDIR": "/tmp",
    "LANG": "C.UTF-8",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl": "self,vader",
    # The emulation has no process_vm_readv.
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMP_NUM_THREADS": "1",
}

# Format: Documentation/admin-guide/binfmt-misc.rst of Linux. The first 20 bytes of an ELF file for
# EM_AARCH64, and which bits of them count.
REGISTER = (
    r":qemu-aarch64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
    r":\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
    r":{interpreter}:FP"
)
# /proc/cpuinfo of Grace, as Linux's arch/arm64/kernel/cpuinfo.c writes it; QEMU shows the host's.
CPUINFO = """\
processor\t: 0
BogoMIPS\t: 2000.00
Features\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics
CPU implementer\t: 0x41
CPU architecture: 8
CPU variant\t: 0x0
CPU part\t: 0xd4f
CPU revision\t: 0
"""

FORMATS = "/proc/sys/fs/binfmt_misc"
START = f"""
[ -e {FORMATS}/qemu-aarch64 ] || mount -t binfmt_misc none {FORMATS}
[ -e {FORMATS}/qemu-aarch64 ] || printf %s "$3" > {FORMATS}/register
mount --rbind /dev "$1/dev"
mount --rbind /sys "$1/sys"
mount -t proc proc "$1/proc"
mount --bind "$2/cpuinfo" "$1/proc/cpuinfo"
mount --bind "$2" "$1{HOME}"
tree=$1
shift 3
exec chroot "$tree" "$@"
"""


def why_not() -> str | None:
    """The reason why this machine cannot emulate aarch64; None if it can."""
    missing = sorted({package for tool, package in TOOLS.items() if shutil.which(tool) is None})
    if missing:
        return f"aarch64 is emulated with: apt-get install {' '.join(missing)}"
    if os.geteuid() != 0:
        return "a Debian tree for another processor needs root"
    space = ["unshare", "--user", "--map-root-user", "--mount"]
    tried = subprocess.run([*space, "mount", "-t", "binfmt_misc", "none", FORMATS], check=False)
    registered = Path(FORMATS, "qemu-aarch64").exists()
    return None if registered or tried.returncode == 0 else "needs Linux 6.7, or binfmt-support"


def make_tree() -> None:
    """Makes the tree from the host's own apt sources. Packages are unpacked, not configured."""
    if not (TREE / "usr").exists():
        unfinished = TREE.with_suffix(".new")
        shutil.rmtree(unfinished, ignore_errors=True)
        subprocess.run(
            [
                *("mmdebstrap", "--quiet", "--arch=arm64", "--variant=extract"),
                *(f"--include={','.join(PACKAGES)}", "bookworm", unfinished),
                *Path("/etc/apt/sources.list.d").glob("*.sources"),
            ],
            check=True,
            timeout=1200,
        )
        unfinished.rename(TREE)
    for directory in ("dev", "mnt", "proc", "sys", "tmp"):
        (TREE / directory).mkdir(exist_ok=True)


@dataclass(frozen=True)
class Machine:
    directory: Path
    """Directory of the machine's own files, which holds `HOME`."""

    def run(
        self,
        *words: str | Path,
        env: Mapping[str, str] | None = None,
        check: bool = True,
        timeout: float = 900,
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command there, in `HOME`."""
        qemu = shutil.which("qemu-aarch64-static")
        (self.directory / "cpuinfo").write_text(CPUINFO, encoding="utf-8")
        done = subprocess.run(
            [
                *("unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork"),
                *("--kill-child", "sh", "-ec", START, "sh"),
                *(TREE, self.directory, REGISTER.format(interpreter=qemu)),
                *("env", f"--chdir={HOME}", *map(str, words)),
            ],
            env={**ENVIRONMENT, **(env or {})},
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout,
        )
        assert done.returncode == 0 or not check, done.stdout + done.stderr
        return done
