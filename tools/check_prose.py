"""Finds unidiomatic phrases, sentences that are too long to be read once, and docstrings without a
noun of their own.

It checks README.md and the pages of docs/ except design notes, the strings, docstrings and comments
of src/, tools/ and bench/, and the strings and comments of native/. `KINDS` lists the forbidden
phrases for each kind of text, `NAMED` the directories whose docstrings need a noun. `make lint`
runs it.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PHRASES = {
    r"(?<!there )\b(?:is|are) no (?!longer|more\b|less|better|larger|smaller|faster|slower)\w": (
        "is not a …, there is no …"
    ),
    r"\b(?:told|tells?) (?:\S+ ){0,4}apart\b": "distinguished, separated",
    r"\bso many times as\b|\bas many times as\b": "N times as …",
    r"\bcomes? to (?:its|their|an) end\b": "finishes",
    r"\blikewise\b": "the same, also",
    r"\b(?:is|are) taken for\b": "counts as, is treated as",
    r"\bstands? there\b": "is there, is given",
    r"\bleaves? away\b": "omits",
    r"\bof chance\b": "random",
    r"(?:\b(?:its|the|their)|'s) begins?\b": "start",
    r"\bh(?:olds?|eld|olding) against\b": "validated against, compared with",
    r"\bkeepers?\b": "collector",
    r"\blevers?\b": "opportunity",
    r"(?<!interface )(?<!`)\bcards?\b(?!`)": "NIC",
    r"\bcrowd(?:s|ed|ing)?\b": "oversubscribe",
    r"\bstretch(?:es)? (?:of|between)\b": "interval, segment, range",
    r"\b(?:is|are) played\b": "is simulated",
    r"\bin (?:its|their) stead\b": "in its place",
    r"\bin vain\b": "without success",
    r"\bthe ones? that\b": "the rank that, the file that, …",
    r"\b(?:there|where)(?:by|in|of|upon)\b": "so, in which",
    r"\b(?:left|leaving) away\b": "omitted",
    r"\b(?:comes? to stand|give[sn]? way)\b": "is placed, yields",
}
"""Pattern -> the phrase to write instead."""

SHOWN = PHRASES | {
    r"\bfolders?\b": "directory",
    r"(?<!of )\broofs?\b": "roofline",
    r"\bplay(?:s|ed|ing)?\b": "simulate, execute",
    r"\bpictures?\b": "plot",
    r"\bwhite papers?\b": "report",
    r"\b(?:of|the|its|their) computing\b(?! threads?\b)": "computation",
    r"\b(?:is|are|was|were) asked\b|\basked for\b": "requested, predicted",
    r"\b(?:is|are|be) said\b": "is reported",
    r"\bwants?\b|\bwanted\b": "requires",
    r"\bso many\b(?![^.;:]*\bthat\b)": "this number of",
    r"\bby turns\b": "alternately",
    r"\band (?:its|their) kind\b": "and similar",
}
"""Phrases for texts that users see: pages and strings."""

PAGES = SHOWN | {r"\bprocessors?\b(?! package)": "CPU, core"}
"""Phrases for pages."""

PRINTED = SHOWN | {
    r"(?<!lock )\b(?:contend(?:s|ed|ing)?|contention)\b": "fails the gate, oversubscribed",
    r"(?<!white )\bpapers?\b": "report",
    r"\b(?:an?|the|its|their|nodes') processors?\b(?! package)|\bprocessor time\b": "CPU, core",
    r"\bfor sure\b": "significantly",
    r"\bforetells?\b|\bforetold\b": "predicts",
    r"\b(?:goes|go) with --|\bstands? without\b|\bdoes not take\b": "requires, expected",
    r"\bexcludes? each other\b": "are mutually exclusive",
}
"""Phrases for what the programs print: strings."""

LONGEST = 30
"""Largest number of words in a sentence."""

PYTHON = ("src", "tools", "bench")
"""Directories whose Python is checked; strings are checked in the first, as users see them."""

NAMED = ("src", "native", "tests", "tools", "bench")
"""Directories whose docstrings, and comments of C++, may not begin with "Of"."""

NATIVE_TOKEN = re.compile(
    r"""//[^\n]*
    | /\*.*?\*/
    | R"(?P<mark>\w*)\((?P<raw>.*?)\)(?P=mark)"
    | "(?P<string>(?:[^"\\\n]|\\.)*)"
    | '(?:[^'\\\n]|\\.)'""",
    re.DOTALL | re.VERBOSE,
)
COMMENT_SIGNS = re.compile(r"^[ \t]*(?://[/!]?<?|/\*[*!]?|\*/|\*(?= |$))[ \t]?|\*/$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```|^ {4,}\S.*?$|`[^`\n]*`", re.DOTALL | re.MULTILINE)

