"""An emulated aarch64 machine: exact profiles, files that go either way, verified workloads.

It has Debian's Open MPI 4.1; docs/aarch64.md says what this shows, and what it does not.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile

from tests.rigs import aarch64
from tests.rigs.aarch64 import HOME, TREE, Machine, make_tree
from tests.support import BIN, ROOT, MpiLibrary, Waywiser, captured, succeeded
from tests.system.conftest import PROGRAMS
from tests.system.minife_counts import expected_calls, expected_matrix_bytes, expected_messages
from tests.system.test_python_lines import expected_sites, sites_in

pytestmark = pytest.mark.long

RANKS = 2
MPIRUN = ("mpirun.openmpi", "-n", str(RANKS))
ELEMENTS = (4, 5, 6)
SIZE = [word for axis, n in zip("xyz", ELEMENTS, strict=True) for word in (f"--n{axis}", str(n))]
LIBMPI = Path("/usr/lib/aarch64-linux-gnu/libmpi.so.40")
READ_COUNTER = 0xD53BE040
"""MRS of CNTVCT_EL0 into register 0: Arm ARM (DDI 0487), C5.2."""


def call(*command: str | Path, timeout: float = 600) -> None:
    done = subprocess.run(
        [*map(str, command)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="module")
def built() -> Path:
    """The directory that the preset of CMake builds in; what is there already stays."""
    reason = aarch64.why_not()
    if reason is not None:
        pytest.skip(reason)
    make_tree()
    call(BIN / "cmake", "--preset", "aarch64", f"-DWAYWISER_TREE={TREE}")
    call(BIN / "cmake", "--build", "--preset", "aarch64", timeout=7200)
    return ROOT / "build" / "aarch64"


@pytest.fixture(scope="module")
def wheel(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("dist")
    script = ROOT / "tools" / "wheel.py"
    call(sys.executable, script, "--build", built, "--machine", "aarch64", "--output", directory)
    (path,) = directory.glob("waywiser-*.whl")
    return path


@pytest.fixture(scope="module")
def machine(built: Path, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """Machine with the wheel and its dependencies in `HOME`/python, and workloads in `HOME`/bin."""
    directory = tmp_path_factory.mktemp("aarch64")
    platforms = [f"--platform=manylinux_2_{minor}_aarch64" for minor in range(17, 37)]
    pip = [sys.executable, "-m", "pip", "--quiet", "install", "--only-binary=:all:", *platforms]
    into = directory / "python"
    call(*pip, "--constraint=constraints.txt", f"--target={into}", wheel, "mpi4py")
    call(BIN / "cmake", "--install", built, "--strip", "--prefix", directory)
    return Machine(directory)


def waywiser_there(machine: Machine, *words: str) -> subprocess.CompletedProcess[str]:
    return machine.run(
        *("python3", "-m", "waywiser.cli.main", *words),
        env={"PYTHONPATH": str(HOME / "python"), "MPI4PY_LIBMPI": str(LIBMPI)},
    )


@pytest.fixture(scope="module")
def there(machine: Machine) -> Path:
    """A run of ww-minife on the emulated machine, with its trace."""
    minife = ("bin/ww-minife", *SIZE, "--json", "samples.json")
    done = waywiser_there(machine, "profile", "--trace", "-o", "there", "--", *MPIRUN, *minife)
    assert "verified" in done.stdout
    return machine.directory / "there"


@pytest.fixture(scope="module")
def here(machine: Machine, openmpi: MpiLibrary) -> Path:
    """A run of the same on this machine."""
    waywiser = Waywiser(machine.directory)
    command = openmpi.command(RANKS, openmpi.program("ww-minife"), *SIZE)
    waywiser.succeeds("profile", "--trace", "-o", "here", "--", *command)
    return machine.directory / "here"


def as_dense(pairs: list[tuple[int, int, int]]) -> list[list[int]]:
    dense = [[0] * RANKS for _ in range(RANKS)]
    for source, destination, number in pairs:
        dense[source][destination] = number
    return dense


def assert_exact(profile: dict[str, Any], iterations: int) -> None:
    """Compares the profile with the closed form of ww-minife's algorithm."""
    assert (profile["status"], profile["lost"], profile["ranks"]) == ("complete", [], RANKS)
    calls = [
        {name: function["calls"] for name, function in rank["functions"].items()}
        for rank in profile["per_rank"]
    ]
    assert calls == expected_calls(*ELEMENTS, RANKS, iterations)
    matrix, form = profile["matrix"], (*ELEMENTS, RANKS, iterations)
    assert as_dense(matrix["messages"]) == expected_messages(*form)
    assert as_dense(matrix["bytes"]) == expected_matrix_bytes(*form)


