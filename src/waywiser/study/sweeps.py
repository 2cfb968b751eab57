"""Sweeps of counterfactuals as studies: each run answers one part of a sweep."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path

from waywiser.analyse.whatif.sweep import joined
from waywiser.errors import InvalidCommand
from waywiser.launch.schedulers import SCHEDULERS
from waywiser.model.study import LOCAL
from waywiser.model.tuning import toml_text
from waywiser.model.whatif import WhatIf
from waywiser.store.study import Place
from waywiser.study.campaign import WAYWISER, Campaign
from waywiser.study.launchers import ALONE
from waywiser.study.setting import PART, SWEEP, is_sweep
from waywiser.study.status import finished
from waywiser.units import counted

MOST_PARTS = 100
"""Largest number of parts by default."""


def write_sweep(file: Path, words: Sequence[str], parts: int, scheduler: str) -> None:
    """Writes the study file of a sweep.

    Args:
        words: arguments of `waywiser whatif`; paths are relative to the working directory.
        parts: number of parts of the sweep.

    Raises:
        InvalidCommand: the file exists already, or cannot be written.
    """
    query = shlex.join([str(WAYWISER), "whatif", *words])
    command = f"cd {shlex.quote(str(Path.cwd()))} && exec {query} --json"
    command = command.replace("{", "{{").replace("}", "}}")
    text = (
        f"title = {toml_text(shlex.join(['waywiser', 'whatif', *words]))}\n"
        'profile = "never"\n\n'
        f"[mpi.{ALONE}]\n"
        f"launcher = {toml_text(ALONE)}\n\n"
        f"[application.{SWEEP}]\n"
        f"shell = {toml_text(f'{command} --{PART} {{{PART}}}/{parts}')}\n"
        f'success = \'"format": *"waywiser-whatif"\'\n\n'
        f"[axes]\n{PART} = {list(range(1, parts + 1))}\n\n"
        "[repeats]\nblocks = 1                           # replays do not vary\n"
        "warm_up = false\n\n"
        f"[resources]\nscheduler = {toml_text(scheduler)}\n"
        "time_limit_minutes = 60              # of one part\n"
    )
    if scheduler != LOCAL:
        jobs = "run-array" if SCHEDULERS[scheduler].arrays else "run"
        text += (
            "cores_per_node = 1                   # a part takes one\n"
            f"jobs = {toml_text(jobs)}\n"
            '# partition = "normal"\n# account = "project"\n'
        )
    try:
        with file.open("x", encoding="utf-8") as new:
            new.write(text)
    except OSError as error:
        raise InvalidCommand(f"--study {file}: {error.strerror}; give another name") from error


def _last_words(errors: Path) -> str:
    """The last line of a failed command's stderr; "" if there is none."""
    try:
        return errors.read_text(encoding="utf-8", errors="replace").strip().rpartition("\n")[2]
    except OSError:
        return ""


def answer_of(campaign: Campaign) -> WhatIf:
    """The answers of all parts of a sweep, joined as one answer.

    Raises:
        InvalidCommand: the study is not a sweep, or parts of it are missing or have failed.
    """
    name = os.path.relpath(campaign.directory.path)
    if not is_sweep(campaign.study):
        raise InvalidCommand(
            f"{name} is not a study of a sweep; `waywiser whatif RUN --sweep … --study FILE` makes "
            "one"
        )
    runs = finished(campaign) if campaign.directory.exists else {}
    done = {
        place.configuration for place, run in runs.items() if run.result and not run.result.failures
    }
    if len(done) < len(campaign.configurations):
        failed = [place for place, run in runs.items() if run.result and run.result.failures]
        why = [_last_words(campaign.directory.run(place) / "stderr") for place in failed[:1]]
        raise InvalidCommand(
            f"{name}: {len(done)} of {counted(len(campaign.configurations), 'part')} are done; "
            f"`waywiser study status {name}` lists the others"
            + (f"; {failed[0].configuration} failed: {why[0]}" if any(why) else "")
        )
    outputs = [
        campaign.directory.run(Place(configuration, 1)) / "stdout"
        for configuration in campaign.configurations
    ]
    return joined([WhatIf.model_validate_json(output.read_bytes()) for output in outputs])
