"""Damaged run.json files: a run, or InvalidRun in one sentence; never anything else."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests import synthetic
from tests.support import cases
from waywiser.errors import InvalidRun
from waywiser.model.run import Run
from waywiser.store import RunDirectory

ODD_VALUES: tuple[Any, ...] = (
    *(None, True, 0, -1, 10**30, 1e308, float("nan"), float("-inf"), "", "x", "\0", "\ud800"),
    *([], {}, [[]], {"": None}, [0] * 1000, "9" * 5000, "2024-01-01T00:00:00Z"),
)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a document."""
    found: list[tuple[Any, Any]] = []
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            found += [(value, key), *_places(value[key])]
    return found


def _damaged(text: str, chance: random.Random) -> bytes:
    if chance.random() < 0.7:
        document = json.loads(text)
        for _ in range(chance.randint(1, 3)):
            container, key = chance.choice(_places(document) or [({"": 0}, "")])
            if chance.random() < 0.2:
                del container[key]
            else:
                container[key] = copy.deepcopy(chance.choice(ODD_VALUES))
        return json.dumps(document).encode()
    bytes_ = bytearray(text.encode())
    for _ in range(chance.choice([1, 3, 30])):
        at = chance.randrange(len(bytes_))
        bytes_[at : at + chance.randint(0, 3)] = chance.randbytes(chance.randint(0, 3))
    return bytes(bytes_[: chance.choice([len(bytes_), chance.randrange(len(bytes_))])])


@pytest.mark.parametrize("inputs", cases([2000], long=[20_000]))
def test_no_run_json_is_more_than_refused(tmp_path: Path, inputs: int) -> None:
    files = RunDirectory(tmp_path / "run")
    files.create()
    files.write_run(synthetic.run(3))
    text = files.run_json.read_text(encoding="utf-8")
    chance = random.Random(1)
    refused = 0
    unnamed = []
    for _ in range(inputs):
        damaged = _damaged(text, chance)
        files.run_json.write_bytes(damaged)
        try:
            assert isinstance(files.read_run(), Run)
        except InvalidRun as error:
            refused += 1
            if str(files.run_json) not in str(error):
                unnamed.append(str(error))
    assert 0 < refused < inputs
    assert unnamed == []
