"""The MPI library of a profile, from the library's own version text."""

from __future__ import annotations

import re

from waywiser.model.run import Mpi
from waywiser.native._native import Profile

NAMES = {
    "Open MPI": r"Open MPI v(\S+?),",
    "Intel MPI": r"Intel\(R\) MPI Library (\S+)",
    "MVAPICH": r"MVAPICH2? Version\s*:\s*(\S+)",
    "MPICH": r"MPICH Version:\s*(\S+)",
}
"""Library -> pattern of its MPI_Get_library_version; group 1 is the version."""


def name_and_version(text: str) -> tuple[str, str]:
    """Library and version from the first line of MPI_Get_library_version."""
    for name, pattern in NAMES.items():
        match = re.search(pattern, text)
        if match:
            return name, match[1]
    return (text or "unknown"), "unknown"


def mpi_of(profile: Profile) -> Mpi:
    """The library of a profile's ranks."""
    library, version = name_and_version(profile.library)
    return Mpi.model_validate(
        {
            "library": library,
            "version": version,
            "abi": profile.abi,
            "transport": profile.transport or "unknown",
        }
    )
