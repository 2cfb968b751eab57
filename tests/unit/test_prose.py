"""tools/check_prose.py: the tree has none of its phrases, and it finds those that are planted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import ROOT
from tools.check_prose import faults, native_strings, pages, python_strings


def test_the_tree_has_none_of_the_phrases() -> None:
    for places in (pages, python_strings, native_strings):
        assert list(faults(places(ROOT))) == []


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for folder in ("docs/design", "src", "native"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "README.md").write_text("Nothing.\n")
    return tmp_path


@pytest.mark.parametrize(
    "phrase",
    [
        *("X is no TOML", "these are no runs", "cannot be told apart", "computes so many times as"),
        *("it comes to its end", "Likewise of b", "it is taken for a run", "4 stands there twice"),
        *("leaves away", "of chance", "at its begin"),
    ],
)
def test_a_planted_phrase_is_found(tree: Path, phrase: str) -> None:
    (tree / "docs" / "page.md").write_text(f"# Title\n\nFirst.\n\nSo {phrase} here.\n")
    (tree / "src" / "module.py").write_text(f'"""Title."""\n\nTEXT = f"{{1}}: {phrase} here"\n')
    (tree / "native" / "code.cpp").write_text(f'\nauto text = "so {phrase} here";\n')

    (page,) = faults(pages(tree))
    (python,) = faults(python_strings(tree))
    (native,) = faults(native_strings(tree))

    assert page.startswith("docs/page.md:5: ")
    assert python.startswith("src/module.py:3: ")
    assert native.startswith("native/code.cpp:2: ")


def test_code_comments_and_design_notes_may_have_them(tree: Path) -> None:
    said = "this is no name"
    (tree / "docs" / "design" / "001.md").write_text(said)
    (tree / "docs" / "page.md").write_text(f"Run:\n\n    {said}\n\n```\n{said}\n```\n`{said}`\n")
    (tree / "src" / "module.py").write_text(f'"""{said}"""\n# {said}\n')
    (tree / "native" / "code.cpp").write_text(f'// "{said}"\n/* "{said}" */\n')

    for places in (pages, python_strings, native_strings):
        assert list(faults(places(tree))) == []


@pytest.mark.parametrize("phrase", ["there is no run", "There are no runs", "is no longer there"])
def test_what_is_english_stays(tree: Path, phrase: str) -> None:
    (tree / "docs" / "page.md").write_text(phrase)

    assert list(faults(pages(tree))) == []
