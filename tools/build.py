"""Builds the core, and the workloads once per MPI library; an unchanged tree costs a second.

The core is installed into src/waywiser/native, where the editable package imports it, the
workloads into .venv/mpi/NAME/bin; .venv/bin links to Open MPI's.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
LOG = ROOT / "build" / "log"
DEFAULT_MPI = "openmpi"


def call(*command: str, log: str) -> None:
    """Runs a build step; its output is shown only if it fails."""
    LOG.mkdir(parents=True, exist_ok=True)
    environment = os.environ | {"PATH": f"{VENV / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    (LOG / f"{log}.txt").write_bytes(done.stdout)
    if done.returncode != 0:
        sys.stderr.buffer.write(done.stdout)
        raise SystemExit(f"waywiser: {' '.join(command)} ended with {done.returncode}")


def build_core() -> None:
    call("cmake", "--preset", "release", log="core-configure")
    call("cmake", "--build", "--preset", "release", log="core-build")
    call("cmake", "--install", "build/release", log="core-install")


def build_workloads(mpi: str, first: str) -> None:
    """What takes long to compile and needs no MPI is compiled for the first library alone."""
    home = VENV / "mpi" / mpi
    folder = f"build/workloads-{mpi}"
    stencil = ROOT / f"build/workloads-{first}/native/workloads/libwaywiser_stencil.a"
    call(
        *("cmake", "-S", ".", "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
        *("-DWAYWISER_CORE=OFF", "-DWAYWISER_WORKLOADS=ON"),
        *(f"-DMPI_HOME={home}", f"-DCMAKE_INSTALL_PREFIX={home}"),
        f"-DWAYWISER_STENCIL={'' if mpi == first else stencil}",
        # .venv/mpi/NAME/bin/ww-* finds .venv/mpi/NAME/lib/libmpi.so wherever the folder is moved.
        "-DCMAKE_INSTALL_RPATH=$ORIGIN/../lib",
        log=f"{mpi}-configure",
    )
    call("cmake", "--build", folder, log=f"{mpi}-build")
    call("cmake", "--install", folder, log=f"{mpi}-install")


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


def main() -> None:
    print("waywiser: build")
    build_core()
    for mpi in sys.argv[1:]:
        build_workloads(mpi, sys.argv[1])
    link_default()


if __name__ == "__main__":
    main()
