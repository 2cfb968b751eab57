"""The study file: a campaign of runs in one TOML file.

    title = "LAMMPS rhodopsin: MPICH against Intel MPI"
    mpi = ["mpich", "impi"]

    [application.rhodo]
    reader = "lammps"
    program = "lmp"
    arguments = ["-in", "in.rhodo"]
    inputs = ["in.rhodo", "data.rhodo"]

    [axes]
    ranks = [1, 2, 4]

A study file is data. A name in braces in a text, as `{ranks}`, is replaced by the
configuration's value; the text then reaches the program as one argument, never through a shell.
"""

from __future__ import annotations

import re
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    FiniteFloat,
    PositiveFloat,
    field_validator,
    model_validator,
)

from waywiser.errors import there_is_no
from waywiser.model.base import Model
from waywiser.model.reading import Expected, MetricPattern, Pattern
from waywiser.model.result import Scalar

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]*")
COUNTS = ("nodes", "ranks", "threads")
"""Axes that count something in a configuration; each is 1 where the study file does not set it."""

OWN_AXES = ("application", "mpi", *COUNTS)
LIBRARIES = {"openmpi": "Open MPI", "mpich": "MPICH", "impi": "Intel MPI"}
"""MPI libraries as study files name them -> as they call themselves."""

LOCAL = "local"
"""The scheduler of studies whose runs are made on this machine."""

DEFAULT_MPI = "default"
"""The library of a study file that names none: that of the first mpirun in PATH."""


def _for_programs(text: str) -> str:
    if "\0" in text:
        raise ValueError("text with a NUL cannot be passed to a program")
    return text


def _file_name(name: str) -> str:
    if name in ("", ".", "..") or "/" in name:
        raise ValueError(
            "not a file in the run's own directory; expected a name without directories"
        )
    return name


