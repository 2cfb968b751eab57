"""Shared helpers of tests: MPI libraries to run with, programs to build, the waywiser command."""

from __future__ import annotations

import atexit
import contextlib
import functools
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.forked import instead_of_starting
from tests.schemas import assert_fits
from waywiser.cli.main import main
from waywiser.cli.refusals import REFUSED

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.prefix) / "bin"

# The tests run as root and with more ranks than cores; a user is never given this silently.
ALLOWANCES = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",  # Open MPI 5
    "OMPI_MCA_rmaps_base_oversubscribe": "1",  # Open MPI 4
    "OMPI_MCA_mpi_yield_when_idle": "1",
    # MPICH, which has no yield of the kind, sleeps a moment after so many polls for nothing.
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE": "1",
    "MPIR_CVAR_CH4_PROGRESS_THROTTLE_NO_PROGRESS_COUNT": "100",
    "I_MPI_THREAD_YIELD": "3",  # sleeps, too
    # Bound to cores (Open MPI 4, Intel MPI), ranks wait there for those of other test sessions.
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "I_MPI_PIN": "off",
    "OMPI_MCA_btl": "self,sm",  # one host: the tcp transport takes a second to set up
    "OMPI_MCA_mtl": "^ofi",  # libfabric looks for networks in half of the time of a start
    "OMP_NUM_THREADS": "1",
}


