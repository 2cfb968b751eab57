"""The live gallery: the commands of each exhibit write its page, which opens from the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import cases
from tools.docs import live
from tools.live_gallery import EXHIBITS, make


@pytest.mark.parametrize("name", cases(["placement"], long=EXHIBITS))
def test_the_commands_of_an_exhibit_write_its_page(name: str, tmp_path: Path) -> None:
    make([name], tmp_path)

    page = (tmp_path / EXHIBITS[name].page).read_text(encoding="utf-8")
    assert page.lstrip().startswith(("<!DOCTYPE html>", "<svg"))


def test_an_earlier_page_of_a_program_that_is_gone_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / EXHIBITS["lammps"].page
    page.touch()
    monkeypatch.setattr("shutil.which", lambda *_words, **_options: None)

    make(["lammps"], tmp_path)

    assert not page.exists()
    assert capsys.readouterr().out == "lammps: lmp is not installed\n"


def test_the_site_opens_the_pages_that_were_built(tmp_path: Path) -> None:
    (tmp_path / EXHIBITS["advice"].page).touch()

    text = "\n".join(live(tmp_path))

    assert re.findall(r'href="live/(.*?)"', text) == [EXHIBITS["advice"].page]
    assert text.count("The page was not made") == len(EXHIBITS) - 1
