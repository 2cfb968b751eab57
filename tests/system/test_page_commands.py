"""Commands in the pages for users have only verbs, options and values that the programs accept.

Blocks hold whole commands; code within a sentence may leave out what is required. Parsers of
`waywiser` decide, and `--help` of each `ww-*` program.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import shlex
from collections.abc import Iterator
from functools import cache
from itertools import groupby, pairwise
from pathlib import Path

import pytest

from tests.support import BIN, ROOT, MpiLibrary, captured
from waywiser.cli.main import whole_parser

PAGES = [
    ROOT / "README.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if "design" not in page.parts),
]
CODE = re.compile(
    r"^```\w*\n(?P<block>.*?)^```|^ {4,}(?P<line>\S.*)$|`(?P<words>[^`\n]+)`", re.S | re.M
)
OURS = re.compile(r"waywiser|ww-[a-z]+")
PROMPT = re.compile(r"^[$>] ")
OPERATORS = frozenset("();<>|&")
STANDS_FOR = {"NAME": "tpv33", "FORMAT": "csv", "$order": "random"}
"""Name of a value in a page, or a variable -> a value that the parsers accept."""

OF_READERS = {"ww-jacobi"}
"""Programs that a page has its reader write."""


def commands(text: str) -> Iterator[tuple[bool, list[str]]]:
    """The words of each command in a page's code, and True if it is whole."""
    for code in CODE.finditer(text.replace("\\\n", " ")):
        shown = code["block"] or code["line"] or code["words"]
        lines = shown.splitlines()
        prompted = [PROMPT.sub("", line) for line in lines if PROMPT.match(line)]
        for line in prompted or ([] if code["line"] and "`" in shown else lines):
            for words in _split(line):
                yield code["words"] is None, words


def _split(line: str) -> Iterator[list[str]]:
    """The commands of a line, from the name of a program of ours on."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.wordchars += "$:@%,{}…"
    try:
        words = list(lexer)
    except ValueError:  # an apostrophe of prose
        return
    for is_operator, part in groupby(words, lambda word: set(word) <= OPERATORS):
        command = [STANDS_FOR.get(word, word) for word in part]
        names = [Path(word).name for word in command]
        starts = [at for at, name in enumerate(names) if OURS.fullmatch(name)]
        for start, end in pairwise([*starts, len(command)]):
            if not is_operator and "import" not in command[:start]:  # of Python
                yield [names[start], *command[start + 1 : end]]


def parser_of_pages(*, whole: bool) -> argparse.ArgumentParser:
    """The command's parser, which takes a variable of the shell for any value without choices;
    where a command is not whole, nothing is required."""
    top = whole_parser()
    parsers = [top]
    for parser in parsers:
        parser.allow_abbrev = False
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                parsers.extend(action.choices.values())
                action.required &= whole
                continue
            if action.choices is None:
                action.type = None
            if not whole:
                action.required = False
                if action.nargs in (None, "+"):
                    action.nargs = "*" if action.nargs else "?"
    return top


PARSERS = {whole: parser_of_pages(whole=whole) for whole in (True, False)}


def refused(whole: bool, words: list[str]) -> str:
    """The sentence with which `waywiser` refuses a command; "" if it accepts it."""
    with contextlib.redirect_stderr(io.StringIO()) as sentence:
        try:
            PARSERS[whole].parse_args(words)
        except SystemExit:
            return sentence.getvalue()
    return ""


@cache
def options_of(program: Path) -> frozenset[str]:
    """The options of a `ww-*` program, which may be of no MPI library's."""
    output = captured([program if program.exists() else BIN / program.name, "--help"]).stdout
    return frozenset(re.findall(r"--([a-z][\w-]*)", output))


def unknown(program: Path, words: list[str]) -> list[str]:
    """Options of a command that its `ww-*` program does not have."""
    own = [*words, "--"][: [*words, "--"].index("--")]
    used = [word[2:].partition("=")[0] for word in own if word.startswith("--")]
    return [option for option in used if option not in options_of(program)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_are_accepted(page: Path, openmpi: MpiLibrary) -> None:
    assert faults(page.read_text(encoding="utf-8"), openmpi.bin) == []


def faults(text: str, programs: Path) -> list[str]:
    messages = []
    for whole, (name, *words) in commands(text):
        if name == "waywiser":
            messages.append(refused(whole, words) if words else "")
        elif name not in OF_READERS:
            messages += [f"{name} has no --{option}" for option in unknown(programs / name, words)]
    return [fault for fault in messages if fault]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("```console\n$ waywiser profil -- ./a\n```\n", "profil: unknown verb"),
        ("```console\n$ waywiser show first --jsn | head\n```\n", "--jsn: unknown option"),
        ("```console\n$ for a in b; do waywiser advise; done\n```\n", "required: RUN"),
        ("    $ waywiser export r --to cvs -o x\n", "--to cvs: unknown value"),
        ("Use `waywiser place --objectiv time`.", "--objectiv: unknown option"),
        ("```sh\nmpirun -n 2 ww-propa --n1 9 \\\n  --orders=8\n```\n", "ww-propa has no --orders"),
        ("Use `ww-exec --runs RUN -- ./app`.", "ww-exec has no --runs"),
    ],
)
def test_a_planted_mistake_is_found(openmpi: MpiLibrary, text: str, says: str) -> None:
    (fault,) = faults(text, openmpi.bin)
    assert says in fault


def test_the_pages_have_commands_of_both_kinds() -> None:
    names = [
        words[0]
        for page in PAGES
        for _, words in commands(page.read_text(encoding="utf-8"))
        if len(words) > 1
    ]
    assert names.count("waywiser") > 200
    assert len({*names}) > 10
