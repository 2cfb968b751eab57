"""Arguments of verbs, declared as `--help` shows them."""

from __future__ import annotations

import argparse
import re
import textwrap
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

Actions: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

JSON = "--json  print one JSON document"
REPEATED = {"action": "append", "default": []}
REQUIRED = {"required": True}
NONE: Mapping[Any, Any] = {}


def declare(
    parser: argparse._ActionsContainer,
    text: str,
    kinds: Mapping[Callable[[str], Any], str] = NONE,
    settings: Mapping[str, Any] = NONE,
) -> None:
    """Adds arguments.

    Args:
        text: their names, what their values are called, and, behind two blanks, their help. Further
            lines of it are indented. An option without a value or settings is a flag.
        kinds: what makes values of words -> the names of arguments that have such.
        settings: the default of an argument, or further parameters of `add_argument`.
    """
    types = {name: kind for kind, names in kinds.items() for name in names.split()}
    for entry in filter(None, re.split(r"\n(?=\S)", textwrap.dedent(text).strip())):
        left, what = re.split(r"\s{2,}", entry, maxsplit=1)
        words = left.split()
        options = [word.rstrip(",") for word in words if word.startswith("-")]
        names = options or words[:1]
        name = names[-1].lstrip("-")
        given = settings.get(name, {})
        given = dict(given) if isinstance(given, Mapping) else {"default": given}
        if name in types:
            given["type"] = types[name]
        if len(words) > len(names):
            given["metavar"] = words[-1]
        elif options and not given:
            given["action"] = "store_true"
        parser.add_argument(*names, help=" ".join(what.split()), **given)


def add_action(
    actions: Actions,
    name: str,
    run: Callable[[argparse.Namespace], int],
    line: str,
    text: str,
    kinds: Mapping[Callable[[str], Any], str] = NONE,
    settings: Mapping[str, Any] = NONE,
    **more: Any,
) -> argparse.ArgumentParser:
    """Adds what a verb can do, with one line of help, its arguments, and more for its parser."""
    parser = actions.add_parser(name, help=line, **more)
    parser.set_defaults(action=run)
    declare(parser, text, kinds, settings)
    return parser


def named(text: str) -> Path:
    """A directory, or a file that is not written from start to end, which must have a name."""
    if text == "-":
        raise argparse.ArgumentTypeError(
            "expected a name, found '-'; standard output takes only what is a single stream"
        )
    return Path(text)
