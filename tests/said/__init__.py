"""Cases of `tests/unit/test_said.py`, a file for each part of the reports.

Each file has `CASES`: module of the source -> template -> where it is true and said, and where it
is not; both are functions without arguments that return the whole text of a report or an answer.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable

Said = Callable[[], str]
Cases = dict[str, dict[str, tuple[Said, Said]]]


def all_cases() -> Cases:
    names = (found.name for found in pkgutil.iter_modules(__path__))
    cases: Cases = {}
    for name in names:
        cases |= importlib.import_module(f"{__name__}.{name}").CASES
    return cases
