"""A run, with its tables as frames."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from waywiser.analyse.gate import read_gated
from waywiser.api.calls import calls_of
from waywiser.api.frame import Frame
from waywiser.api.tables import TABLES
from waywiser.model.base import text_of
from waywiser.model.run import Run as Description
from waywiser.model.summary import Summary
from waywiser.report.run.terminal import summary_text
from waywiser.store.directory import RunDirectory
from waywiser.store.timeline import read_timeline
from waywiser.store.trace_export import trace_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    import altair

text_of.register(Summary, summary_text)


def _frame(name: str) -> cached_property[Frame]:
    """A property for a table of a run, with its documentation."""

    def frame(run: Run) -> Frame:
        return run.table(name)

    raises = "\n\nRaises:\n    InvalidRun: the run has no trace." if TABLES[name].traced else ""
    frame.__doc__ = TABLES[name].about + raises
    return cached_property(frame)


class Run:
    """A run directory of `waywiser profile -o RUN`; nothing in it is executed.

    Its files are read on first access.
    """

    def __init__(self, directory: Path) -> None:
        """
        Raises:
            InvalidRun: the directory is not a run.
        """
        RunDirectory(directory).read_run()
        self.directory = directory

    def __fspath__(self) -> str:
        """The run's directory, so that functions and commands accept the run in its place."""
        return str(self.directory)

    def __repr__(self) -> str:
        return f"Run({str(self.directory)!r})"

    def __str__(self) -> str:
        """The text of `waywiser show`."""
        return str(self.summary)

    @cached_property
    def _read(self) -> tuple[Description, Summary]:
        return read_gated(self.directory)

    @property
    def description(self) -> Description:
        """The run's program, machine, MPI library and end: `run.json`."""
        return self._read[0]

    @property
    def summary(self) -> Summary:
        """The document of `waywiser show --json --per-rank`."""
        return self._read[1]

    def table(self, name: str) -> Frame:
        """The table of that name; the tables in `docs/reference/tables.md` are properties, too.

        Raises:
            InvalidRun: the table needs a trace, and the run has none.
        """
        table = TABLES[name]
        if table.traced and self.summary.waits is None:
            trace_file(self.directory)  # raises if the trace is missing
        return table.frame(self.summary)

    @cached_property
    def plots(self) -> Mapping[str, altair.TopLevelMixin]:
        """The report's plots by name, each a chart of Altair that a notebook shows."""
        from waywiser.api.plots import Plots  # takes 0.5 s to import

        return Plots(self.summary, read_timeline(self.directory))

    findings = _frame("findings")
    functions = _frame("functions")
    ranks = _frame("ranks")
    nodes = _frame("nodes")
    rank_functions = _frame("rank_functions")
    sizes = _frame("sizes")
    matrix = _frame("matrix")
    call_sites = _frame("call_sites")
    communicators = _frame("communicators")
    phases = _frame("phases")
    waits = _frame("waits")
    wait_causes = _frame("wait_causes")
    wait_pairs = _frame("wait_pairs")
    critical_path = _frame("critical_path")

    @cached_property
    def calls(self) -> Frame:
        """A row for each call of the trace, or for a run of polls. Rows are read in batches on
        demand, so that memory does not grow with the trace.
        """
        return calls_of(self.directory)
