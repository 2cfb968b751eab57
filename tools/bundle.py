"""`make bundle`: packs archives for machines without network into dist/.

`waywiser-VERSION-linux-x86_64.tar.gz` is for compute nodes. It has the profiler, `ww-exec`,
`ww-merge` and `ww-show`, which find each other in any directory. The file that ends in `-cp311.sh`
instead is an installer for login nodes. It has the wheels of Waywiser and its dependencies, after a
few lines of shell that install them into an environment.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.prefix) / "bin"

PROGRAMS = ("ww-exec", "ww-collector", "ww-merge", "ww-show")
LIBRARIES = (
    "libwaywiser-profile.so",
    "libwaywiser-posix-io.so",
    "libwaywiser-rerank.so",
    "libwaywiser-topologies.so",
    "libwaywiser-virtual.so",
)
TEXTS = ("LICENSE", "NOTICE", "docs/clusters.md")

INSTALLER = ROOT / "tools" / "offline_installer.sh"


def call(*command: str | Path) -> None:
    done = subprocess.run(
        [*map(str, command)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"{done.stdout}waywiser: {' '.join(map(str, command))} failed")


def version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return str(project["project"]["version"])


def name() -> str:
    return f"waywiser-{version()}-linux-{platform.machine()}"


def of_root(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """A member owned by root, without the user names of this machine."""
    member.uid = member.gid = 0
    member.uname = member.gname = "root"
    return member


def tarball(output: Path) -> Path:
    """Packs and checks the files of `make build` for compute nodes."""
    with tempfile.TemporaryDirectory() as directory:
        installed, stage = Path(directory) / "installed", Path(directory) / name()
        call(BIN / "cmake", "--install", "build/release", "--strip", "--prefix", installed)
        for target in ("bin", "lib"):
            (stage / target).mkdir(parents=True)
        for program in PROGRAMS:
            shutil.copy2(installed / "waywiser" / "native" / program, stage / "bin")
        for library in LIBRARIES:
            shutil.copy2(installed / "waywiser" / "native" / library, stage / "lib")
        for text in TEXTS:
            shutil.copy2(ROOT / text, stage)
        call(sys.executable, "tools/check_exports.py", stage)
        path = output / f"{name()}.tar.gz"
        with tarfile.open(path, "w:gz") as archive:
            archive.add(stage, arcname=stage.name, filter=of_root)
    return path


def installer(output: Path) -> Path:
    """Packs the wheels after the shell lines that install them."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    with tempfile.TemporaryDirectory() as directory:
        wheels = Path(directory) / "wheels"
        call(sys.executable, "tools/wheel.py", "--output", wheels)
        (wheel,) = wheels.glob("waywiser-*.whl")
        download = [*pip, "download", "--only-binary", ":all:", "--constraint", "constraints.txt"]
        call(*download, "--dest", wheels, wheel)
        python = "{}.{}".format(*sys.version_info)
        text = INSTALLER.read_text(encoding="utf-8")
        for mark, value in {
            "@VERSION@": version(),
            "@PYTHON@": python,
            "@SYSTEM@": f"{platform.system()} {platform.machine()}",
            "@PROGRAMS@": " ".join(PROGRAMS),
        }.items():
            text = text.replace(mark, value)
        path = output / f"{name()}-cp{python.replace('.', '')}.sh"
        with path.open("wb") as file:
            file.write(text.encode())
            file.flush()
            # Not compressed: wheels are.
            with tarfile.open(fileobj=file, mode="w:") as archive:
                for result in sorted(wheels.glob("*.whl")):
                    archive.add(result, arcname=result.name, filter=of_root)
    path.chmod(0o755)
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="default: dist")
    parser.add_argument("--nodes-only", action="store_true", help="without the installer")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    makers = [tarball] if arguments.nodes_only else [tarball, installer]
    for make in makers:
        path = make(arguments.output.resolve())
        print(f"waywiser: {path} ({path.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
