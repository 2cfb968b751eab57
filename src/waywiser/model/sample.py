"""The lines that the ww-* programs write by `--json FILE`, as far as Waywiser reads them."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, NonNegativeFloat, PositiveFloat


class _Read(BaseModel):
    """The base of the lines, whose other keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Roofline(_Read):
    """A kernel under the roofline that the same run measured, all ranks and threads together."""

    bytes_per_point: PositiveFloat
    """Least number of bytes to and from memory, with write-allocates."""

    flops_per_point: NonNegativeFloat
    like: str
    """Sweep whose bandwidth bounds the kernel: "read", "copy", "triad", or "leapfrog"."""

    points_per_s: PositiveFloat
    bound_points_per_s: PositiveFloat
    read_Bps: PositiveFloat
    copy_Bps: PositiveFloat
    triad_Bps: PositiveFloat
    leapfrog_Bps: PositiveFloat
    flops_per_s: PositiveFloat
    """Peak of multiply-adds without dependences."""

    instructions: str
    """Instruction set of the multiply-adds: "AVX-512", "AVX2", or "baseline"."""

    @property
    def fraction(self) -> float:
        """The fraction of the bound that the sample reaches."""
        return self.points_per_s / self.bound_points_per_s

    @property
    def flops_per_byte(self) -> float:
        """Arithmetic intensity."""
        return self.flops_per_point / self.bytes_per_point


class Modelling(_Read):
    """The output of ww-propa's modelling. Positions are x1, x2, x3 [m]; names are those of .npy
    files."""

    spacings_m: tuple[PositiveFloat, PositiveFloat, PositiveFloat]
    source_m: tuple[float, float, float]
    receivers_m: tuple[float, ...]
    """Coordinates of the receivers, three numbers each."""

    dt_s: PositiveFloat
    traces: str
    """Array of shape (receivers, steps); "" if it was not written."""

    snapshots: str
    """Array of shape (snapshots, n3, n2, n1); "" if it was not written."""

    snapshots_s: tuple[float, ...]
    """Times of the snapshots."""


class Outputs(_Read):
    """Files that ww-rupture wrote beside its samples; "" for a file that it did not write."""

    fault: str
    """CSV file of the fault's points."""

    snapshots: str
    """XDMF file of the free surface and the fault over time."""

    snapshots_s: tuple[float, ...]
    """Times of the snapshots."""


class SampleDetails(_Read):
    roofline: Roofline | None = None
    modelling: Modelling | None = None
    outputs: Outputs | None = None


class Sample(_Read):
    """One line of a workload's samples."""

    workload: str
    phase: str = ""
    variant: str = ""
    ranks: int
    threads: int
    details: SampleDetails

    @property
    def label(self) -> str:
        return " ".join(part for part in (self.workload, self.phase, self.variant) if part)
