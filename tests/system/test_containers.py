"""Programs in containers, profiled from outside and from within, as docs/install.md says.

Bubblewrap stands in for the container engines: with the node's processes, devices and environment,
as Apptainer and Charliecloud give them, or with none of these, as Docker does. The image is this
machine's /usr and the MPI library; nothing of Waywiser is in it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import (
    ALLOWANCES,
    BIN,
    ROOT,
    MpiLibrary,
    Waywiser,
    session_directory,
    unpack,
    wait_for,
)
from tests.system.conftest import Build, ProfileOf
from waywiser.native import PROFILER

pytestmark = pytest.mark.in_turn

NATIVE = PROFILER.parent
LINKS = ("bin", "lib", "lib64")
SHARED = ("--dev-bind", "/dev", "/dev", "--ro-bind", "/sys", "/sys")
PRIVATE = ("--dev", "/dev", "--unshare-all", "--hostname", "container", "--as-pid-1")


def bind(path: Path, inside: Path | None = None, *, writable: bool = False) -> tuple[str, str, str]:
    return "--bind" if writable else "--ro-bind", str(path), str(inside or path)


@dataclass(frozen=True)
class Image:
    """A root file system with one program."""

    mpi: MpiLibrary
    program: Path

    def words(self, *options: str | Path) -> list[str]:
        """The command that starts a container, before its program, as with `apptainer exec
        IMAGE`."""
        if shutil.which("bwrap") is None:
            pytest.skip("bubblewrap is not installed")
        home = self.mpi.bin.parent
        return [
            *("bwrap", *bind(Path("/usr")), *bind(Path("/etc")), "--proc", "/proc"),
            *(word for name in LINKS for word in ("--symlink", f"usr/{name}", f"/{name}")),
            *("--tmpfs", "/tmp", *bind(Path(session_directory()), writable=True)),
            *(*bind(home), *bind(self.program, Path("/opt/program"))),
            *map(str, options),
        ]


@pytest.fixture
def image(mpi: MpiLibrary, build: Build) -> Image:
    return Image(mpi, build(mpi, "matrix.c"))


def test_from_outside(
    image: Image, mpi: MpiLibrary, waywiser: Waywiser, profile_of: ProfileOf
) -> None:
    """`waywiser profile -- mpirun ENGINE IMAGE PROGRAM`, both directories bound at their paths."""
    here = waywiser.directory
    container = image.words(*SHARED, *bind(NATIVE), *bind(here, writable=True))

    waywiser.profiles(mpi.command(4, *container, "/opt/program"))

    document = waywiser.show("run")
    assert (document["status"], document["lost"]) == ("complete", [])
    assert document["matrix"] == profile_of(mpi, "matrix.c", 4)["matrix"]


def test_from_outside_without_the_profiler_in_the_image(
    image: Image, mpi: MpiLibrary, waywiser: Waywiser
) -> None:
    """The program runs as ever, and Waywiser says that it has seen nothing."""
    bare = mpi.run(4, *image.words(*SHARED), "/opt/program")

    done = waywiser.profile(mpi.command(4, *image.words(*SHARED), "/opt/program"))

    assert (done.returncode, done.stdout) == (0, bare.stdout)
    assert f"object '{PROFILER}' from LD_PRELOAD cannot be preloaded" in done.stderr
    assert "waywiser: 0 MPI calls seen" in done.stderr


def isolated(image: Image, *options: str | Path) -> list[str]:
    """A container of its own processes, devices, network and environment, as Docker's."""
    path, directory = f"{image.mpi.bin}:{os.defpath}", session_directory()
    variables = {**ALLOWANCES, "PATH": path, "TMPDIR": directory, "HOME": directory}
    settings = [word for variable in variables.items() for word in ("--setenv", *variable)]
    return image.words(*PRIVATE, "--clearenv", *settings, *options)


def test_the_tarball_in_an_isolated_container(
    image: Image, waywiser: Waywiser, tarball: Path, profile_of: ProfileOf
) -> None:
    """`ENGINE IMAGE mpirun ww-exec --run RUN -- PROGRAM`, wherever both are bound."""
    unpack(tarball, waywiser.directory)
    (top,) = waywiser.directory.glob("waywiser-*/")
    binds = [*bind(top, Path("/ww")), *bind(waywiser.directory, Path("/data"), writable=True)]
    program = ["/ww/bin/ww-exec", "--run", "/data/run", "--", "/opt/program"]

    done = waywiser.bare([*isolated(image, *binds), *image.mpi.command(4, *program)])
    merged = waywiser.bare([top / "bin" / "ww-merge", "run"])

    assert (done.returncode, merged.returncode) == (0, 0), done.stderr + merged.stderr
    document = waywiser.show("run")
    assert (document["status"], document["lost"]) == ("complete", [])
    assert document["matrix"] == profile_of(image.mpi, "matrix.c", 4)["matrix"]


def test_from_within(image: Image, waywiser: Waywiser, profile_of: ProfileOf) -> None:
    """`ENGINE IMAGE waywiser profile -- mpirun PROGRAM`: Waywiser and its Python are inside."""
    binds = [
        *(*bind(Path(sys.base_prefix)), *bind(ROOT)),
        *bind(waywiser.directory, Path("/data"), writable=True),
    ]
    launch = image.mpi.command(4, "/opt/program")

    done = waywiser.bare(
        [*isolated(image, *binds), BIN / "waywiser", "profile", "-o", "/data/run", "--", *launch]
    )

    assert done.returncode == 0, done.stderr
    document = waywiser.show("run")
    assert (document["status"], document["lost"]) == ("complete", [])
    assert document["matrix"] == profile_of(image.mpi, "matrix.c", 4)["matrix"]


def test_a_killed_container_leaves_the_last_copy(
    mpi: MpiLibrary, build: Build, waywiser: Waywiser
) -> None:
    """All processes end with the container's first, the collector too; the memory is gone."""
    image = Image(mpi, build(mpi, "actor.c"))
    parts = waywiser.directory / "run" / "parts"
    binds = [*bind(NATIVE, Path("/ww")), *bind(waywiser.directory, Path("/data"), writable=True)]
    start = ["/ww/ww-exec", "--run", "/data/run", "--copy-every=0.5", "--"]
    launch = mpi.command(2, *start, "/opt/program", "wait", "barrier")

    with subprocess.Popen(
        [*isolated(image, *binds, "--die-with-parent"), *launch],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    ) as container:
        try:
            assert container.stdout
            assert b"ready\n" in iter(container.stdout.readline, b"")
            later = time.time() + 1
            wait_for(lambda: any(file.stat().st_mtime > later for file in parts.glob("*.copy")))
        finally:
            container.kill()
    merged = waywiser.bare([NATIVE / "ww-merge", "run"])

    assert "profiled 2 ranks" in merged.stderr
    document = waywiser.show("run", "--per-rank")
    assert document["status"] == "partial"
    assert document["functions"]["MPI_Sendrecv"]["calls"] == 2
    barrier = document["per_rank"][0]["functions"]["MPI_Barrier"]
    assert barrier["calls"] == 1
    assert barrier["seconds"] > 0.5, "up to the copy, in the call"
