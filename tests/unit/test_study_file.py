"""The study file: each mistake is named by its key, all of them in one sentence."""

from __future__ import annotations

import contextlib
import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests.support import cases
from waywiser.errors import InvalidCommand
from waywiser.model.study import Application, MpiChoice, Study
from waywiser.study.check import check
from waywiser.study.configurations import configurations_of
from waywiser.study.study_file import parse_study, read_study

GOOD = 'title = "t"\n[application.app]\nprogram = "app"\n'


def mistakes(text: str) -> str:
    with pytest.raises(InvalidCommand) as raised:
        parse_study(text, "study.toml")
    message = str(raised.value)
    assert message.startswith("study.toml")
    assert "\n" not in message
    return message


def test_the_least_study_has_defaults_for_the_rest() -> None:
    study = parse_study(GOOD, "study.toml")

    assert study.mpi == {"default": MpiChoice()}
    assert (study.repeats.blocks, study.repeats.warm_up, study.profile) == (6, True, "every")
    assert study.resources.scheduler == "local"


def test_a_list_of_libraries_is_short_for_their_tables() -> None:
    assert parse_study(f'mpi = ["a", "b"]\n{GOOD}', "").mpi == {"a": MpiChoice(), "b": MpiChoice()}


def test_a_single_value_is_an_axis_of_one() -> None:
    study = parse_study(f"{GOOD}[axes]\nranks = 4\nname = 'x'\non = true", "")

    assert study.axes == {"ranks": (4,), "name": ("x",), "on": (True,)}


@pytest.mark.parametrize("name", ["", "..", "out/profile.txt", "/etc/passwd"])
def test_outputs_are_names_in_the_runs_own_directory(name: str) -> None:
    message = mistakes(f'{GOOD}outputs = ["{name}"]')

    assert "application.app.outputs.0: not a file in the run's own directory" in message
    assert "expected a name without directories" in message


