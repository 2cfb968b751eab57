"""Which MPI library a program is linked to, read from its file without running it."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

Abi = Literal["openmpi", "mpich", "standard", "unknown"]

FAMILY_NAMES: dict[Abi, str] = {
    "openmpi": "Open MPI",
    "mpich": "MPICH's family",
    "standard": "the MPI-5 standard ABI",
    "unknown": "an unknown MPI",
}


LIBMPI = re.compile(r"libmpi(ch|_abi)?\.so")


@dataclass(frozen=True)
class Executable:
    """An ELF file as its headers state it."""

    path: Path
    dynamic: bool
    needed: tuple[str, ...]
    compiler: str
    """What .comment says, e.g. "GCC: (Debian 12.2.0-14) 12.2.0"; "unknown" without one."""

    names_mpi: bool
    """The file itself defines or uses MPI_Init, statically linked programs included."""


@dataclass(frozen=True)
class MpiLibrary:
    path: Path
    abi: Abi


def _comment(elf: ELFFile) -> str:
    section = elf.get_section_by_name(".comment")
    if section is None:
        return "unknown"
    texts = [part.decode("utf-8", "replace") for part in section.data().split(b"\0") if part]
    return "; ".join(dict.fromkeys(texts)) or "unknown"


def _has_symbol(elf: ELFFile, name: str) -> bool:
    # Linkers keep a name that ends another one inside it, so that nothing need stand before it.
    needle = name.encode() + b"\0"
    for section_name in (".dynstr", ".strtab"):
        section = elf.get_section_by_name(section_name)
        if section is not None and needle in section.data():
            return True
    return False


def read_executable(path: Path) -> Executable | None:
    """The facts of an ELF file; None for a script or anything else."""
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            dynamic = elf.get_section_by_name(".dynamic")
            needed: tuple[str, ...] = ()
            if isinstance(dynamic, DynamicSection):
                tags = dynamic.iter_tags("DT_NEEDED")
                needed = tuple(str(getattr(tag, "needed", "")) for tag in tags)
            return Executable(
                path=path,
                # Without an interpreter (static-pie has .dynamic too) nothing can be preloaded.
                dynamic=elf.get_section_by_name(".interp") is not None,
                needed=needed,
                compiler=_comment(elf),
                names_mpi=_has_symbol(elf, "MPI_Init") or _has_symbol(elf, "MPI_Init_thread"),
            )
    except (OSError, ELFError):
        return None


def loaded_libraries(path: Path) -> dict[str, Path]:
    """Shared objects that the dynamic loader gives a program: soname -> file.

    Asks the loader itself (as ldd does), so that RUNPATH, LD_LIBRARY_PATH and the cache count as
    they will when the program is started.
    """
    try:
        listing = subprocess.run(
            [str(path.absolute())],
            env=os.environ | {"LD_TRACE_LOADED_OBJECTS": "1"},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {}  # for another CPU, say: the launcher will tell
    found = re.findall(r"^\s*(\S+) => (/\S.*?) \(0x", listing.stdout, re.MULTILINE)
    return {soname: Path(file) for soname, file in found}


@cache
def abi_of_library(path: Path) -> Abi | None:
    """The family of a shared object by the symbols it exports; None if it is not an MPI library."""
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            names = elf.get_section_by_name(".dynstr")
            table = b"" if names is None else names.data()
    except (OSError, ELFError):
        return None
    if b"PMPI_Init\0" not in table or b"MPI_Send\0" not in table:
        return None
    if b"ompi_mpi_comm_world\0" in table:
        return "openmpi"
    # MPICH's own ABI and the standard's differ in the handles; only the file name of the library
    # that a program was linked to tells them apart (MPI-5.0, section 20.2 fixes the name).
    if path.name.startswith("libmpi_abi.so"):
        return "standard"
    return "mpich" if b"\0MPIR_" in table else "unknown"


def mpi_library_of(path: Path) -> MpiLibrary | None:
    """The MPI library that a dynamically linked program gets; None if it is linked to none."""
    libraries = loaded_libraries(path)
    # libmpi itself before the Fortran and C++ libraries over it, which name the same symbols.
    names = [name for name in libraries if "mpi" in name.lower()]
    for soname in sorted(names, key=lambda name: not LIBMPI.match(name)):
        file = libraries[soname]
        abi = abi_of_library(file)
        if abi is not None:
            return MpiLibrary(file, abi)
    return None
