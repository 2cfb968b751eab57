"""A study with its file, configurations, directory and missing runs."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from waywiser.errors import InvalidCommand
from waywiser.launch.batch import Job
from waywiser.launch.shape import enclosing
from waywiser.model.run import Run
from waywiser.model.study import Study
from waywiser.stats.blocks import block_order
from waywiser.store.study import FILE, Place, StudyDirectory
from waywiser.study.configurations import Configuration, configurations_of
from waywiser.study.setting import Setting, fill_template, setting_of
from waywiser.study.study_file import read_study

SUFFIX = ".study"
WAYWISER = Path(sys.executable).with_name("waywiser")
KILL_AFTER_SECONDS = 30


@dataclass(frozen=True)
class Campaign:
    study: Study
    text: str
    """Text of the study file."""

    origin: Path
    """Directory of the study file, to which its paths are relative."""

    directory: StudyDirectory

    @cached_property
    def configurations(self) -> dict[str, Configuration]:
        return {
            configuration.name: configuration for configuration in configurations_of(self.study)
        }

    @cached_property
    def settings(self) -> dict[str, Setting]:
        return {
            name: setting_of(self.study, configuration, self.origin)
            for name, configuration in self.configurations.items()
        }

    @property
    def first_block(self) -> int:
        """Number of the first block: 0, the warm-up, or 1 in a study without warm-up."""
        return 0 if self.study.repeats.warm_up else 1

    def order(self, block: int) -> list[Place]:
        """The runs of a block, in order of execution."""
        names = list(self.configurations)
        return [
            Place(names[i], block) for i in block_order(len(names), block, self.study.repeats.seed)
        ]

    def due(self, blocks: int) -> Iterator[Place]:
        """Every run of the warm-up and of the first `blocks` blocks, in order."""
        for block in range(self.first_block, blocks + 1):
            yield from self.order(block)

    def stopped(self, done: Mapping[Place, Run]) -> set[str]:
        """The configurations whose warm-up failed: their other runs are skipped."""
        return {
            place.configuration
            for place, run in done.items()
            if place.block == 0 and run.result is not None and run.result.failures
        }

    def missing_runs(self, blocks: int, done: Mapping[Place, Run]) -> list[Place]:
        """The missing runs of the first `blocks` blocks, in order; stopped configurations have
        none."""
        stopped = self.stopped(done)
        return [
            place
            for place in self.due(blocks)
            if place not in done and place.configuration not in stopped
        ]

    def not_made(self, done: Mapping[Place, Run]) -> list[Place]:
        """The runs that the study asks for and that are skipped with their configurations."""
        stopped = self.stopped(done)
        return [
            place
            for place in self.due(self.study.repeats.blocks)
            if place.configuration in stopped and place not in done
        ]

    @contextmanager
    def locked(self, say: Callable[[str], None]) -> Iterator[int]:
        """Locks the study's directory and writes its plan; the directory is created if it is
        missing. Writes no file of a study that another command runs.

        Args:
            say: receives sentences about waiting for the lock.

        Yields:
            The lock's descriptor, for the runs to inherit.

        Raises:
            InvalidCommand: another command runs the study, or a configuration that was started
                has changed.
        """
        self.directory.create()
        with self.directory.locked(say) as lock:
            self._record()
            yield lock

    def _record(self) -> None:
        """Saves the study file and the marks of its configurations.

        Raises:
            InvalidCommand: a configuration that was started has changed.
        """
        profile = " ".join([self.study.profile, *self.study.profile_options])
        marks = {name: setting.mark(profile) for name, setting in self.settings.items()}
        for name, mark in self.directory.read_plan().items():
            if name in marks and marks[name] != mark:
                raise InvalidCommand(
                    f"{self.directory.path} was started with another command for configuration "
                    f"{name}; compared runs must share one command; give another directory with -o"
                )
            marks.setdefault(name, mark)
        self.directory.write_plan(self.text, marks, self.origin)

    def step(self, place: Place) -> str:
        """The shell lines of one run; they never end their script."""
        setting = self.settings[place.configuration]
        words = [str(WAYWISER), "profile", "-o", str(self.directory.run(place))]
        if self.study.profile == "never":
            words.append("--bare")
        words += [f"--{option}" for option in self.study.profile_options]
        limit = self.study.resources.time_limit_minutes * 60
        timeout = ["timeout", "--foreground", f"--kill-after={KILL_AFTER_SECONDS}", f"{limit:g}"]
        stop = shlex.quote(str(self.directory.warm_up_failed(place.configuration)))
        warm_up = place.block == 0
        lines = [
            f"# {place}",
            "(",
            *([] if warm_up or self.first_block else [f"test ! -e {stop} || exit"]),
            f"cd {shlex.quote(str(self.directory.work(place)))} || exit",
            *(f"module load {shlex.quote(module)} || exit" for module in setting.modules),
            *(f"export {k}={shlex.quote(v)}" for k, v in sorted(setting.environment.items())),
            shlex.join([*timeout, *words, "--", *setting.words]),
            "code=$?",
            f"test $code -ne 124 || : >{shlex.quote(str(self.directory.out_of_time(place)))}",
            # Without a record, the reason stays the script's last message.
            *([f"test $code -eq 0 || : 2>/dev/null >{stop}"] if warm_up else []),
            ")",
        ]
        return "\n".join(lines)

    def job(self, name: str, tasks: list[list[Place]], array: bool = False) -> Job:
        """A job for these runs, on nodes with room for each of them.

        Args:
            tasks: the runs of each task of an array, in order; without an array, one list.
        """
        shapes = [self.settings[place.configuration].shape for task in tasks for place in task]
        steps = tuple(tuple(self.step(place) for place in task) for task in tasks)
        return Job(
            name=name,
            directory=self.directory.jobs,
            shape=enclosing(shapes),
            minutes=self.study.resources.time_limit_minutes * max(map(len, tasks)),
            steps=() if array else steps[0],
            tasks=steps if array else (),
        )

    def prepare(self, place: Place) -> None:
        """Creates the working directory of a run, with its inputs.

        Raises:
            InvalidCommand: the directory cannot be created.
        """
        setting, work = self.settings[place.configuration], self.directory.work(place)
        try:
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir(parents=True)
            self.directory.run(place).parent.mkdir(parents=True, exist_ok=True)
            for path in setting.inputs:
                (work / path.name).symlink_to(path)
            for path in setting.templates:
                text = fill_template(path, self.configurations[place.configuration].values)
                (work / path.name).write_text(text, encoding="utf-8")
        except OSError as error:
            raise InvalidCommand(f"{work} cannot be made: {error.strerror}") from error

    def runs(self, *, finish: bool = False) -> Iterator[tuple[Place, Run | None]]:
        """Every started run in its present state; `finish` as for `StudyDirectory.read`."""
        for place in self.directory.places():
            yield place, self.directory.read(place, finish=finish)


def is_study(path: Path) -> bool:
    """True if the path is a study file, or the directory of a started study."""
    return path.suffix == ".toml" if path.is_file() else (path / FILE).is_file()


def open_campaign(file: Path, output: Path | None = None) -> Campaign:
    """Open the study of a study file, or of the directory of a started study.

    Raises:
        InvalidCommand: there is no study.
    """
    if (file / FILE).is_file():
        directory = StudyDirectory(file)
        origin, path = directory.origin(), directory.file
    else:
        directory = StudyDirectory(output or file.with_suffix(SUFFIX))
        origin, path = file.absolute().parent, file
    study = read_study(path)
    return Campaign(study, path.read_text(encoding="utf-8"), origin, directory)
