"""The script that draws plots is bundled once and cached; no page depends on the cache."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
import vl_convert

from waywiser.report.drawing_library import drawing_library


class Bundler:
    """Stand-in for vl-convert's bundler, which counts its calls."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, entry: str) -> str:
        self.calls += 1
        return f"{entry}\r\n'</script><!-- ö'"


SCRIPT = "window.vegaEmbed = vegaEmbed;\r\n'<\\/script><\\!-- ö'"


@pytest.fixture
def bundler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Bundler]:
    bundler = Bundler()
    monkeypatch.setattr(vl_convert, "javascript_bundle", bundler)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    drawing_library.cache_clear()
    yield bundler
    drawing_library.cache_clear()


def in_another_process() -> str:
    drawing_library.cache_clear()
    return drawing_library()


def only_file(directory: Path) -> Path:
    (file,) = (directory / "cache" / "waywiser").iterdir()
    return file


def test_it_is_bundled_once(bundler: Bundler, tmp_path: Path) -> None:
    assert [in_another_process() for _ in range(3)] == [SCRIPT] * 3
    assert bundler.calls == 1
    assert only_file(tmp_path).name == f"vega-{version('vl-convert-python')}.js"


def test_it_is_bundled_anew_for_another_vl_convert(
    bundler: Bundler, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_another_process()
    monkeypatch.setattr("waywiser.report.drawing_library.version", lambda _name: "99.0")

    assert in_another_process() == SCRIPT
    assert bundler.calls == 2


@pytest.mark.parametrize("damage", [b"", b"alert(1)", b"\xff\n", b"0\nalert(1)"])
def test_a_damaged_cache_is_written_anew(bundler: Bundler, tmp_path: Path, damage: bytes) -> None:
    in_another_process()
    file = only_file(tmp_path)
    whole = file.read_bytes()
    for content in (damage, whole[:-1], whole.replace(b"vegaEmbed;", b"vegaEmber;")):
        file.write_bytes(content)

        assert in_another_process() == SCRIPT
        assert file.read_bytes() == whole
    assert bundler.calls == 4


def test_no_cache_is_needed(
    bundler: Bundler, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("no directory")
    assert in_another_process() == SCRIPT

    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setattr(Path, "home", homeless)
    assert in_another_process() == SCRIPT
    assert bundler.calls == 2
