"""What an application is to a study: a name, a metric, and how its output is read."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from waywiser.model.reading import Reading

HEAD = 65536
"""Characters of a log in which its program's version stands."""


class NoResult(Exception):
    """The output lacks what a run that succeeded leaves; the message says what, in a sentence."""


@dataclass(frozen=True)
class Output:
    """What a run left behind."""

    stdout: str
    stderr: str
    directory: Path
    """Working directory of the program, for the files that it wrote."""

    def file(self, name: str, most: int = -1) -> str:
        """The text of a file in the directory, its first `most` characters if not all; "" if there
        is none.

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
        """The lines of a file that may be larger than memory, without their ends; none if there is
        no such file. What follows the last line feed is left out: it may be half a number.

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
        """The text of the file that is last in the order of names; "" if none has such a name.

        Args:
            most: characters that are read; all, where it is -1.
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
    """Raises NoResult where the output is not that of a run that succeeded."""

    version: str = field(kw_only=True, default="")
    """A regular expression that finds the program's version, its one group; "" where it prints
    none."""

    log: str = field(kw_only=True, default="")
    """The names of files that have the version too, as a shell's pattern."""

    documents: str
    """Description of the documents that it reads, in one line."""

    success: str
    """What a run must have printed to count, in one line."""

    def read(self, output: Output) -> Reading:
        """The output's metrics, or why it has none; never raises for what the output holds."""
        reading = read_safely(self.title, self.reader, output)
        if not reading.failure and reading.metric(self.headline_in(reading)) is None:
            return Reading(failure=f"{self.title}: the output has no {self.headline}")
        return reading.replace(version=self.version_in(output))

    def headline_in(self, reading: Reading) -> str:
        """The name of the main metric of this output."""
        other = self.otherwise and reading.metric(self.headline) is None
        return self.otherwise if other else self.headline

    def version_in(self, output: Output) -> str:
        """The version that the program printed; "" if it did not."""
        if not self.version:
            return ""
        texts = [output.stdout, output.stderr]
        with contextlib.suppress(NoResult):  # the reader says so if it needs the file
            texts += [output.last_file(self.log, HEAD)] if self.log else []
        found = (re.search(self.version, text, re.MULTILINE) for text in texts)
        return next((match[1] for match in found if match), "")


def read_safely(title: str, reader: Callable[[Output], Reading], output: Output) -> Reading:
    """What a reader finds; where there is nothing to find, a reading that says why."""
    try:
        return reader(output)
    except NoResult as failure:
        return Reading(failure=str(failure))
    # a number with too many digits, say, or a line of JSON that nests for ever
    except (ValueError, OverflowError, RecursionError) as error:
        why = str(error).splitlines()[0]
        return Reading(failure=f"{title}: its output is damaged: {why}")
