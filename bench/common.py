"""Functions that the benchmarks share: options for the measured programs and their launcher, builds
and runs of programs, the file of raw samples, and bars with their report."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from elftools.elf.elffile import ELFFile

from waywiser.cli.refusals import REFUSED
from waywiser.launch import host
from waywiser.launch.library import mpi_library_of, read_executable

Record = dict[str, Any]
Results = TypeVar("Results")


def machine() -> Record:
    """Machine and time of the samples; the first line of every file of samples."""
    now = {"load_average": os.getloadavg()[0], "time": datetime.now(UTC).isoformat("T", "seconds")}
    return host.machine().model_dump() | now


HERE = Path(__file__).resolve().parent
NATIVE = HERE.parent / "native"
BESIDE = Path(sys.executable).parent
"""The directory of the programs that `make setup` has built."""


def count(least: int = 1) -> Callable[[str], int]:
    """An argument that is a whole number from `least` on."""

    def whole_number(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"{text}: expected {least} or more")
        return int(text)

    return whole_number


def options(
    module: str, least: Mapping[str, int] | None = None, **counts: tuple[int, str]
) -> argparse.ArgumentParser:
    """The options of a benchmark: `--out`, `--bars`, and whole numbers.

    Args:
        module: its `__name__`.
        least: smallest value of each number that does not start at 1.
        counts: the default of each number, and the end of its help.
    """
    name = module.rpartition(".")[2]
    parser = argparse.ArgumentParser(prog=f"bench {name}", description=sys.modules[module].__doc__)
    parser.add_argument(
        "--out",
        type=Path,
        default=HERE / "results" / f"{name}.jsonl",
        help=f"raw samples, as JSON lines (default: bench/results/{name}.jsonl)",
    )
    parser.add_argument(
        "--bars", action="store_true", help="print one JSON line a bar instead of the summary"
    )
    for number, (default, ending) in counts.items():
        option, kind = f"--{number.replace('_', '-')}", count((least or {}).get(number, 1))
        about = f"{ending} (default: {default})"
        parser.add_argument(option, type=kind, default=default, help=about)
    return parser


def path_where(good: Callable[[Path], object], fault: str) -> Callable[[str], Path]:
    """A type of argument: a path for which `good` is true; `fault` is the message for others."""

    def path(text: str) -> Path:
        if not good(Path(text)):
            raise argparse.ArgumentTypeError(f"{text}: {fault}")
        return Path(shutil.which(text) or text).absolute()

    return path


def add_program(parser: argparse.ArgumentParser, name: str) -> None:
    parser.add_argument(
        "--program",
        type=path_where(Path.is_file, f"there is no such file; give the path of a {name}"),
        default=str(BESIDE / name),
        help=f"the {name} to measure (default: the one beside this Python)",
    )


def add_programs(parser: argparse.ArgumentParser, *names: str) -> None:
    """`--programs`, for benchmarks of several programs or of several libraries' builds."""
    needed = " and ".join(names)
    parser.add_argument(
        "--programs",
        type=path_where(
            lambda path: all((path / name).is_file() for name in names), f"has no {needed}"
        ),
        default=str(BESIDE),
        metavar="DIR",
        help=f"with the {needed} to measure (default: that of this Python)",
    )


