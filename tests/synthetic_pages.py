"""Reports of made-up runs, which several tests look at: each is written once by a process."""

from __future__ import annotations

from functools import cache

from tests import synthetic
from tests.synthetic_sections import with_everything
from waywiser.report.page import page


@cache
def of(ranks: int) -> str:
    return page(synthetic.run(ranks), synthetic.summary(ranks))


@cache
def of_dense(ranks: int) -> str:
    """All ranks send to all others."""
    return page(synthetic.run(ranks), synthetic.dense(ranks))


@cache
def of_everything() -> str:
    return page(synthetic.run(4), with_everything())
