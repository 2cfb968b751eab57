"""ww-propa's modelling: against the exact field of a source, its images, and wrong copies of it."""

from __future__ import annotations

import functools
import math
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.exact_layers import FREQUENCY, LAYER, SMALL, SPACING, VELOCITY, in_numpy
from tests.kernel_programs import Sample, samples
from tests.support import MpiLibrary, cases

Floats = NDArray[np.floating[Any]]

CASE = [f"--frequency={FREQUENCY}", "--variant=blocked"]


def shoot(mpi: MpiLibrary, directory: Path, *options: str, **how: int) -> Sample:
    [sample] = samples(mpi.program("ww-propa"), mpi, directory, *CASE, *options, **how)
    return sample


def recorded(
    mpi: MpiLibrary, directory: Path, *options: str, **how: int
) -> tuple[Floats, float, Sample]:
    """Receivers' recordings, the time between two values, and the sample of the run."""
    file = directory / "traces.npy"
    sample = shoot(mpi, directory, *options, f"--traces={file}", **how)
    return np.load(file), float(sample["parameters"]["dt"]), sample


def traced(mpi: MpiLibrary, directory: Path, *options: str, **how: int) -> tuple[Floats, float]:
    """Receivers' recordings, and the time between two values."""
    return recorded(mpi, directory, *options, **how)[:2]


def ricker(t: Floats) -> Floats:
    a = math.pi * FREQUENCY * (t - 1.5 / FREQUENCY)
    shape: Floats = (1 - 2 * a**2) * np.exp(-(a**2))
    return shape


def direct(distance: float, times: Floats) -> Floats:
    wave: Floats = ricker(times - distance / VELOCITY) / (4 * math.pi * distance)
    return wave


def off(wave: Floats, exact: Floats) -> float:
    return float(np.sqrt(np.sum((wave - exact) ** 2) / np.sum(exact**2)))


HOMOGENEOUS = ["--n1=64", "--source=310,320,300", "--receivers=410,320,300:380,390,330:2"]


@pytest.mark.parametrize("order", cases([8], long=[4, 16]))
def test_the_wave_is_the_exact_one_within_what_is_predicted(
    openmpi: MpiLibrary, tmp_path: Path, order: int
) -> None:
    """The error falls with the square of the step if the steps in time make the error."""
    errors = []
    for share in (0.5, 0.25):
        options = [*HOMOGENEOUS, f"--order={order}", f"--cfl={share}", "--tmax=0.3"]
        options += ["--precision=fp64", "--layer=10"]
        traces, dt, sample = recorded(openmpi, tmp_path, *options)
        times = np.arange(traces.shape[1]) * dt
        distances = 100.0, math.hypot(70, 70, 30)
        own = [off(traces[i], direct(r, times)) for i, r in enumerate(distances)]
        errors.append(max(own))

        assert sample["verified"] is True
        assert sample["details"]["checked_receivers"] == 2
        assert min(abs(error / sample["error"] - 1) for error in own) < 0.01
        assert max(own) < 0.035
        assert sample["error"] == pytest.approx(sample["details"]["predicted_error"], rel=0.05)
    if order > 4:
        assert errors[1] < errors[0] / 2.5


@pytest.mark.parametrize(
    ("ranks", "cut"), [(2, (2, 1, 1)), (4, (1, 2, 2)), (3, (1, 1, 3)), (2, (1, 2, 1))], ids=str
)
def test_every_decomposition_records_the_same(
    openmpi: MpiLibrary, tmp_path: Path, ranks: int, cut: tuple[int, int, int]
) -> None:
    """The layers and the source at the cut included: waves pass all of them."""
    options = ["--n1=36", "--source=170,180,120", "--receivers=20,20,20:330,200,340:6"]
    options += ["--steps=120", "--precision=fp64", "--layer=8", "--free-surface", "--order=8"]
    alone, _ = traced(openmpi, tmp_path, *options)

    cuts = [f"--p{axis}={n}" for axis, n in enumerate(cut, 1)]
    together, _ = traced(openmpi, tmp_path, *options, *cuts, ranks=ranks)

    assert np.abs(alone).max() > 1e-5
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-10 * np.abs(alone).max())


def test_every_variant_records_the_same(openmpi: MpiLibrary, tmp_path: Path) -> None:
    options = ["--n1=40", "--source=200,200,200", "--receivers=330,200,200:300,290,200:2"]
    options += ["--steps=100", "--precision=fp64", "--layer=8"]
    by_variant = {}
    for variant in ("baseline", "split", "blocked", "temporal"):
        by_variant[variant], _ = traced(
            openmpi, tmp_path, *options, f"--variant={variant}", threads=2
        )

    for traces in by_variant.values():
        np.testing.assert_allclose(traces, by_variant["baseline"], rtol=0, atol=1e-14)


