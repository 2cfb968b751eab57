"""`ww-exec --run`, `ww-merge` and `ww-show`: profiling where there is no Python."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import ROOT, MpiLibrary, Waywiser, assert_refused, captured, unpack
from tests.system.conftest import Build, ProfileOf


@pytest.fixture
def unpacked(tarball: Path, tmp_path: Path) -> Path:
    """The tarball's bin/, in a directory with an odd name."""
    directory = tmp_path / "ünp,äck=ed'"
    directory.mkdir()
    unpack(tarball, directory)
    (top,) = directory.iterdir()
    return top / "bin"


def run(
    *argv: str | Path, directory: Path, path: str | None = None
) -> subprocess.CompletedProcess[str]:
    return captured([*map(str, argv)], cwd=directory, env={"PATH": path or os.environ["PATH"]})


@pytest.mark.parametrize("name", ["ww-exec", "ww-merge", "ww-show"])
def test_help_fits_a_terminal_and_begins_with_what_the_program_does(name: str) -> None:
    shown = captured([str(Path(sys.executable).parent / name), "--help"])
    first, _, usage, *lines = shown.stdout.splitlines()

    assert (shown.returncode, shown.stderr) == (0, "")
    assert first.split()[0] in ("Start", "Merge", "Print")
    assert usage.startswith(f"usage: {name} ")
    assert max(map(len, shown.stdout.splitlines())) <= 80
    options = [line for line in lines if line.startswith("  --")]
    texts = [re.match(r"  --\S+( [A-Z]+)? {2,}", option) for option in options]
    assert len({text and text.end() for text in texts}) == 1
    assert all(texts)


def test_a_run_without_python_is_the_same_as_with(
    mpi: MpiLibrary,
    unpacked: Path,
    build: Build,
    profile_of: ProfileOf,
    waywiser: Waywiser,
) -> None:
    """PATH leads to nothing, so that no interpreter is found."""
    directory = waywiser.directory
    program = build(mpi, "matrix.c")
    launch = mpi.command(4, unpacked / "ww-exec", "--run", "runs/one", "--", program, "an argument")

    started = run(*launch, directory=directory, path="/nowhere" if mpi.name == "mpich" else None)
    early = waywiser.here("show", "runs/one")
    merged = run(unpacked / "ww-merge", "runs/one", directory=directory, path="/nowhere")
    shown = run(unpacked / "ww-show", "runs/one", directory=directory, path="/nowhere")

    assert started.returncode == 0, started.stderr
    assert_refused(early, "ww-merge runs/one")
    assert merged.returncode == 0, merged.stderr
    assert "profiled 4 ranks" in merged.stderr
    document = waywiser.show("runs/one")
    expected = profile_of(mpi, "matrix.c", 4)
    assert (document["status"], document["lost"]) == ("complete", [])
    assert document["matrix"] == expected["matrix"]
    assert document["mpi"] == expected["mpi"]
    for name, function in expected["functions"].items():
        numbers = [function[key] for key in ("calls", "bytes", "receive_bytes")]
        line = re.search(rf"^{name} +(\d+) +[\d.]+ +(\d+) +(\d+)$", shown.stdout, re.MULTILINE)
        assert line is not None, shown.stdout
        assert [int(number) for number in line.groups()] == numbers
    kept = json.loads((directory / "runs" / "one" / "run.json").read_text(encoding="utf-8"))
    assert kept["command"] == [str(program), "an argument"]
    assert kept["directory"] == str(directory)
    assert sorted(path.name for path in (directory / "runs" / "one").iterdir()) == [
        "profile.ww",
        "run.json",
    ]
    assert waywiser.here("report", "runs/one", "-o", "page.html").returncode == 0


def test_the_machine_is_described_as_python_does(
    openmpi: MpiLibrary, unpacked: Path, build: Build, tmp_path: Path
) -> None:
    from waywiser.launch.host import machine

    program = build(openmpi, "matrix.c")
    run(unpacked / "ww-exec", "--run", "run", "--", program, directory=tmp_path)
    run(unpacked / "ww-merge", "run", directory=tmp_path)

    kept = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))["machine"]

    expected = machine().model_dump()
    assert kept == {**expected, "memory_bytes": kept["memory_bytes"]}
    assert kept["memory_bytes"] == pytest.approx(expected["memory_bytes"], rel=0.01)


