"""Runs a command with its output passed through unchanged, and saved."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO

BLOCK_BYTES = 65536
LEFT_BEHIND_SECONDS = 5.0
"""Time that a stream may be silent after the program's end: a process left behind by the program
may hold the pipe open for ever."""


class _Relay(threading.Thread):
    """Copies one stream of the program to ours, byte by byte, and into a file.

    If the file can no longer be written, copying to our stream continues. If our stream is closed
    by its reader, the program's pipe is closed too, so that the program gets SIGPIPE.
    """

    def __init__(self, source: IO[bytes], sink: int, copy: Path) -> None:
        super().__init__(daemon=True)
        self._source = source
        self._sink = sink
        self._copy = copy
        self._reading_since: float | None = None
        self.lost: str | None = None
        self.start()

    def drain(self) -> None:
        """Waits until the whole stream is copied, however slowly our stream is read."""
        while self.is_alive():
            self.join(timeout=0.2)
            since = self._reading_since
            if since is not None and time.monotonic() - since > LEFT_BEHIND_SECONDS:
                return

    def _read(self) -> bytes:
        self._reading_since = time.monotonic()
        block = os.read(self._source.fileno(), BLOCK_BYTES)
        self._reading_since = None
        return block

    def run(self) -> None:
        try:
            file: BinaryIO | None = self._copy.open("wb", buffering=0)
        except OSError as error:
            file, self.lost = None, f"{self._copy}: {error.strerror}"
        with self._source, file or contextlib.nullcontext():
            while block := self._read():
                if file is not None:
                    try:
                        file.write(block)
                    except OSError as error:
                        file, self.lost = None, f"{self._copy}: {error.strerror}; the rest is cut"
                try:
                    _write_all(self._sink, block)
                except OSError:
                    return


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


@contextlib.contextmanager
def _signals_go_to(process: subprocess.Popen[bytes], seen: list[int]) -> Iterator[None]:
    """While the program runs, let SIGINT and SIGTERM end it but not Waywiser, which has a profile
    to save.

    A Ctrl-C on the terminal reaches the launcher by itself, since the launcher is in our process
    group; forwarding it would send it twice. A signal that was sent to us alone is forwarded.
    `seen` collects the numbers of the received signals.
    """

    def pass_on(number: int, _frame: object) -> None:
        seen.append(number)
        if number != signal.SIGINT or not _on_terminal():
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(number)

    kept = {number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def _on_terminal() -> bool:
    """True if we are in the foreground of a terminal, where Ctrl-C reaches the whole group."""
    try:
        descriptor = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(descriptor) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(descriptor)


@dataclass(frozen=True)
class Execution:
    """The exit code, signals and notes of a command."""

    code: int
    """The exit code as a shell reports it: 128 + n for signal n."""

    interrupted_by: tuple[signal.Signals, ...]
    """Signals that Waywiser received while the command ran, each once."""

    notes: tuple[str, ...]
    """Sentences on an interruption, and on output that could not be saved."""


def execute(words: Sequence[str], directory: Path) -> Execution:
    """Runs `words` with stdout and stderr passed through and kept in `directory`.

    Raises:
        OSError: the command cannot be started.
    """
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    numbers: list[int] = []
    with _signals_go_to(process, numbers):
        relays = [
            _Relay(process.stdout, 1, directory / "stdout"),
            _Relay(process.stderr, 2, directory / "stderr"),
        ]
        code = process.wait()
        for relay in relays:
            relay.drain()
    signals = tuple(map(signal.Signals, dict.fromkeys(numbers)))
    names = " and ".join(number.name for number in signals)
    notes = [f"the run was interrupted by {names}"] if names else []
    notes += [relay.lost for relay in relays if relay.lost]
    return Execution(code if code >= 0 else 128 - code, signals, tuple(notes))
