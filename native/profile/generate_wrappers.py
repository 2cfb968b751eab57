"""Generates the profiler's wrappers from the MPI standard's prototypes and from calls.txt.

Writes `call_ids.hpp` (an enumerator for every call, and its name), `wrappers.cpp` (a wrapper for
every call that is not written by hand in lifecycle.cpp), and `unwrapped_calls.txt` (what is left).
Handles become one machine word, so that one binary serves every MPI library.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass, replace
from pathlib import Path

import pympistandard

HANDWRITTEN = (
    *("MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Abort", "MPI_Comm_free"),
    *("MPI_Comm_disconnect", "MPI_Start", "MPI_Startall", "MPI_Request_free", "MPI_Pcontrol"),
)

# Local look-ups and conversions, as cheap as a time stamp: wrapping them would cost the program
# more than they take. `waywiser doctor` names them.
NOT_WRAPPED = re.compile(
    r"MPI_T_.*|MPI_Wtime|MPI_Wtick|MPI_Aint_(add|diff)|MPI_Pcontrol_c|MPI_Abi_get_version|"
    r"MPI_\w+_(c2f|f2c|toint|fromint|c2f08|f082c|f2f08|f082f)"
)

# Gone from the standard since MPI-3.0, still exported by every library and called by old programs.
REMOVED = (
    "int MPI_Address(void* location, MPI_Aint* address)",
    "int MPI_Errhandler_create(MPI_Handler_function* function, MPI_Errhandler* errhandler)",
    "int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler* errhandler)",
    "int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)",
    "int MPI_Type_extent(MPI_Datatype datatype, MPI_Aint* extent)",
    "int MPI_Type_hindexed(int count, int array_of_blocklengths[], "
    "MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype* newtype)",
    "int MPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, "
    "MPI_Datatype* newtype)",
    "int MPI_Type_lb(MPI_Datatype datatype, MPI_Aint* displacement)",
    "int MPI_Type_struct(int count, int array_of_blocklengths[], "
    "MPI_Aint array_of_displacements[], MPI_Datatype array_of_types[], MPI_Datatype* newtype)",
    "int MPI_Type_ub(MPI_Datatype datatype, MPI_Aint* displacement)",
)

HANDLES = (
    *("MPI_Comm", "MPI_Datatype", "MPI_Request", "MPI_Op", "MPI_Group", "MPI_Win", "MPI_Info"),
    *("MPI_File", "MPI_Errhandler", "MPI_Message", "MPI_Session"),
)
WORDS = ("MPI_Count", "MPI_Aint", "MPI_Offset")


@dataclass(frozen=True)
class Parameter:
    name: str
    type: str


@dataclass(frozen=True)
class Prototype:
    name: str
    parameters: tuple[Parameter, ...]


def c_type(declaration: str, name: str) -> str:
    """The type under which the wrapper passes a parameter on."""
    base = declaration.replace("const", "").split()[0].rstrip("*[]")
    indirect = "*" in declaration or "[" in declaration
    if base.endswith(("_function", "_function_c")):
        return "void*"
    if indirect and base in ("int", "MPI_Count") and re.search(r"counts$", name):
        return "const int*" if base == "int" else "const long*"
    if indirect:
        return "void*"
    if base in HANDLES:
        return "Handle"
    if base in WORDS:
        return "long"
    if base == "int":
        return "int"
    raise ValueError(f"no C type for '{declaration}'")


def parse(signature: str) -> Prototype | None:
    """A prototype as the standard prints it; None where there is nothing to wrap."""
    match = re.fullmatch(r"\s*int\s+(MPI_\w+)\s*\((.*)\)\s*;?\s*", signature, re.DOTALL)
    if match is None or NOT_WRAPPED.fullmatch(match[1]):
        return None
    name, arguments = match.groups()
    if name in HANDWRITTEN or arguments.strip() in ("", "void"):
        return Prototype(name, ())
    parameters = []
    for declaration in arguments.split(","):
        parameter = re.sub(r"[\[\]*]", "", declaration.split()[-1])
        parameters.append(Parameter(parameter, c_type(declaration.strip(), parameter)))
    return Prototype(name, tuple(parameters))


def signatures() -> list[str]:
    """C prototypes of every call in the standard, and of those that were removed from it."""
    pympistandard.use_api_version(1, force_bundled=True)
    found = [*REMOVED]
    for procedure in pympistandard.PROCEDURES.values():
        found.append(str(procedure.express.iso_c))
        if procedure.has_embiggenment():
            found.append(str(procedure.express.embiggen.iso_c))
    return found


def prototypes() -> list[Prototype]:
    """Every call that gets a wrapper, by name."""
    found = {p.name: p for p in map(parse, signatures()) if p is not None}
    return [found[name] for name in sorted(found)]


def unwrapped(calls: list[Prototype]) -> list[str]:
    """Names of the standard's calls that get none; `waywiser doctor` says them."""
    wrapped = {call.name for call in calls}
    names = {match[1] for text in signatures() if (match := re.search(r"\b(MPI_\w+)\s*\(", text))}
    return sorted(names - wrapped)


