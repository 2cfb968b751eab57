"""The application as studies use it: a name, a main metric, and a reader of its output."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from waywiser.model.reading import Reading

HEAD = 65536
"""Number of characters of a log in which the program's version is searched."""


class NoResult(Exception):
    """The error of output without the results of a successful run; its message is a sentence."""


@dataclass(frozen=True)
class Output:
    """The output that a run left behind."""

    stdout: str
    stderr: str
    directory: Path
    """Working directory of the program, for the files that it wrote."""

    def file(self, name: str, most: int = -1) -> str:
        """Return a file of the directory as text, up to `most` characters if not -1; "" if it does
        not exist.

        Raises:
            NoResult: the file is there, but cannot be read.
        """
        try:
            with (self.directory / name).open(encoding="utf-8", errors="replace") as file:
                return file.read(most)
        except FileNotFoundError:
            return ""
        except (OSError, ValueError) as error:
            raise NoResult(f"{name} in the run's directory cannot be read: {error}") from error

    def lines(self, name: str) -> Iterator[str]:
        """Yield the lines of a file that may be larger than memory, without their ends; none if it
        does not exist. Text after the last line feed is left out: it may be half a number.

        Raises:
            NoResult: the file is there, but cannot be read.
        """
        try:
            with (self.directory / name).open(encoding="utf-8", errors="replace") as file:
                yield from (line[:-1] for line in file if line.endswith("\n"))
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:
            raise NoResult(f"{name} in the run's directory cannot be read: {error}") from error

    def last_file(self, pattern: str, most: int = -1) -> str:
        """Return the text of the last file in the order of names; "" if no name matches.

        Args:
            most: largest number of characters that are read; -1: all.
        """
        files = (path for path in self.directory.glob(pattern) if os.path.isfile(path))
        names = [str(path.relative_to(self.directory)) for path in files]
        return self.file(max(names), most) if names else ""


@dataclass(frozen=True)
class Application:
    """One application, as an entry of the table."""

    name: str
    title: str
    headline: str
    """Name of the main metric; a run without it has failed."""

    otherwise: str = field(kw_only=True, default="")
    """The main metric of output that lacks the headline; "" if none replaces it."""

    reader: Callable[[Output], Reading]
    """Function that reads the output. Raises NoResult for output without the results of a run."""

    version: str = field(kw_only=True, default="")
    """A regular expression that finds the program's version, with one group; "" if the program
    prints none."""

    log: str = field(kw_only=True, default="")
    """Shell pattern of other files that contain the version."""

    documents: str
    """Description of the documents that the reader reads, in one line."""

    success: str
    """Output that a run must have printed to count, in one line."""

    def read(self, output: Output) -> Reading:
        """Read the output's metrics, or the reason why it has none; never raises for the output's
        content."""
        reading = read_safely(self.title, self.reader, output)
        if not reading.failure and reading.metric(self.headline_in(reading)) is None:
            return Reading(failure=f"{self.title}: the output has no {self.headline}")
        return reading.replace(version=self.version_in(output))

    def headline_in(self, reading: Reading) -> str:
        """Return the name of the main metric of this output."""
        replaced = self.otherwise and reading.metric(self.headline) is None
        return self.otherwise if replaced else self.headline

    def version_in(self, output: Output) -> str:
        """Return the version that the program printed; "" if it printed none."""
        if not self.version:
            return ""
        texts = [output.stdout, output.stderr]
        with contextlib.suppress(NoResult):  # the reader reports a file that it requires
            texts += [output.last_file(self.log, HEAD)] if self.log else []
        matches = (re.search(self.version, text, re.MULTILINE) for text in texts)
        return next((match[1] for match in matches if match), "")


def read_safely(title: str, reader: Callable[[Output], Reading], output: Output) -> Reading:
    """Return the reader's result; without results, a reading with the reason."""
    try:
        return reader(output)
    except NoResult as failure:
        return Reading(failure=str(failure))
    # a number with too many digits, say, or a line of JSON that nests for ever
    except (ValueError, OverflowError, RecursionError) as error:
        why = str(error).splitlines()[0]
        return Reading(failure=f"{title}: its output is damaged: {why}")
