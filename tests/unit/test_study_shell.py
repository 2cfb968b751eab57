"""Words and commands of shell scripts, as far as studies read them."""

from __future__ import annotations

import pytest

from waywiser.study.shell import Shell, Value, commands


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("plain", "plain"),
        ("$a", "8"),
        ("${a}b", "8b"),
        ("$ab", None),
        ('"$a b"', "8 b"),
        ("'$a'", "$a"),
        (r"\$a", "$a"),
        ("${a-1}", "8"),
        ("${z-1}", "1"),
        ("${z:-$a}", "8"),
        ("${a%.*}", None),
        ("$((a-1))", "7"),
        ("$(( $a * (2 + b) ))", "40"),
        ("$((-7/2))", "-3"),
        ("$((-7%2))", "-1"),
        ("$((a/0))", None),
        ("$((z+1))", None),
        ("$((9223372036854775807+1))", "-9223372036854775808"),
        ("$((a**a))", None),
        ("$((__import__('os')))", None),
        ("$(known)", "12"),
        ("`known`", "12"),
        ('"$(unknown "x y")"', None),
        ("cores(${a-1})", "cores(8)"),
    ],
)
def test_words_come_to_what_a_shell_makes_of_them(word: str, value: str | None) -> None:
    shell = Shell(lambda command: "12" if command == "known" else None)
    shell.variables = {"a": Value("8"), "b": Value("3")}

    expanded = shell.expand(word)

    assert (expanded.text if expanded.known else None) == value


def test_commands_have_their_lines_and_words() -> None:
    script = 'a=1; b="x ; y" # c\n\ncmd one \\\n  two && (other $(p | q)\ncat <<END\nno\nEND\nlast'

    parsed = [(command.line, command.words) for command in commands(script)]

    assert parsed == [
        (1, ("a=1",)),
        (1, ('b="x ; y"',)),
        (3, ("cmd", "one", "two")),
        (3, ("(other", "$(p | q)")),
        (5, ("cat", "<<END")),
        (8, ("last",)),
    ]
