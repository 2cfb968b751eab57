"""The advice on a run, saved beside its trace."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from waywiser.errors import NotSaved
from waywiser.model.advice import Advice
from waywiser.store.directory import RunDirectory
from waywiser.store.durable import replace_text


def keep_advice(directory: Path, advice: Advice) -> None:
    """Save the advice for later reports, unless the run belongs to another user."""
    with suppress(NotSaved):
        replace_text(_kept(directory), advice.model_dump_json() + "\n")


def read_advice(directory: Path) -> Advice | None:
    """The last answer of `waywiser advise`; None if the trace has none."""
    kept, trace = _kept(directory), RunDirectory(directory).trace
    with suppress(OSError, ValidationError):  # missing, or of another version
        if kept.stat().st_mtime_ns >= trace.stat().st_mtime_ns:
            return Advice.model_validate_json(kept.read_bytes())
    return None


def _kept(directory: Path) -> Path:
    return RunDirectory(directory).trace.with_name("advice.json")
