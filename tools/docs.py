"""`make docs`: the site in build/docs/html, and the man page build/docs/man/waywiser.1.

The pages are those of the repository in the same layout, so that a link works in both places. The
README is the first page; the reference also has pages that are generated from the code.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.live_gallery import EXHIBITS, GALLERY
from tools.schemas import SCHEMA
from waywiser.cli.main import GROUPS, whole_parser

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "docs"
REFERENCE = Path("docs", "reference")
LIVE = Path("docs", "gallery", "live.md")
BESIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "CITATION.cff")
"""Files of the repository's root that pages link to."""


def main() -> int:
    os.environ["COLUMNS"] = "100"  # where argparse wraps a usage
    source = BUILD / "source"
    shutil.rmtree(BUILD, ignore_errors=True)
    for directory in ("docs", "examples"):
        shutil.copytree(ROOT / directory, source / directory)
    for name in BESIDE:
        shutil.copy(ROOT / name, source / name)
    shutil.copy(ROOT / "README.md", source / "index.md")
    for page in (commands, schemas, sentences):
        path = source / REFERENCE / f"{page.__name__}.md"
        path.write_text("\n".join(page()), encoding="utf-8")
    (source / LIVE).write_text("\n".join(live(GALLERY)), encoding="utf-8")
    for builder in ("html", "man"):
        options = ["--fail-on-warning", "--keep-going", "--quiet", "-b", builder]
        directories = ["-c", source / "docs", "-d", BUILD / "doctrees", source, BUILD / builder]
        command = [sys.executable, "-m", "sphinx", *options, *map(str, directories)]
        done = subprocess.run(command, check=False)
        if done.returncode != 0:
            return done.returncode
    pages = (BUILD / "html" / LIVE).with_suffix("")
    pages.mkdir()
    for exhibit in EXHIBITS.values():
        if (site := GALLERY / exhibit.page).exists():
            shutil.copy(site, pages)
    print(f"wrote {(BUILD / 'html' / 'index.html').relative_to(ROOT)}")
    return 0


def live(page: Path) -> Iterator[str]:
    """The live gallery, whose pages are in `made`."""
    yield "# Live pages\n"
    yield "These pages were made with the site, by the commands beside them, on the machine that"
    yield "built it. Each one is a single file, which also works without this site.\n"
    for exhibit in EXHIBITS.values():
        yield f"## {exhibit.title}\n"
        yield f"{exhibit.look}\n"
        yield from ("```shellsession", *(f"$ {line}" for line in exhibit.commands), "```\n")
        if (page / exhibit.page).exists():
            yield f'<a href="live/{exhibit.page}">Open the page</a>\n'
        else:
            yield "The page was not made:"
            yield f"`make docs` makes it where `{exhibit.program}` is installed.\n"


def commands() -> Iterator[str]:
    """The command reference, from the parsers."""
    top = whole_parser()
    yield "# Commands\n"
    yield f"{top.description}\n"
    yield "`waywiser VERB --help` prints the same text. Every verb exits with the codes of"
    yield "[exit codes and environment](exit-codes.md).\n"
    (verbs,) = (part for part in top._actions if isinstance(part, argparse._SubParsersAction))
    for heading, group in GROUPS.items():
        yield f"## {heading}\n"
        for verb, line in group.items():
            yield from _command(verbs.choices[verb], line, 3)


def _command(command: argparse.ArgumentParser, line: str, level: int) -> Iterator[str]:
    yield f"{'#' * level} {command.prog}\n"
    yield f"{_portable(command.description or line[0].upper() + line[1:] + '.')}\n"
    yield from ("```text", command.format_usage().rstrip(), "```\n")
    formatter = command._get_formatter()
    for action in command._actions:
        if isinstance(action, argparse._SubParsersAction):
            for subcommand in action._choices_actions:
                yield from _command(
                    action.choices[subcommand.dest], subcommand.help or "", level + 1
                )
        elif action.help is not argparse.SUPPRESS and not isinstance(action, argparse._HelpAction):
            yield f"`{formatter._format_action_invocation(action)}`"
            yield f": {_portable(formatter._expand_help(action))}\n"
    if command.epilog:
        listed = "\n" in command.epilog
        yield from ("```text", command.epilog, "```\n") if listed else (f"{command.epilog}\n",)


