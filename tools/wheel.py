"""`make wheel`: a wheel, the source distribution and a bill of materials, in dist/.

The wheel packs the core that `make build` has built; nothing is compiled again. Its tag promises a
version of the C library: auditwheel refuses the wheel if a file in it needs a newer one. `--build`
and `--machine` pack another build, such as that of a cross compiler.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from scikit_build_core.build import build_sdist, build_wheel

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.prefix) / "bin"

GLIBC = "2_17"
"""The oldest C library with which the whole wheel loads; tools/check_exports.py also uses it."""


def call(*command: str | Path) -> str:
    done = subprocess.run(
        [*map(str, command)],
        cwd=ROOT,
        env=os.environ | {"PATH": f"{BIN}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"{done.stdout}waywiser: {' '.join(map(str, command))} failed")
    return done.stdout


def wheel(output: Path, build: Path, machine: str) -> Path:
    """Packs an existing build of the core, and has auditwheel check and tag the result."""
    python = "cp{}{}".format(*sys.version_info)
    with tempfile.TemporaryDirectory() as directory:
        stage = Path(directory) / "stage"
        call(BIN / "cmake", "--install", build, "--strip", "--prefix", stage)
        stub = stage / "waywiser" / "native" / "_native.pyi"
        if not stub.exists():  # made by importing the module, which may be of another machine
            shutil.copy2(ROOT / "src" / "waywiser" / "native" / stub.name, stub)
        settings: dict[str, str | list[str]] = {
            "wheel.cmake": "false",
            "wheel.platlib": "true",
            "wheel.tags": f"{python}-{python}-linux_{machine}",
            f"wheel.force-include.{stage}/waywiser/native": "waywiser/native",
        }
        wheels = Path(directory) / build_wheel(directory, settings)
        promise = f"manylinux_{GLIBC}_{machine}"
        # auditwheel takes only names of this machine's platforms; else it finds the oldest that
        # fits.
        platform_tag = promise if machine == platform.machine() else "auto"
        call(BIN / "auditwheel", "repair", "--plat", platform_tag, "--wheel-dir", directory, wheels)
        (tagged,) = Path(directory).glob("waywiser-*manylinux*.whl")
        if promise not in tagged.name:
            raise SystemExit(f"waywiser: auditwheel gives {tagged.name}, not {promise}")
        return Path(shutil.copy2(tagged, output))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="default: dist")
    parser.add_argument(
        "--build", type=Path, default=ROOT / "build" / "release", help="default: build/release"
    )
    parser.add_argument("--machine", default=platform.machine(), help="default: this one")
    arguments = parser.parse_args()
    output: Path = arguments.output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    build: Path = arguments.build.resolve()
    os.chdir(ROOT)
    wheels = [
        wheel(output, build, arguments.machine),
        output / build_sdist(str(output)),
        Path(call(sys.executable, "tools/sbom.py", output).strip()),
    ]
    for path in wheels:
        print(f"waywiser: {path} ({path.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
