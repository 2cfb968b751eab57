"""Show the progress of a study while it runs: a line for each run, and on a terminal the running
run."""

from __future__ import annotations

import shutil
import statistics
import sys
import time
from typing import TextIO

from waywiser.units import seconds_text

CLEAR = "\r\x1b[K"


class Progress:
    """Lines on standard error, so that standard output keeps to results."""

    def __init__(self, total: int, done: int, stream: TextIO | None = None) -> None:
        self.total = total
        self.done = done
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._seconds: list[float] = []

    def say(self, sentence: str) -> None:
        """Print a line that stays."""
        self._write((CLEAR if self._live else "") + f"waywiser: {sentence}\n")

    def under_way(self, name: str, since: float) -> None:
        """Show the running run; only on a terminal, where the next line replaces it.

        Args:
            since: start time of the run by time.monotonic().
        """
        if self._live:
            elapsed = seconds_text(round(time.monotonic() - since))
            line = f"[{self.done + 1}/{self.total}] {name}, {elapsed}{self._left()}"
            self._write(CLEAR + line[: shutil.get_terminal_size().columns - 1])

    def finished(self, name: str, outcome: str, seconds: float) -> None:
        """Print that a run has ended, with the first line of `outcome`."""
        self.done += 1
        self._seconds.append(seconds)
        first, *more = outcome.splitlines() or [""]
        lines = [f"[{self.done}/{self.total}] {name}: {first}{self._left()}", *more]
        self.say("\n".join(lines))

    def _left(self) -> str:
        """The remaining time, estimated from the runs of this command."""
        runs = self.total - self.done
        if not self._seconds or runs <= 0:
            return ""
        return f" (about {seconds_text(round(statistics.mean(self._seconds) * runs) or 1)} left)"

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
