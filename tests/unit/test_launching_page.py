"""docs/launching.md shows what the code writes: each script, and each launcher's options."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.support import ROOT
from waywiser.launch.batch import Job
from waywiser.launch.binding import binding_environment, forwarding_words, launch_words
from waywiser.launch.launchers.launcher import Launcher
from waywiser.launch.launchers.table import KINDS
from waywiser.launch.schedulers import SCHEDULERS
from waywiser.launch.shape import Shape
from waywiser.model.study import Resources

PAGE = (ROOT / "docs" / "launching.md").read_text(encoding="utf-8")
SHAPE = Shape(nodes=2, ranks=8, threads=7, free_cores=1, cores_per_node=32)
RESOURCES = Resources.model_validate(
    {
        "account": "hpc42",
        "partition": "long",
        "constraint": "milan",
        "modules": ["gcc/13", "openmpi/5"],
        "options": ["--exclusive"],
    }
)


def launcher(name: str) -> Launcher:
    kind = next(kind for kind in KINDS if kind.name == name)
    return Launcher(Path(kind.commands[0]), kind, "")


def step() -> str:
    return shlex.join([*launch_words(launcher("Open MPI"), SHAPE), "./app"])


OWN: dict[str, dict[str, object]] = {
    "pbs": {"options": (), "constraint": "cpu_type=milan"},
    "local": {"options": ()},
}
"""Options that differ between batch systems."""


def script(name: str) -> str:
    array = (("./first",), ("./second",)) if name == "local" else ()
    steps = () if array else (step(),)
    job = Job("job0001", Path("/scratch/rhodo.study/jobs"), SHAPE, 60, steps, array)
    return SCHEDULERS[name].script(job, RESOURCES.replace(**OWN.get(name, {})))


@pytest.mark.parametrize("name", SCHEDULERS)
def test_the_scripts(name: str) -> None:
    written = script(name)

    assert f"```bash\n{written}```" in PAGE, written


@pytest.mark.parametrize("name", [kind.name for kind in KINDS])
def test_the_options_of_launchers(name: str) -> None:
    named_launcher = launcher(name)
    own = {
        key: value
        for key, value in binding_environment(named_launcher, SHAPE).items()
        if not key.startswith("OMP_")
    }
    words = launch_words(named_launcher, SHAPE, pmi="pmix")
    sentence = " ".join([*(f"{key}={value}" for key, value in own.items()), shlex.join(words)])

    assert re.search(rf"^\| {name}\b[^|]*\| `{re.escape(sentence)}` \|", PAGE, re.MULTILINE), (
        sentence
    )


def test_what_open_mpi_passes_on() -> None:
    words = forwarding_words(launcher("Open MPI"), ["NAME"])

    assert f"`{' '.join(words)}`" in PAGE