def _variable(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise ValueError("not the name of a variable; expected letters, digits and _")
    return name


Text = Annotated[str, Field(max_length=4096), AfterValidator(_for_programs)]
FileName = Annotated[Text, AfterValidator(_file_name)]
Environment = dict[Annotated[str, AfterValidator(_variable)], Text]


class Application(Model):
    """A program with its input: an unmodified one, or one of Waywiser's workloads."""

    reader: str = ""
    """Reader of the output, a module of `apps/`; "" if `metrics` defines every metric."""

    program: Text = ""
    """A file, or a name that is looked for in PATH."""

    workload: str = ""
    """Name of the workload, NAME of ww-NAME, built for each MPI library; replaces `program`."""

    arguments: tuple[Text, ...] = ()
    inputs: tuple[Text, ...] = ()
    """Files and directories that each run finds in its working directory, by their last names;
    relative to the study file."""

    templates: tuple[Text, ...] = ()
    """Inputs in which @NAME@ is replaced by the configuration's value of that name."""

    outputs: tuple[FileName, ...] = ()
    """Files that a run leaves in its working directory; they are kept beside its result."""

    environment: Environment = Field(default_factory=dict)
    shell: Text = ""
    """A line for `sh -c` that each rank runs instead of `program`, where a shell is required."""

    success: Pattern = ""
    """A regular expression that a run must print; without it the reader decides."""

    metrics: dict[str, MetricPattern] = Field(default_factory=dict)
    headline: str = ""
    """The main metric; "" for the reader's headline, or the only metric."""

    correct: dict[str, Expected] = Field(default_factory=dict)
    work: Text = ""
    """Amount of work of a run, in any unit, e.g. "{nx} * {nx} * {nx}"; identifies weak scaling."""

    free_cores: int = Field(default=0, ge=0)
    """Number of each rank's cores that stay free, for a communication thread."""

    mpi: tuple[str, ...] = ()
    """The MPI libraries that the application is run with; empty: all."""

    @model_validator(mode="after")
    def _one_program(self) -> Self:
        kinds = [key for key in ("program", "workload", "shell") if getattr(self, key)]
        if len(kinds) != 1:
            raise ValueError(
                f"give one of program, workload, shell; given {' and '.join(kinds) or 'none'}"
            )
        return self


class MpiChoice(Model):
    """An MPI library to run with."""

    launcher: Text = ""
    """The library's mpirun or mpiexec, or srun; "none" for programs that are started alone.
    Default: the launcher of this name in Waywiser's own environment, else this library's first
    launcher in PATH.
    """

    library: Literal["", "openmpi", "mpich", "impi"] = ""
    """MPI library; required if neither the table's name nor the launcher's file identifies it."""

    modules: tuple[Text, ...] = ()
    environment: Environment = Field(default_factory=dict)
    launcher_arguments: tuple[Text, ...] = ()
    programs: dict[str, Text] = Field(default_factory=dict)
    """Application -> its program, if each library has its own build."""

    pmi: str = ""
    """Value for srun's --mpi; "": the value that the library requires."""


class Level(Model):
    """A value of an axis that brings settings with it."""

    name: str
    arguments: tuple[Text, ...] = ()
    launcher_arguments: tuple[Text, ...] = ()
    environment: Environment = Field(default_factory=dict)
    values: dict[str, Scalar] = Field(default_factory=dict)
    """Further values of the configuration, for texts in braces."""


AxisValue = Level | Scalar


class Repeats(Model):
    """Repetitions of the configurations: in blocks, each of which has every configuration once."""

    blocks: int = Field(default=6, ge=1, le=10_000)
    at_most: int = Field(default=0, ge=0, le=10_000)
    """Largest number of blocks, which are added until every comparison is narrow enough."""

    precision: float = Field(default=0.01, gt=0, lt=1)
    """Half-width of an interval that is narrow enough, as a share."""

    margin: float = Field(default=0.01, gt=0, lt=1)
    """Differences below this share count as none."""

    warm_up: bool = True
    """True: an additional first block is run and kept, but never counted."""

    seed: int = Field(default=1, ge=0)
    core_hours: float = Field(default=0, ge=0)
    """Core-hours after which no further run begins; 0: no limit."""

    @model_validator(mode="after")
    def _order(self) -> Self:
        if self.at_most and self.at_most < self.blocks:
            raise ValueError(f"at_most = {self.at_most} is less than blocks = {self.blocks}")
        return self


class Resources(Model):
    """Place and limits of the runs."""

    scheduler: Literal["local", "slurm", "pbs", "flux"] = "local"
    cores_per_node: int = Field(default=0, ge=0)
    """0 means those of this machine; a batch study must say."""

    time_limit_minutes: float = Field(default=30.0, gt=0)
    """Time limit of one run."""

    account: str = ""
    partition: str = ""
    """Slurm's partition, PBS's or Flux's queue."""

    constraint: str = ""
    options: tuple[Text, ...] = ()
    """Further options of the batch script, as after #SBATCH, #PBS or #flux:."""

    modules: tuple[Text, ...] = ()
    setup: tuple[Text, ...] = ()
    """Shell lines in each script before its runs."""

    jobs: Literal["block", "array", "run", "run-array"] = "block"
    """Runs in one job. A job is all runs of a block with the same number of nodes ("block"), or an
    array with these runs as tasks ("array"). It is one run ("run"), or an array with a task for
    each run ("run-array")."""

    jobs_at_once: int = Field(default=0, ge=0)
    """Number of jobs that are submitted and have not ended, each task of an array for itself; 0: no
    limit of Waywiser."""

    array_limit: int = Field(default=1000, ge=1)
    expected_seconds: float = Field(default=0, ge=0)
    """Expected time of one run, for the estimate before any run was made; 0: unknown."""

    @property
    def local(self) -> bool:
        """True if the runs are made on this machine."""
        return self.scheduler == LOCAL

    @property
    def arrays(self) -> bool:
        """True if jobs are arrays."""
        return self.jobs in ("array", "run-array")


class Report(Model):
    """The settings of the report."""

    compare: str = ""
    """The axis whose values are compared; by default `mpi` if it has several values, else the first
    axis that is neither a count nor a problem."""

    base: Scalar = ""
    """The baseline among the values of that axis; by default the first."""

    scaling: Literal["strong", "weak", ""] = ""
    problem: tuple[str, ...] = ()
    """Axes that define the computed problem; the report finds the best settings at each of their
    values. The axes that an application's `work` or `inputs` name always belong to them."""

    metrics: tuple[str, ...] = ()
    """Metrics beside the headlines; empty: all."""

    within: dict[str, FiniteFloat] = Field(default_factory=dict)
    """Metric -> the worst value that is good enough, in the metric's unit. Among the
    configurations that keep all these limits, the report names the one with the best headline.
    """

    node_peak_GFLOPps: PositiveFloat | None = None
    """Peak rate of a node; the report shows scores as shares of it."""

    machine: Text = ""
    """Machine file, or name in `waywiser machine list`, that gives the peak rate instead."""

    author: str = ""
    abstract: Text = ""

    @model_validator(mode="after")
    def _one_peak(self) -> Self:
        if self.machine and self.node_peak_GFLOPps is not None:
            raise ValueError("give one of machine, node_peak_GFLOPps")
        return self


Axis = Annotated[
    tuple[AxisValue, ...],
    Field(min_length=1),
    BeforeValidator(lambda value: [value] if isinstance(value, str | int | float) else value),
]


class Study(Model):
    """One study file."""

    title: str
    question: Text = ""
    application: dict[str, Application] = Field(min_length=1)
    mpi: dict[str, MpiChoice] = Field(default={DEFAULT_MPI: MpiChoice()}, min_length=1)
    axes: dict[str, Axis] = Field(default_factory=dict)
    zip: tuple[tuple[str, ...], ...] = ()
    """Axes of the same length that go together; all others are crossed."""

    exclude: tuple[dict[str, Scalar | tuple[Scalar, ...]], ...] = ()
    """Configurations that agree with all keys of one of these are left out."""

    when: tuple[Text, ...] = ()
    """Conditions on the values and on the application's free_cores, e.g. "ndiag <= ranks";
    configurations that break one are left out."""

    repeats: Repeats = Repeats()
    profile: Literal["every", "never"] = "every"
    profile_options: tuple[Literal["split-sync", "callsites", "posix-io"], ...] = ()
    resources: Resources = Resources()
    report: Report = Report()

    @field_validator("mpi", mode="before")
    @classmethod
    def _names(cls, value: object) -> object:
        """Expand the short form `mpi = ["mpich", "impi"]` to a table for each library."""
        return {str(name): {} for name in value} if isinstance(value, list) else value

    @field_validator("application", "mpi", "axes")
    @classmethod
    def _speakable(cls, value: dict[str, object]) -> dict[str, object]:
        for name in value:
            if not NAME.fullmatch(name):
                raise ValueError(f"{name!r} is not a name: letters, digits and _ . + - are")
        return value

    @property
    def problem(self) -> set[str]:
        """The axes that define the computed problem; counts such as the number of ranks never
        belong to them."""
        named = set(self.report.problem)
        for application in self.application.values():
            named.update(re.findall(r"\w+", application.work))
            named.update(
                word for text in application.inputs for word in re.findall(r"\{(\w+)", text)
            )
        return (named & set(self.axes)) - set(OWN_AXES)

    @model_validator(mode="after")
    def _values_fit(self) -> Self:
        for key in ("application", "mpi"):
            if key in self.axes:
                raise ValueError(f"axes.{key} is made of the tables [{key}.NAME]; leave it out")
        for name in COUNTS:
            for value in self.axes.get(name, ()):
                if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                    raise ValueError(f"axes.{name}: expected whole numbers from 1 on, got {value}")
        for name, axis in self.axes.items():
            for value in axis:
                brought = [value.name, *value.values.values()] if isinstance(value, Level) else []
                if any("\0" in text for text in (value, *brought) if isinstance(text, str)):
                    raise ValueError(f"axes.{name}: text with a NUL cannot be passed to a program")
        return self

    @model_validator(mode="after")
    def _zipped_axes_are_as_long(self) -> Self:
        for group in self.zip:
            lengths = {name: len(self.axes.get(name, ())) for name in group}
            if len(group) < 2 or 0 in lengths.values() or len(set(lengths.values())) > 1:
                message = ", ".join(f"{name} has {count}" for name, count in lengths.items())
                raise ValueError(f"zip: expected axes with equally many values; {message} values")
        return self

    @model_validator(mode="after")
    def _named_axes_are_there(self) -> Self:
        known = dict.fromkeys((*OWN_AXES, *self.axes))
        named = {name for partial in self.exclude for name in partial} | {
            self.report.compare or "mpi"
        }
        named.update(self.report.problem)
        if strange := named - set(known):
            raise ValueError(there_is_no(f"axis {min(strange)}", known))
        if hows := set(self.report.problem) & set(OWN_AXES):
            raise ValueError(
                f"report.problem: {min(hows)} says how something is computed, not what; expected "
                "axes of your own, such as a mesh"
            )
        return self

    @model_validator(mode="after")
    def _named_libraries_are_there(self) -> Self:
        for name, application in self.application.items():
            if strangers := set(application.mpi) - set(self.mpi):
                message = there_is_no(f"[mpi.{min(strangers)}]", self.mpi)
                raise ValueError(f"application.{name}.mpi: {message}")
        return self
