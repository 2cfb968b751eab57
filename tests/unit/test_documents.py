"""The reference matches the models, and the pages name only what exists."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.support import ROOT


def test_the_schemas_in_the_reference_are_those_of_the_models() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "schemas.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/tutorial.md"])
def test_links_and_files_that_a_page_names_exist(page: str) -> None:
    path = ROOT / page
    text = path.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    files = re.findall(r"`((?:docs|tests|tools|bench|examples|native)/[\w./-]+\.\w+)`", text)

    missing = [link for link in links if not (path.parent / link).exists()]
    missing += [
        file for file in files if not re.search("NAME|NNN", file) and not (ROOT / file).exists()
    ]

    assert not missing


def test_the_package_installs_what_the_makefile_installs() -> None:
    """Each direct dependency has an exact version, and the Makefile installs it."""
    pinned = set(re.findall(r"^([\w-]+)==", (ROOT / "constraints.txt").read_text(), re.MULTILINE))
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    block = re.search(r"^dependencies = \[(.*?)\]", project, re.MULTILINE | re.DOTALL)
    assert block is not None
    wanted = set(re.findall(r'"([\w-]+)', block[1]))

    assert wanted <= pinned
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"\b{re.escape(name)}\b", makefile) for name in wanted)