def test_all_wrong_keys_are_named_at_once() -> None:
    message = mistakes(
        'titel = "t"\n[application.app]\nprogram = "a"\nargs = []\n'
        "[repeats]\nblocks = 0\n[resources]\nscheduler = 'lsf'\n[axes]\nranks = []\n"
    )

    for key in (
        *("title: ", "titel: unknown key", "application.app.args: unknown key", "axes.ranks: "),
        *("repeats.blocks: ", "resources.scheduler: Input should be 'local', 'slurm', 'pbs'"),
    ):
        assert key in message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("title = ", "is not valid TOML: "),
        (f"title = 0x{'f' * 4000}", "is not valid TOML: an integer has more than 64 bits"),
        ("title = 1\n[application.a]\nprogram = 'x'", "title: "),
        ("title = 't'", "application: Field required"),
        ("title = 't'\napplication = {}", "application: "),
        (f"{GOOD}success = 3", "application.app.success: "),
        (f"{GOOD}workload = 'minife'", "given program and workload"),
        ("title = 't'\n[application.a]\nreader = 'x'", "program, workload, shell; given none"),
        ("title = 't'\n[application.'a b']\nprogram = 'x'", "'a b' is not a name: letters"),
        ("title = 't'\n[application.'..']\nprogram = 'x'", "'..' is not a name"),
        (f"mpi = []\n{GOOD}", "mpi: "),
        (f"mpi = ['a/b']\n{GOOD}", "'a/b' is not a name"),
        (f"{GOOD}[mpi.a]\nlibrary = 'mvapich'", "mpi.a.library: Input should be "),
        (f"{GOOD}[mpi.a]\nlaunch = 'x'", "mpi.a.launch: unknown key, expected one of environment"),
        (f"{GOOD}mpi = ['a']", "application.app.mpi: there is no [mpi.a]; there are default"),
        (f"{GOOD}[axes]\nranks = [0]", "axes.ranks: expected whole numbers from 1 on, got 0"),
        (f"{GOOD}[axes]\nthreads = ['2']", "axes.threads: expected whole numbers"),
        (f"{GOOD}[axes]\nnodes = [true]", "axes.nodes: expected whole numbers"),
        (f"{GOOD}[axes]\nmpi = ['a']", "axes.mpi is made of the tables [mpi.NAME]"),
        (f"{GOOD}[axes]\nm = [{{nam = 'x'}}]", "axes.m.0.nam: unknown key, expected one of argum"),
        (f"{GOOD}[axes]\nm = [[1]]", "axes.m.0: "),
        (f"zip = [['ranks']]\n{GOOD}", "zip: expected axes with equally many values"),
        (f"zip = [['a', 'b']]\n{GOOD}[axes]\na = [1]\nb = [1, 2]", "a has 1, b has 2 values"),
        (f"exclude = [{{size = 1}}]\n{GOOD}", "there is no axis size; there are application, mpi"),
        (f"{GOOD}[report]\ncompare = 'size'", "there is no axis size"),
        (f"{GOOD}[report]\nscaling = 'linear'", "report.scaling: Input should be 'strong', 'weak'"),
        (f"{GOOD}[repeats]\nblocks = 8\nat_most = 7", "at_most = 7 is less than blocks = 8"),
        (f"{GOOD}[repeats]\nprecision = 0", "repeats.precision: "),
        (f"{GOOD}[resources]\ntime_limit_minutes = 0", "resources.time_limit_minutes: "),
        (f"{GOOD}[resources]\njobs = 'all'", "resources.jobs: Input should be 'block', 'array'"),
        (f"{GOOD}[application.app.metrics.f]\npattern = '('\nbetter = 'lower'", "expression"),
        (f"{GOOD}[application.app.metrics.f]\npattern = 'x'", "metrics.f.better: Field required"),
        (f"{GOOD}success = '['", "application.app.success: "),
        (
            f'{GOOD}arguments = ["a\\u0000"]',
            "arguments.0: text with a NUL cannot be passed to a pr",
        ),
        (
            f'{GOOD}[axes]\nv = ["a\\u0000"]',
            "axes.v: text with a NUL cannot be passed to a program",
        ),
        (
            f"{GOOD}environment.'A;B' = '1'",
            "A;B: not the name of a variable; expected letters, digits",
        ),
        (f"{GOOD}arguments = ['{'x' * 5000}']", "application.app.arguments.0: "),
    ],
)
def test_a_mistake_is_named_in_one_sentence(text: str, says: str) -> None:
    assert says in mistakes(text)


def test_a_key_that_is_unknown_says_which_are_known() -> None:
    message = mistakes(f"{GOOD}prgram = 'x'")

    for key in Application.model_fields:
        assert key in message


def test_a_file_that_is_not_there_says_how_to_begin(tmp_path: Path) -> None:
    with pytest.raises(InvalidCommand, match="`waywiser study init` writes a study file"):
        read_study(tmp_path / "none.toml")


