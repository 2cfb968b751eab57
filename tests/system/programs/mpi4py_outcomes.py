"""Runs mpi4py's own tests and keeps what came of each: `mpi4py_outcomes.py TESTS OUTPUT [option…]`.

TESTS is the directory of the tests; OUTPUT-RANK, a rank's file, gets a line for each test. The
options are those of mpi4py's test program.
"""

from __future__ import annotations

import sys
import unittest
from typing import Any, TextIO

tests, output, *options = sys.argv[1:]
sys.path.insert(0, tests)
import main  # type: ignore[import-not-found]  # noqa: E402


class Outcomes(unittest.TextTestResult):
    """unittest's verdicts, written at once, so that they outlive a crash."""

    file: TextIO | None = None

    def keep(self, test: unittest.TestCase, outcome: str) -> None:
        if self.file is None:
            rank = sys.modules["mpi4py.MPI"].COMM_WORLD.Get_rank()
            self.file = open(f"{output}-{rank}", "w", buffering=1)  # noqa: SIM115
        print(test.id(), outcome, file=self.file)

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self.keep(test, "passed")

    def addError(self, test: unittest.TestCase, err: Any) -> None:
        super().addError(test, err)
        self.keep(test, "error")

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addFailure(test, err)
        self.keep(test, "failed")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self.keep(test, f"skipped: {reason}")

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        self.keep(subtest, "passed" if err is None else "failed")

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:
        super().addExpectedFailure(test, err)
        self.keep(test, "failed as expected")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:
        super().addUnexpectedSuccess(test)
        self.keep(test, "passed unexpectedly")


unittest.TextTestRunner.resultclass = Outcomes  # type: ignore[assignment]
sys.dont_write_bytecode = True
main.main(module=None, argv=[main.__file__, *options])
