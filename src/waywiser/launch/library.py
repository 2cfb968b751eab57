"""Find the MPI library that a program is linked to, from its file, without running it."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.hash import ELFHashSection, GNUHashSection
from elftools.elf.sections import NoteSection, SymbolTableSection
from elftools.elf.segments import InterpSegment

from waywiser.launch.ask import ask
from waywiser.launch.launchers.launcher import Launcher
from waywiser.model.run import Abi

LIBRARY_PATH = "LD_LIBRARY_PATH"
MPI_FUNCTION = "PMPI_Init"


@dataclass(frozen=True)
class Family:
    name: str
    mark: str = ""
    """A symbol that a library defines because its family's mpi.h needs it; the first match decides.
    File names do not identify a family: Cray, MVAPICH and ParaStation have names of their own."""

    sonames: tuple[str, ...] = ()
    """Sonames in programs; they identify the family where the loader does not find the library."""

    pmi: str = ""
    """Value of srun's --mpi. Open MPI 5 supports PMIx only; MPICH and Intel MPI have a client of
    PMI-2 and none of PMIx."""


FAMILIES: dict[Abi, Family] = {
    "openmpi": Family(
        "Open MPI",
        mark="ompi_mpi_comm_world",  # what mpi.h makes of MPI_COMM_WORLD
        sonames=("libmpi.so.40",),
        pmi="pmix",
    ),
    "mpich": Family(
        "MPICH's family",
        mark="MPIR_Dup_fn",  # what it makes of MPI_DUP_FN
        sonames=("libmpi.so.12", "libmpich.so.12"),
        pmi="pmi2",
    ),
    "standard": Family(
        "the MPI-5 standard ABI",
        mark="MPI_Abi_get_version",  # MPI-5.0, section 20.4; MPICH's own ABI has it as well
        sonames=("libmpi_abi.so.0", "libmpi_abi.so.1"),
        pmi="pmi2",
    ),
    "unknown": Family("an unknown MPI"),
}

DAMAGED = (OSError, ELFError, ValueError)
"""Errors of reading an executable; ValueError if a field points beyond the file's end."""


@dataclass(frozen=True)
class Executable:
    """An ELF file as its headers state it."""

    path: Path
    dynamic: bool
    needed: tuple[str, ...]
    compiler: str
    """Contents of .comment, e.g. "GCC: (Debian 12.2.0-14) 12.2.0"; "unknown" if absent."""

    build_id: str
    """Build id from the note that the linker writes, in hexadecimal; "" if there is none."""

    defines_mpi: bool
    """True if the file itself defines MPI_Init, linked from an archive; False if its symbols are
    stripped."""


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


def _build_id(elf: ELFFile) -> str:
    section = elf.get_section_by_name(".note.gnu.build-id")
    if not isinstance(section, NoteSection):
        return ""
    notes = (note for note in section.iter_notes() if note["n_type"] == "NT_GNU_BUILD_ID")
    return next((str(note["n_desc"]) for note in notes), "")


def _contains(elf: ELFFile, name: str) -> bool:
    """True if the symbol table defines `name`. Only symbols of that name are parsed."""
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        return False
    names = table.stringtable.data()
    places = {match.start() for match in re.finditer(re.escape(name).encode() + b"\0", names)}
    symbols, each = table.data(), table["sh_entsize"]
    number = struct.Struct(
        "<I" if elf.little_endian else ">I"
    )  # of the name, with which each begins
    return any(
        number.unpack_from(symbols, at)[0] in places
        and table.get_symbol(at // each)["st_shndx"] != "SHN_UNDEF"
        for at in range(0, len(symbols) - each + 1, each)
    )


def _defines(elf: ELFFile, name: str) -> bool:
    for section in elf.iter_sections():
        if isinstance(section, GNUHashSection | ELFHashSection):
            symbol = section.get_symbol(name)
            return symbol is not None and symbol["st_shndx"] != "SHN_UNDEF"
    return False


def read_executable(path: Path) -> Executable | None:
    """The properties of an ELF file; None for a script or any other file."""
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
                build_id=_build_id(elf),
                defines_mpi=_contains(elf, "MPI_Init") or _defines(elf, "MPI_Init"),
            )
    except DAMAGED:
        return None


