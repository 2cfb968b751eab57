"""`waywiser completion`: what each shell offers, asked of the shell itself."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import BIN, ROOT, captured

BASH = """
. {script}
COMP_WORDS=({words}); COMP_CWORD={last}
$(complete -p waywiser | sed 's/.*-F \\([^ ]*\\).*/\\1/')
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
FISH = "source {script}; complete -C '{words}'"


@pytest.fixture(scope="module")
def script_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The script of a shell in a file, printed once."""
    directory = tmp_path_factory.mktemp("completion")

    def written(shell: str) -> Path:
        file = directory / shell
        if not file.exists():
            words = [str(BIN / "waywiser"), "completion", shell]
            done = captured(words, check=True)
            file.write_text(done.stdout, encoding="utf-8")
        return file

    return written


def offered(shell: str, script_of: Callable[[str], Path], words: str) -> set[str]:
    """The shell's completions for the last of these words."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = {"bash": BASH, "fish": FISH}[shell]
    done = captured(
        [
            shell,
            "-c",
            script.format(script=script_of(shell), words=words, last=len(words.split()) - 1),
        ],
        env={"PATH": f"{BIN}:/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stderr
    return {line.split("\t")[0] for line in done.stdout.splitlines()}


@pytest.mark.parametrize("shell", ["bash", "fish"])
@pytest.mark.parametrize(
    ("words", "offers"),
    [
        ("waywiser sh", {"show"}),
        ("waywiser study re", {"report", "resume"}),
        ("waywiser profile --tr", {"--trace", "--trace-limit", "--trace-phase", "--trace-window"}),
        ("waywiser export --to per", {"perfetto"}),
    ],
)
def test_verbs_options_and_values_are_completed(
    script_of: Callable[[str], Path], shell: str, words: str, offers: set[str]
) -> None:
    assert offered(shell, script_of, words) == offers


@pytest.mark.parametrize("words", ["waywiser show", "waywiser import -o", "waywiser report -o"])
def test_files_are_completed(script_of: Callable[[str], Path], words: str) -> None:
    """Files are completed for arguments that must have a name, too."""
    assert offered("bash", script_of, f"{words} {ROOT}/pyproject.t") == {f"{ROOT}/pyproject.toml"}


def test_the_script_of_zsh_is_one(script_of: Callable[[str], Path]) -> None:
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    output = script_of("zsh").read_text(encoding="utf-8")

    subprocess.run(["zsh", "-n"], input=output, text=True, check=True)

    assert output.startswith("#compdef waywiser\n")
    assert "_shtab_waywiser_whatif" in output
