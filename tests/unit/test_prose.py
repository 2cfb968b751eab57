"""tools/check_prose.py: the tree keeps its rules, and it finds what is planted against each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support import ROOT
from tools.check_prose import (
    KINDS,
    LONGEST,
    Place,
    docstrings,
    faults,
    found,
    long_sentences,
    nameless,
    native_comments,
    native_strings,
    pages,
    python_comments,
    python_strings,
    sentences,
)

WORDS = "the run is one of the runs that were made of it in the same job on the same node"
LONG = f"{WORDS} and {WORDS}"
COUNT = len(LONG.split())

PLANTED: dict[Callable[[Path], Iterator[Place]], tuple[str, str]] = {
    pages: ("docs/page.md", "# Title\n\nFirst.\n\n{}"),
    python_strings: ("src/module.py", '"""Title."""\n\n\n\nTEXT = f"{{1}}: {}"\n'),
    docstrings: ("bench/module.py", 'def one() -> None:\n    pass\n\n\n"""{}"""\n'),
    python_comments: ("tools/module.py", "TEXT = 1\n\n\n\n# {}\nNEXT = 2\n"),
    native_strings: ("native/code.cpp", '// one\n\n\n\nauto text = "{}"; // \'"\'\n'),
    native_comments: ("native/code.hpp", '\n\n\nauto text = "//";\n/// {}\nint n = 1;\n'),
}
"""Reader -> a file and its text, which has the planted words in line 5."""

READERS = [pytest.param(reader, id=reader.__name__) for reader in PLANTED]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for directory in ("docs/design", "src", "tools", "bench", "native"):
        (tmp_path / directory).mkdir(parents=True)
    (tmp_path / "README.md").write_text("Nothing.\n")
    return tmp_path


def plant(tree: Path, reader: Callable[[Path], Iterator[Place]], words: str) -> str:
    """The place of the words, as a fault names it."""
    name, text = PLANTED[reader]
    (tree / name).write_text(text.format(words))
    return f"{name}:5: "


@pytest.mark.parametrize("reader", READERS)
def test_the_tree_keeps_the_rules(reader: Callable[[Path], Iterator[Place]]) -> None:
    assert list(found(reader, ROOT)) == []


def test_every_reader_has_its_rules() -> None:
    assert list(KINDS) == list(PLANTED)


@pytest.mark.parametrize("reader", READERS)
def test_each_kind_has_both_rules(tree: Path, reader: Callable[[Path], Iterator[Place]]) -> None:
    place = plant(tree, reader, f"{LONG} of chance")

    phrase, length = found(reader, tree)

    assert phrase.startswith(f"{place}'of chance'")
    assert length.startswith(place)
    assert length.endswith(f"{COUNT + 2} words, not over {LONGEST}: split it")


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "word",
    [
        *("folder", "Folders", "roof", "plays", "picture", "white paper", "of computing"),
        *(
            "is asked",
            "asked for",
            "is said",
            "so many",
            "by turns",
            "and its kind",
            "wants",
            "wanted",
        ),
    ],
)
def test_words_of_the_code_alone_are_not_shown(
    tree: Path, reader: Callable[[Path], Iterator[Place]], word: str
) -> None:
    plant(tree, reader, f"See the {word} here.")

    shown = reader in (pages, python_strings, native_strings)
    assert [word in fault for fault in found(reader, tree)] == [True] * shown


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "phrase",
    [
        *("a contended run", "contention", "the paper"),
        *("for sure", "foretells", "-o goes with --to", "-o stands without -n"),
        *("-n does not take x", "they exclude each other"),
    ],
)
def test_phrases_that_programs_may_not_print(
    tree: Path, reader: Callable[[Path], Iterator[Place]], phrase: str
) -> None:
    plant(tree, reader, f"So {phrase} here.")

    printed = reader in (python_strings, native_strings)
    assert len(list(found(reader, tree))) == printed


@pytest.mark.parametrize(
    ("reader", "words", "faulty"),
    [
        (pages, "one processor", True),
        (pages, "the processor packages", False),
        (python_strings, "a processor", True),
        (native_strings, "the processor packages", False),
        (python_comments, "a processor", False),
    ],
)
def test_users_read_of_cpus_and_cores(
    tree: Path, reader: Callable[[Path], Iterator[Place]], words: str, faulty: bool
) -> None:
    plant(tree, reader, f"See {words} here.")

    assert len([*found(reader, tree)]) == faulty


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "phrase",
    [
        *("X is no TOML", "these are no runs", "cannot be told apart", "computes so many times as"),
        *("it comes to its end", "Likewise of b", "it is taken for a run", "4 stands there twice"),
        *(
            "leaves away",
            "of chance",
            "at its begin",
            "left away",
            "the begin of it",
            "a run's begin",
        ),
        *("tell two ranks apart", "are held against it", "holding against it", "a keeper"),
        *("two levers", "a card of the node", "network cards", "a crowded node"),
        *("a stretch of the run", "it is played", "in its stead", "asks in vain", "the one that"),
        *("thereby", "wherein", "comes to stand", "given way"),
    ],
)
def test_a_planted_phrase_is_found(
    tree: Path, reader: Callable[[Path], Iterator[Place]], phrase: str
) -> None:
    place = plant(tree, reader, f"So {phrase} here.")

    (fault,) = faults(reader(tree))

    assert fault.startswith(place)


@pytest.mark.parametrize("reader", READERS)
def test_a_planted_long_sentence_is_found(
    tree: Path, reader: Callable[[Path], Iterator[Place]]
) -> None:
    place = plant(tree, reader, f"One. {LONG.capitalize()}. Another one.")

    (fault,) = long_sentences(reader(tree))

    assert fault.startswith(f"{place}'The run is one of the runs that' …: {COUNT} words")


def test_docstrings_name_their_thing() -> None:
    assert list(nameless(ROOT)) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [("src/module.py", 'BYTES = 8\n"""{}"""\n'), ("native/code.hpp", "\n/// {}\nint bytes = 8;\n")],
)
def test_a_text_without_its_noun_is_found(tree: Path, name: str, text: str) -> None:
    directories = ("src", "native")
    (tree / name).write_text(text.format("Of a message [B]; none may be longer."))

    (fault,) = nameless(tree, directories)

    assert fault.startswith(f"{name}:2: 'Of a message [B];' …: begin with a noun")
    (tree / name).write_text(text.format("Size of a message [B]. Offers are longer."))
    assert list(nameless(tree, directories)) == []


@pytest.mark.parametrize("reader", READERS)
def test_each_reader_looks_at_its_own_texts_only(
    tree: Path, reader: Callable[[Path], Iterator[Place]]
) -> None:
    plant(tree, reader, "So of chance here.")

    for other_reader in PLANTED:
        if other_reader is not reader:
            assert list(faults(other_reader(tree))) == []


def test_code_and_design_notes_may_have_them(tree: Path) -> None:
    sentence = "this is no name"
    (tree / "docs" / "design" / "001.md").write_text(sentence)
    (tree / "docs" / "page.md").write_text(
        f"Run:\n\n    {sentence}\n\n```\n{sentence}\n```\n`{sentence}`\n"
    )

    assert list(faults(pages(tree))) == []


@pytest.mark.parametrize(
    "phrase",
    [
        *("there is no run", "There are no runs", "is no longer there", "an interface card"),
        *("the old name `cards`", "out of roofs", "the computing threads", "so many that it fails"),
    ],
)
def test_what_is_english_stays(tree: Path, phrase: str) -> None:
    (tree / "docs" / "page.md").write_text(phrase)

    assert list(found(pages, tree)) == []


@pytest.mark.parametrize("reader", [python_comments, native_comments])
def test_comments_of_consecutive_lines_are_one_text(
    tree: Path, reader: Callable[[Path], Iterator[Place]]
) -> None:
    sign = "#" if reader is python_comments else "//"
    plant(tree, reader, f"it is\n{sign} no name\n\n{sign} it is\none = 1  {sign} no name")

    (fault,) = faults(reader(tree))

    assert "'is no n'" in fault


def test_blocks_of_native_comments_are_looked_at(tree: Path) -> None:
    (tree / "native" / "code.cpp").write_text("/*\n * it is\n * no name\n */\nint one;\n")

    (fault,) = faults(native_comments(tree))

    assert fault.startswith("native/code.cpp:1: 'is no n'")


def test_an_f_string_is_one_sentence(tree: Path) -> None:
    (tree / "src" / "module.py").write_text(f'TEXT = f"{WORDS} {{1}} "  f"and {WORDS}"\n')

    (fault,) = long_sentences(python_strings(tree))

    assert f" {COUNT} words" in fault


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("He said (one.) Then two.", ["He said (one.)", "Then two."]),
        ("Of 1.5 s, i.e. of one; `a b. C` is code.", ["Of 1.5 s, i.e. of one; `code` is code."]),
        ("One\nline.\n\nAnother.", ["One line.", "Another."]),
        ("Read\nhttps://a.b/c. Then.", ["Read `code`.", "Then."]),
        ("First:\n- one\n  of these\n- two\n2. three", ["First:", "one of these", "two", "three"]),
        ("Title.\n\n    code is here\n\nEnd.", ["Title.", "End."]),
        ("| a | b |\n|---|---|\nEnd.", ["End."]),
        ("name    what it is\nEnd.", ["End."]),
        ('[table]\nkey = "word"  # what\n# other = 1\n# What is said.', ["What is said."]),
        (
            "Title.\n\nArgs:\n    one: its\n        text\n    two, three: their text\n\nEnd.",
            ["Title.", "its text", "their text", "End."],
        ),
        (
            "Title.\n\\param one, two  their\ntext\n\\throws Fault  if so\n\\return none",
            ["Title.", "their text", "if so", "none"],
        ),
    ],
)
def test_what_is_a_sentence(text: str, sentence: list[str]) -> None:
    assert list(sentences(text)) == sentence


@pytest.mark.parametrize(
    "text",
    [
        " ".join(f"word{number}" for number in range(40)),
        "SELECT a FROM b WHERE c AND d " * 8,
        " ".join(LONG.split()[:LONGEST]),
        f"It runs `{LONG}`.",
    ],
    ids=["names", "query", "not too long", "command"],
)
def test_what_is_no_long_sentence(tree: Path, text: str) -> None:
    plant(tree, docstrings, text)

    assert list(long_sentences(docstrings(tree))) == []
