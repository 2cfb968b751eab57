"""Every help text says what its option does or what its value is: none is a fragment."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from waywiser.cli.main import GROUPS, VERBS, main, module_of, whole_parser

FRAGMENTS = {
    *("of", "for", "from", "in", "that", "which", "what", "whose", "where", "whether", "how"),
    *("as", "to", "it", "this", "its", "default:", "e.g.", "see"),
}
"""Words that begin a text which only the option's name would complete."""


def texts(parser: argparse.ArgumentParser, path: str) -> Iterator[tuple[str, str]]:
    """Options, arguments and actions of a command line, with their help."""
    for action in parser._actions:
        name = " ".join((path, *(action.option_strings or [action.dest])))
        if isinstance(action, argparse._SubParsersAction):
            yield from (
                (f"{path} {verb.dest}", verb.help or "") for verb in action._choices_actions
            )
            for word, sub in action.choices.items():
                yield from texts(sub, f"{path} {word}")
        elif action.help is not argparse.SUPPRESS:
            yield name, action.help or ""


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parser and those of its verbs and actions."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for sub in action.choices.values():
                yield from parsers(sub)


def all_texts() -> Iterator[tuple[str, str]]:
    yield from VERBS.items()
    for verb in VERBS:
        parser = argparse.ArgumentParser(verb)
        module_of(verb).add_arguments(parser)
        yield from texts(parser, verb)
        yield f"{verb}'s description", parser.description or ""


@pytest.mark.parametrize(("name", "text"), list(all_texts()))
def test_a_text_is_no_fragment(name: str, text: str) -> None:
    assert text, f"{name} has no help"
    assert text.split()[0].lower() not in FRAGMENTS, f"{name}: {text}"


@pytest.mark.parametrize("parser", list(parsers(whole_parser())), ids=lambda parser: parser.prog)
def test_a_page_of_help_fits_a_terminal(
    monkeypatch: pytest.MonkeyPatch, parser: argparse.ArgumentParser
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = parser.format_help().splitlines()

    assert [line for line in lines if len(line) > 80] == []
    words = {word for text in texts_of(parser) for word in text.split()}
    assert [
        line for line in lines if re.search(r"\w-$", line) and line.split()[-1] not in words
    ] == []
    if parser.description:
        assert not parser.description.split()[0].endswith("s"), "a description is an imperative"


def texts_of(parser: argparse.ArgumentParser) -> Iterator[str]:
    yield from (parser.description or "", parser.epilog or "")
    yield from (action.help or "" for action in parser._actions)


def test_lines_of_verbs_are_aligned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = whole_parser().format_help().splitlines()
    starts = {
        len(match[0]) for line in lines if (match := re.match(r"    [a-z]+ {2,}(?=\S)", line))
    }

    assert len(starts) == 1
    assert sum(
        line.split()[:1] == [verb] and len(line.split()) > 1 for line in lines for verb in VERBS
    ) == len(VERBS)


def test_verbs_are_grouped_by_use() -> None:
    lines = whole_parser().format_help().splitlines()
    words = {
        heading: [line.split()[0] for line in lines[at + 1 : at + 1 + len(group)]]
        for heading, group in GROUPS.items()
        for at in (lines.index(f"  {heading}:"),)
    }

    assert words == {heading: [*group] for heading, group in GROUPS.items()}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("profle", "profle: unknown verb (did you mean profile?); `waywiser --help` lists"),
        (
            "study statsu f",
            "statsu: unknown action (did you mean status?); `waywiser study --help`",
        ),
        (
            "profile --tracelimit 1G",
            "--tracelimit: unknown option (did you mean --trace-limit?); `",
        ),
        ("show RUN --jsn", "--jsn: unknown option (did you mean --json?); `waywiser show --help`"),
        (
            "export RUN --to cvs",
            "--to cvs: unknown value (did you mean csv?); expected one of json",
        ),
        ("mesh tpv34", "tpv34: unknown name (did you mean tpv33?); `waywiser mesh --help` lists"),
        ("completion zhs", "zhs: unknown shell (did you mean zsh?); `waywiser completion --help`"),
    ],
)
def test_what_was_meant_is_suggested(
    capsys: pytest.CaptureFixture[str], words: str, says: str
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(words.split())
    assert capsys.readouterr().err.startswith(f"waywiser: {says}")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["show", "rnu"], "rnu: directory not found (did you mean run?); give one that"),
        (["open", "rnu"], "rnu: directory not found (did you mean run?); give one that"),
        (["compare", "rnu", "run"], "rnu: directory not found (did you mean run?); give one"),
        (["whatif", "rnu", "--balanced"], "rnu: run or study not found (did you mean run?); a"),
        (
            ["machine", "show", "archr2"],
            "there is no machine archr2 (did you mean archer2?); there",
        ),
        (["profile", "--", "mpirn"], "no program mpirn to profile (did you mean mpirun?), or it"),
    ],
)
def test_names_beside_a_missing_one_are_suggested(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    words: list[str],
    says: str,
) -> None:
    (tmp_path / "run").mkdir()
    monkeypatch.chdir(tmp_path)

    assert main(words) == 2
    assert says in capsys.readouterr().err


def test_nothing_is_suggested_for_what_is_like_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ("xyzzy", "show RUN --quux", "profile --mpi x", "mesh tpv33 --order 9"):
        with pytest.raises(SystemExit, match="2"):
            main(words.split())
        assert "did you mean" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "verb"),
    [
        ("show RUN --quux", "show"),
        ("show RUN extra", "show"),
        ("machine compare a b -x", "machine compare"),
    ],
)
def test_an_unknown_argument_points_to_the_help_of_its_verb(
    capsys: pytest.CaptureFixture[str], words: str, verb: str
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(words.split())
    assert f"; `waywiser {verb} --help` lists" in capsys.readouterr().err


def test_without_a_verb_the_first_steps_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    output = capsys.readouterr().err
    commands = [line.split() for line in output.splitlines() if line.startswith("    waywiser ")]
    assert [command[1] for command in commands] == ["profile", "show", "report", "advise"]
    assert {command[1] for command in commands} <= set(VERBS)