def iterations_of(samples: Path) -> int:
    first: dict[str, Any] = json.loads(samples.read_text(encoding="utf-8").splitlines()[0])
    iterations: int = first["parameters"]["iterations"]
    return iterations


def test_the_profile_of_two_ranks_is_exact(there: Path) -> None:
    profile = Waywiser(there.parent).show("there", "--per-rank")

    assert_exact(profile, iterations_of(there.parent / "samples.json"))
    assert profile["mpi"]["library"] == "Open MPI"


@pytest.mark.parametrize("run", ["there", "here"])
def test_either_machine_reads_the_others_profile_and_trace_alike(
    machine: Machine, run: str, request: pytest.FixtureRequest
) -> None:
    request.getfixturevalue(run)
    waywiser = Waywiser(machine.directory)

    theirs = json.loads(waywiser_there(machine, "show", run, "--json", "--per-rank").stdout)
    waywiser_there(machine, "export", run, "--to", "csv", "-o", "theirs.csv")
    ours = waywiser.show(run, "--per-rank")
    succeeded(waywiser.here("export", run, "--to", "csv", "-o", "ours.csv"))

    assert theirs == ours
    calls = [(machine.directory / f"{whose}.csv").read_text() for whose in ("theirs", "ours")]
    assert calls[0] == calls[1]
    counted = sum(function["calls"] for function in ours["functions"].values())
    assert calls[0].count("\n") == counted + 1


def test_programs_without_python_make_a_run_that_this_machine_reads(machine: Machine) -> None:
    native = HOME / "waywiser" / "native"
    start = (native / "ww-exec", "--run", "by-hand", "--trace", "--")
    minife = ("bin/ww-minife", *SIZE, "--json", "by-hand.json")

    machine.run(*MPIRUN, *start, *minife)
    merged = machine.run(native / "ww-merge", "by-hand")
    shown = machine.run(native / "ww-show", "by-hand")

    assert f"profiled {RANKS} ranks" in merged.stderr
    profile = Waywiser(machine.directory).show("by-hand", "--per-rank")
    assert_exact(profile, iterations_of(machine.directory / "by-hand.json"))
    for name, function in profile["functions"].items():
        line = re.search(rf"^{name} +(\d+) +[\d.]+ +(\d+) +(\d+)$", shown.stdout, re.MULTILINE)
        assert line is not None, shown.stdout
        numbers = [function[key] for key in ("calls", "bytes", "receive_bytes")]
        assert [int(number) for number in line.groups()] == numbers


def test_a_processor_without_a_name_is_described_by_its_numbers(
    there: Path, machine: Machine
) -> None:
    native = HOME / "waywiser" / "native"

    machine.run(native / "ww-exec", "--run", "alone", "--", "bin/ww-minife", *SIZE)
    machine.run(native / "ww-merge", "alone")

    for run in (there, machine.directory / "alone"):
        described = json.loads((run / "run.json").read_text(encoding="utf-8"))["machine"]
        assert described["cpu"] == "Arm implementer 0x41, part 0xd4f"


def test_a_library_that_the_program_opens_itself(machine: Machine) -> None:
    """The detours of dlopen and dlsym are written in assembly."""
    call(
        *("aarch64-linux-gnu-gcc", f"--sysroot={TREE}", "-o", machine.directory / "opener"),
        PROGRAMS / "opener.c",
    )
    program = ("./opener", "library", "local", str(LIBMPI))

    bare = machine.run(*MPIRUN, *program)
    done = waywiser_there(machine, "profile", "-o", "opened", "--", *MPIRUN, *program)

    assert bare.stdout.count("found nothing") + bare.stdout.count("undefined symbol") == RANKS
    assert sorted(done.stdout.splitlines()) == sorted(bare.stdout.splitlines())
    functions = Waywiser(machine.directory).show("opened")["functions"]
    calls = {name: function["calls"] for name, function in functions.items()}
    assert calls == {
        "MPI_Init": RANKS,
        "MPI_Initialized": 7 * RANKS,
        "MPI_Finalize": RANKS,
    }


