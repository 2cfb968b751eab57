"""Generates the profiler's wrappers from the MPI standard's prototypes and two tables of calls.

Writes `call_ids.hpp` (an enumerator for every call, and its name), `wrappers.cpp` (a wrapper for
every call but MPI_Pcontrol, which is variadic), `fortran_wrappers.cpp` (the same for Fortran), and
`unwrapped_calls.txt` (what is left). Of calls in which programs spend no time, the wrappers are in
`rare_wrappers.cpp` and `rare_fortran_wrappers.cpp`.
Handles become one machine word, so that one binary serves every MPI library.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from call_table import check, form_of, read_table
from mpi_standard import (
    HANDWRITTEN,
    Prototype,
    fortran_prototypes,
    is_frequent,
    prototypes,
    unwrapped,
)
from templates import rendered
from wrapper import FortranWrapper, Wrapper


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path, help="calls.txt")
    parser.add_argument("traced", type=Path, help="traced_calls.txt")
    parser.add_argument("output", type=Path, help="directory for the generated files")
    arguments = parser.parse_args()
    output: Path = arguments.output
    table = read_table(arguments.table, "payload")
    traced = read_table(arguments.traced, "traced")
    calls = {call.name: call for call in prototypes()}
    check(calls, table, traced)

    def wrapped(kind: type[Wrapper], prototype: Prototype) -> Wrapper:
        name = prototype.name
        known = {p.name: p for p in calls[name].parameters}
        return kind(prototype, known, form_of(name, table), form_of(name, traced))

    def write(name: str, template: str, **context: object) -> None:
        (output / name).write_text(rendered(template, **context), encoding="utf-8")

    in_c = [wrapped(Wrapper, call) for call in calls.values() if call.name not in HANDWRITTEN]
    in_fortran = [wrapped(FortranWrapper, call) for call in fortran_prototypes([*calls.values()])]
    write("call_ids.hpp", "call_ids.hpp.jinja", names=[*calls])
    for file, wrappers in (("wrappers.cpp", in_c), ("fortran_wrappers.cpp", in_fortran)):
        frequent = [wrapper for wrapper in wrappers if is_frequent(wrapper.name)]
        rare = [wrapper for wrapper in wrappers if not is_frequent(wrapper.name)]
        write(file, f"{file}.jinja", wrappers=frequent, rare=False)
        write(f"rare_{file}", f"{file}.jinja", wrappers=rare, rare=True)
    names = "".join(f"{name}\n" for name in unwrapped([*calls.values()]))
    (output / "unwrapped_calls.txt").write_text(names, encoding="utf-8")


if __name__ == "__main__":
    main()
