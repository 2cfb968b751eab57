"""Runs mpi4py's own tests and keeps what came of each: `mpi4py_outcomes.py TESTS OUTPUT [options]`.

TESTS is the folder of the tests, OUTPUT-RANK the file of a rank, with a line for each test. The rest
is for mpi4py's test program.
"""

import sys
import unittest

tests, output, *options = sys.argv[1:]
sys.path.insert(0, tests)
import main  # noqa: E402


class Outcomes(unittest.TextTestResult):
    """unittest's verdicts, written at once, so that they outlive a crash."""

    file = None

    def keep(self, test, outcome):
        if self.file is None:
            rank = sys.modules["mpi4py.MPI"].COMM_WORLD.Get_rank()
            self.file = open(f"{output}-{rank}", "w", buffering=1)  # noqa: SIM115
        print(test.id(), outcome, file=self.file)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.keep(test, "passed")

    def addError(self, test, err):
        super().addError(test, err)
        self.keep(test, "error")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.keep(test, "failed")

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.keep(test, f"skipped: {reason}")

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        self.keep(subtest, "passed" if err is None else "failed")

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.keep(test, "failed as expected")

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.keep(test, "passed unexpectedly")


unittest.TextTestRunner.resultclass = Outcomes
sys.dont_write_bytecode = True
main.main(module=None, argv=[main.__file__, *options])
