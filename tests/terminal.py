"""A terminal that a test reads what is written to."""

from __future__ import annotations

import io
import re
import time


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def shows(self, pattern: str) -> None:
        """Waits until it does."""
        end = time.monotonic() + 60
        while not re.search(pattern, self.getvalue()):
            assert time.monotonic() < end, f"{pattern} is not in {self.getvalue()!r}"
            time.sleep(0.001)
