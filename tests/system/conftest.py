"""Builds and profiles the test programs, each once for every library that it is used with."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.forked import instead_of_starting
from tests.support import BIN, ROOT, MpiLibrary, Waywiser, environment, mpi_library
from tests.system.browser_page import Opened

PROGRAMS = Path(__file__).parent / "programs"
# Open MPI 4 calls shared memory "vader".
TRANSPORT = {".openmpi": {"OMPI_MCA_btl": "self,vader"}}

# Root needs --no-sandbox; the others keep the browser itself off the network.
CHROMIUM_OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

Build = Callable[..., Path]
ProfileOf = Callable[..., dict[str, Any]]
Look = Callable[..., Opened]


def profile_bytes(
    command: Sequence[str],
    directory: Path,
    run: str = "run",
    *,
    stdin: bytes = b"",
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """`waywiser profile -o RUN -- COMMAND` in `directory`, given `stdin`; the output is bytes.

    Args:
        env: the whole environment; without it, the tests' usual one.
    """
    words, whole = ["profile", "-o", run, "--", *command], environment() if env is None else env
    return subprocess.run(
        [BIN / "waywiser", *words],
        cwd=directory,
        env=whole,
        input=stdin,
        capture_output=True,
        timeout=200,
        check=False,
        preexec_fn=instead_of_starting(words, whole),
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests here start processes of launchers that are not ours, on machines that others use: one
    that fails is repeated once, and named in the summary as RERUN. Its cause is to be found.

    Those that start Slurm come first: they wait most, while tests that compute run beside them.
    """
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.flaky(reruns=1))
    items.sort(key=lambda item: "slurm" not in item.path.name)


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """`build(mpi, "name.c")`: the program in tests/system/programs, compiled by one worker.

    Each worker has a name of its own for it, by which tests find and end its processes."""
    own = tmp_path_factory.getbasetemp()
    shared = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "compiled"
    own /= "programs"
    for directory in (own, shared):
        directory.mkdir(exist_ok=True)

    def built(mpi: MpiLibrary, source: str, *options: str) -> Path:
        name = f"{Path(source).stem}-{mpi.name}"
        program, compiled = own / name, shared / name
        if not program.exists():
            with compiled.with_suffix(".lock").open("w") as held:
                fcntl.flock(held, fcntl.LOCK_EX)
                if not compiled.exists():
                    mpi.build(PROGRAMS / source, compiled, *options)
            program.hardlink_to(compiled)
        return program

    return built


@pytest.fixture(scope="session")
def profile_of(build: Build, tmp_path_factory: pytest.TempPathFactory) -> ProfileOf:
    """`profile_of(mpi, "name.c", ranks, …)`: what `show --json --per-rank` says of its run."""
    known: dict[tuple[object, ...], dict[str, Any]] = {}

    def profiled(
        mpi: MpiLibrary, source: str, ranks: int, *arguments: str, options: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        key = (mpi.name, source, ranks, *arguments)
        if key not in known:
            waywiser = Waywiser(tmp_path_factory.mktemp(f"{Path(source).stem}-{mpi.name}-"))
            program = build(mpi, source, *options)
            waywiser.profiles(mpi.command(ranks, program, *arguments))
            known[key] = waywiser.show("run", "--per-rank")
        return known[key]

    return profiled


@pytest.fixture
def mpich() -> MpiLibrary:
    """The library with the large-count calls and the standard ABI."""
    return mpi_library("mpich")


def debian_library(name: str) -> MpiLibrary:
    """One of Debian's libraries; the two share a directory. Skips the test where it is missing."""
    launcher = shutil.which(f"mpirun.{name}")
    if launcher is None or shutil.which(f"mpicc.{name}") is None:
        pytest.skip(f"Debian's {name} is not installed (mpirun.{name}, mpicc.{name})")
    return MpiLibrary(name, Path(launcher).parent, f".{name}")


@pytest.fixture(scope="session", params=("mpich", "openmpi"))
def debian(request: pytest.FixtureRequest) -> MpiLibrary:
    return debian_library(request.param)


@pytest.fixture(scope="session")
def tarball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle for compute nodes that `make bundle` packs."""
    directory = tmp_path_factory.mktemp("bundle")
    subprocess.run(
        [sys.executable, ROOT / "tools" / "bundle.py", "--nodes-only", "--output", directory],
        stdout=subprocess.DEVNULL,
        check=True,
        timeout=120,
    )
    (path,) = directory.iterdir()
    return path


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    sync_api = pytest.importorskip(
        "playwright.sync_api", reason="the browser test needs the playwright wheel"
    )
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("the browser test needs Debian's chromium")
    with sync_api.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=CHROMIUM_OPTIONS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def look(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Look:
    """`look(html, width=…)`: a page that is opened once for all tests that leave it as it is; to
    open one takes two seconds of processor time."""
    directory = tmp_path_factory.mktemp("pages")

    @cache
    def opened(html: str, width: int = 1280) -> Opened:
        return Opened(chromium, directory / f"{hash(html)}-{width}.html", html, width)

    return opened


@pytest.fixture
def browser(chromium: Any) -> Iterator[Any]:
    """Pages that stay open take the processor from those that come after."""
    before = [*chromium.contexts]
    yield chromium
    for context in chromium.contexts:
        if context not in before:
            context.close()
