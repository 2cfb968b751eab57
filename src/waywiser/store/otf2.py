"""OTF2 traces of other tools, written from runs and read into runs."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import signal
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from waywiser import __version__
from waywiser.errors import InvalidCommand, InvalidRun, NotSaved, ToolMissing, not_found
from waywiser.extras import install_command
from waywiser.model.run import Machine, Mpi, Program, Run, readable
from waywiser.native._native import InvalidInput, NativeError, Progress
from waywiser.native._native import export_otf2 as native_export
from waywiser.progress import progress
from waywiser.store.directory import RunDirectory
from waywiser.store.trace_export import trace_file

DEBIANS = "libopen-trace-format2.so.10"
"""Name of the library in Linux distributions."""


@dataclass(frozen=True)
class Imported:
    """The contents of an imported trace."""

    ranks: int
    calls: int
    creator: str
    begin_unix_ns: int
    end_ns: int


def library() -> str:
    """The OTF2 library of the Python package `otf2`, or the system's.

    Raises:
        ToolMissing: neither is installed.
    """
    package = importlib.util.find_spec("_otf2")
    for directory in (package and package.submodule_search_locations) or ():
        for suffix in EXTENSION_SUFFIXES:
            if (path := Path(directory) / f"_otf2{suffix}").exists():
                return str(path)
    try:
        ctypes.CDLL(DEBIANS)
    except OSError:
        raise ToolMissing(
            f"the OTF2 library is not installed; install it with {install_command('otf2')} (or the "
            "system's package, on Debian libopen-trace-format2-10)"
        ) from None
    return DEBIANS


def export_otf2(run: Path, directory: Path) -> None:
    """Writes the trace of a run as DIR/traces.otf2.

    Raises:
        InvalidRun: the run has no trace, or the trace cannot be read.
        InvalidCommand: the directory exists already.
        NotSaved: the trace cannot be written.
    """
    trace = trace_file(run)
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise InvalidCommand(f"{directory} exists already; give another directory with -o")
    so_far = Progress()
    try:
        with progress("exporting calls", so_far):
            native_export(str(trace), str(directory), library(), so_far)
    except InvalidInput as error:
        raise InvalidRun(str(error)) from error
    except NativeError as error:
        raise NotSaved(str(error)) from error


def import_otf2(anchor: Path, directory: Path) -> Imported:
    """Makes a run of an OTF2 trace.

    Args:
        anchor: the trace's file that ends in .otf2.
        directory: directory of the run, which must not exist.

    Raises:
        InvalidRun: the file is not an OTF2 trace, or is damaged.
        InvalidCommand: the directory exists already or cannot be created.
    """
    if not anchor.is_file():
        raise InvalidRun(f"{not_found(anchor, 'file')}; name the trace's file that ends in .otf2")
    otf2 = library()
    files = RunDirectory(directory)
    files.create()
    try:
        files.trace.parent.mkdir()
        imported = _read_elsewhere(anchor, files.trace, otf2)
    except BaseException:
        files.discard()
        raise
    files.parts.rmdir()
    files.write_run(_run(anchor, imported))
    return imported


def _read_elsewhere(anchor: Path, trace: Path, otf2: str) -> Imported:
    """Reads in a separate process, because the library aborts on some damaged files."""
    line = [sys.executable, "-m", "waywiser.store.otf2_reader", str(anchor), str(trace), otf2]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return Imported(**json.loads(done.stdout))
    if done.returncode == 2:
        raise InvalidRun(done.stderr.strip())
    if done.returncode < 0:
        ending = signal.Signals(-done.returncode).name
        raise InvalidRun(f"{anchor}: is damaged; the OTF2 library ended with {ending} reading it")
    raise NotSaved(done.stderr.strip())


def _run(anchor: Path, imported: Imported) -> Run:
    begin = datetime.fromtimestamp(imported.begin_unix_ns / 1e9, UTC)
    unknown = "unknown"
    return Run(
        waywiser=__version__,
        status="complete",
        command=(),
        directory=unknown,
        user=unknown,
        program=Program(path=unknown, arguments=(), compiler=unknown, mpi_library=unknown),
        mpi=Mpi(library=unknown, version=unknown, abi="unknown"),
        machine=Machine(
            host=unknown,
            kernel=unknown,
            system=unknown,
            cpu=unknown,
            sockets=0,
            cores=0,
            hardware_threads=0,
            smt="unknown",
            governor=unknown,
            numa_nodes=0,
            memory_bytes=0,
        ),
        environment={},
        options=("trace",),
        started=begin,
        ended=begin + timedelta(microseconds=imported.end_ns / 1e3),
        imported_from=readable(str(anchor.absolute())),
        notes=(f"imported from an OTF2 trace that {imported.creator} wrote: there is no profile",),
    )
