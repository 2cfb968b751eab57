"""Secrets in command lines and variables, masked before they are stored.

A value is masked where its name says that it is a secret (`--token x`, `--token=x`, `TOKEN=x`). The
user and password of a URL are masked, and so is a value that has the form of a well-known token. In
doubt, the value is masked: a word of the command is less of a loss than a password.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

MASKED = "(masked)"

_SECRET = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|secret|credential|authorization|bearer|cookie"
    r"|tokens?(?![a-z])|(?<![a-z])(?:auth|keys?)(?![a-z])"
    r"|(?:api|access|account|auth|encryption|licen[cs]e|private|session|shared|signing|ssh)"
    r"[-_.]?keys?)"
)
_NAME = rf"[\w.-]{{0,200}}{_SECRET}[\w.-]{{0,200}}"
_SECRET_NAME = re.compile(_SECRET, re.IGNORECASE)

_NAMED_VALUE = re.compile(
    rf"(?P<name>(?<![\w.-]){_NAME}[\"']?\s*[=:]\s*)\S.*", re.IGNORECASE | re.DOTALL
)
"""`name=value` anywhere in a word. The value ends with the word: it may hold any separator."""

_OPTION_AND_VALUE = re.compile(
    rf"(?P<name>(?<![\w.-])--?{_NAME}\s+)(?P<value>\"[^\"]*\"|'[^']*'|[^\s-]\S*)", re.IGNORECASE
)
"""`--name value` within one word, as in the argument of `sh -c`."""

_URL_USER = re.compile(r"(?P<name>\w://)(?P<value>[^\s/?#]{0,500}|[^\s:/@]{1,200}:\S{0,500})@")
_FORMS = re.compile(
    r"(?<![A-Za-z0-9])(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|hf_\w{20,}"
    r"|xox[abeoprs]-[\w-]{10,}|sk-[\w-]{16,}|A[KS]IA[A-Z0-9]{16}|AIza[\w-]{30,}"
    r"|eyJ[\w-]{8,}\.[\w-]+\.?[\w-]*|-----BEGIN.*)",
    re.DOTALL,
)
"""Tokens of GitHub, GitLab, Hugging Face, Slack, OpenAI, AWS and Google, JSON web tokens, private
keys."""

PAIR_OPTIONS = frozenset({"env", "genv", "gmca", "mca", "omca", "pmixmca", "prtemca"})
"""Options of launchers that take a name and its value as two words."""


def is_secret(name: str) -> bool:
    """True if the value of an option or variable of this name is masked."""
    return _SECRET_NAME.search(name) is not None


def masked_text(text: str) -> str:
    """Return a word with its secrets masked."""
    text = _URL_USER.sub(rf"\g<name>{MASKED}@", text)
    text = _FORMS.sub(MASKED, text)
    text = _NAMED_VALUE.sub(rf"\g<name>{MASKED}", text)
    return _OPTION_AND_VALUE.sub(rf"\g<name>{MASKED}", text)


def masked_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return a command line with its secrets masked; the number of words stays the same."""
    result = []
    for index, word in enumerate(words):
        before = words[index - 1] if index else ""
        two_before = words[index - 2] if index > 1 else ""
        option = before.startswith("-") and "=" not in before and not word.startswith("-")
        paired = two_before.startswith("-") and two_before.lstrip("-") in PAIR_OPTIONS
        named = (option or paired) and is_secret(before)
        result.append(MASKED if named else masked_text(word))
    return tuple(result)


def masked_environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return variables with the secrets in their values masked."""
    return {
        name: MASKED if is_secret(name) else masked_text(value) for name, value in variables.items()
    }