QUOTED = re.compile(r"``?[^`]+``?|https?://\S*[\w/]")
END = re.compile(r"""(?<=[.!?])(?=\s)|(?<=[.!?]["')\]])(?=\s)""")
START = re.compile(r"""\s+["'(\[{}]*[A-Z`]""")
HASHES = re.compile(r"^#+ ")
ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
SECTION = re.compile(r"(?:Args|Attributes|Raises|Returns|Yields):$")
ENTRY = re.compile(r" {4}\*{0,2}\w[\w.*]*(?:, \*{0,2}\w[\w.*]*)*: ")
COMMAND = re.compile(r"\\(?:returns?|(?:t?param|throws) +[\w.:]+(?:, [\w.:]+)*) +")
NO_PROSE = re.compile(
    r"""\S[ ]{2,}\S                 # columns
    | [|│├└─]                       # tables and trees
    | ^\s*(?:>>>|\.\.\.[ ]|\$[ ])   # sessions
    | ^(?:\#[ ])?\s*\[[^\]]*\]$     # tables of TOML
    | ^(?:\#[ ])?\s*[\w.-]+\s=\s(?:["'\[{].*|[\d.]+|true|false)\s*(?:\#.*)?$  # assignments
    """,
    re.VERBOSE,
)
FUNCTION_WORD = re.compile(
    r"""["'(]*(?:a|an|and|are|as|at|be|been|but|by|can|each|for|from|has|have|if|in|is|it|its|may|must
    |no|not|of|on|one|only|or|so|than|that|the|their|them|then|there|they|this|those|to|was|were|what
    |when|where|which|who|whose|will|with)[^\w]*""",
    re.VERBOSE,
)
"""Sentences are full of these words, while lists of names, queries and templates have few."""

Place = tuple[str, int, str]
"""File, line and text."""


def sources(root: Path, directories: Iterable[str], pattern: str) -> Iterator[tuple[str, str]]:
    """Name and text of the files below some directories."""
    for directory in directories:
        for path in sorted((root / directory).rglob(pattern)):
            yield str(path.relative_to(root)), path.read_text(encoding="utf-8")


def _without_code(code: re.Match[str]) -> str:
    inline = code[0].startswith("`") and not code[0].startswith("```")
    return "`code`" if inline else "\n" * code[0].count("\n")


def pages(root: Path) -> Iterator[Place]:
    """Paragraphs of the pages for users, without code."""
    files = [root / "README.md", *sorted((root / "docs").rglob("*.md"))]
    for path in files:
        name = str(path.relative_to(root))
        if name.startswith(("docs/design", "docs/gallery")):
            continue
        text = CODE.sub(_without_code, path.read_text(encoding="utf-8"))
        line = 1
        for paragraph in text.split("\n\n"):
            yield name, line, paragraph
            line += paragraph.count("\n") + 2