@pytest.mark.parametrize("cut", cases(["--p2=2"], long=["--p1=2", "--p3=2"]))
def test_every_variant_records_the_same_however_the_medium_is_cut(
    openmpi: MpiLibrary, tmp_path: Path, cut: str
) -> None:
    """The medium has another velocity at each point."""
    velocities = np.random.default_rng(7).uniform(1500, 4500, (40, 40, 40))
    model = tmp_path / "velocities.npy"
    np.save(model, velocities.astype(np.float32))
    options = ["--source=150,160,170", "--receivers=30,200,200:330,190,210:4", "--layer=6"]
    options += [f"--velocity-file={model}", "--steps=120", "--precision=fp64"]
    alone, _ = traced(openmpi, tmp_path, *options)

    for variant in ("split", "blocked", "temporal"):
        together, _ = traced(openmpi, tmp_path, *options, cut, f"--variant={variant}", ranks=2)

        np.testing.assert_allclose(together, alone, rtol=0, atol=1e-10 * np.abs(alone).max())


LENGTH = "--tmax=0.55"


@functools.cache
def open_space(mpi: MpiLibrary) -> Floats:
    """Recording of a receiver next to a source before any reflection can arrive."""
    far = ["--n1=104", "--source=520,520,520", "--receivers=520,610,520:520,610,520:1"]
    with tempfile.TemporaryDirectory() as directory:
        return traced(mpi, Path(directory), *far, LENGTH, "--boundary=mirror")[0]


def reflection(
    mpi: MpiLibrary, directory: Path, *options: str, program: Path | None = None
) -> float:
    """Reflection from the faces, as a share of the direct wave, at a receiver next to the
    source."""
    near = ["--n1=72", "--source=360,360,360", "--receivers=360,450,360:360,450,360:1"]
    file = directory / "traces.npy"
    program = program or mpi.program("ww-propa")
    samples(program, mpi, directory, *CASE, *near, LENGTH, *options, f"--traces={file}")
    alone = open_space(mpi)
    return float(np.abs(np.load(file) - alone).max() / np.abs(alone).max())


def test_absorbing_layers_send_little_back(openmpi: MpiLibrary, tmp_path: Path) -> None:
    assert reflection(openmpi, tmp_path, "--layer=10") < 5e-3
    assert reflection(openmpi, tmp_path, "--layer=20") < 1e-3
    assert reflection(openmpi, tmp_path, "--boundary=mirror") > 0.1
    assert reflection(openmpi, tmp_path, "--boundary=none") > 0.1


