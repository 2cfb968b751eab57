"""The advice on a run, kept beside its trace."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from pydantic import ValidationError

from waywiser.errors import NotSaved
from waywiser.model.advice import Advice
from waywiser.store.directory import RunDirectory
from waywiser.store.durable import replace_text


def keep_advice(directory: Path, found: Advice) -> None:
    """Keep the advice for later reports; nothing is kept in a run that others own."""
    with suppress(NotSaved):
        replace_text(_kept(directory), found.model_dump_json() + "\n")


def read_advice(directory: Path) -> Advice | None:
    """What `waywiser advise` found last; None where it has not been asked of this trace."""
    kept, trace = _kept(directory), RunDirectory(directory).trace
    with suppress(OSError, ValidationError):  # there is none, or it is of another version
        if kept.stat().st_mtime_ns >= trace.stat().st_mtime_ns:
            return Advice.model_validate_json(kept.read_bytes())
    return None


def _kept(directory: Path) -> Path:
    return RunDirectory(directory).trace.with_name("advice.json")
