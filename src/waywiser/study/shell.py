"""Reads a shell script without running it: its commands, their words, the values of variables.

Text that only a run can expand, such as the output of a command, stays unexpanded and is unknown.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

SEPARATORS = (";;", "&&", "||", ";", "|", "&", "\n")
CLOSERS = {"$(": ")", "${": "}", "`": "`", '"': '"'}
NAME = re.compile(r"[A-Za-z_]\w*")
ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(\+?)=(.*)", re.DOTALL)
DEFAULT = re.compile(r"([A-Za-z_]\w*)(?::?-(.*))?", re.DOTALL)
HERE_DOCUMENT = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
DEEPEST = 20
MOST_CHARACTERS = 1 << 24
"""Largest number of characters that all words expand to: `b=$a$a` would double it line by line."""


@dataclass(frozen=True)
class Value:
    """The expansion of a word."""

    text: str
    known: bool = True
    """False if a part of the text could not be expanded and is unchanged."""

    @property
    def number(self) -> int | None:
        return int(self.text) if self.known and re.fullmatch(r"-?\d{1,18}", self.text) else None


@dataclass(frozen=True)
class Command:
    line: int
    words: tuple[str, ...]
    """Words as they are written, with their quotes."""


def commands(script: str) -> Iterator[Command]:
    """The simple commands of a script, in the order of its lines."""
    text = _without_here_documents(script.replace("\\\n", "  "))
    joined = _joined_lines(script)
    at, line, words = 0, 0, list[str]()
    start = 0
    while at < len(text):
        separator = next((sign for sign in SEPARATORS if text.startswith(sign, at)), "")
        if separator:
            if words:
                yield Command(joined[start], tuple(words))
                words = []
            line += separator == "\n"
            at += len(separator)
        elif text[at].isspace():
            at += 1
        elif text[at] == "#":
            end = text.find("\n", at)
            at = end if end >= 0 else len(text)
        else:
            end = _end_of_word(text, at)
            if not words:
                start = line
            words.append(text[at:end])
            line += text.count("\n", at, end)
            at = end
    if words:
        yield Command(joined[start], tuple(words))


def _joined_lines(script: str) -> list[int]:
    """Line of the text with its continuations joined, from 0 on -> line of the script, from 1."""
    numbers = [1]
    for number, line in enumerate(script.split("\n"), 1):
        if not line.endswith("\\"):
            numbers.append(number + 1)
    return numbers


def _without_here_documents(text: str) -> str:
    """The text with empty lines in place of here-documents."""
    lines, end = [], ""
    for line in text.split("\n"):
        if end:
            if line.strip() == end:
                end = ""
            lines.append("")
            continue
        if match := HERE_DOCUMENT.search(line):
            end = match[2]
        lines.append(line)
    return "\n".join(lines)


def _end_of_word(text: str, at: int) -> int:
    while at < len(text) and not text[at].isspace() and not text.startswith(SEPARATORS, at):
        if text[at] in "<>" and text[at + 1 : at + 2] == "&":  # 2>&1
            at += 2
        else:
            at = end_of_part(text, at)
    return at


def end_of_part(text: str, at: int) -> int:
    """The end of the part that begins at `at`: a character, or a quoted or bracketed text."""
    closers: list[str] = []
    while at < len(text):
        closer = closers[-1] if closers else ""
        pair, character = text[at : at + 2], text[at]
        step = 1
        if closer == "'":
            if character == "'":
                closers.pop()
        elif character == "\\":
            step = 2
        elif character == closer:
            closers.pop()
        elif pair in CLOSERS:
            closers.append(CLOSERS[pair])
            step = 2
        elif character in CLOSERS:
            closers.append(CLOSERS[character])
        elif character == "'" and closer != '"':
            closers.append("'")
        elif character == "(" and closer == ")":
            closers.append(")")
        at += step
        if not closers:
            break
    return min(at, len(text))


@dataclass
class Shell:
    """Variables of a shell, and the expansion of words with them."""

    output_of: Callable[[str], str | None]
    """Command -> its output, if that is known without running it, else None."""

    variables: dict[str, Value] = field(default_factory=dict)
    left: int = MOST_CHARACTERS

    def assign(self, name: str, word: str) -> Value:
        self.variables[name] = self.expand(word)
        return self.variables[name]

    def expand(self, word: str, depth: int = 0) -> Value:
        """A word with its quotes removed and its variables replaced."""
        if depth > DEEPEST:
            return Value(word, known=False)
        texts, known, at = [], True, 0
        while at < len(word):
            name = NAME.match(word, at + 1) if word[at] == "$" else None
            end = name.end() if name else end_of_part(word, at)
            part = self._part(word[at:end], depth)
            self.left -= len(part.text)
            if self.left < 0:
                return Value(word, known=False)
            texts.append(part.text)
            known &= part.known
            at = end
        return Value("".join(texts), known)

    def _part(self, part: str, depth: int) -> Value:
        if part.startswith("'"):
            return Value(part.strip("'"))
        if part.startswith('"'):
            return self.expand(part.removeprefix('"').removesuffix('"'), depth + 1)
        if part.startswith("\\"):
            return Value(part[1:])
        if part.startswith("$((") and part.endswith("))"):
            return self._arithmetic(part, depth)
        if part.startswith(("$(", "`")):
            output = self.output_of(part.strip("$()` "))
            return Value(part, known=False) if output is None else Value(output)
        if part.startswith("${") and (match := DEFAULT.fullmatch(part[2:-1])):
            if match[1] in self.variables or match[2] is None:
                return self.variables.get(match[1], Value(part, known=False))
            return self.expand(match[2], depth + 1)
        if part.startswith("${"):
            return Value(part, known=False)
        if part.startswith("$") and len(part) > 1:
            return self.variables.get(part[1:], Value(part, known=False))
        return Value(part)

    def _arithmetic(self, part: str, depth: int) -> Value:
        inner = self.expand(part[3:-2], depth + 1)
        unknown = Value(part, known=False)
        if not inner.known:
            return unknown
        try:
            return Value(str(self._number(ast.parse(inner.text.strip(), mode="eval").body)))
        except (SyntaxError, ValueError, RecursionError, MemoryError, ZeroDivisionError, KeyError):
            return unknown

    def _number(self, node: ast.expr) -> int:
        """Arithmetic of the shell, in 64 bits; / rounds towards 0."""
        match node:
            case ast.Constant(value=int() as number):
                result = number
            case ast.Name(id=name):
                value = self.variables[name].number
                if value is None:
                    raise ValueError(name)
                result = value
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                result = -self._number(operand)
            case ast.BinOp(left=left, op=op, right=right):
                result = _operation(op, self._number(left), self._number(right))
            case _:
                raise ValueError("unsupported")
        return (result + 2**63) % 2**64 - 2**63


def _operation(op: ast.operator, left: int, right: int) -> int:
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)
        case ast.Mod():
            return left - right * _operation(ast.Div(), left, right)
    raise ValueError("unsupported")


def without_redirections(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words of a command, and its redirections."""
    kept: list[str] = []
    led: list[str] = []
    rest = iter(words)
    for word in rest:
        if match := re.match(r"[0-9&]*(<|>)[<>&|]*", word):
            led.append(word if match.end() < len(word) else f"{word} {next(rest, '')}")
        else:
            kept.append(word)
    return kept, led
