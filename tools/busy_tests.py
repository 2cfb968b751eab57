"""Runs the tests of `make test` on a busy machine: together with eight processes that compute, and
an MPI program whose ranks spin in a barrier. A test that fails and then passes is a failure too.

Takes about three times as long as `make test`. If files or tests are named, only they run. All
started processes end with this one.
"""

from __future__ import annotations

import argparse
import ctypes
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.support import environment, mpi_libraries
from tools import run_tests

COMPUTING = 8
PR_SET_PDEATHSIG = 1  # linux/prctl.h
MEET_LATE = """
#include <mpi.h>
#include <unistd.h>
int main(int argc, char** argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) for (;;) pause();
    MPI_Barrier(MPI_COMM_WORLD);
}
"""


def end_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def keep_busy(directory: Path) -> None:
    """Starts the load that runs together with the tests."""
    library = next(library for library in mpi_libraries() if library.name == "openmpi")
    source = directory / "meet_late.c"
    source.write_text(MEET_LATE, encoding="utf-8")
    program = library.build(source, directory / "meet_late")
    settings = environment({"OMPI_MCA_mpi_yield_when_idle": "0"})
    compute = [sys.executable, "-c", "while True: pass"]
    for command in [library.command(3, program), *[compute] * COMPUTING]:
        subprocess.Popen(command, env=settings, preexec_fn=end_with_parent)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tests", nargs="*", help="files or tests; default: all of `make test`")
    tests: list[str] = parser.parse_args().tests
    options = ["--fail-on-flaky"]
    with tempfile.TemporaryDirectory() as directory, run_tests.with_all_that_it_starts():
        keep_busy(Path(directory))
        if tests:
            passed = run_tests.call(run_tests.words("busy", ["not long"], *options, *tests))
        else:
            passed = run_tests.run(["not long"], options)
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