@pytest.mark.parametrize("content", [b"\xff\xfe", b"title = '\xe9'", b"\0"])
def test_a_file_that_is_no_text_is_no_toml(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "study.toml"
    path.write_bytes(content)

    with pytest.raises(InvalidCommand, match="is not valid TOML"):
        read_study(path)


KEYS = [
    *("title", "question", "application", "mpi", "axes", "zip", "exclude", "when", "repeats"),
    *("profile", "profile_options", "resources", "report", "app", "rhodo", "ranks", "threads"),
    *("nodes", "size", "mode", "program", "workload", "shell", "arguments", "inputs", "templates"),
    *("environment", "success", "metrics", "headline", "correct", "work", "free_cores", "pattern"),
    *("unit", "better", "which", "file", "value", "relative", "launcher", "library", "modules"),
    *("launcher_arguments", "programs", "pmi", "name", "values", "blocks", "at_most", "seed"),
    *("scheduler", "cores_per_node", "options", "compare", "base", "scaling", "é", "", "a b"),
]
LEAVES: list[Any] = [
    *(0, 1, 2, -1, 10**18, 1.5, float("inf"), float("nan"), True, False, "", "x", "{ranks}"),
    *("{none}", "ranks", "ranks > 1", "ranks +", "a" * 5000, "(", "([0-9]+)", "/bin/true", "é\0"),
    *("1.0", "size", "mode", "{size} - 1", "mpi", "../x", "1" * 30, "0:compact", "false,true"),
    *("strong", "weak", "slurm", "local", "lower", "every", "never", "openmpi", "cores(4)"),
]


def random_value(choose: random.Random, depth: int) -> Any:
    kind = choose.random()
    if depth > 4 or kind < 0.4:
        return choose.choice(LEAVES)
    if kind < 0.6:
        return [random_value(choose, depth + 1) for _ in range(choose.randrange(4))]
    return {
        choose.choice(KEYS): random_value(choose, depth + 1) for _ in range(choose.randrange(5))
    }


def random_study(choose: random.Random) -> dict[str, Any]:
    """A study that is right but for a few places, most of which still hold what they should."""
    study: dict[str, Any] = {
        "title": "t",
        "mpi": {
            "openmpi": {"environment": {"OMP_PLACES": "cores(2)"}, "launcher_arguments": ["x"]}
        },
        "application": {
            "app": {
                "program": "/bin/true",
                "arguments": ["{ranks}"],
                "environment": {"OMP_NUM_THREADS": "1", "I_MPI_PIN_DOMAIN": "4"},
                "work": "{ranks} * 2",
                "free_cores": 0,
                "headline": "time",
                "inputs": ["x"],
                "metrics": {"time": {"pattern": "([0-9]+)", "better": "lower"}},
                "correct": {"time": {"value": 1.0}},
            }
        },
        "axes": {
            "ranks": [1, 2],
            "nodes": [1],
            "size": [1, 2],
            "mode": [{"name": "m", "values": {"nx": 1}, "environment": {"A": "{nx}"}}],
        },
        "zip": [["ranks", "size"]],
        "exclude": [{"ranks": 1}],
        "when": ["ranks > 0"],
        "repeats": {"blocks": 6, "at_most": 20, "core_hours": 1.0},
        "resources": {"scheduler": "local", "cores_per_node": 4, "options": ["-t 1"]},
        "report": {"scaling": "weak", "compare": "ranks", "base": 2},
    }
    for _ in range(choose.randrange(1, 4)):
        place: Any = study
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = choose.choice(keys)
            if not isinstance(place[key], dict | list) or not place[key] or choose.random() < 0.1:
                break
            place = place[key]
        alike = [leaf for leaf in LEAVES if type(leaf) is type(place[key])]
        if choose.random() < 0.8 and alike:
            place[key] = choose.choice(alike)
        else:
            place[key] = random_value(choose, choose.randrange(5))
    return study


def toml(value: Any) -> str:
    match value:
        case dict():
            return "{" + ", ".join(f"{json.dumps(k)} = {toml(v)}" for k, v in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(toml, value)) + "]"
        case bool() | str():
            return json.dumps(value)
    return str(value)


@pytest.mark.parametrize("seed", cases(range(0, 500, 7), long=range(500)))
def test_any_document_is_a_study_or_a_sentence(seed: int, tmp_path: Path) -> None:
    choose = random.Random(seed)
    document = random_study(choose) if seed % 5 else random_value(choose, 0)
    if not isinstance(document, dict):
        document = {"title": document}
    text = "\n".join(f"{json.dumps(key)} = {toml(value)}" for key, value in document.items())

    with contextlib.suppress(InvalidCommand):
        study: Study = parse_study(text, "study.toml")
        check(study, configurations_of(study), tmp_path, {"lammps": "loop_time"})
