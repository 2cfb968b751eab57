"""What the benchmarks share: options for the programs that they measure and their launcher, how
these are built and run, the file of raw samples, and bars with their report."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from elftools.elf.elffile import ELFFile

from waywiser.launch import host
from waywiser.launch.library import mpi_library_of, read_executable

Record = dict[str, Any]
Found = TypeVar("Found")


def machine() -> Record:
    """Machine and time of the samples; the first line of every file of samples."""
    now = {"load_average": os.getloadavg()[0], "time": datetime.now(UTC).isoformat("T", "seconds")}
    return host.machine().model_dump() | now


HERE = Path(__file__).resolve().parent
NATIVE = HERE.parent / "native"
BESIDE = Path(sys.executable).parent
"""The directory of the programs that `make setup` has built."""


def add_program(parser: argparse.ArgumentParser, name: str) -> None:
    parser.add_argument(
        "--program",
        type=Path,
        default=BESIDE / name,
        help=f"the {name} to measure (default: the one beside this Python)",
    )


def check_program(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Refuses a `--program` that is not there."""
    if not args.program.is_file():
        name = parser.get_default("program").name
        parser.error(f"--program: there is no {args.program}; give the path of a {name}")


def add_programs(parser: argparse.ArgumentParser, *names: str) -> None:
    """`--programs`, where several are measured, or several libraries' builds of one."""
    parser.add_argument(
        "--programs",
        type=Path,
        default=BESIDE,
        metavar="DIR",
        help=f"with the {' and '.join(names)} to measure (default: that of this Python)",
    )


def check_programs(parser: argparse.ArgumentParser, args: argparse.Namespace, *names: str) -> None:
    """Refuses a directory in which one is not."""
    for name in names:
        if not (args.programs / name).is_file():
            parser.error(f"--programs: there is no {name} in {args.programs}")


def add_launcher(parser: argparse.ArgumentParser, default: Path = BESIDE / "mpirun") -> None:
    """`--mpirun` and `--mpirun-option`."""
    parser.add_argument(
        "--mpirun",
        default=str(default),
        help="launcher of the programs (default: that of this Python's Open MPI)",
    )
    parser.add_argument(
        "--mpirun-option",
        action="append",
        default=[],
        metavar="OPTION",
        help="passed to the launcher, e.g. --mpirun-option=--oversubscribe; may be repeated",
    )


