"""The file of `-o FILE` is on the disk, complete, or is written to a terminal or pipe directly."""

from __future__ import annotations

import os
import re
import stat
import threading
from pathlib import Path

import pytest

from tests.support import ROOT
from waywiser.store.durable import write_output


@pytest.fixture
def synced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Paths of what was synced."""
    paths: list[str] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        paths.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    return paths


def test_a_file_and_its_name_are_synced(tmp_path: Path, synced: list[str]) -> None:
    file = tmp_path / "page.html"

    write_output(file, "größe")

    assert file.read_text(encoding="utf-8") == "größe"
    assert [re.sub(r"\.\w+\.tmp$", "", path) for path in synced] == [str(file), str(tmp_path)]
    assert os.listdir(tmp_path) == ["page.html"]


def test_a_file_is_replaced_whole_and_keeps_its_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, link = tmp_path / "page.html", tmp_path / "latest.html"
    file.write_text("old")
    file.chmod(0o600)
    link.symlink_to(file.name)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left") as refused:
            write_output(link, b"new")
    assert refused.value.filename == str(file)
    assert file.read_text() == "old"
    assert sorted(os.listdir(tmp_path)) == ["latest.html", "page.html"]

    write_output(link, b"new")

    assert link.is_symlink()
    assert file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_pipe_takes_it_as_it_is(tmp_path: Path, synced: list[str]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()

    write_output(pipe, "a page")
    reader.join(60)

    assert read == ["a page"]
    assert synced == []
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_the_name_of_an_open_file_is_written_in_place(tmp_path: Path) -> None:
    """/dev/stdout of a process whose output goes to a file."""
    with (tmp_path / "output").open("w+") as file:
        write_output(Path(f"/dev/fd/{file.fileno()}"), "a page")
        assert file.read() == "a page"
    assert os.listdir(tmp_path) == ["output"]


@pytest.mark.parametrize("name", ["no-directory/page.html", ""])
def test_what_cannot_be_written_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises((FileNotFoundError, IsADirectoryError)) as refused:
        write_output(tmp_path / name, "a page")

    assert refused.value.filename == str(tmp_path / name)


WRITES = re.compile(r"\.write_(?:text|bytes)\(|open\([^)]*[\"'][wxa]b?[\"']")
OTHERS = {
    "report/study/document.py": "a temporary directory for Typst",
    "measure/profiled.py": "settings that the ranks read, gone with the run's parts",
    "launch/execute.py": "a program's output, as it comes",
    "launch/tuning/mpich_rules.py": "rules of a measurement",
    "launch/tuning/openmpi.py": "rules of a measurement",
    "meshes/puml.py": "in place by HDF5; `cli/mesh.py` syncs it",
    "meshes/parts.py": "in place, its index last; `cli/mesh.py` syncs it",
    "study/campaign.py": "a file of a run's directory of work",
    "study/local.py": "a job's output, as it comes",
    "study/sweeps.py": "a study file to start from",
    "cli/study.py": "a study file to start from",
    "store/durable.py": "the routines themselves",
}
"""Modules that write files in another way, and what."""


def test_files_are_written_by_one_room() -> None:
    package = ROOT / "src" / "waywiser"
    writers = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        if WRITES.search(path.read_text(encoding="utf-8"))
    }

    assert writers == set(OTHERS)
