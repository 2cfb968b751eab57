"""Builds the core and the workloads; an unchanged tree costs a second.

    tools/build.py all openmpi mpich impi      everything (`make build`)
    tools/build.py demo openmpi mpich          the parts that `make demo` runs
    tools/build.py analysis                    the rest of the core
    tools/build.py start MPI PROGRAM ...       a workload, and starts it

The core is installed into src/waywiser/native, where the editable package imports it, the
workloads into .venv/mpi/NAME/bin of each library; .venv/bin links to Open MPI's.

`make demo` leaves placeholders for the parts that it omits. A Python module builds the compiled
module when it is imported; a script builds the program when it is started. A part that was built
once is kept up to date.
"""

from __future__ import annotations

import argparse
import compileall
import fcntl
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

# The package is installed while this builds.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from waywiser.launch.blas import blas_library

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BUILD = ROOT / "build"
LOG = BUILD / "log"
NATIVE = ROOT / "src" / "waywiser" / "native"
DEFAULT_MPI = "openmpi"
DEMO = "ww-minife"
WORKLOADS = sorted(f"ww-{main.parent.name}" for main in ROOT.glob("native/workloads/*/main.cpp"))
SAME_ABI = {"impi": "mpich"}
"""Library -> another library whose programs it also runs (https://www.mpich.org/abi)."""

PLACEHOLDER = "# Placeholder: what it stands for is built when it is first used (tools/build.py)."
MODULE = f"""{PLACEHOLDER}
import importlib
import subprocess
import sys

done = subprocess.run([{str(VENV / "bin" / "python")!r}, {__file__!r}, "analysis"], check=False)
if done.returncode != 0:  # the build has said why
    sys.exit(1)
del sys.modules[__name__]
importlib.invalidate_caches()
importlib.import_module(__name__)
"""
SCRIPT = f"""#!/bin/sh
{PLACEHOLDER}
exec '{VENV / "bin" / "python"}' '{__file__}' start """


class Progress:
    """A line with the progress of all builds: rewritten on a terminal, else printed at each
    quarter."""

    def __init__(self, target: str) -> None:
        self._target = target
        self._steps: dict[str, tuple[int, int]] = {}
        self._reported = 0
        self._lock = threading.Lock()

    def update(self, part: str, done: int, total: int) -> None:
        with self._lock:
            self._steps[part] = done, total
            done, total = (sum(numbers) for numbers in zip(*self._steps.values(), strict=True))
            if sys.stderr.isatty():
                print(
                    f"\rwaywiser: building {self._target}: {done} of {total}",
                    end="",
                    file=sys.stderr,
                )
            elif total > 4 and done * 4 // total > self._reported:
                self._reported = done * 4 // total
                print(f"waywiser: building {self._target}: {done} of {total}", file=sys.stderr)
            sys.stderr.flush()

    def end(self) -> None:
        if self._steps and sys.stderr.isatty():
            print(file=sys.stderr)


def call(*command: str, log: str, progress: Progress | None = None) -> None:
    """Runs a build step; its output is shown only if it fails."""
    environment = os.environ | {"PATH": f"{VENV / 'bin'}:{os.environ['PATH']}"}
    environment["NINJA_STATUS"] = "[%f/%t] "
    output = []
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            output.append(line)
            step = re.match(rb"\[(\d+)/(\d+)\] ", line)
            if step and progress:
                progress.update(log, int(step[1]), int(step[2]))
    (LOG / f"{log}.txt").write_bytes(b"".join(output))
    if process.returncode != 0:
        sys.stderr.buffer.write(b"".join(output))
        raise SystemExit(f"waywiser: {' '.join(command)} ended with {process.returncode}")


