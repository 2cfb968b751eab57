"""Counters of perf_event_open, tested with software events: virtual machines have no others."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support import MpiLibrary, Waywiser
from waywiser.native._native import RankProfile, read_profile

# Preloaded after the profiler: what perf_event_open does instead.
INTERPOSED = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>

long syscall(long number, ...) {
    static long (*next)(long, ...);
    long a[6];
    va_list rest;
    va_start(rest, number);
    for (int i = 0; i < 6; ++i) a[i] = va_arg(rest, long);
    va_end(rest);
    if (next == 0) next = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    if (number == SYS_perf_event_open) {
        ACTION
    }
    return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
"""

# Instructions become the task's clock [ns], cycles its page faults.
SOFTWARE_EVENTS = r"""
        struct perf_event_attr* event = (struct perf_event_attr*)a[0];
        event->type = PERF_TYPE_SOFTWARE;
        event->config = event->config == PERF_COUNT_HW_INSTRUCTIONS ? PERF_COUNT_SW_TASK_CLOCK
                                                                    : PERF_COUNT_SW_PAGE_FAULTS;
"""

# Computes for 0.2 s of CPU time and touches 1000 pages. With an argument, it first puts a file of
# its own on every descriptor that is not among the first ones, and checks at the end that nobody
# has read from it.
PROGRAM = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
    int bad = 0;
    MPI_Init(&argc, &argv);
    if (argc > 1) {
        int own = open("own", O_RDWR | O_CREAT | O_TRUNC, 0600);
        if (ftruncate(own, 4096) != 0) bad = 1;
        for (int i = 900; i < 910; ++i) dup2(own, i);
    }
    char* pages = mmap(0, 1000 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(pages, 1000 * 4096, MADV_NOHUGEPAGE);
    for (int i = 0; i < 1000; ++i) pages[i * 4096] = 1;
    const clock_t begin = clock();
    while (clock() - begin < CLOCKS_PER_SEC / 5) {
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    for (int i = 900; argc > 1 && i < 910; ++i) {
        if (lseek(i, 0, SEEK_CUR) != 0) bad = 1;
    }
    return bad;
}
"""


@pytest.fixture
def events(tmp_path: Path) -> dict[str, str]:
    """The environment in which hardware events become software events."""
    probe, source, tool = tmp_path / "probe.c", tmp_path / "events.c", tmp_path / "events.so"
    source.write_text(INTERPOSED.replace("ACTION", SOFTWARE_EVENTS))
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", tool], check=True)
    probe.write_text(
        "#include <linux/perf_event.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n"
        "int main(void) {\n  struct perf_event_attr event = {0};\n"
        "  event.type = PERF_TYPE_SOFTWARE;\n  event.size = sizeof event;\n"
        "  event.exclude_kernel = 1;\n"
        "  return syscall(SYS_perf_event_open, &event, 0, -1, -1, 0) < 0;\n}\n"
    )
    subprocess.run(["cc", probe, "-o", tmp_path / "probe"], check=True)
    if subprocess.run([tmp_path / "probe"], check=False).returncode != 0:
        pytest.skip("perf_event_open is not permitted here (kernel.perf_event_paranoid, seccomp)")
    return {"LD_PRELOAD": str(tool)}


def rank_of(mpi: MpiLibrary, waywiser: Waywiser, env: dict[str, str], *argv: str) -> RankProfile:
    source = waywiser.directory / "counters.c"
    source.write_text(PROGRAM)
    program = mpi.build(source, waywiser.directory / "counters")
    waywiser.profiles(mpi.command(1, program, *argv), env=env)
    return read_profile(str(waywiser.directory / "run" / "profile.ww")).ranks[0]


def test_counters_are_those_of_the_process(
    openmpi: MpiLibrary, waywiser: Waywiser, events: dict[str, str]
) -> None:
    rank = rank_of(openmpi, waywiser, events)

    # The clock stands in for instructions; it counts what getrusage counts.
    assert rank.instructions >= 0.2e9
    assert rank.instructions == pytest.approx(rank.cpu_ns, rel=0.1)
    assert rank.cycles >= 1000


def test_a_descriptor_that_became_the_programs_is_left_alone(
    openmpi: MpiLibrary, waywiser: Waywiser, events: dict[str, str]
) -> None:
    rank = rank_of(openmpi, waywiser, events, "takes descriptors")

    # What was counted before stays, and nothing came after.
    assert 0 < rank.instructions < rank.cpu_ns - 0.15e9


@pytest.mark.parametrize(
    ("error", "says"),
    [
        ("EACCES", "hardware counters not permitted: "),
        (
            "ENOENT",
            "hardware counters not available: the CPU or the virtual machine has no",
        ),
    ],
)
def test_counters_that_are_refused_are_null_with_the_reason(
    openmpi: MpiLibrary, waywiser: Waywiser, error: str, says: str
) -> None:
    source, tool = waywiser.directory / "refusing.c", waywiser.directory / "refusing.so"
    source.write_text(INTERPOSED.replace("ACTION", f"errno = {error}; return -1;"))
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", tool], check=True)

    rank_of(openmpi, waywiser, {"LD_PRELOAD": str(tool)})

    [rank] = waywiser.show("run", "--per-rank")["per_rank"]
    assert (rank["instructions"], rank["cycles"]) == (None, None)
    assert f"hardware counters {rank['not_counted']}".startswith(says)
    if error == "EACCES":
        setting = Path("/proc/sys/kernel/perf_event_paranoid")
        assert f"kernel.perf_event_paranoid is {setting.read_text().strip()}" in rank["not_counted"]
    shown = " ".join(waywiser.here("show", "run").stdout.split())
    assert says in shown
