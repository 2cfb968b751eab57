"""Every help text says what its option does or what its value is: none is a fragment."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest

from waywiser.cli.main import VERBS, module_of

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
            yield from ((f"{path} {one.dest}", one.help or "") for one in action._choices_actions)
            for word, sub in action.choices.items():
                yield from texts(sub, f"{path} {word}")
        elif action.help is not argparse.SUPPRESS:
            yield name, action.help or ""


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