def add_launcher(parser: argparse.ArgumentParser, default: Path = BESIDE / "mpirun") -> None:
    """`--mpirun` and `--mpirun-option`."""
    parser.add_argument(
        "--mpirun",
        type=path_where(shutil.which, "there is no such program; give the programs' own launcher"),
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


def add_peer(parser: argparse.ArgumentParser, name: str) -> None:
    """`--peer PATH`, for a benchmark with a single peer."""
    kind = path_where(shutil.which, f"program not found; give the path of {name}")
    parser.add_argument("--peer", type=kind, help=f"{name} to compare with")


class _Peers(argparse.Action):
    """Adds a peer to the peers by name."""

    def __call__(self, _parser: object, args: argparse.Namespace, peer: Any, *_: object) -> None:
        args.peer = {**args.peer, **dict([peer])}


def add_peers(parser: argparse.ArgumentParser, about: str, *names: str) -> None:
    """`--peer NAME=PATH`, which may be repeated; without `names`, any name is accepted."""
    usages = [f"{name}=PATH" for name in names or ("NAME",)]

    def peer(text: str) -> tuple[str, Path]:
        name, _, path = text.partition("=")
        if not name or (names and name not in names) or not Path(path).exists():
            *others, last = usages
            known = f"{', '.join(others)} or {last}" if others else last
            raise argparse.ArgumentTypeError(f"takes {known} of a program, not {text}")
        return name, Path(path).absolute()

    metavar = usages[0] if len(usages) == 1 else "NAME=PATH"
    parser.add_argument(
        "--peer",
        type=peer,
        action=_Peers,
        default={},
        metavar=metavar,
        help=f"{about}; may be repeated",
    )


def launch(args: argparse.Namespace, ranks: int) -> list[str]:
    """The launcher's words before a program on `ranks` ranks; none for a single rank."""
    return [str(args.mpirun), *args.mpirun_option, "-n", str(ranks)] if ranks > 1 else []


def add_compiler(parser: argparse.ArgumentParser, source: str) -> None:
    """`--compiler`, for benchmarks that build a program of this directory."""
    parser.add_argument("--compiler", default="c++", help=f"builds bench/{source} (default: c++)")


def compiled(compiler: str, source: str, directory: Path, *options: str) -> Path:
    program = directory / Path(source).stem
    command = [compiler, "-std=c++20", str(HERE / source), *options, "-o", str(program)]
    subprocess.run(command, check=True)
    return program


def run(
    command: Sequence[str | Path],
    directory: Path | None = None,
    accepted: Sequence[int] = (0,),
    /,
    **variables: str,
) -> str:
    """Runs a program in `directory`, with `variables` added to the environment; returns its stdout.

    Raises:
        SystemExit: the program's exit code is not one of `accepted`.
    """
    done = subprocess.run(
        command,
        check=False,
        cwd=directory,
        env=os.environ | variables,
        capture_output=True,
        text=True,
    )
    if done.returncode not in accepted:
        output = done.stdout[-500:] + done.stderr[-500:]
        words = " ".join(map(str, command))
        raise SystemExit(f"bench: {words} ended with {done.returncode}: {output}")
    return done.stdout


@cache
def build_of(program: Path, package: str = "") -> Record:
    """Version, compiler and flags from a peer's file, for each of its samples.

    Args:
        package: the peer's Python package, which has its version.
    """
    content = program.read_bytes()
    executable = read_executable(program)
    library = mpi_library_of(program) if executable and executable.dynamic else None
    versions = dict.fromkeys(match[0].decode("ascii") for match in VERSION_TEXT.finditer(content))
    return {
        "build": {
            "file": program.name,
            "sha256": hashlib.sha256(content).hexdigest(),
            "versions": [metadata.version(package)] if package else list(versions)[:5],
            "compiler": executable.compiler if executable else "unknown",
            "flags": _flags(program) if executable else "unknown",
            "mpi_library": str(library.path) if library else "unknown",
        }
    }


VERSION_TEXT = re.compile(
    rb"[ -~]{0,60}\b(?:[Vv]ersion|VERSION|[Vv]er\.?|v)[ :=]{0,2}v?\d+\.\d+[ -~]{0,20}"
)
"""Pattern of a version in a binary's texts."""


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
    """Runs `waywiser` and returns its stdout."""
    return run([BESIDE / "waywiser", *words])


def document_of(*words: str | Path, directory: Path | None = None) -> Record:
    """The document that `waywiser … --json` prints, also one of a refused answer."""
    output = run([BESIDE / "waywiser", *words, "--json"], directory, (0, REFUSED))
    document: Record = json.loads(output)
    return document


def json_lines(text: str) -> list[Record]:
    """The samples in the JSON lines that our programs write."""
    return [json.loads(line) for line in text.splitlines()]


def samples_of(command: Sequence[str | Path], directory: Path, **variables: str) -> list[Record]:
    """The samples of one of our programs, which it writes with `--json`."""
    file = directory / "samples.jsonl"
    run([*command, f"--json={file}"], directory, **variables)
    return json_lines(file.read_text(encoding="utf-8"))


def spawned(command: Sequence[str | Path], output: str | Path = os.devnull) -> Record:
    """Times and memory of a single process.

    Raises:
        SystemExit: the process failed.
    """
    words = [*map(str, command)]
    taken = (os.POSIX_SPAWN_OPEN, 1, output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    begin = time.perf_counter()
    pid = os.posix_spawn(words[0], words, os.environ, file_actions=[taken])
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - begin
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"bench: {' '.join(words)} failed")
    return {
        "seconds": seconds,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak_memory_bytes": 1024 * usage.ru_maxrss,
    }


def peak_bytes() -> int:
    """Peak memory of this process; getrusage would include the peak of its parent."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return 1024 * int(line.split()[1])


@contextmanager
def raw_samples(path: Path) -> Iterator[Callable[[Record], None]]:
    """Writes a file of samples, whose first line is the machine; yields a function that adds a
    sample."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as out:

        def add(record: Record) -> None:
            out.write(json.dumps(record) + "\n")

        add(machine())
        yield add


def at_most(limit: float, name: str, kind: str, value: float, **beside: float) -> Record:
    """A bar that holds up to `limit`; `beside` has metrics that help to interpret it."""
    bound = {"wanted": f"<= {limit:.4g}", "holds": value <= limit}
    return {"bar": name, "kind": kind, "value": value, **bound, **beside}


def at_least(limit: float, name: str, kind: str, value: float, **beside: float) -> Record:
    """A bar that holds from `limit` on; `beside` has metrics that help to interpret it."""
    bound = {"wanted": f">= {limit:.4g}", "holds": value >= limit}
    return {"bar": name, "kind": kind, "value": value, **bound, **beside}


def report_bars(bars: list[Record], *, print_all: bool) -> int:
    """Prints bars as JSON lines.

    Returns:
        The benchmark's exit code: 1 if a bar does not hold.
    """
    for bar in bars:
        if print_all or not bar["holds"]:
            print(json.dumps(bar))
    return int(not all(bar["holds"] for bar in bars))


def spread(values: Sequence[float], width: int, digits: int, unit: str = "") -> str:
    """The median of the rounds, with the smallest and the largest value."""
    low, high = f"{min(values):.{digits}f}", f"{max(values):.{digits}f}"
    return f"{statistics.median(values):{width}.{digits}f}{unit} ({low} to {high})"


Add = Callable[[Record], None]
"""Adds a raw sample."""


def runner(
    parse: Callable[[list[str] | None], argparse.Namespace],
    measure: Callable[[argparse.Namespace, Path, Add], Results],
    bars: Callable[[argparse.Namespace, Results], list[Record]],
    show: Callable[[Results], None] | None = None,
) -> Callable[[list[str] | None], int]:
    """A function that runs a benchmark with its options and returns the exit code. The benchmark
    measures in a temporary directory and prints `show`'s text, or without `show` its bars."""

    def main(argv: list[str] | None = None) -> int:
        args = parse(argv)
        with tempfile.TemporaryDirectory() as name, raw_samples(args.out) as add:
            result = measure(args, Path(name), add)
        if show and not args.bars:
            show(result)
        return report_bars(bars(args, result), print_all=args.bars or not show)

    return main
