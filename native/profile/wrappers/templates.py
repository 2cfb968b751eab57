"""Generated C++: the templates *.jinja beside this file, and those of other generators."""

from __future__ import annotations

from pathlib import Path

import jinja2


def rendered(template: str, *directories: Path, **context: object) -> str:
    """The text of a template.

    Args:
        directories: where templates are, beside those here.
    """
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([*directories, Path(__file__).parent]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(context)
