"""The command in a process that is forked, not started: it finds imported what a start imports, in
which a short command spends most of its time."""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from tests import default_signals
from waywiser.cli.main import VERBS, main, module_of

READ_AT_THE_START = ("LD_PRELOAD", "PYTHON", "LANG", "LC_", "OPENBLAS_", "TZ")
"""Prefixes of variables that Python and the loader read only at their start."""

DRAWS = "vl_convert"
"""Starts threads at its first use, without which it panics; a forked child does not have them."""


def instead_of_starting(
    words: Sequence[str], env: Mapping[str, str], at_the_end: Callable[[], object] | None = None
) -> Callable[[], NoReturn] | None:
    """A function that runs `waywiser WORDS` in a child of this process, as `preexec_fn` of
    `subprocess.Popen`; None if the command must be started.

    Args:
        env: the whole environment of the command.
        at_the_end: what the child does besides, after the command.
    """
    variables = dict(env)
    changed = {name for name, _ in variables.items() ^ os.environ.items()}
    if DRAWS in sys.modules or any(name.startswith(READ_AT_THE_START) for name in changed):
        return None
    for verb in words[:1]:
        if verb in VERBS:
            module_of(verb)

    def run() -> NoReturn:
        # Popen's caller waits until the child has closed what it inherited, as exec does.
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        os.environ.clear()
        os.environ.update(variables)
        tempfile.tempdir = None
        for number in default_signals.PYTHONS:
            signal.signal(number, signal.SIG_IGN)
        gc.enable()
        sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__
        sys.argv = ["waywiser", *words]
        code = _exit_code()
        if at_the_end is not None:
            at_the_end()
        os._exit(code)

    return run


def _exit_code() -> int:
    """Exit code of the command, as if Python had ended by itself."""
    try:
        code: object = main()
    except SystemExit as ended:  # argparse's
        code = ended.code
    except BaseException:
        traceback.print_exc()
        code = 1
    assert isinstance(code, int)
    try:
        sys.stdout.flush()
    except OSError:
        code = 120
    return code
