"""What is being worked on, how far it is and how long it will take: a line on a terminal.

Work of less than two seconds shows nothing, nor does any where standard error is not a terminal.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from waywiser.units import seconds_text

FIRST_SECONDS = 2.0
EVERY_SECONDS = 0.5
CLEAR = "\r\x1b[K"

Step = TypeVar("Step")


class _Work:
    def __init__(self, what: str, total: int) -> None:
        self.what = what
        self.total = total
        self.done = 0
        self._started = time.monotonic()

    def text(self) -> str:
        elapsed = time.monotonic() - self._started
        parts = [f"{self.done} of {self.total}"] if self.total else []
        parts.append(_whole(elapsed))
        if 0 < self.done < self.total:
            left = elapsed / self.done * (self.total - self.done)
            parts.append(f"about {_whole(left)} left")
        return f"waywiser: {self.what}: {', '.join(parts)}"


def _whole(seconds: float) -> str:
    return f"{round(seconds) or 1} s" if seconds < 120 else seconds_text(seconds)


_under_way: list[_Work] = []
"""The innermost is shown."""


@contextmanager
def progress(what: str, total: int = 0) -> Iterator[_Work]:
    """Shows that this work is under way.

    Args:
        what: the work, such as "replaying".
        total: its steps, each of which adds 1 to `done`; 0 if they cannot be counted.
    """
    work = _Work(what, total)
    _under_way.append(work)
    try:
        if len(_under_way) > 1 or not sys.stderr.isatty():
            yield work
        else:
            with _shown():
                yield work
    finally:
        _under_way.remove(work)


def steps(what: str, each: Iterable[Step], total: int) -> Iterator[Step]:
    """The same steps, and how many of them are done.

    Args:
        total: how many `each` has.
    """
    with progress(what, total) as work:
        for step in each:
            yield step
            work.done += 1


@contextmanager
def _shown() -> Iterator[None]:
    """A thread writes the line again and again, and clears it at the end."""
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
        shown = _under_way[-1].text()[: shutil.get_terminal_size().columns - 1]
        sys.stderr.write(CLEAR + shown)
        sys.stderr.flush()
    if shown:
        sys.stderr.write(CLEAR)
        sys.stderr.flush()
