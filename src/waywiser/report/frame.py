"""The frame of every page: one HTML file with its plots and the program that draws them.

The page loads nothing. A content security policy enforces that in the browser, and allows only the
two scripts of this file, by their hashes. Expressions of the plots are interpreted, so that `eval`
stays forbidden too. Texts from the measured program are data everywhere.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from waywiser.progress import steps
from waywiser.report.drawing.plot import Cell, Drawn, Short
from waywiser.report.drawing_library import drawing_library
from waywiser.units import count_text, unbroken

TEMPLATES = Path(__file__).parent / "templates"

_COMMENT = re.compile(r"^ *//.*\n", re.MULTILINE)
"""A comment on a line of its own in a script, which pages omit."""

_UNSAFE_IN_SCRIPT = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


@dataclass(frozen=True)
class Section:
    """A plot, ready for the template."""

    number: int | None
    """Number of the picture; None if the page has the table alone."""

    drawn: Drawn
    specification: Markup
    """Vega-Lite description for its <script> element; empty if Vega does not draw it."""


def sections(plots: Sequence[Drawn]) -> list[Section]:
    """Plots in the order of the page; pictures are numbered from 1."""
    numbers = itertools.count(1)
    return [
        Section(next(numbers) if _is_plot(plot) else None, plot, _specified(plot))
        for plot in steps("drawing", plots, len(plots))
    ]


def _is_plot(drawn: Drawn) -> bool:
    return drawn.timeline is not None or (drawn.chart is not None and drawn.pictured)


def _specified(drawn: Drawn) -> Markup:
    """The plot's description for Vega; empty if it has no picture or Vega does not draw it."""
    if not _is_plot(drawn) or drawn.timeline or drawn.explored:
        return Markup()
    return Markup(json_for_script(json.loads(drawn.specification)))


def framed(name: str, styles: Sequence[str], scripts: Sequence[str], **content: Any) -> str:
    """A page as HTML, of which the drawing program takes some 0.9 MB.

    Args:
        name: name of the template.
        styles, scripts: files of templates/ for the page.
        content: variables of the template.
    """
    library = drawing_library()
    drawing = _COMMENT.sub("", "".join(map(template, scripts)))
    return (
        _environment()
        .get_template(name)
        .render(
            style=Markup("".join(map(template, styles))),
            library=Markup(library),
            notices=template("notices.txt"),
            drawing=Markup(drawing),
            script_hashes=Markup(" ".join(f"'{script_hash(text)}'" for text in (library, drawing))),
            **content,
        )
    )


def json_for_script(value: Any) -> str:
    """`value` as JSON for a <script> element: no text in it can end the element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_UNSAFE_IN_SCRIPT)


def script_hash(script: str) -> str:
    """The source expression that allows this one inline script (CSP Level 3, section 2.3.1)."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return "sha256-" + base64.b64encode(digest).decode("ascii")


def template(name: str) -> str:
    """The text of a file that a page contains unchanged."""
    return (TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment() -> jinja2.Environment:
    """The environment of the templates: their values are text, not markup."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "breakable": _breakable,
        "cell": _cell,
        "moment": _moment,
        "prose": _prose,
    }
    environment.tests["short"] = lambda value: isinstance(value, Short)
    return environment


def _cell(value: Cell, decimals: int) -> str:
    """The text of a table's cell: integers are exact, times have the decimals of their column, and
    names may be broken between their parts."""
    if isinstance(value, float):
        return f"{value:,.{decimals}f}"
    if isinstance(value, int):
        return count_text(value)
    return _breakable(value)


def _prose(sentence: str) -> Markup:
    """The sentence as HTML, without line breaks within amounts, and with text in back quotes as
    code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(_breakable(unbroken(sentence)))))


def _breakable(text: str) -> Markup:
    """The text as HTML, in which names of C++ and of files may be broken between their parts."""
    return Markup(re.sub(r"(::|&lt;|[,/])(?=[A-Za-z_.]{2})", r"\1<wbr>", str(escape(text))))


def _moment(moment: datetime | None) -> str:
    return "at a time not known" if moment is None else f"{moment:%d %B %Y, %H:%M:%S %Z}"
