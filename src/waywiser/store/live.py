"""Directory of the ranks' state while they run, in node-local memory and owned by the user."""

from __future__ import annotations

import os
import platform
import re
import tempfile
from pathlib import Path

from waywiser.model.run import Run

NODE_MEMORY = Path("/dev/shm")


def _places() -> tuple[Path, Path]:
    return NODE_MEMORY, Path(tempfile.gettempdir())


def new_state_directory(token: str) -> str:
    """Name of a directory that no other run uses; the first rank of a node creates it."""
    memory, temporary = _places()
    place = memory if os.access(memory, os.W_OK) else temporary
    return str(place / f"waywiser-{os.getuid()}-{token}")


def own_state_directory(run: Run) -> Path | None:
    """The state directory that a run names, if it is on this node and owned by this user.

    A run.json may come from another user and name any directory.
    """
    if run.state_directory is None or run.machine.host != platform.node():
        return None
    path = Path(run.state_directory)
    ours = re.fullmatch(rf"waywiser-{os.getuid()}-[0-9a-f]+", path.name)
    if ours is None or path.parent not in _places():
        return None
    try:
        status = path.lstat()
    except OSError:
        return None
    return path if status.st_uid == os.getuid() and path.is_dir() else None


def start_of(pid: int) -> int | None:
    """The start time of a process [clock ticks since boot]; it distinguishes processes with one id.

    Returns:
        None if the process has ended (proc(5): field 22; the name in parentheses is any text).
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def is_alive(state: Path) -> bool:
    """True if the process of a live state, PID.state, still runs."""
    return state.stem.isdigit() and start_of(int(state.stem)) is not None
