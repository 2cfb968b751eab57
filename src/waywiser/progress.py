"""Progress of the current work and its remaining time, as a line on a terminal.

Work of less than two seconds shows nothing; without a terminal on standard error, none does.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from waywiser.units import seconds_text

FIRST_SECONDS = 2.0
EVERY_SECONDS = 0.5
CLEAR = "\r\x1b[K"

Step = TypeVar("Step")


class SoFar(Protocol):
    """The progress of a piece of work, in steps."""

    @property
    def done(self) -> int: ...
    @property
    def total(self) -> int: ...


@dataclass
class Counted:
    """A piece of work whose steps `steps` counts."""

    total: int
    """Number of steps; 0 if unknown."""

    done: int = 0


class _Work:
    def __init__(self, activity: str, so_far: SoFar) -> None:
        self.activity = activity
        self.so_far = so_far
        self._started = time.monotonic()

    def text(self) -> str:
        elapsed = time.monotonic() - self._started
        done, total = self.so_far.done, self.so_far.total
        parts = [f"{done:,} of {total:,}"] if total else []
        parts.append(_whole(elapsed))
        if 0 < done < total:
            left = elapsed / done * (total - done)
            parts.append(f"about {_whole(left)} left")
        return f"waywiser: {self.activity}: {', '.join(parts)}"


def _whole(seconds: float) -> str:
    return f"{round(seconds) or 1} s" if seconds < 120 else seconds_text(seconds)


_active: list[_Work] = []
"""Nested pieces of work, of which the innermost is shown."""


@contextmanager
def progress(activity: str, so_far: SoFar | None = None) -> Iterator[None]:
    """Shows that this work is under way.

    Args:
        activity: the work, such as "replaying".
        so_far: its steps so far; None if they are not counted.
    """
    work = _Work(activity, so_far or Counted(0))
    _active.append(work)
    try:
        if len(_active) > 1 or not sys.stderr.isatty():
            yield
        else:
            with _shown():
                yield
    finally:
        _active.remove(work)


def steps(activity: str, each: Iterable[Step], total: int) -> Iterator[Step]:
    """Yields each step, and shows the number of finished steps.

    Args:
        total: number of steps.
    """
    counted = Counted(total)
    with progress(activity, counted):
        for step in each:
            yield step
            counted.done += 1


@contextmanager
def _shown() -> Iterator[None]:
    """Lets a thread rewrite the line regularly, and clear it at the end."""
    ended = threading.Event()
    thread = threading.Thread(target=_show_until, args=(ended,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _show_until(ended: threading.Event) -> None:
    shown = ""
    pause = FIRST_SECONDS
    while not ended.wait(pause):
        pause = EVERY_SECONDS
        shown = _active[-1].text()[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write(CLEAR + shown)
        sys.stderr.flush()
    if shown:
        sys.stderr.write(CLEAR)
        sys.stderr.flush()
