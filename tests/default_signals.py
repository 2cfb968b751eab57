"""Signals as programs expect them, whoever started the tests.

A shell ignores SIGINT and SIGQUIT in what it starts in the background, and `nohup` SIGHUP; whatever
a process ignores, the programs that it starts ignore, too. A handler is not inherited: programs
have the default action then.
"""

from __future__ import annotations

import signal
from collections.abc import Callable
from types import FrameType

PYTHONS = {signal.SIGPIPE, signal.SIGXFSZ}
"""Ignored by Python itself, and restored by `subprocess`."""


def restore() -> None:
    """SIGINT and SIGTERM end this process as usual; others that were ignored change nothing."""
    for number in signal.valid_signals() - PYTHONS:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, HANDLERS.get(number, _go_on))


def _go_on(_signal: int, _frame: FrameType | None) -> None:
    """Handles a signal by doing nothing."""


Handler = Callable[[int, FrameType | None], None] | signal.Handlers
HANDLERS: dict[int, Handler] = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
}
