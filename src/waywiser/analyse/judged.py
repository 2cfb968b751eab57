"""From verdicts to the fields that documents have of them."""

from __future__ import annotations

from typing import Any

from waywiser.model.judged import Judged
from waywiser.stats.compare import Verdict


def judged(verdict: Verdict | Judged, sentence: str) -> dict[str, Any]:
    """The fields of `Judged`.

    Args:
        sentence: the verdict with its place and names.
    """
    return {name: getattr(verdict, name) for name in Judged.model_fields} | {"sentence": sentence}
