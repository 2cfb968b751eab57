"""ww-propa on a CUDA device: every order, precision and layout of ranks against the exact waves."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.kernel_programs import samples
from tests.support import BIN, ROOT, MpiLibrary, succeeded

pytestmark = pytest.mark.long

ODD = ("--n1=37", "--n2=41", "--n3=39", "--tries=1")
LAYOUTS = [(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2), (2, 2, 2)]


@pytest.fixture(scope="module")
def program(openmpi: MpiLibrary, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not (shutil.which("nvcc") and shutil.which("nvidia-smi")):
        pytest.skip("needs nvcc and a CUDA device")
    build = tmp_path_factory.mktemp("cuda")
    cmake = str(BIN / "cmake")
    configure = [cmake, "-S", str(ROOT), "-B", str(build), f"-DMPI_HOME={openmpi.bin.parent}"]
    configure += ["-DWAYWISER_CORE=OFF", "-DWAYWISER_WORKLOADS=ON", "-DWAYWISER_CUDA=ON"]
    configure += ["-DCMAKE_CUDA_ARCHITECTURES=native"]
    for command in (configure, [cmake, "--build", str(build), "--target", "ww-propa"]):
        succeeded(subprocess.run(command, capture_output=True, text=True, check=False))
    return build / "native/workloads/ww-propa"


@pytest.mark.parametrize("precision", ["fp32", "fp64"])
@pytest.mark.parametrize("order", range(2, 18, 2))
def test_orders(
    program: Path, openmpi: MpiLibrary, tmp_path: Path, order: int, precision: str
) -> None:
    options = [*ODD, f"--order={order}", f"--precision={precision}", "--check-every=3"]

    [sample] = samples(program, openmpi, tmp_path, *options, "--variant=cuda")

    assert sample["verified"] is True
    assert sample["details"]["fraction_of_copy"] > 0


@pytest.mark.parametrize(("layout", "order"), list(itertools.product(LAYOUTS, (2, 16))))
def test_ranks(
    program: Path, openmpi: MpiLibrary, tmp_path: Path, layout: tuple[int, ...], order: int
) -> None:
    cut = [f"--p{axis}={ranks}" for axis, ranks in enumerate(layout, 1)]
    options = [*ODD, *cut, f"--order={order}", "--precision=fp64", "--variant=cuda"]

    [sample] = samples(program, openmpi, tmp_path, *options, ranks=int(np.prod(layout)))

    assert sample["verified"] is True


def test_recordings_are_those_of_the_host(
    program: Path, openmpi: MpiLibrary, tmp_path: Path
) -> None:
    options = ["--n1=100", "--n2=90", "--n3=80", "--velocity=2000", "--spacing=10", "--tmax=0.2"]
    options += ["--source=300,400,400", "--frequency=15", "--receivers=300,300,400:300,600,400:4"]
    traces = {}
    for variant in ("blocked", "cuda"):
        file = tmp_path / f"{variant}.npy"
        recorded = [f"--variant={variant}", f"--traces={file}", "--tries=1"]
        samples(program, openmpi, tmp_path, *options, *recorded, ranks=2)
        traces[variant] = np.load(file)

    scale = np.abs(traces["blocked"]).max()
    assert scale > 0
    assert np.abs(traces["cuda"] - traces["blocked"]).max() < 1e-6 * scale