def test_waves_along_the_layers_stay_as_they_are(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """Layers are worst at grazing incidence, 84 degrees. Source and receivers are four points from
    the layers, 800 m apart; the other grid is wider across the layers."""
    along = ["--n2=130", "--n3=60", "--tmax=0.75"]
    by_width = {}
    for n1 in (48, 110):
        at = (n1 // 2) * SPACING
        line = f"{at},1060,300"
        options = [f"--n1={n1}", *along, f"--source={at},260,300", f"--receivers={line}:{line}:1"]
        by_width[n1], _ = traced(openmpi, tmp_path, *options)

    wave = np.abs(by_width[110]).max()
    assert wave > 0.5 * float(np.abs(direct(800, np.linspace(0.5, 0.75, 500))).max())
    assert np.abs(by_width[48] - by_width[110]).max() / wave < 3e-3


def test_nothing_grows_in_the_layers(openmpi: MpiLibrary, tmp_path: Path) -> None:
    """Another velocity meets the layers; the run goes on long after the wave has left."""
    model = two_layers(tmp_path, 20, 44)
    file = tmp_path / "snapshots.npy"
    options = ["--source=150,220,220", "--layer=10", "--cfl=1", "--order=4", "--steps=2400"]
    shoot(
        openmpi,
        tmp_path,
        *options,
        *(f"--velocity-file={model}", f"--snapshots={file}", "--check-every=40"),
    )

    heights = np.abs(np.load(file)).max(axis=(1, 2, 3))
    assert heights[-1] < 1e-4 * heights.max()
    assert heights[40:].max() < 1e-3 * heights.max()


def test_a_free_surface_sends_back_the_wave_with_its_sign_changed(
    openmpi: MpiLibrary, tmp_path: Path
) -> None:
    options = ["--n1=40", "--n2=56", "--source=60,280,280", "--receivers=100,280,380:100,280,380:1"]
    options += ["--free-surface", "--precision=fp64", "--tmax=0.3", "--layer=20", "--cfl=0.3"]
    traces, dt = traced(openmpi, tmp_path, *options)

    times = np.arange(traces.shape[1]) * dt
    exact = direct(math.hypot(40, 100), times) - direct(math.hypot(160, 100), times)
    assert off(traces[0], exact) < 0.02
    assert off(traces[0], direct(math.hypot(40, 100), times)) > 0.3


def two_layers(directory: Path, depth: int, n: int) -> Path:
    """Twice the velocity from a depth on; axis 1 is the depth."""
    model = np.full((n, n, n), VELOCITY, dtype=np.float32)
    model[:, :, depth:] = 2 * VELOCITY
    file = directory / "model.npy"
    np.save(file, model)
    return file


@pytest.mark.parametrize("precision", cases(["fp32"], long=["fp64"]))
def test_a_second_layer_reflects_when_and_as_much_as_it_must(
    openmpi: MpiLibrary, tmp_path: Path, precision: str
) -> None:
    n, depth = 72, 44
    options = ["--source=260,360,360", "--receivers=260,360,360:260,360,360:1"]
    options += ["--tmax=0.5", f"--precision={precision}"]
    model = two_layers(tmp_path, depth, n)
    layered, dt = traced(openmpi, tmp_path, *options, "--cfl=0.4", f"--velocity-file={model}")
    plain, plain_dt = traced(openmpi, tmp_path, f"--n1={n}", *options, f"--dt={dt!r}")

    assert plain_dt == dt
    reflected = (layered - plain)[0]
    # The interface is between two points; there and back; the wavelet's peak is at 1.5 / f.
    arrival = 2 * ((depth - 0.5) * SPACING - 260) / VELOCITY + 1.5 / FREQUENCY
    peak = np.argmax(np.abs(reflected)) * dt
    assert peak == pytest.approx(arrival, abs=0.1 / FREQUENCY)
    # (c2 - c1) / (c2 + c1) at constant density, for a wave that falls straight; spherical ones
    # are near it.
    image = direct(2 * ((depth - 0.5) * SPACING - 260), np.arange(len(reflected)) * dt)
    assert reflected.max() == pytest.approx(image.max() / 3, rel=0.15)


def test_snapshots_are_the_field_at_their_times(openmpi: MpiLibrary, tmp_path: Path) -> None:
    options = ["--n1=30", "--n2=34", "--n3=38", "--source=140,170,180", "--steps=40", "--layer=8"]
    options += ["--receivers=200,170,180:200,170,180:1", "--check-every=13", "--precision=fp64"]
    for ranks in (1, 2):
        file = tmp_path / f"snapshots-{ranks}.npy"
        options_now = [*options, f"--snapshots={file}"]
        traces, dt = traced(openmpi, tmp_path, *options_now, ranks=ranks)
        sample = shoot(openmpi, tmp_path, *options_now, ranks=ranks)
        fields = np.load(file)

        assert fields.shape == (3, 38, 34, 30)
        assert sample["details"]["modelling"]["snapshots_s"] == pytest.approx(
            [13 * dt, 26 * dt, 39 * dt]
        )
        assert fields[1, 18, 17, 20] == traces[0, 26]
        assert fields[2, 18, 17, 20] == traces[0, 39]


def test_receivers_stand_in_a_file(openmpi: MpiLibrary, tmp_path: Path) -> None:
    file = tmp_path / "receivers.txt"
    file.write_text("# x1,x2,x3\n200,170,180\n\n60,40,50\n", encoding="utf-8")
    options = ["--n1=30", "--source=140,150,140", "--steps=20", "--layer=8"]

    by_file, _ = traced(openmpi, tmp_path, *options, f"--receivers={file}")
    by_line, _ = traced(openmpi, tmp_path, *options, "--receivers=200,170,180:60,40,50:2")

    np.testing.assert_array_equal(by_file, by_line)


def test_what_cannot_be_checked_is_not_called_verified(openmpi: MpiLibrary, tmp_path: Path) -> None:
    model = two_layers(tmp_path, 20, 40)
    options = ["--source=200,200,200", "--receivers=100,200,200:100,200,200:1", "--steps=10"]

    sample = shoot(openmpi, tmp_path, *options, f"--velocity-file={model}", "--layer=8")

    assert sample["verified"] is None
    assert sample["error"] is None
    assert sample["details"]["unchecked"] == "the velocity varies"


def off_in_layers(
    mpi: MpiLibrary, directory: Path, order: int, program: Path | None = None
) -> float:
    """Distance of the program's field from `in_numpy`'s, as a share of its greatest value."""
    file = directory / "snapshots.npy"
    options = [f"--n{axis}={n}" for axis, n in zip((3, 2, 1), SMALL, strict=True)]
    options += ["--source=130,120,100", "--steps=60", f"--order={order}", f"--layer={LAYER}"]
    options += ["--precision=fp64", f"--snapshots={file}"]
    program = program or mpi.program("ww-propa")
    [sample] = samples(program, mpi, directory, *CASE, *options, threads=2)
    dt = sample["parameters"]["dt"]
    exact = in_numpy(order, 60, dt, lambda t: float(ricker(np.array(t))))
    return float(np.abs(np.load(file)[-1] - exact).max() / np.abs(exact).max())


@pytest.mark.parametrize("order", cases([4, 16], long=range(2, 18, 2)))
def test_layers_are_those_of_the_formulae(openmpi: MpiLibrary, tmp_path: Path, order: int) -> None:
    assert off_in_layers(openmpi, tmp_path, order) < 1e-10