def interpreter_of(path: Path) -> str:
    """The dynamic loader that a program names; "" if it names none."""
    try:
        with path.open("rb") as file:
            segments = ELFFile(file).iter_segments("PT_INTERP")
            names = (
                segment.get_interp_name()
                for segment in segments
                if isinstance(segment, InterpSegment)
            )
            return next((str(name) for name in names), "")
    except DAMAGED:
        return ""


@cache
def _own_loader() -> str:
    return os.path.realpath(interpreter_of(Path(sys.executable)))


def loaded_libraries(
    path: Path, environment: Mapping[str, str] | None = None, *, start: bool = True
) -> dict[str, Path]:
    """Shared objects that the dynamic loader finds for a program: soname -> file.

    Runs the loader itself (as ldd does), so that RUNPATH, LD_LIBRARY_PATH and the cache apply as
    they do when the program starts.

    Args:
        environment: further variables of the program.
        start: False for a program that must not be started. A program chooses its loader, and
            variables can name code that the loader runs (LD_PRELOAD, LD_AUDIT). Then only Python's
            own loader runs, with LD_LIBRARY_PATH alone. Nothing is found if the program names
            another loader.
    """
    variables = {**os.environ, **(environment or {}), "LD_TRACE_LOADED_OBJECTS": "1"}
    words = [str(path.absolute())]
    if not start:
        own = _own_loader()
        if not own or os.path.realpath(interpreter_of(path)) != own:
            return {}
        words = [own, "--list", *words]
        variables = dict(os.environ)
        if environment and LIBRARY_PATH in environment:
            variables[LIBRARY_PATH] = environment[LIBRARY_PATH]
    try:
        listing = ask(words, 30, env=variables)
    except (OSError, subprocess.TimeoutExpired):
        return {}  # for another CPU, say: the launcher will tell
    entries = re.findall(r"^\s*(\S+) => (/\S.*?) \(0x", listing.stdout, re.MULTILINE)
    return {soname: _without_detours(Path(file)) for soname, file in entries}


def _without_detours(file: Path) -> Path:
    """A rpath of $ORIGIN/../lib gives bin/../lib."""
    return file.parent.resolve() / file.name if ".." in file.parts else file


def requested_abi(executable: Executable) -> Abi | None:
    """The family of a program by the soname of its MPI library."""
    abis = (
        abi
        for name in executable.needed
        for abi, family in FAMILIES.items()
        if name in family.sonames
    )
    return next(abis, None)


@cache
def abi_of_library(path: Path) -> Abi | None:
    """The family of a shared object by the symbols it defines; None if it is not an MPI library."""
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            if not _defines(elf, MPI_FUNCTION):
                return None
            return next(
                abi
                for abi, family in FAMILIES.items()
                if not family.mark or _defines(elf, family.mark)
            )
    except DAMAGED:
        return None


def mpi_library_of(
    path: Path, environment: Mapping[str, str] | None = None, *, start: bool = True
) -> MpiLibrary | None:
    """The MPI library that a dynamically linked program loads; None if it is linked to none.

    Args:
        start: as for `loaded_libraries`.
    """
    for file in loaded_libraries(path, environment, start=start).values():
        abi = abi_of_library(file)
        if abi is not None:
            return MpiLibrary(file, abi)
    return None


def library_beside(launcher: Launcher) -> tuple[Path, Abi] | None:
    """The libmpi of a launcher's installation; a batch system's launcher has none."""
    if not launcher.kind.library:
        return None
    prefix = launcher.path.resolve().parent.parent
    directories = [prefix / "lib", prefix / "lib64", *prefix.glob("lib/*-linux-gnu")]
    for directory in directories:
        for pattern in ("libmpi.so*", "libmpich.so*", "release/libmpi.so*"):
            for file in sorted(directory.glob(pattern), key=lambda path: len(path.name)):
                abi = abi_of_library(file.resolve())
                if abi in launcher.kind.starts:
                    return file, abi
    return None
