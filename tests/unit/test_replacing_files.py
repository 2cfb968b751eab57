"""A file that several write at once is always whole, and nobody's write fails."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from waywiser.store.directory import replace_text


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
