"""Damaged files of every kind that is read: a result, or one sentence; within bounds, always.

Each reader runs in a process of its own, whose memory is limited, with each input under a limit of
processor time. The forkserver has imported everything once.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import tempfile
import time
import traceback
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.fuzz.damage import damaged
from tests.fuzz.readers import OTHERS, READERS
from tests.support import ROOT
from waywiser.errors import WaywiserError

MOST_BYTES = 1 << 30
MOST_SECONDS = 10
WAIT_SECONDS = 3600
"""Limit for all inputs of a reader on a busy machine: few readers hang without computing."""
NOT_KEPT = 1 << 20
"""Inputs beyond 1 MB may take more than the bounds."""


@dataclass
class Tried:
    inputs: int = 0
    refused: int = 0
    slowest_seconds: float = 0.0
    faults: list[str] = field(default_factory=list)


class TooLong(BaseException):
    """Nothing catches it on the way."""


@contextmanager
def _in_time() -> Iterator[None]:
    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooLong

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _limit_memory() -> None:
    held = Path("/proc/self/status").read_text(encoding="utf-8")
    kilobytes = next(int(line.split()[1]) for line in held.splitlines() if "VmData" in line)
    resource.setrlimit(resource.RLIMIT_DATA, (kilobytes * 1024 + MOST_BYTES,) * 2)


def try_reader(name: str, seed: int, inputs: int, directory: str, keep: str) -> Tried:
    """Reads so many damaged files; the one at hand lies in `keep`."""
    os.environ["PATH"] = "/nonexistent"  # what a damaged file names must not be started
    warnings.simplefilter("ignore")
    reader = READERS[name]
    chance = random.Random(f"{name} {seed}")
    (Path(directory) / "seeds").mkdir()
    seeds = dict(reader.seeds(Path(directory) / "seeds"))
    here = Path(directory) / "tried"
    for file, content in seeds.items():
        (here / file).parent.mkdir(parents=True, exist_ok=True)
        (here / file).write_bytes(content)
    _limit_memory()
    tried = Tried()
    for number in range(inputs + len(seeds)):
        file = list(seeds)[number] if number < len(seeds) else chance.choice(list(seeds))
        content = seeds[file] if number < len(seeds) else damaged(seeds[file], chance)
        if len(content) >= NOT_KEPT > len(seeds[file]):
            content = content[: NOT_KEPT - 1]
        (here / file).write_bytes(content)
        fault = _try(reader.read, here / file, seeds, tried)
        if fault:
            place = Path(keep) / f"{zlib.crc32(content):08x}-{Path(file).name}"
            place.write_bytes(content)
            tried.faults.append(f"{place}: {fault}")
            if "MemoryError" in fault or len(tried.faults) > 5:
                break
        (here / file).write_bytes(seeds[file])
    return tried


def _try(read: Callable[[Path], object], path: Path, files: Iterable[str], tried: Tried) -> str:
    tried.inputs += 1
    began = time.process_time()
    try:
        with _in_time():
            read(path)
    except WaywiserError as error:
        tried.refused += 1
        message = str(error)
        if len(message) > 5000 or "\n" in message:
            return f"is refused in more than a sentence: {message[:200]}"
        if not any(Path(file).name in message for file in files):
            return f"is refused without the name of a file: {message[:200]}"
    except TooLong:
        return f"takes more than {MOST_SECONDS} s"
    except BaseException:
        return traceback.format_exc()
    finally:
        tried.slowest_seconds = max(tried.slowest_seconds, time.process_time() - began)
    return ""


def _child(pipe: Connection, *arguments: Any) -> None:
    pipe.send(try_reader(*arguments))


def _fuzz(name: str, seed: int, inputs: int) -> Tried:
    memory = Path("/dev/shm")
    directory = tempfile.mkdtemp(prefix="ww-fuzz-", dir=memory if memory.is_dir() else None)
    keep = tempfile.mkdtemp(prefix="ww-fuzz-faults-")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.fuzz.readers"])
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(theirs, name, seed, inputs, directory, keep))
    child.start()
    theirs.close()
    try:
        assert ours.poll(WAIT_SECONDS), f"{name}: hangs; the input lies in {directory}"
        tried: Tried = ours.recv()
    except EOFError:
        child.join()
        pytest.fail(f"{name}: ended with {child.exitcode}; the input lies in {directory}")
    finally:
        child.kill()
        child.join()
    shutil.rmtree(directory)
    assert tried.faults == []
    shutil.rmtree(keep)
    return tried


@pytest.mark.parametrize("name", READERS)
def test_no_input_harms_a_reader(name: str) -> None:
    tried = _fuzz(name, seed=1, inputs=READERS[name].inputs)

    assert tried.inputs > READERS[name].inputs
    assert tried.refused < tried.inputs


@pytest.mark.long
@pytest.mark.parametrize("name", READERS)
def test_no_input_of_many_harms_a_reader(name: str) -> None:
    _fuzz(name, seed=2, inputs=16 * READERS[name].inputs)


READS = re.compile(
    r"\.read_text\(|\.read_bytes\(|\.open\((\"rb\"|encoding=|\))|\bread_text\(|\bopen\(|np\.(load|fromfile|genfromtxt)"
    r"|h5py\.File\(|native\.read_|\bread_profile\(|TraceFile\(|import_otf2\(|ELFFile\("
)
"""Patterns of calls that read a file; `.open("w")` writes and does not count."""


def test_every_module_that_reads_files_is_fuzzed_or_reads_none_of_a_users() -> None:
    """A new reader belongs into READERS; what a user cannot name, with its reason, into OTHERS."""
    package = ROOT / "src" / "waywiser"
    reading = {
        str(path.relative_to(package).with_suffix(""))
        for path in package.rglob("*.py")
        if READS.search(path.read_text(encoding="utf-8"))
    }
    known = {module for reader in READERS.values() for module in reader.modules} | set(OTHERS)

    assert reading - known == set()
    assert known - reading == set()