@functools.cache
def session_directory() -> str:
    """A short-named directory for the launchers' sockets, of this test session alone.

    Open MPI's launchers share one directory under TMPDIR, and one that ends removes it while
    another starts: two test sessions on a machine would disturb each other.
    """
    directory = tempfile.mkdtemp(prefix="ww-")
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for programs under test: ours, the allowances, and `extra`."""
    inherited = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    return {**inherited, **ALLOWANCES, "TMPDIR": session_directory(), **(extra or {})}


def captured(
    command: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    check: bool = False,
    timeout: float = 200,
) -> subprocess.CompletedProcess[str]:
    """Runs a command in the environment for programs under test, with `env` besides."""
    return subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env=environment(env),
        capture_output=True,
        text=True,
        check=check,
        timeout=timeout,
    )


def unpack(tarball: Path, directory: Path) -> None:
    """Unpacks with tar, as a user does: Debian's Python 3.11.2 cannot filter a tarball's modes."""
    subprocess.run(["tar", "-xf", tarball, "-C", directory], check=True)


def executable(file: Path, text: str) -> Path:
    """The file, which has this text now and may be executed."""
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)
    return file


def wait_for(condition: Callable[[], object], seconds: float = 200, period: float = 0.05) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(period)


def mpi_library(name: str) -> MpiLibrary:
    """One of the private environments."""
    return next(library for library in mpi_libraries() if library.name == name)


def cases(short: Iterable[object], *, long: Iterable[object]) -> list[object]:
    """Values of one parameter: those of `make test`, and of `long` those that only `make test-long`
    has besides."""
    always = [*short]
    others = (value for value in long if value not in always)
    return [*always, *(pytest.param(value, marks=pytest.mark.long) for value in others)]


@dataclass(frozen=True)
class MpiLibrary:
    """An MPI library, by default one of the private environments that `make setup` has made."""

    name: str
    bin: Path
    suffix: str = ""
    """Suffix of the commands' names, where two libraries share a directory, e.g. ".mpich"."""

    @property
    def abi(self) -> str:
        return "openmpi" if self.name == "openmpi" else "mpich"

    @property
    def full_name(self) -> str:
        return {"openmpi": "Open MPI", "mpich": "MPICH", "impi": "Intel MPI"}[self.name]

    def program(self, name: str) -> Path:
        """A workload's build for this library, e.g. "ww-minife"."""
        return self.bin / name

    def command(self, ranks: int, *argv: str | Path) -> list[str]:
        """The launcher's command line for `ranks` ranks of `argv`."""
        return [str(self.bin / f"mpirun{self.suffix}"), "-n", str(ranks), *map(str, argv)]

    def run(
        self,
        ranks: int,
        *argv: str | Path,
        check: bool = True,
        timeout: float = 400,
        env: Mapping[str, str] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        """Runs a program on `ranks` ranks, without the profiler."""
        return captured(self.command(ranks, *argv), env=env, check=check, timeout=timeout)

    def build(self, source: Path, output: Path, *options: str) -> Path:
        """Compiles a C, C++ or Fortran program for this library, or links an object file."""
        compilers = {".c": "mpicc", ".o": "mpicc", ".cpp": "mpicxx", ".F90": "mpif90"}
        compiler = compilers[source.suffix]
        subprocess.run(
            [
                str(self.bin / f"{compiler}{self.suffix}"),
                "-O1",
                "-g",
                str(source),
                "-o",
                str(output),
                *options,
            ],
            check=True,
            timeout=120,
        )
        return output


@functools.cache
def mpi_libraries() -> list[MpiLibrary]:
    """The libraries under .venv/mpi, by name."""
    directories = sorted((Path(sys.prefix) / "mpi").glob("*/bin"))
    return [MpiLibrary(directory.parent.name, directory) for directory in directories]


def run_bounded(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    timeout: float,
    instead: Callable[[], object] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs a command like subprocess.run, but a time-out leaves no rank behind: the launcher, which
    knows its ranks, gets SIGTERM, and what is left of the process group is killed.

    Args:
        instead: what the process does in place of the command.
    """
    process = subprocess.Popen(
        argv,
        cwd=cwd,
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=instead,
    )
    try:
        stdout, stderr = process.communicate(timeout=timeout)
    except BaseException:
        os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.communicate(timeout=10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return subprocess.CompletedProcess(argv, process.returncode, stdout, stderr)


@dataclass(frozen=True)
class Waywiser:
    """The `waywiser` command, as a user calls it."""

    directory: Path

    def __call__(
        self,
        *argv: str | Path,
        env: Mapping[str, str] | None = None,
        timeout: float = 400,
    ) -> subprocess.CompletedProcess[str]:
        """Runs a verb in the test's directory; its exit code is the caller's to judge."""
        words, whole = [*map(str, argv)], environment(env)
        return run_bounded(
            [str(BIN / "waywiser"), *words],
            cwd=self.directory,
            env=whole,
            timeout=timeout,
            instead=instead_of_starting(words, whole),
        )

    def succeeds(self, *argv: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
        """Runs a verb, which has to end with 0."""
        return succeeded(self(*argv, **options))

    def bare(
        self,
        command: Sequence[str | Path],
        *,
        env: Mapping[str, str] | None = None,
        timeout: float = 400,
    ) -> subprocess.CompletedProcess[str]:
        """Runs a command other than `waywiser`: a program alone, or one started by hand."""
        return run_bounded(
            [*map(str, command)], cwd=self.directory, env=environment(env), timeout=timeout
        )

    def here(self, *argv: str | Path) -> subprocess.CompletedProcess[str]:
        """Runs a verb that starts no program in this process, which has imported Waywiser already.
        As a command of its own each verb is run by the tests of the documents. What draws is forked
        (`forked.DRAWS`)."""
        if "report" in argv[:2]:
            return self(*argv)
        with contextlib.chdir(self.directory):
            return here(*argv)

    def profile(
        self, command: Sequence[str | Path], run: str = "run", **options: Any
    ) -> subprocess.CompletedProcess[str]:
        return self("profile", "-o", run, "--", *command, **options)

    def profiles(
        self, command: Sequence[str | Path], run: str = "run", **options: Any
    ) -> subprocess.CompletedProcess[str]:
        return succeeded(self.profile(command, run, **options))

    def show(self, run: str = "run", *options: str) -> dict[str, Any]:
        """The document of `waywiser show RUN --json`."""
        shown = succeeded(self.here("show", run, "--json", *options))
        document: dict[str, Any] = json.loads(shown.stdout)
        return document


def succeeded(done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    assert done.returncode == 0, done.stderr
    return done


def exit_code_of(words: Sequence[str]) -> int:
    """Runs `waywiser WORDS` in this process."""
    code: int | str | None
    try:
        code = main(words)
    except SystemExit as ended:  # argparse's
        code = ended.code
    assert isinstance(code, int)
    return code


def assert_refused(done: subprocess.CompletedProcess[str], *says: str) -> None:
    """A user's mistake: exit code 2 and one sentence of ours, which has all of `says`."""
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("waywiser: ")
    assert done.stderr.count("\n") == 1, done.stderr
    for words in says:
        assert words in done.stderr


def here(*argv: object) -> subprocess.CompletedProcess[str]:
    """Runs a verb that starts no program in this process, which has imported Waywiser already."""
    words = [*map(str, argv)]
    with (
        contextlib.redirect_stdout(io.StringIO()) as out,
        contextlib.redirect_stderr(io.StringIO()) as err,
    ):
        code = exit_code_of(words)
    return subprocess.CompletedProcess(["waywiser", *words], code, out.getvalue(), err.getvalue())


def printed(*argv: object) -> str:
    """The output of a verb in this process."""
    return succeeded(here(*argv)).stdout


def printed_refusal(*argv: object) -> str:
    """The output of a verb in this process whose answer the validity gate refuses."""
    done = here(*argv)
    assert done.returncode == REFUSED, done.stderr
    return done.stdout


def gated(done: subprocess.CompletedProcess[str]) -> Any:
    """The JSON answer of a verb that predicts, whose exit code is 3 if the gate lets it not."""
    answer = json.loads(done.stdout)
    assert done.returncode == (REFUSED if answer["gate"]["unlike"] else 0), done.stderr
    return answer


def judged(done: subprocess.CompletedProcess[str]) -> subprocess.CompletedProcess[str]:
    """What a verb that compares has done; its exit code is 3 if the gate refuses every verdict."""
    assert done.returncode in (0, REFUSED), done.stderr
    return done


def document(*argv: object, schema: str = "") -> Any:
    """A verb's JSON answer in this process, checked against the named schema, if any."""
    answer = json.loads(printed(*argv, "--json"))
    if schema:
        assert_fits(answer, schema)
    return answer


def assert_refuses(argv: Sequence[object], *says: str) -> None:
    """Runs `waywiser ARGV` in this process, and asserts what `assert_refused` does."""
    assert_refused(here(*argv), *says)