def test_calls_from_python_are_at_its_lines(machine: Machine) -> None:
    """Read from the interpreter's memory, as it lies there on aarch64."""
    source = PROGRAMS / "mpi4py_lines.py"
    shutil.copy(source, machine.directory)

    program = ("python3", source.name)
    waywiser_there(machine, "profile", "-o", "python-run", "--callsites", "--", *MPIRUN, *program)

    sites = sites_in(Waywiser(machine.directory).show("python-run"), source.name)
    marked = {site: n for site, n in sites.items() if site[0] in ("MPI_Barrier", "MPI_Allreduce")}
    assert marked == expected_sites(source, RANKS)


@pytest.mark.parametrize(
    "command",
    [
        "ww-minife --nx 8 --operator all",
        "ww-fd --n1 24 --precision fp32 --variant all --tries 1",
        "ww-fd --n1 24 --precision fp64 --variant all --tries 1",
        "ww-grid --n1 16 --precision fp32 --tries 1",
        "ww-grid --n1 16 --precision fp64 --tries 1",
        "ww-propa --n1 24 --steps 4 --variant all --tries 1",
        "ww-memory --n1 16 --tries 1",
        "ww-comm --n1 16 --tries 1",
        "ww-npb --benchmark bt --class S",
        "ww-npb --benchmark sp --class S",
        "ww-npb --benchmark lu --class S",
        "ww-rupture --cells 6 --order 2 --end 0.01",
        "ww-lattice --x=4 --y=4 --z=4 --t=8 --tries=1",
        "ww-shallow --grid=3 --steps=6 --levels=1",
        "ww-spectral --truncation=21 --levels=5 --steps=2 --tries=1",
        "ww-tbl --case=poiseuille --n1=4 --n2=12 --n3=4 --steps=20",
        "ww-mpibench --benchmark latency,allreduce,alltoall --sizes 8,70000 --iterations 3 --check",
    ],
)
def test_workloads_verify_themselves(machine: Machine, command: str) -> None:
    program, *options = command.split()

    machine.run(*MPIRUN, f"bin/{program}", *options, "--json", "workload.json")

    lines = (machine.directory / "workload.json").read_text(encoding="utf-8").splitlines()
    assert lines
    assert all(json.loads(line)["verified"] is True for line in lines)


def elf_files(wheel: Path) -> dict[str, ELFFile]:
    with zipfile.ZipFile(wheel) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    return {
        name: ELFFile(BytesIO(content))
        for name, content in contents.items()
        if content.startswith(b"\x7fELF")
    }


def test_every_program_in_the_wheel_is_for_aarch64(wheel: Path) -> None:
    files = elf_files(wheel)

    assert {name: elf["e_machine"] for name, elf in files.items()} == dict.fromkeys(
        files, "EM_AARCH64"
    )
    names = {Path(name).name for name in files}
    assert {f"ww-{name}" for name in ("exec", "collector", "merge", "show")} < names
    assert "_native.cpython-311-aarch64-linux-gnu.so" in names


def test_the_wheels_tag_is_true(wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    shown = captured([BIN / "auditwheel", "show", wheel], check=True)

    tag = "manylinux_2_17_" + wheel.stem.partition("manylinux_2_17_")[2]
    assert tag.startswith("manylinux_2_17_aarch64")
    assert f'platform tag: "{tag}"' in " ".join(shown.stdout.split())
    call(sys.executable, ROOT / "tools" / "check_exports.py", tmp_path / "waywiser" / "native")


def test_time_stamps_are_of_the_architectures_counter(wheel: Path) -> None:
    (library,) = (elf for name, elf in elf_files(wheel).items() if name.endswith("-profile.so"))
    text = library.get_section_by_name(".text")
    assert text is not None
    code = text.data()
    words = {int.from_bytes(code[i : i + 4], "little") & ~0x1F for i in range(0, len(code), 4)}

    assert READ_COUNTER in words
