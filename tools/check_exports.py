"""Fails if files for compute nodes would not load there, or export more than necessary.

The preloaded library may need nothing newer than glibc 2.17 (RHEL 7), no C++ runtime, and no
other library; it exports the wrapped MPI calls and the names in `ALSO_EXPORTED`. The programs are
statically linked. The bindings, which are for login nodes, may also need Python and libgcc_s.
The files are those that `make build` has installed, or those of the given directory.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection, GNUVerSymSection
from elftools.elf.sections import SymbolTableSection

ROOT = Path(__file__).resolve().parent.parent
IDS = ROOT / "build" / "release" / "native" / "profile" / "generated" / "call_ids.hpp"

NEWEST_GLIBC = (2, 17)
MAY_NEED = r"lib(c|dl|pthread|rt)\.so\.\d+|ld-linux-[\w-]+\.so\.\d+"
UNWINDER = r"|libgcc_s\.so\.1"  # on every system; a new compiler's static one needs a newer glibc
MATHS = r"|libm\.so\.6"
LOADING = r"dlopen|dlsym"  # an MPI library may come after the program's start

ALSO_EXPORTED = (
    r"MPI_[A-Z0-9_]+|mpi_[a-z0-9_]+",  # Fortran: the compilers' names of the same calls, and _f08_
    LOADING,
    r"GOMP_\w+|ompt_start_tool",  # OpenMP's regions and barriers
    r"waywiser_record_io",  # what libwaywiser-posix-io.so calls
)
"""Further exports of the profiler, each with its reason."""

PROFILER = "libwaywiser-profile.so"
BESIDE: dict[str, tuple[str, tuple[str, ...]]] = {
    # It defines libc's calls, which posix_io.map alone lists.
    "libwaywiser-posix-io.so": (MAY_NEED, (r"\w+",)),
    # It forwards only calls that take a communicator.
    "libwaywiser-rerank.so": (MAY_NEED, (r"MPI_\w+|mpi_[a-z0-9_]+", LOADING, r"waywiser_world")),
    # Fortran may call it by either name.
    "libwaywiser-topologies.so": (
        MAY_NEED + UNWINDER + MATHS,
        (r"P?MPI_(Cart|Graph|Dist_graph)_create(_adjacent)?", LOADING),
    ),
    # It catches its own exceptions; the profiler looks for this name in it.
    "libwaywiser-virtual.so": (MAY_NEED + UNWINDER, (r"waywiser_listener",)),
}
"""Other preloaded libraries -> the libraries that each may need, and its exports."""

BINDINGS = "_*.so"
PROGRAMS = ("ww-exec", "ww-collector", "ww-merge", "ww-show")

PYTHON = re.compile(r"_?Py\w+")

PF_X = 1
DF_TEXTREL = 4

Complaint = str


def table() -> set[str]:
    """The wrapped calls, from the header that the generator wrote for the compiler."""
    names = re.findall(r"^    (MPI_\w+),$", IDS.read_text(encoding="utf-8"), re.MULTILINE)
    return set(names)


def _symbols(elf: ELFFile) -> Iterator[tuple[str, bool, bool, str]]:
    """Dynamic symbols: name, True if defined here, True if weak, required version."""
    symbols = elf.get_section_by_name(".dynsym")
    needed = elf.get_section_by_name(".gnu.version_r")
    versions = elf.get_section_by_name(".gnu.version")
    assert isinstance(symbols, SymbolTableSection)
    for number, symbol in enumerate(symbols.iter_symbols()):
        defined = symbol["st_shndx"] != "SHN_UNDEF"
        version = ""
        if isinstance(versions, GNUVerSymSection) and isinstance(needed, GNUVerNeedSection):
            index = versions.get_symbol(number)["ndx"]
            result = None if isinstance(index, str) or defined else needed.get_version(index)
            version = result[1].name if result else ""
        if symbol.name:
            yield symbol.name, defined, symbol["st_info"]["bind"] == "STB_WEAK", version


def _tags(elf: ELFFile) -> dict[str, list[object]]:
    dynamic = elf.get_section_by_name(".dynamic")
    assert isinstance(dynamic, DynamicSection)
    results: dict[str, list[object]] = {}
    for tag in dynamic.iter_tags():
        value = next(
            (getattr(tag, key) for key in ("needed", "rpath", "runpath") if hasattr(tag, key)),
            tag.entry.d_val,
        )
        results.setdefault(tag.entry.d_tag, []).append(value)
    return results


def check_needs(elf: ELFFile, may_need: str = MAY_NEED) -> Iterator[Complaint]:
    """Complaints on a library's requirements for the machine on which it is loaded."""
    tags = _tags(elf)
    for name in tags.get("DT_NEEDED", []):
        if not re.fullmatch(may_need, str(name)):
            yield f"needs {name}, which is not on every machine"
    for tag in ("DT_RPATH", "DT_RUNPATH"):
        for directories in tags.get(tag, []):
            yield f"looks for libraries in {directories}, a directory of the build machine"
    flags = tags.get("DT_FLAGS", [0])[0]
    assert isinstance(flags, int)
    if "DT_TEXTREL" in tags or flags & DF_TEXTREL:
        yield "has relocations in its code (compile with -fPIC)"
    stacks = [s for s in elf.iter_segments() if s["p_type"] == "PT_GNU_STACK"]
    if not stacks or any(stack["p_flags"] & PF_X for stack in stacks):
        yield "asks for an executable stack"
    for name, defined, weak, version in _symbols(elf):
        # libgcc_s has kept its versions since 2001, and Python's names have none.
        if version.startswith("GCC_") or (not version and PYTHON.fullmatch(name)):
            continue
        glibc = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(\.\d+)?", version)
        # A weak reference without a version stays empty where nobody provides it.
        if defined or (weak and not version):
            continue
        if not glibc:
            yield f"needs {name}{f' of {version}' if version else ''}, which is not glibc's"
        elif (int(glibc[1]), int(glibc[2])) > NEWEST_GLIBC:
            yield (
                f"needs {name} of {version}, newer than glibc "
                f"{'.'.join(map(str, NEWEST_GLIBC))}: name its first version in "
                "native/profile/preload/old_glibc.hpp, or replace the call"
            )


