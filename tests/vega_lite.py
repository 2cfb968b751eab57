"""Descriptions of charts are those of Vega-Lite's schema: Waywiser does not check what it draws."""

from __future__ import annotations

import json
import re
from typing import Any

import altair as alt

IN_PAGE = re.compile(
    r'<script [^>]*class="specification" data-chart="chart-([^"]*)"[^>]*>(.*?)</script>', re.DOTALL
)


def assert_valid(description: dict[str, Any]) -> None:
    """All but the rows of its data."""
    alt.Root.validate({**description, "datasets": {}})


def assert_page_valid(html: str, *names: str) -> None:
    """The plots of these names; without any, all."""
    specifications = dict(IN_PAGE.findall(html))
    assert specifications
    for name in names or specifications:
        assert_valid(json.loads(specifications[name]))
