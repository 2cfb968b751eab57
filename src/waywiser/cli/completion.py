"""`waywiser completion SHELL`: a script with which the shell completes verbs, options and files."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import shtab

from waywiser.cli.arguments import named
from waywiser.cli.main import whole_parser

SHELLS = {
    "bash": 'eval "$(waywiser completion bash)" in ~/.bashrc',
    "zsh": 'eval "$(waywiser completion zsh)" in ~/.zshrc, after compinit',
    "fish": "waywiser completion fish > ~/.config/fish/completions/waywiser.fish",
}
"""Shell -> the command that installs its script."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = "Print the script with which a shell completes verbs, options and files."
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    parser.epilog = "installation:\n" + "\n".join(
        f"  {name:4}  {line}" for name, line in SHELLS.items()
    )


def run(arguments: argparse.Namespace) -> int:
    top = whole_parser()
    for action in _actions(top):
        if action.type in (Path, named) or action.nargs == argparse.REMAINDER:
            # shtab reads this attribute, which argparse does not declare.
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        if not isinstance(action, argparse._SubParsersAction) and action.choices:
            action.choices = list(action.choices)  # shtab takes a mapping for verbs
    print(shtab.complete(top, arguments.shell))
    return 0


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for verb in action.choices.values():
                yield from _actions(verb)
