"""Placeholders for programs and modules that `make demo` has not built."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import executable
from tools import build
from waywiser.errors import ToolMissing
from waywiser.launch.workloads import PLACEHOLDER, make_ready


def script(path: Path, *lines: str) -> Path:
    executable(path, "\n".join(lines) + "\n")
    return path


def test_a_placeholder_is_replaced_before_its_program_is_looked_at(tmp_path: Path) -> None:
    program = script(
        tmp_path / "ww-grid",
        *build.SCRIPT.splitlines()[:2],
        f'[ "$WAYWISER_BUILD_ONLY" ] && echo built > {tmp_path}/ww-grid.new',
        f"mv {tmp_path}/ww-grid.new $0",
    )

    make_ready(program)

    assert program.read_text(encoding="utf-8") == "built\n"


def test_other_scripts_are_not_started(tmp_path: Path) -> None:
    program = script(tmp_path / "app", "#!/bin/sh", "# A program.", f"touch {tmp_path}/started")

    make_ready(program)

    assert not (tmp_path / "started").exists()


def test_a_build_that_fails_is_reported_in_one_sentence(tmp_path: Path) -> None:
    program = script(tmp_path / "ww-grid", *build.SCRIPT.splitlines()[:2], "exit 1")

    with pytest.raises(ToolMissing, match=r"ww-grid could not be built; `make setup`"):
        make_ready(program)


def test_the_scripts_that_are_written_are_known_as_placeholders(tmp_path: Path) -> None:
    assert build.PLACEHOLDER.startswith(PLACEHOLDER)
    assert build.is_placeholder(script(tmp_path / "ww-grid", build.SCRIPT))
    assert not build.is_placeholder(script(tmp_path / "app", "#!/bin/sh", "echo"))


def test_a_module_in_place_of_a_compiled_one_builds_it_and_yields(tmp_path: Path) -> None:
    """The compiled module comes before the placeholder, as Python looks for both."""
    builder = script(
        tmp_path / "builder.py",
        "from pathlib import Path",
        f"Path({str(tmp_path / 'made')!r}).mkdir()",
        f"Path({str(tmp_path / 'made' / '__init__.py')!r}).write_text('answer = 42')",
    )
    module = build.MODULE.replace(build.__file__, str(builder))
    assert str(builder) in module
    (tmp_path / "made.py").write_text(module, encoding="utf-8")

    done = subprocess.run(
        [sys.executable, "-c", "import made; print(made.answer)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.stdout == "42\n", done.stderr


def test_what_analyses_is_loaded_when_one_of_its_names_is_used() -> None:
    code = (
        "import sys; from waywiser.native import _native as native; "
        "print('waywiser.native._analysis' in sys.modules); native.replay; "
        "print('waywiser.native._analysis' in sys.modules); native.no_such_name"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.stdout.split() == ["False", "True"]
    assert "no_such_name" in done.stderr.splitlines()[-1]
    assert done.stderr.splitlines()[-1].startswith("AttributeError")


def test_a_program_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    """Users' programs may be executable, and not readable."""
    make_ready(tmp_path)