@dataclass(frozen=True)
class Form:
    """How the payload of a call is computed."""

    function: str
    """Of payload.hpp."""

    arguments: tuple[str, ...]
    """By the standard's names."""

    synchronised: bool = False
    """With --split-sync, a barrier comes before the call."""


def read_table(path: Path) -> dict[str, Form]:
    """calls.txt: call -> form."""
    table: dict[str, Form] = {}
    form: Form | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        heading = re.fullmatch(r"(\w+)\(([\w, ]+)\)", line)
        if heading:
            form = Form(heading[1], tuple(heading[2].split(", ")))
        elif line.startswith(" ") and form is not None:
            for word in line.split():
                table[word.rstrip("!")] = replace(form, synchronised=word.endswith("!"))
        elif line.strip() and not line.startswith("#"):
            raise SystemExit(f"{path}:{number}: expected 'form(arguments)' or indented calls")
    return table


def wrapper(prototype: Prototype, form: Form | None) -> str:
    """The C++ of one wrapper."""
    name, parameters = prototype.name, prototype.parameters
    declared = ", ".join(f"{p.type} {p.name}" for p in parameters)
    types = ", ".join(p.type for p in parameters)
    passed = ", ".join(p.name for p in parameters)
    before = form is not None and "message" in form.arguments
    lines = [
        f"int {name}({declared}) {{",
        f"    const auto next = next_call<int (*)({types})>(Id::{name});",
        "    if (next == nullptr) return kNoSuchCall;",
        *(["    const Handle matched = library.first(message);"] if before else []),
        f"    Call call(Id::{name});",
        *(["    call.synchronise(comm);"] if form is not None and form.synchronised else []),
        f"    const int returned = next({passed});",
        "    call.end();",
    ]
    if form is None:
        lines.append("    call.record();")
    else:
        known = {p.name for p in parameters}
        missing = set(form.arguments) - known
        if missing:
            raise SystemExit(f"calls.txt: {name} has no argument {', '.join(sorted(missing))}")
        arguments = ", ".join("matched" if name == "message" else name for name in form.arguments)
        payload = f"payload::{form.function}({arguments})"
        if re.search(r"_init(_c)?$", name):
            lines += [
                "    if (call.wants_payload(returned)) {",
                f"        remember_request(call.id(), request, {payload});",
                "    }",
                "    call.record();",
            ]
        else:
            lines.append(
                f"    call.record(call.wants_payload(returned) ? {payload} : Payload{{}});"
            )
    return "\n".join([*lines, "    return returned;", "}"])


def write_ids(calls: list[Prototype], path: Path) -> None:
    names = [call.name for call in calls]
    path.write_text(
        "// Generated by generate_wrappers.py.\n#pragma once\n\n#include <cstddef>\n\n"
        "namespace waywiser::profile {\n\n"
        "enum class Id : unsigned {\n" + "".join(f"    {name},\n" for name in names) + "};\n\n"
        f"inline constexpr std::size_t kCalls = {len(names)};\n\n"
        "inline constexpr const char* kCallNames[kCalls] = {\n"
        + "".join(f'    "{name}",\n' for name in names)
        + "};\n\n}  // namespace waywiser::profile\n",
        encoding="utf-8",
    )


def write_wrappers(calls: list[Prototype], table: dict[str, Form], path: Path) -> None:
    unknown = set(table) - {call.name for call in calls}
    if unknown:
        raise SystemExit(f"calls.txt: the standard has no {', '.join(sorted(unknown))}")
    bodies = [
        wrapper(call, table.get(call.name) or table.get(call.name.removesuffix("_c")))
        for call in calls
        if call.name not in HANDWRITTEN
    ]
    path.write_text(
        "// Generated by generate_wrappers.py.\n"
        '#include "profile/recorder.hpp"\n#include "profile/requests.hpp"\n\n'
        "using namespace waywiser::profile;\n\n"
        '#pragma GCC visibility push(default)\nextern "C" {\n\n'
        + "\n\n".join(bodies)
        + '\n\n}  // extern "C"\n#pragma GCC visibility pop\n',
        encoding="utf-8",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path, help="calls.txt")
    parser.add_argument("output", type=Path, help="folder for the generated files")
    arguments = parser.parse_args()
    calls = prototypes()
    write_ids(calls, arguments.output / "call_ids.hpp")
    (arguments.output / "unwrapped_calls.txt").write_text(
        "".join(f"{name}\n" for name in unwrapped(calls)), encoding="utf-8"
    )
    write_wrappers(calls, read_table(arguments.table), arguments.output / "wrappers.cpp")


if __name__ == "__main__":
    main()
