"""Where in the sources a return address lies: function, file and line, by the debug information."""

from __future__ import annotations

import re
import shutil
import subprocess
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from waywiser.native._native import CallSite

ADDR2LINE_SECONDS = 120.0
"""For one file: reading gigabytes of debug information takes its time, but a run must end."""

UNKNOWN = "??"
"""What addr2line says where it knows nothing."""


def places(
    sites: Sequence[CallSite], known: Mapping[tuple[str, int], str] | None = None
) -> list[str]:
    """What a person calls each place: "solve at cg.c:131", "solve" without debug information,
    and "" where not even a symbol is known.

    Asks binutils' addr2line, once for each file; where that is not installed, the symbol table.

    Args:
        known: by module and address, those that have been looked up already.
    """
    known = known or {}
    found = [known.get((site.module, site.address), "") for site in sites]
    by_module: defaultdict[str, list[int]] = defaultdict(list)
    for i, site in enumerate(sites):
        if not found[i]:
            by_module[site.module].append(i)
    for module, indices in by_module.items():
        # A return address is that of the next instruction, which may belong to another line.
        addresses = [sites[i].address - 1 for i in indices]
        for i, place in zip(indices, _places_in(Path(module), addresses), strict=True):
            found[i] = place
    return found


def _places_in(module: Path, addresses: list[int]) -> list[str]:
    if not module.is_file():
        return [""] * len(addresses)
    symbols = _symbols(module, addresses)
    lines = _lines(module, addresses)
    return [_place(line, symbol) for line, symbol in zip(lines, symbols, strict=True)]


def _place(line: tuple[str, str], symbol: str) -> str:
    function, source = line
    name = as_written(symbol if function in ("", UNKNOWN) else function)
    file, _, number = source.rpartition(":")
    number = number.split()[0] if number else ""  # "131 (discriminator 2)"
    if not number.isdigit() or file in ("", UNKNOWN):
        return name
    return f"{name or UNKNOWN} at {Path(file).name}:{number}"


def as_written(symbol: str) -> str:
    """A function as its source has it, where GCC's symbols differ: of the Fortran module procedure
    "__grid_MOD_halo", the contained procedure "halo.0" and the clone "halo.constprop.0"."""
    name = re.sub(r"^(\w+?)\.[\w.]+$", r"\1", symbol)
    return re.sub(r"^__(\w+)_MOD_(\w+)$", r"\1::\2", name)


def _lines(module: Path, addresses: list[int]) -> list[tuple[str, str]]:
    """(function, file:line) of each address."""
    nothing = [("", "")] * len(addresses)
    addr2line = shutil.which("addr2line")
    if addr2line is None:
        return nothing
    try:
        done = subprocess.run(
            [addr2line, "-f", "-C", "-e", str(module)],
            input="".join(f"{address:#x}\n" for address in addresses),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ADDR2LINE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return nothing
    said = done.stdout.splitlines()
    if len(said) != 2 * len(addresses):
        return nothing
    return list(zip(said[::2], said[1::2], strict=True))


def _symbols(module: Path, addresses: list[int]) -> list[str]:
    """The function that each address lies in, by the symbol tables."""
    functions: list[tuple[int, int, str]] = []
    try:
        with module.open("rb") as file:
            for section in ELFFile(file).iter_sections():
                if isinstance(section, SymbolTableSection):
                    functions += [
                        (symbol["st_value"], symbol["st_size"], symbol.name)
                        for symbol in section.iter_symbols()
                        if symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_value"]
                    ]
    except (OSError, ELFError):
        return [""] * len(addresses)
    functions.sort()
    starts = [start for start, _, _ in functions]

    def name_of(address: int) -> str:
        at = bisect_right(starts, address) - 1
        if at < 0:
            return ""
        start, size, name = functions[at]
        return name if address < start + size else ""

    return [name_of(address) for address in addresses]