def check_launcher(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Refuses a launcher that is not there."""
    if shutil.which(args.mpirun) is None:
        parser.error(f"--mpirun: there is no {args.mpirun}; give the programs' own launcher")


def launch(args: argparse.Namespace, ranks: int) -> list[str]:
    """What stands before a program that runs on that many ranks: nothing before one alone."""
    return [args.mpirun, *args.mpirun_option, "-n", str(ranks)] if ranks > 1 else []


def add_compiler(parser: argparse.ArgumentParser, source: str) -> None:
    """`--compiler`, where a program of this directory measures."""
    parser.add_argument("--compiler", default="c++", help=f"builds bench/{source} (default: c++)")


def compiled(compiler: str, source: str, directory: Path, *options: str) -> Path:
    program = directory / Path(source).stem
    command = [compiler, "-std=c++20", str(HERE / source), *options, "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def run(command: Sequence[str | Path], directory: Path | None = None, /, **variables: str) -> str:
    """What a program prints, in `directory`, with `variables` beside those of our environment.

    Raises:
        SystemExit: it failed.
    """
    done = subprocess.run(
        command,
        check=False,
        cwd=directory,
        env=os.environ | variables,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        said = done.stdout[-500:] + done.stderr[-500:]
        words = " ".join(map(str, command))
        raise SystemExit(f"bench: {words} ended with {done.returncode}: {said}")
    return done.stdout


@cache
def build_of(program: Path, package: str = "") -> Record:
    """What a peer's file tells of itself, to stand with each of its samples.

    Args:
        package: the Python package that it belongs to, which knows its version.
    """
    content = program.read_bytes()
    executable = read_executable(program)
    library = mpi_library_of(program) if executable and executable.dynamic else None
    said = dict.fromkeys(found[0].decode("ascii") for found in VERSION_SAID.finditer(content))
    return {
        "build": {
            "file": program.name,
            "sha256": hashlib.sha256(content).hexdigest(),
            "versions": [metadata.version(package)] if package else list(said)[:5],
            "compiler": executable.compiler if executable else "unknown",
            "flags": _flags(program) if executable else "unknown",
            "mpi_library": str(library.path) if library else "unknown",
        }
    }


VERSION_SAID = re.compile(
    rb"[ -~]{0,60}\b(?:[Vv]ersion|VERSION|[Vv]er\.?|v)[ :=]{0,2}v?\d+\.\d+[ -~]{0,20}"
)
"""Version as a binary's texts state it."""


def _flags(program: Path) -> str:
    """Compiler flags that -grecord-gcc-switches (GCC's default with -g) or -frecord-gcc-switches
    left in a program; "unknown" if neither did."""
    with program.open("rb") as file:
        elf = ELFFile(file)
        recorded = elf.get_section_by_name(".GCC.command.line")
        if recorded is not None:
            return " ".join(recorded.data().decode("utf-8", "replace").split("\0")).strip()
        if not elf.has_dwarf_info():
            return "unknown"
        unit = next(elf.get_dwarf_info().iter_CUs(), None)
        producer = unit and unit.get_top_DIE().attributes.get("DW_AT_producer")
        return producer.value.decode("utf-8", "replace") if producer else "unknown"


def run_waywiser(*words: str | Path) -> str:
    """What `waywiser` prints."""
    return run([BESIDE / "waywiser", *words])


def json_lines(text: str) -> list[Record]:
    """Samples as our programs print and write them."""
    return [json.loads(line) for line in text.splitlines()]


def peak_bytes() -> int:
    """Peak memory of this process; getrusage would include the peak of its parent."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return 1024 * int(line.split()[1])


def add_output_options(parser: argparse.ArgumentParser, name: str) -> None:
    """`--out` and `--bars` of the benchmark `name`."""
    parser.add_argument(
        "--out",
        type=Path,
        default=HERE / "results" / f"{name}.jsonl",
        help=f"raw samples, as JSON lines (default: bench/results/{name}.jsonl)",
    )
    parser.add_argument(
        "--bars", action="store_true", help="print one JSON line a bar instead of the summary"
    )


@contextmanager
def raw_samples(path: Path) -> Iterator[Callable[[Record], None]]:
    """Writes a file of samples, which begins with the machine; yields what adds one sample."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as out:

        def add(record: Record) -> None:
            out.write(json.dumps(record) + "\n")

        add(machine())
        yield add


def at_most(limit: float, name: str, kind: str, value: float, **beside: float) -> Record:
    """A bar that holds up to `limit`; `beside` are figures that help to judge it."""
    wanted = {"wanted": f"<= {limit:.4g}", "holds": value <= limit}
    return {"bar": name, "kind": kind, "value": value, **wanted, **beside}


def at_least(limit: float, name: str, kind: str, value: float, **beside: float) -> Record:
    """A bar that holds from `limit` on; `beside` are figures that help to judge it."""
    wanted = {"wanted": f">= {limit:.4g}", "holds": value >= limit}
    return {"bar": name, "kind": kind, "value": value, **wanted, **beside}


def report_bars(bars: list[Record], *, print_all: bool) -> int:
    """Prints bars as JSON lines.

    Returns:
        The benchmark's exit code: 1 if one does not hold.
    """
    for bar in bars:
        if print_all or not bar["holds"]:
            print(json.dumps(bar))
    return int(not all(bar["holds"] for bar in bars))


def in_rounds(
    args: argparse.Namespace,
    measure: Callable[[argparse.Namespace, Path, Callable[[Record], None]], Found],
    show: Callable[[Found], None],
    bars: Callable[[Found], list[Record]],
) -> int:
    """Measures in a directory that goes, and shows what is found.

    Returns:
        The benchmark's exit code.
    """
    with tempfile.TemporaryDirectory() as name, raw_samples(args.out) as add:
        found = measure(args, Path(name), add)
    if not args.bars:
        show(found)
    return report_bars(bars(found), print_all=args.bars)
