"""docs/machines.md shows what the verb prints, and the kinds of topologies that there are."""

from __future__ import annotations

import os
import re
import shlex

from tests.support import ROOT, printed
from waywiser.machines.library import machine_from_text
from waywiser.native import _native as native

PATH = ROOT / "docs" / "machines.md"


def kinds_table() -> str:
    lines = ["| kind | what it is | parameters |", "|---|---|---|"]
    for name, about, parameters in native.topology_kinds():
        words = "<br>".join(f"`{key}`: {text}" for key, text in parameters)
        lines.append(f"| `{name}` | {about} | {words} |")
    return "\n".join(lines)


def test_the_page_shows_what_is_printed() -> None:
    page = PATH.read_text(encoding="utf-8")
    expected = page
    shown = re.findall(r"```console\n\$ (waywiser .*)\n((?:.*\n)*?)```", page)
    assert len(shown) == 3
    for command, output in shown:
        text = printed(*shlex.split(command)[1:])
        expected = expected.replace(f"$ {command}\n{output}```", f"$ {command}\n{text}```")
    expected = re.sub(
        r"(### Kinds of topologies\n\n)(?:.+\n)+",
        lambda match: match[1] + kinds_table() + "\n",
        expected,
    )
    if os.environ.get("WAYWISER_UPDATE_GOLDEN"):
        PATH.write_text(expected, encoding="utf-8")
    else:
        assert page == expected


def test_the_file_on_the_page_is_a_machine() -> None:
    text = re.search(r"```toml\n(.*?)```", PATH.read_text(encoding="utf-8"), re.DOTALL)
    assert text is not None

    machine = machine_from_text(text[1], "the page")

    assert machine.node.cores == 64
    assert machine.network.failed[0].cables == 1