def test_secrets_in_the_command_are_masked(
    openmpi: MpiLibrary, unpacked: Path, build: Build, tmp_path: Path
) -> None:
    program = build(openmpi, "matrix.c")
    secret = "hunter2"
    words = ["--token", secret, f"--api-key={secret}", f"PASSWORD={secret}", "in.dat"]
    words += [f"https://ada:{secret}@host/in", f"https://{secret}@host/in", "--no-auth", "-n", "4"]

    run(unpacked / "ww-exec", "--run", "run", "--", program, *words, directory=tmp_path)
    before = [path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()]
    run(unpacked / "ww-merge", "run", directory=tmp_path)

    after = [path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert not any(secret.encode() in content for content in before + after)
    kept = json.loads((tmp_path / "run" / "run.json").read_text(encoding="utf-8"))
    assert kept["program"]["arguments"] == [
        *("--token", "(masked)", "--api-key=(masked)", "PASSWORD=(masked)", "in.dat"),
        *("https://(masked)@host/in", "https://(masked)@host/in", "--no-auth", "-n", "4"),
    ]


def test_the_programs_need_nothing_of_the_system(
    openmpi: MpiLibrary, unpacked: Path, build: Build, tmp_path: Path
) -> None:
    """The root directory has the unpacked tarball and a run, but no library or interpreter."""
    if os.geteuid() != 0:
        pytest.skip("a root directory of one's own needs root")
    root = unpacked.parent
    program = build(openmpi, "actor.c")
    run(unpacked / "ww-exec", "--run", root / "run", "--", program, "code", "0", directory=tmp_path)
    chroot = shutil.which("chroot") or "/usr/sbin/chroot"

    merged = run(chroot, root, "/bin/ww-merge", "/run", directory=tmp_path, path="/nowhere")
    shown = run(chroot, root, "/bin/ww-show", "/run", directory=tmp_path, path="/nowhere")

    assert merged.returncode == 0, merged.stderr
    assert re.search(r"^MPI_Sendrecv +1 ", shown.stdout, re.MULTILINE), shown.stderr


def test_a_killed_rank_is_read_from_the_nodes_memory(
    openmpi: MpiLibrary, unpacked: Path, build: Build, waywiser: Waywiser
) -> None:
    program = build(openmpi, "actor.c")
    launch = openmpi.command(2, unpacked / "ww-exec", "--run", "run", "--", program, "killed")

    run(*launch, directory=waywiser.directory)
    merged = run(unpacked / "ww-merge", "run", directory=waywiser.directory)

    assert merged.returncode == 0, merged.stderr
    assert "killed" in merged.stderr
    document = waywiser.show()
    assert document["status"] == "partial"
    assert document["functions"]["MPI_Sendrecv"]["calls"] >= 1


def test_exit_code_is_the_programs(
    openmpi: MpiLibrary, unpacked: Path, build: Build, tmp_path: Path
) -> None:
    program = build(openmpi, "actor.c")

    done = run(unpacked / "ww-exec", "--run", "run", "--", program, "code", "7", directory=tmp_path)

    assert done.returncode == 7


@pytest.mark.parametrize(
    ("argv", "code", "says"),
    [
        (["ww-exec"], 2, "ww-exec --run RUN -- PROGRAM"),
        (["ww-exec", "--run", "new", "/bin/true"], 2, "ww-exec --run RUN [--copy-every"),
        (["ww-exec", "--run", "new", "--copy-every=0", "--", "/bin/true"], 2, "0.1 to 300"),
        (["ww-exec", "--run", "ended", "--", "/bin/true"], 2, "give another name after --run"),
        (["ww-exec", "--run", "file", "--", "/bin/true"], 2, "file: Not a directory"),
        (["ww-exec", "--run", "new", "--", "/nowhere/program"], 127, "cannot start /nowhere"),
        (["ww-merge"], 2, "ww-merge RUN"),
        (["ww-merge", "absent"], 2, "absent: directory not found"),
        (["ww-merge", "empty"], 2, "no rank has left its state there"),
        (["ww-merge", "ended"], 2, "see it with `ww-show ended`"),
        (["ww-show", "empty"], 2, "no rank has left its state there"),
        (["ww-show", "ended"], 2, "profile.ww"),
    ],
)
def test_what_cannot_work_is_reported(
    unpacked: Path, tmp_path: Path, argv: list[str], code: int, says: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "ended").mkdir()
    (tmp_path / "ended" / "profile.ww").write_text("not a profile")
    (tmp_path / "file").write_text("")

    done = run(unpacked / argv[0], *argv[1:], directory=tmp_path)

    assert done.returncode == code
    assert says in done.stderr
    assert done.stderr.startswith("waywiser: ")
    assert done.stderr.count("\n") == 1


def test_the_tarball_holds_no_more_than_it_says(unpacked: Path) -> None:
    top = unpacked.parent
    files = sorted(str(path.relative_to(top)) for path in top.rglob("*") if path.is_file())

    assert files == [
        *("LICENSE", "NOTICE", "bin/ww-collector", "bin/ww-exec", "bin/ww-merge", "bin/ww-show"),
        *(
            "clusters.md",
            "lib/libwaywiser-posix-io.so",
            "lib/libwaywiser-profile.so",
            "lib/libwaywiser-rerank.so",
            "lib/libwaywiser-topologies.so",
            "lib/libwaywiser-virtual.so",
        ),
    ]
    assert top.name.startswith("waywiser-")
    assert (ROOT / "docs" / "clusters.md").read_bytes() == (top / "clusters.md").read_bytes()
