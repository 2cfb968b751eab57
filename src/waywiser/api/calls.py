"""The calls of a trace, read in batches on demand."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from waywiser.api.frame import Frame, Source, connected
from waywiser.errors import InvalidRun
from waywiser.native import _native as native
from waywiser.store.parquet import TYPES, reading
from waywiser.store.trace_export import trace_file


def calls_of(run: Path) -> Frame:
    """The calls of a run's trace, which is read anew for each reader.

    Raises:
        InvalidRun: the run has no trace, or the trace cannot be read.
    """
    trace = trace_file(run)
    try:
        native.TraceFile(str(trace))
    except native.NativeError as error:
        raise InvalidRun(str(error)) from error

    @contextmanager
    def opened() -> Iterator[Source]:
        source, writing = os.pipe()
        threading.Thread(target=_feed, args=(trace, writing), name="calls", daemon=True).start()
        try:
            yield Source(connected(), reading(f"/dev/fd/{source}"))
        finally:
            os.close(source)  # the query has a descriptor of its own; closing that ends the feeding

    return Frame(TYPES, opened)


def _feed(trace: Path, pipe: int) -> None:
    """Writes the rows. If the trace is damaged, the reason follows as a line that is not a row, so
    that the reader fails instead of treating the rows before it as complete.
    """
    try:
        native.export_trace(str(trace), "csv", f"/dev/fd/{pipe}")
    except native.NativeError as error:
        with suppress(OSError):
            os.write(pipe, f"\n{error}\n".encode())
    finally:
        os.close(pipe)
