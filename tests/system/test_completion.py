"""`waywiser completion`: what each shell offers, asked of the shell itself."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from tests.support import BIN, ROOT, environment

BASH = """
eval "$(waywiser completion bash)"
COMP_WORDS=({words}); COMP_CWORD={last}
$(complete -p waywiser | sed 's/.*-F \\([^ ]*\\).*/\\1/')
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
FISH = "waywiser completion fish | source; complete -C '{words}'"


def offered(shell: str, words: str) -> set[str]:
    """What the shell offers for the last of these words."""
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = {"bash": BASH, "fish": FISH}[shell].format(words=words, last=len(words.split()) - 1)
    done = subprocess.run(
        [shell, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env=environment({"PATH": f"{BIN}:/usr/bin:/bin"}),
        timeout=200,
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
def test_verbs_options_and_values_are_completed(shell: str, words: str, offers: set[str]) -> None:
    assert offered(shell, words) == offers


@pytest.mark.parametrize("words", ["waywiser show", "waywiser import -o", "waywiser report -o"])
def test_files_are_completed(words: str) -> None:
    """Also of arguments that must have a name."""
    assert offered("bash", f"{words} {ROOT}/pyproject.t") == {f"{ROOT}/pyproject.toml"}


def test_the_script_of_zsh_is_one() -> None:
    if shutil.which("zsh") is None:
        pytest.skip("zsh is not installed")
    said = subprocess.run(
        [BIN / "waywiser", "completion", "zsh"], capture_output=True, text=True, check=True
    ).stdout

    subprocess.run(["zsh", "-n"], input=said, text=True, check=True)

    assert said.startswith("#compdef waywiser\n")
    assert "_shtab_waywiser_whatif" in said
