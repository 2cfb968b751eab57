"""A run, and its tables as frames."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from waywiser.analyse.gate import read_gated
from waywiser.api.calls import calls_of
from waywiser.api.frame import Frame
from waywiser.api.tables import TABLES
from waywiser.model.run import Run as Description
from waywiser.model.summary import Summary
from waywiser.store.directory import RunDirectory
from waywiser.store.timeline import read_timeline
from waywiser.store.trace_export import trace_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    import altair

    pass


class Run:
    """A run directory, as `waywiser profile -o RUN` leaves it; nothing in it is executed.

    Its files are read when something of them is first asked for.
    """

    def __init__(self, directory: Path) -> None:
        """
        Raises:
            InvalidRun: it is not one.
        """
        RunDirectory(directory).read_run()
        self.directory = directory

    def __fspath__(self) -> str:
        """Functions and commands take it as its directory."""
        return str(self.directory)

    def __repr__(self) -> str:
        return f"Run({str(self.directory)!r})"

    @cached_property
    def _read(self) -> tuple[Description, Summary]:
        return read_gated(self.directory)

    @property
    def description(self) -> Description:
        """What was run, where and with which MPI library: `run.json`."""
        return self._read[0]

    @property
    def summary(self) -> Summary:
        """The document of `waywiser show --json --per-rank`."""
        return self._read[1]

    def table(self, name: str) -> Frame:
        """The frame of that name; those that `docs/reference/tables.md` lists are properties, too.

        Raises:
            InvalidRun: the run has no trace, and the table is of its waits.
        """
        table = TABLES[name]
        if table.traced and self.summary.waits is None:
            trace_file(self.directory)  # says what is missing
        return table.frame(self.summary)

    @cached_property
    def plots(self) -> Mapping[str, altair.TopLevelMixin]:
        """The report's plots by name, each a chart of Altair that a notebook shows."""
        from waywiser.api.plots import Plots  # what draws takes 0.5 s to import

        return Plots(self.summary, read_timeline(self.directory))

    @cached_property
    def findings(self) -> Frame:
        """A row for each sentence of the verdict."""
        return self.table("findings")

    @cached_property
    def functions(self) -> Frame:
        """A row for each MPI function, summed over ranks."""
        return self.table("functions")

    @cached_property
    def ranks(self) -> Frame:
        """A row for each rank."""
        return self.table("ranks")

    @cached_property
    def nodes(self) -> Frame:
        """A row for each node."""
        return self.table("nodes")

    @cached_property
    def rank_functions(self) -> Frame:
        """A row for each MPI function of each rank."""
        return self.table("rank_functions")

    @cached_property
    def sizes(self) -> Frame:
        """A row for each MPI function and range of message sizes."""
        return self.table("sizes")

    @cached_property
    def matrix(self) -> Frame:
        """A row for each pair of ranks of which one sent to the other."""
        return self.table("matrix")

    @cached_property
    def call_sites(self) -> Frame:
        """A row for each MPI function and place that it was called from (`--callsites`)."""
        return self.table("call_sites")

    @cached_property
    def communicators(self) -> Frame:
        """A row for each communicator and collective function on it."""
        return self.table("communicators")

    @cached_property
    def phases(self) -> Frame:
        """A row for each phase between calls of MPI_Pcontrol."""
        return self.table("phases")

    @cached_property
    def waits(self) -> Frame:
        """A row for each rank and kind of waiting.

        Raises:
            InvalidRun: the run has no trace; the same holds for all frames below.
        """
        return self.table("waits")

    @cached_property
    def wait_causes(self) -> Frame:
        """A row for each cause of waiting, the largest first."""
        return self.table("wait_causes")

    @cached_property
    def wait_pairs(self) -> Frame:
        """A row for each pair of ranks of which one waited for the other."""
        return self.table("wait_pairs")

    @cached_property
    def critical_path(self) -> Frame:
        """A row for each place on the critical path, the longest first."""
        return self.table("critical_path")

    @cached_property
    def calls(self) -> Frame:
        """A row for each call of the trace, or for a run of polls. Rows are read in batches on
        demand, so that memory does not grow with the trace.
        """
        return calls_of(self.directory)
