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
        text: an entry for each argument: its names, the name of its value and, after two blanks,
            its help. Further lines are indented. An option without value and settings is a flag.
        kinds: function that converts a word -> the names of arguments that it converts.
        settings: name of an argument -> its default, or further parameters of `add_argument`.
    """
    types = {name: kind for kind, names in kinds.items() for name in names.split()}
    for entry in filter(None, re.split(r"\n(?=\S)", textwrap.dedent(text).strip())):
        left, help_text = re.split(r"\s{2,}", entry, maxsplit=1)
        words = left.split()
        options = [word.rstrip(",") for word in words if word.startswith("-")]
        names = options or words[:1]
        name = names[-1].lstrip("-")
        parameters = settings.get(name, {})
        parameters = (
            dict(parameters) if isinstance(parameters, Mapping) else {"default": parameters}
        )
        if name in types:
            parameters["type"] = types[name]
        if len(words) > len(names):
            parameters["metavar"] = words[-1]
        elif options and not parameters:
            parameters["action"] = "store_true"
        parser.add_argument(*names, help=" ".join(help_text.split()), **parameters)


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
    """Adds an action of a verb, with its line of help, arguments, and parameters of its parser."""
    parser = actions.add_parser(name, help=line, **more)
    parser.set_defaults(action=run)
    declare(parser, text, kinds, settings)
    return parser


def named(text: str) -> Path:
    """Parse the name of a directory, or of a file that is not written as a stream; refuses "-"."""
    if text == "-":
        raise argparse.ArgumentTypeError(
            "expected a name, found '-'; standard output takes only what is a single stream"
        )
    return Path(text)
