"""Resolve return addresses to function, file and line, by the debug information."""

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

from waywiser.launch.ask import ask
from waywiser.native._native import CallSite

ADDR2LINE_SECONDS = 120.0
"""Time limit for one file: gigabytes of debug information take long to read, but a run must end."""

UNKNOWN = "??"
"""The answer of addr2line where it knows nothing."""


def places(
    sites: Sequence[CallSite], known: Mapping[tuple[str, int], str] | None = None
) -> list[str]:
    """Name each place as people do: "solve at cg.c:131", "solve" without debug information, and ""
    if no symbol covers the address. A place that the profiler named keeps its name.

    Lines come from binutils' addr2line, names without lines from the symbol tables.

    Args:
        known: places that were looked up before, by module and address.
    """
    known = known or {}
    names = [site.place or known.get((site.module, site.address), "") for site in sites]
    by_module: defaultdict[str, list[int]] = defaultdict(list)
    for i, site in enumerate(sites):
        if not names[i]:
            by_module[site.module].append(i)
    for module, indices in by_module.items():
        # A return address points to the next instruction, which may belong to another line.
        addresses = [sites[i].address - 1 for i in indices]
        for i, place in zip(indices, _places_in(Path(module), addresses), strict=True):
            names[i] = place
    return names


def _places_in(module: Path, addresses: list[int]) -> list[str]:
    if not module.is_file():
        return [""] * len(addresses)
    symbols = _demangled(_symbols(module, addresses))
    lines = _lines(module, addresses)
    return [_place(line, symbol) for line, symbol in zip(lines, symbols, strict=True)]


def _place(line: tuple[str, str], symbol: str) -> str:
    function, source = line
    file, _, number = source.rpartition(":")
    number = number.split()[0] if number else ""  # "131 (discriminator 2)"
    if not number.isdigit() or file in ("", UNKNOWN):
        # Without a line addr2line takes the nearest symbol before the address, however far it is.
        return as_written(symbol)
    name = as_written(symbol if function in ("", UNKNOWN) else function)
    return f"{name or UNKNOWN} at {Path(file).name}:{number}"


def as_written(symbol: str) -> str:
    """Return a function's name in the source, where GCC's symbol differs: of the Fortran module
    procedure "__grid_MOD_halo", the contained procedure "halo.0", the clone "halo.constprop.0"."""
    name = re.sub(r"^(\w+?)\.[\w.]+$", r"\1", symbol)
    return re.sub(r"^__(\w+)_MOD_(\w+)$", r"\1::\2", name)


def _lines(module: Path, addresses: list[int]) -> list[tuple[str, str]]:
    """(function, file:line) of each address."""
    addresses_text = [f"{address:#x}" for address in addresses]
    lines = _output_of("addr2line", ["-f", "-C", "-e", str(module)], addresses_text)
    if len(lines) != 2 * len(addresses):
        return [("", "")] * len(addresses)
    return list(zip(lines[::2], lines[1::2], strict=True))


def _demangled(symbols: list[str]) -> list[str]:
    """Demangle the symbols; without binutils' c++filt, return them unchanged."""
    lines = _output_of("c++filt", [], symbols) if any(s.startswith("_Z") for s in symbols) else []
    return lines if len(lines) == len(symbols) else symbols


def _output_of(tool: str, arguments: list[str], lines: list[str]) -> list[str]:
    """Return the answers of a tool of binutils to lines; none if the tool is missing or takes too
    long."""
    path = shutil.which(tool)
    if path is None:
        return []
    try:
        text = "".join(f"{line}\n" for line in lines)
        return ask([path, *arguments], ADDR2LINE_SECONDS, text).stdout.splitlines()
    except (OSError, subprocess.TimeoutExpired):
        return []


def _symbols(module: Path, addresses: list[int]) -> list[str]:
    """Return the function that contains each address, by the symbol tables; "" if no symbol's size
    covers it, as in a stripped library or in assembly that gives no sizes."""
    functions: list[tuple[int, int, str]] = []
    try:
        with module.open("rb") as file:
            for section in ELFFile(file).iter_sections():
                if isinstance(section, SymbolTableSection):
                    functions += [
                        (symbol["st_value"], symbol["st_size"], symbol.name)
                        for symbol in section.iter_symbols()
                        if symbol["st_info"]["type"] == "STT_FUNC"
                        and symbol["st_value"]
                        and symbol["st_size"]
                    ]
    except (OSError, ELFError, ValueError):
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