def check_exports(
    elf: ELFFile, expected: set[str], also_exported: tuple[str, ...]
) -> Iterator[Complaint]:
    """Complaints if the library interposes other symbols than those of the table."""
    exported = {name for name, defined, _, _ in _symbols(elf) if defined}
    also = [re.compile(pattern) for pattern in also_exported]
    for name in sorted(exported - expected):
        if not any(pattern.fullmatch(name) for pattern in also):
            yield f"exports {name}, which is not in the table of calls"
    for name in sorted(expected - exported):
        yield f"does not export {name}, which is in the table of calls"


def check_library(
    path: Path,
    expected: set[str],
    may_need: str = MAY_NEED,
    also_exported: tuple[str, ...] = ALSO_EXPORTED,
) -> list[Complaint]:
    with path.open("rb") as file:
        elf = ELFFile(file)
        results = (*check_needs(elf, may_need), *check_exports(elf, expected, also_exported))
        return [f"{path}: {complaint}" for complaint in results]


def check_bindings(path: Path) -> list[Complaint]:
    return check_library(path, set(), MAY_NEED + UNWINDER + MATHS, (r"\w+",))


def check_program(path: Path) -> list[Complaint]:
    with path.open("rb") as file:
        if ELFFile(file).get_section_by_name(".interp") is None:
            return []
    return [f"{path}: is dynamically linked; install the static C library and build again"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "directory",
        type=Path,
        nargs="?",
        default=ROOT / "src" / "waywiser" / "native",
        help="where the library and the programs are, in it or in its bin/ and lib/",
    )
    directory: Path = parser.parse_args().directory
    complaints = [
        complaint for path in directory.glob(BINDINGS) for complaint in check_bindings(path)
    ]
    for name in (PROFILER, *BESIDE, *PROGRAMS):
        path = next(
            (p for p in (directory / name, *directory.glob(f"*/{name}")) if p.exists()), None
        )
        if path is None:
            complaints.append(f"{directory}: holds no {name}")
        elif name == PROFILER:
            complaints += check_library(path, table())
        elif name in BESIDE:
            complaints += check_library(path, set(), *BESIDE[name])
        else:
            complaints += check_program(path)
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
