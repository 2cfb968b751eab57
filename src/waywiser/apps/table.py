"""All applications whose output Waywiser can read."""

from __future__ import annotations

from waywiser.apps.application import Application, Output
from waywiser.apps.espresso import ESPRESSO
from waywiser.apps.graph500 import GRAPH500
from waywiser.apps.gromacs import GROMACS
from waywiser.apps.hpcc import HPCC
from waywiser.apps.hpcg import HPCG
from waywiser.apps.hpl import HPL
from waywiser.apps.imb import IMB
from waywiser.apps.io500 import IO500
from waywiser.apps.kernels import (
    COMM,
    FD,
    GRID,
    LATTICE,
    MEMORY,
    NPB,
    PROPA,
    SHALLOW,
    SPECTRAL,
    TBL,
)
from waywiser.apps.lammps import LAMMPS
from waywiser.apps.minife import MINIFE
from waywiser.apps.mpibench import MPIBENCH
from waywiser.apps.nas import NAS
from waywiser.apps.osu import OSU
from waywiser.apps.rupture import RUPTURE
from waywiser.apps.seissol import SEISSOL
from waywiser.apps.vasp import VASP, VASP_UNCONVERGED
from waywiser.errors import InvalidCommand, there_is_no

APPLICATIONS: dict[str, Application] = {
    application.name: application
    for application in (
        *(LAMMPS, ESPRESSO, GROMACS, VASP, VASP_UNCONVERGED, SEISSOL, MINIFE, MPIBENCH),
        *(MEMORY, GRID, COMM, FD, PROPA, NPB, TBL, LATTICE, SHALLOW, SPECTRAL, RUPTURE),
        *(HPL, HPCC, HPCG, GRAPH500, NAS, IO500, IMB, OSU),
    )
}


def find(name: str) -> Application:
    """Return the application of this name.

    Raises:
        InvalidCommand: the name is unknown; the message lists the known names.
    """
    if name not in APPLICATIONS:
        raise InvalidCommand(
            there_is_no(f"application {name}", APPLICATIONS)
            + "; of any other program, metrics are given as regular expressions"
        )
    return APPLICATIONS[name]


def version_in(output: Output) -> str:
    """Return the version that a program of the table printed; "" for any other program."""
    versions = (application.version_in(output) for application in APPLICATIONS.values())
    return next(filter(None, versions), "")
