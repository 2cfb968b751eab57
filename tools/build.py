"""Builds the core, and the workloads once per MPI's ABI; an unchanged tree costs a second.

The core is installed into src/waywiser/native, where the editable package imports it, the
workloads into .venv/mpi/NAME/bin of each library; .venv/bin links to Open MPI's.
"""

from __future__ import annotations

import compileall
import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LOG = ROOT / "build" / "log"
DEFAULT_MPI = "openmpi"
SAME_ABI = {"impi": "mpich"}
"""Library -> the one whose programs it runs, too (https://www.mpich.org/abi)."""


def call(*command: str, log: str) -> None:
    """Runs a build step; its output is shown only if it fails."""
    environment = os.environ | {"PATH": f"{VENV / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    (LOG / f"{log}.txt").write_bytes(done.stdout)
    if done.returncode != 0:
        sys.stderr.buffer.write(done.stdout)
        raise SystemExit(f"waywiser: {' '.join(command)} ended with {done.returncode}")


def build_core() -> None:
    """One at a time: tests/sanitized.py has programs of the tests built in the same folder."""
    with (LOG.parent / "release.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        call("cmake", "--preset", "release", log="core-configure")
        call("cmake", "--build", "--preset", "release", log="core-build")
        call("cmake", "--install", "build/release", log="core-install")


def build_workloads(mpi: str, first: str) -> None:
    """What takes long to compile and needs no MPI is compiled for the first library alone."""
    home = VENV / "mpi" / mpi
    folder = f"build/workloads-{mpi}"
    loops = ROOT / f"build/workloads-{first}/native/workloads/libwaywiser_loops.a"
    call(
        *("cmake", "-S", ".", "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
        *("-DWAYWISER_CORE=OFF", "-DWAYWISER_WORKLOADS=ON"),
        *(f"-DMPI_HOME={home}", f"-DCMAKE_INSTALL_PREFIX={home}"),
        f"-DWAYWISER_LOOPS={'' if mpi == first else loops}",
        # .venv/mpi/NAME/bin/ww-* finds .venv/mpi/NAME/lib/libmpi.so wherever the folder is moved.
        "-DCMAKE_INSTALL_RPATH=$ORIGIN/../lib",
        log=f"{mpi}-configure",
    )
    call("cmake", "--build", folder, log=f"{mpi}-build")
    call("cmake", "--install", folder, log=f"{mpi}-install")


def copy_workloads(mpi: str, source: str) -> None:
    """Copies, not links: a program finds the library beside the folder that it lies in."""
    for program in (VENV / "mpi" / source / "bin").glob("ww-*"):
        copy = VENV / "mpi" / mpi / "bin" / program.name
        if not copy.exists() or copy.stat().st_mtime != program.stat().st_mtime:
            copy.unlink(missing_ok=True)  # it may be running
            shutil.copy2(program, copy)


def link_default() -> None:
    """Links Open MPI's launcher and workloads, and the core's programs, into .venv/bin."""
    source = VENV / "mpi" / DEFAULT_MPI / "bin"
    core = (ROOT / "src" / "waywiser" / "native").glob("ww-*")
    for program in [*source.glob("ww-*"), source / "mpirun", *core]:
        link = VENV / "bin" / program.name
        target = os.path.relpath(program, link.parent)
        if not link.is_symlink() or os.readlink(link) != target:
            link.unlink(missing_ok=True)
            link.symlink_to(target)


def compile_package() -> None:
    """To bytecode: where Python may not write it, every start of a verb would compile anew."""
    compileall.compile_dir(ROOT / "src" / "waywiser", quiet=1)


def at_once(*steps: Callable[[], None]) -> None:
    """Each of them begins and ends with work for one processor."""
    with ThreadPoolExecutor() as pool:
        for step in [pool.submit(step) for step in steps]:
            step.result()


def main() -> None:
    print("waywiser: build")
    LOG.mkdir(parents=True, exist_ok=True)
    first, *others = sys.argv[1:]
    at_once(build_core, partial(build_workloads, first, first))
    workloads = (partial(build_workloads, mpi, first) for mpi in others if mpi not in SAME_ABI)
    at_once(compile_package, *workloads)
    for mpi in SAME_ABI.keys() & others:
        copy_workloads(mpi, SAME_ABI[mpi])
    link_default()


if __name__ == "__main__":
    main()
