"""Names of functions, from symbols to what the source has."""

from __future__ import annotations

import pytest

from waywiser.measure.places import as_written


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("solve", "solve"),
        ("__grid_MOD_halo", "grid::halo"),
        ("halo.0", "halo"),
        ("solve.constprop.0", "solve"),
        ("__grid_MOD_halo.isra.0", "grid::halo"),
        ("MAIN__", "MAIN__"),
        ("solve_", "solve_"),
        ("a::b(std::vector<int>)", "a::b(std::vector<int>)"),
        ("f(double) [clone .part.0]", "f(double) [clone .part.0]"),
        ("", ""),
    ],
)
def test_a_function_is_called_as_in_its_source(symbol: str, name: str) -> None:
    assert as_written(symbol) == name
