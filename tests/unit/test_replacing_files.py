"""A file that several write at once is always whole, and nobody's write fails."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from waywiser.store.durable import remove_temporaries, replace_text


def test_files_are_replaced_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    texts = [f"{number}\n" * 2000 for number in range(8)]

    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(replace_text, path, text) for _ in range(15) for text in texts]:
            done.result()

    assert path.read_text() in texts
    assert list(tmp_path.iterdir()) == [path]


def test_files_of_one_stem_do_not_meet(tmp_path: Path) -> None:
    """study.toml and study.json are written beside each other."""
    names = [f"study.{suffix}" for suffix in ("toml", "json", "txt", "tmp")]

    with ThreadPoolExecutor(4) as pool:
        writes = [pool.submit(replace_text, tmp_path / n, n) for _ in range(15) for n in names]
        for done in writes:
            done.result()

    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {n: n for n in names}


def test_a_file_is_written_again_where_its_temporary_was_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader who finishes a run removes the temporary files of a writer of its run.json."""
    finishing = iter([tmp_path / "run.json"])

    def finished(_descriptor: int) -> None:
        for path in finishing:
            remove_temporaries(path)

    monkeypatch.setattr("waywiser.store.durable.os.fsync", finished)

    replace_text(tmp_path / "run.json", "{}")

    assert (tmp_path / "run.json").read_text() == "{}"
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    assert next(finishing, None) is None