@contextmanager
def locked(name: str) -> Iterator[None]:
    """Lock a build: several ranks may start a program at once, and tests use the same directory."""
    with (BUILD / f"{name}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def is_placeholder(path: Path) -> bool:
    with path.open("rb") as file:
        return PLACEHOLDER.encode() in file.read(200)


def has_analysis() -> bool:
    return any(NATIVE.glob("_analysis.*.so"))


def build_core(progress: Progress, *, everything: bool) -> None:
    with locked("release"):
        call("cmake", "--preset", "release", log="core-configure")
        targets = [] if everything else ["--target", "profiling"]
        part = [] if everything else ["--component", "profiling"]
        call(
            "cmake", "--build", "--preset", "release", *targets, log="core-build", progress=progress
        )
        call("cmake", "--install", "build/release", *part, log="core-install")
    placeholder = NATIVE / "_analysis.py"
    if everything:
        placeholder.unlink(missing_ok=True)
    else:
        placeholder.write_text(MODULE, encoding="utf-8")


def build_workloads(mpi: str, first: str, programs: list[str], progress: Progress) -> None:
    """Build programs for a library; sources without MPI are compiled for the first library only."""
    home = VENV / "mpi" / mpi
    directory = BUILD / f"workloads-{mpi}"
    shared = "" if mpi == first else str(BUILD / f"workloads-{first}")
    with locked(f"workloads-{mpi}"):
        call(
            *("cmake", "-S", ".", "-B", str(directory), "-G", "Ninja"),
            "-DCMAKE_BUILD_TYPE=Release",
            *("-DWAYWISER_CORE=OFF", "-DWAYWISER_WORKLOADS=ON"),
            *(f"-DMPI_HOME={home}", f"-DCMAKE_INSTALL_PREFIX={home}"),
            f"-DWAYWISER_WORKLOADS_WITHOUT_MPI={shared}",
            f"-DWAYWISER_BLAS={blas_library()}",
            # .venv/mpi/NAME/bin/ww-* finds .venv/mpi/NAME/lib/libmpi.so wherever that directory is.
            "-DCMAKE_INSTALL_RPATH=$ORIGIN/../lib",
            log=f"{mpi}-configure",
        )
        call(
            *("cmake", "--build", str(directory), "--target", *programs),
            log=f"{mpi}-build",
            progress=progress,
        )
        for program in programs:
            call("cmake", "--install", str(directory), "--component", program, log=f"{mpi}-install")


def copy_workloads(mpi: str, source: str) -> None:
    """Copy another library's workloads; with links, programs would load that library, which they
    find relative to their own directory."""
    for program in (VENV / "mpi" / source / "bin").glob("ww-*"):
        copy = VENV / "mpi" / mpi / "bin" / program.name
        if not copy.exists() or copy.stat().st_mtime != program.stat().st_mtime:
            copy.unlink(missing_ok=True)  # the program may be running
            shutil.copy2(program, copy)


def write_placeholders(mpi: str) -> None:
    """Write scripts in place of workloads that are not built."""
    for name in WORKLOADS:
        program = VENV / "mpi" / mpi / "bin" / name
        if not program.exists():
            program.write_text(f'{SCRIPT}{mpi} {name} "$@"\n', encoding="utf-8")
            program.chmod(0o755)


def built(mpi: str) -> list[str]:
    """The workloads that are built for a library, and the demonstration's."""
    directory = VENV / "mpi" / mpi / "bin"
    return [
        name
        for name in WORKLOADS
        if name == DEMO or ((directory / name).exists() and not is_placeholder(directory / name))
    ]


def link_default() -> None:
    """Links Open MPI's launcher and workloads, and the core's programs, into .venv/bin."""
    source = VENV / "mpi" / DEFAULT_MPI / "bin"
    for program in [*source.glob("ww-*"), source / "mpirun", *NATIVE.glob("ww-*")]:
        link = VENV / "bin" / program.name
        target = os.path.relpath(program, link.parent)
        if not link.is_symlink() or os.readlink(link) != target:
            link.unlink(missing_ok=True)
            link.symlink_to(target)


def compile_package() -> None:
    """Compile to bytecode: if Python may not write it later, every start would compile anew."""
    compileall.compile_dir(ROOT / "src" / "waywiser", quiet=1)


def at_once(*steps: Callable[[], None]) -> None:
    """Run steps in parallel, as each begins and ends with work for one processor."""
    with ThreadPoolExecutor() as pool:
        for step in [pool.submit(step) for step in steps]:
            step.result()


def build_all(mpis: list[str]) -> None:
    first, *others = mpis
    progress = Progress("everything")
    workloads = partial(build_workloads, first=first, programs=WORKLOADS, progress=progress)
    at_once(partial(build_core, progress, everything=True), partial(workloads, first))
    at_once(compile_package, *(partial(workloads, mpi) for mpi in others if mpi not in SAME_ABI))
    progress.end()
    for mpi in SAME_ABI.keys() & others:
        copy_workloads(mpi, SAME_ABI[mpi])
    link_default()


def build_demo(mpis: list[str]) -> None:
    progress = Progress("what the demonstration runs")
    first, *others = mpis
    programs = sorted({name for mpi in mpis for name in built(mpi)})
    workloads = partial(build_workloads, first=first, programs=programs, progress=progress)
    at_once(partial(build_core, progress, everything=has_analysis()), partial(workloads, first))
    at_once(compile_package, *(partial(workloads, mpi) for mpi in others))
    progress.end()
    for mpi in mpis:
        write_placeholders(mpi)
    link_default()


def build_analysis() -> None:
    if not has_analysis():
        progress = Progress("what analyses, predicts and places")
        build_core(progress, everything=True)
        progress.end()
        link_default()


def start(mpi: str, name: str, arguments: list[str]) -> None:
    """Builds a workload and replaces this process by it, unless WAYWISER_BUILD_ONLY is set."""
    program = VENV / "mpi" / mpi / "bin" / name
    with locked("placeholders"):
        if is_placeholder(program):
            progress = Progress(f"{name} for {mpi}")
            first = DEFAULT_MPI
            if mpi != first:
                build_workloads(first, first, [name], progress)
            build_workloads(mpi, first, [name], progress)
            progress.end()
    if "WAYWISER_BUILD_ONLY" not in os.environ:
        os.execv(program, [str(program), *arguments])


def main() -> None:
    LOG.mkdir(parents=True, exist_ok=True)
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["all", "demo", "analysis", "start"])
    parser.add_argument("words", nargs=argparse.REMAINDER, help="MPI libraries, or what to start")
    arguments = parser.parse_args()
    match arguments.what:
        case "all":
            build_all(arguments.words)
        case "demo":
            build_demo(arguments.words)
        case "analysis":
            build_analysis()
        case "start":
            start(arguments.words[0], arguments.words[1], arguments.words[2:])


if __name__ == "__main__":
    main()