def _portable(text: str) -> str:
    """The text without the path of this Python."""
    return text.replace(sys.executable, "python3").replace("*", r"\*")


def schemas() -> Iterator[str]:
    """The fields of the JSON documents: their schemas, with the docstrings of the models."""
    yield "# JSON documents\n"
    yield "Each `--json` prints one document, which the definition of its name in"
    yield f"[{SCHEMA.name}]({SCHEMA.name}) validates.\n"
    meanings = docstrings()
    definitions: dict[str, dict[str, Any]] = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    yield "| document | type | what it has |\n|---|---|---|"
    for name, schema in sorted(definitions.items()):
        if "$ref" in schema:
            about = definitions[schema["$ref"].rpartition("/")[2]].get("description", "")
            yield f"| {name} | {_type(schema)} | {_inline(about)} |"
    yield "\n## Types\n"
    for name, schema in sorted(definitions.items()):
        if "properties" in schema:
            yield f"### {name}\n"
            yield f"{_inline(schema.get('description', ''))}\n"
            yield from _fields(schema, meanings.get(name, {}))


def docstrings() -> dict[str, dict[str, str]]:
    """Class of `waywiser.model` -> field -> docstring, including the fields of base classes."""
    results: dict[str, dict[str, str]] = {}
    for path in sorted((ROOT / "src" / "waywiser" / "model").rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for definition in (node for node in tree.body if isinstance(node, ast.ClassDef)):
            fields = results.setdefault(definition.name, {})
            for base in definition.bases:
                fields |= results.get(ast.unparse(base), {})
            for field, text in pairwise(definition.body):
                match field, text:
                    case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(
                        ast.Constant(str(docstring))
                    ):
                        fields[name] = docstring
    return results


def _fields(schema: dict[str, Any], meanings: dict[str, str]) -> Iterator[str]:
    yield "| field | type | meaning |"
    yield "|---|---|---|"
    for name, field in schema.get("properties", {}).items():
        yield f"| `{name}` | {_type(field)} | {_inline(meanings.get(name, ''))} |"
    yield ""


def _inline(text: str) -> str:
    """A docstring as text for a line or a table's cell."""
    return re.sub(r"([|<*])", r"\\\1", " ".join(text.split()))


def _type(field: dict[str, Any]) -> str:
    """A field's type in a word or two."""
    if "$ref" in field:
        name = str(field["$ref"]).rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in field:
        return " or ".join(_type(alternative) for alternative in field["anyOf"])
    if field.get("type") == "array":
        return f"array of {_type(field.get('items', {}))}"
    return str(field.get("type", "any"))


def sentences() -> Iterator[str]:
    """The sentences of reports and their conditions, from the tables of the tests."""
    yield "# Sentences of reports and answers\n"
    yield "Each sentence and label is listed with the condition under which it appears."
    yield "The sign … stands for a value.\n"
    for path in sorted((ROOT / "tests" / "sentences").glob("*.toml")):
        room, _, part = path.stem.partition(".")
        rows = tomllib.loads(path.read_text(encoding="utf-8"))
        rows.pop("runs", None)
        yield f"## {part.replace('.', ': ').replace('_', ' ').capitalize()} ({room})\n"
        yield "| sentence | appears when |"
        yield "|---|---|"
        for text, (when, *_) in rows.items():
            yield f"| {_cell(text)} | {_cell(when)} |"
        yield ""


def _cell(text: str) -> str:
    """A text escaped for a cell of a table."""
    literal = re.sub(r"([\\`*_<>|\[\]#$~])", r"\\\1", " ".join(text.split()))
    return re.sub(r"\{[^}]*\}", "…", literal)


if __name__ == "__main__":
    sys.exit(main())
