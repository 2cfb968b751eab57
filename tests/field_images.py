"""Helpers for plots of computed fields: a section of the page, files, bitmaps."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

from tests import synthetic, synthetic_pages
from tests.vega_lite import assert_valid
from waywiser.report.drawing.export_plots import export_plots
from waywiser.report.drawing.plot import Drawn
from waywiser.report.run.page import page
from waywiser.report.run.run_plots import drawn_plots


def page_with(
    directory: Path, section: str, drawn: Drawn | None, bitmaps: int, **fields: Any
) -> str:
    """The page with these fields, once it, the files in `directory` and the bitmaps are right.

    Args:
        section: the plot's, and the name of its files.
        bitmaps: different ones in the plot.
        fields: what `page` and `drawn_plots` are given.
    """
    html = page(synthetic.run(4), synthetic.summary(4), **fields)
    plots = drawn_plots(synthetic.summary(1), **fields)  # with few other plots
    files = export_plots(plots, directory)
    assert f'<section id="{section}">' in html
    assert f'id="{section}"' not in synthetic_pages.of(4)
    assert [path.name for path in files[-3:]] == [
        f"{section}.{end}" for end in ("svg", "png", "pdf")
    ]
    assert drawn is not None
    assert_valid(json.loads(drawn.specification))
    images = set(re.findall(r"data:image/png;base64,([^\"]+)", drawn.specification))
    assert len(images) == bitmaps
    assert all(base64.b64decode(image).startswith(b"\x89PNG") for image in images)
    return html