def documents(tree: ast.AST) -> Iterator[ast.Constant]:
    """The docstrings of a module: strings that are statements."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def python_strings(root: Path) -> Iterator[Place]:
    """String literals other than docstrings; {} stands for each value in an f-string."""
    for name, text in sources(root, PYTHON[:1], "*.py"):
        tree = ast.parse(text)
        passed = {id(node) for node in documents(tree)}
        for node in ast.walk(tree):
            if isinstance(node, ast.JoinedStr):
                passed |= {id(part) for part in node.values}
                words = "".join(
                    str(part.value) if isinstance(part, ast.Constant) else "{}"
                    for part in node.values
                )
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                if id(node) in passed:
                    continue
                words = node.value
            else:
                continue
            if " " in words:
                yield name, node.lineno, words


def docstrings(root: Path, directories: Iterable[str] = PYTHON) -> Iterator[Place]:
    """Docstrings of modules, classes, functions and fields."""
    for name, text in sources(root, directories, "*.py"):
        for node in documents(ast.parse(text)):
            if isinstance(node.value, str):
                yield name, node.lineno, inspect.cleandoc(node.value)


def python_comments(root: Path) -> Iterator[Place]:
    """Comments; consecutive lines are one text."""
    for name, text in sources(root, PYTHON, "*.py"):
        lines: list[str] = []
        first = last = 0
        for token in tokenize.generate_tokens(iter(text.splitlines(keepends=True)).__next__):
            if token.type != tokenize.COMMENT:
                continue
            alone = not token.line[: token.start[1]].strip()
            if lines and not (alone and token.start[0] == last + 1):
                yield name, first, "\n".join(lines)
                lines = []
            if not lines:
                first = token.start[0]
            last = token.start[0]
            lines.append(re.sub(r"^#[:!]? ?", "", token.string))
        if lines:
            yield name, first, "\n".join(lines)


def native_tokens(root: Path) -> Iterator[tuple[str, str, re.Match[str]]]:
    """Name and text of each file of C++, with each of its comments, strings and characters."""
    for name, text in sources(root, ("native",), "*.[ch]pp"):
        for token in NATIVE_TOKEN.finditer(text):
            yield name, text, token


def native_strings(root: Path) -> Iterator[Place]:
    """String literals of C++."""
    for name, text, token in native_tokens(root):
        words = token["string"] or token["raw"] or ""
        if " " in words:
            yield name, text.count("\n", 0, token.start()) + 1, words


def native_comments(root: Path) -> Iterator[Place]:
    """Comments of C++; comments that only blanks separate are one text."""
    place: Place | None = None
    end = 0
    for name, text, token in native_tokens(root):
        if token[0][:2] not in ("//", "/*"):
            continue
        words = COMMENT_SIGNS.sub("", token[0])
        alone = not text[text.rfind("\n", 0, token.start()) + 1 : token.start()].strip()
        gap = text[end : token.start()]
        if place and place[0] == name and alone and not gap.strip() and gap.count("\n") == 1:
            place = (*place[:2], f"{place[2]}\n{words}")
        else:
            if place:
                yield place
            place = (name, text.count("\n", 0, token.start()) + 1, words)
        end = token.end()
    if place:
        yield place


KINDS: dict[Callable[[Path], Iterator[Place]], Mapping[str, str]] = {
    pages: PAGES,
    python_strings: PRINTED,
    docstrings: PHRASES,
    python_comments: PHRASES,
    native_strings: PRINTED,
    native_comments: PHRASES,
}
"""Reader of a kind of text -> the phrases that are forbidden in it."""


def paragraphs(text: str) -> Iterator[str]:
    """Running text in one line each: paragraphs, items of lists, arguments and results."""
    lines: list[str] = []
    section = item = False

    def done() -> Iterator[str]:
        if lines:
            yield QUOTED.sub("`code`", " ".join(lines))
            lines.clear()

    for raw in text.split("\n"):
        line = HASHES.sub("", raw)
        if not line.strip():
            yield from done()
            item = False
        elif match := COMMAND.match(line):
            yield from done()
            item = True
            lines.append(line[match.end() :].strip())
        elif NO_PROSE.search(QUOTED.sub("`code`", line)):
            yield from done()
        elif SECTION.match(line):
            yield from done()
            section = True
        elif match := ITEM.match(line) or (ENTRY.match(line) if section else None):
            yield from done()
            item = True
            lines.append(line[match.end() :].strip())
        elif line.startswith("    ") and not (section or item or lines):
            continue  # code
        else:
            section = section and line.startswith(" ")
            lines.append(line.strip())
    yield from done()


def sentences(text: str) -> Iterator[str]:
    """Sentences, which end at . ! or ? before a blank and a capital letter, or with the text."""
    for paragraph in paragraphs(text):
        begin = 0
        for end in END.finditer(paragraph):
            if START.match(paragraph, end.start()):
                yield paragraph[begin : end.start()].strip()
                begin = end.start()
        yield paragraph[begin:].strip()


def too_long(sentence: str) -> int:
    """Number of words of a sentence if it exceeds `LONGEST`, else 0."""
    words = [word for word in sentence.split() if re.search(r"\w", word)]
    filling = sum(1 for word in words if FUNCTION_WORD.fullmatch(word))
    return len(words) if len(words) > LONGEST and filling * 6 > len(words) else 0


def faults(places: Iterable[Place], phrases: Mapping[str, str] = PHRASES) -> Iterator[str]:
    """One line for each forbidden phrase."""
    for file, line, text in places:
        words = " ".join(text.split())
        for pattern, better in phrases.items():
            for match in re.finditer(pattern, words, re.IGNORECASE):
                yield f"{file}:{line}: {match[0]!r}: write {better!r}"


def long_sentences(places: Iterable[Place]) -> Iterator[str]:
    """One line for each sentence with too many words."""
    for file, line, text in places:
        for sentence in sentences(text):
            if words := too_long(sentence):
                start = " ".join(sentence.split()[:8])
                yield f"{file}:{line}: {start!r} …: {words} words, not over {LONGEST}: split it"


def nameless(root: Path, directories: Iterable[str] = NAMED) -> Iterator[str]:
    """One line for each docstring that begins with "Of", and for each such comment of C++."""
    comments = native_comments(root) if "native" in directories else ()
    for file, line, text in (*docstrings(root, directories), *comments):
        if text.startswith("Of "):
            start = " ".join(text.split()[:4])
            yield f"{file}:{line}: {start!r} …: begin with a noun, as 'Size of a message'"


def found(reader: Callable[[Path], Iterator[Place]], root: Path) -> Iterator[str]:
    """One line for each fault in a kind of text."""
    texts = list(reader(root))
    yield from faults(texts, KINDS[reader])
    yield from long_sentences(texts)


def main() -> int:
    lines = [line for reader in KINDS for line in found(reader, ROOT)] + [*nameless(ROOT)]
    print("".join(f"{line}\n" for line in lines), end="", file=sys.stderr)
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
