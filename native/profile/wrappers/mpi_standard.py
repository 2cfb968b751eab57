"""The MPI standard's prototypes, as the wrappers see them: in C, and in Fortran (mpif.h).

Source: the package pympistandard, which carries the standard's own description of its calls, and
the calls that were removed from the standard.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import pympistandard

HANDWRITTEN = ("MPI_Pcontrol",)
"""Variadic in C."""

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
    """As the wrapper declares it."""
    mpi_type: str = ""
    """As the standard declares it, e.g. "MPI_Datatype"; without const, `*` and `[]`."""


@dataclass(frozen=True)
class Prototype:
    name: str
    parameters: tuple[Parameter, ...]

    @property
    def names(self) -> list[str]:
        return [p.name for p in self.parameters]

    @property
    def types(self) -> str:
        return ", ".join(p.type for p in self.parameters)

    @property
    def declared(self) -> str:
        return ", ".join(f"{p.type} {p.name}" for p in self.parameters)

    def passed(self, replaced: dict[str, str]) -> str:
        """The arguments, some of them replaced; an empty text replaces none."""
        return ", ".join(replaced.get(name) or name for name in self.names)


def base_of(declaration: str) -> str:
    """The type of a C declaration without const, `*` and `[]`."""
    return declaration.replace("const", "").split()[0].rstrip("*[]")


def c_type(declaration: str, name: str) -> str:
    """The type under which the wrapper passes a parameter on."""
    base = base_of(declaration)
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
        kind = c_type(declaration.strip(), parameter)
        parameters.append(Parameter(parameter, kind, base_of(declaration)))
    return Prototype(name, tuple(parameters))


def signatures() -> list[str]:
    """C prototypes of every call in the standard, and of those that were removed from it."""
    pympistandard.use_api_version(1, force_bundled=True)
    declarations = [*REMOVED]
    for procedure in pympistandard.PROCEDURES.values():
        declarations.append(str(procedure.express.iso_c))
        if procedure.has_embiggenment():
            declarations.append(str(procedure.express.embiggen.iso_c))
    return declarations


def prototypes() -> list[Prototype]:
    """Every call that gets a wrapper, by name."""
    by_name = {p.name: p for p in map(parse, signatures()) if p is not None}
    return [by_name[name] for name in sorted(by_name)]


FREQUENT = re.compile(
    "MPI_("
    "I?[SBR]?send|I?sendrecv(_replace)?|(I?M?|I)recv|I?M?probe|(Wait|Test)(all|any|some)?|"
    "Start(all)?|Request_(get_status|free)|"
    "I?(barrier|bcast|(all)?reduce|reduce_scatter(_block)?|(ex)?scan|gatherv?|scatterv?)|"
    "I?(neighbor_)?(allgatherv?|alltoall[vw]?)|"
    "R?(put|get|(get_)?accumulate)|Fetch_and_op|Compare_and_swap|"
    "Win_(fence|(un)?lock(_all)?|flush(_local)?(_all)?|start|complete|post|wait)"
    ")",
    re.IGNORECASE,
)
"""Calls that programs spend their time in: their wrappers are inlined as a whole."""


def is_frequent(name: str) -> bool:
    """False for those with large counts, too: they are new, and their buffers large."""
    return FREQUENT.fullmatch(name) is not None


def unwrapped(calls: list[Prototype]) -> list[str]:
    """Names of the standard's calls that get none; `waywiser doctor` says them."""
    wrapped = {call.name for call in calls}
    names = {match[1] for text in signatures() if (match := re.search(r"\b(MPI_\w+)\s*\(", text))}
    return sorted(names - wrapped)


# What a Fortran argument is to the wrapper: an address, and of integers also their width.
FORTRAN_POINTERS = {
    "INTEGER": "int*",
    "INTEGER(KIND=MPI_ADDRESS_KIND)": "long*",
    "INTEGER(KIND=MPI_COUNT_KIND)": "long*",
    "INTEGER(KIND=MPI_OFFSET_KIND)": "long*",
}


def parse_fortran(name: str, interface: str) -> Prototype:
    """A procedure of mpif.h as the standard prints it: a heading and lines of declarations.

    The compiler passes the length of each CHARACTER argument by value after the last argument.
    """
    heading, *declarations = interface.strip().splitlines()
    types = {}
    for line in declarations:
        kind, names = line.split(maxsplit=1)
        for argument in re.sub(r"\([^()]*\)", "", names).split(","):
            types[argument.strip()] = kind
    inside = heading[heading.index("(") + 1 : heading.rindex(")")]
    arguments = [argument.strip() for argument in inside.split(",")]
    parameters = [
        Parameter(argument.lower(), FORTRAN_POINTERS.get(types[argument], "void*"), types[argument])
        for argument in arguments
    ]
    parameters += [
        Parameter(f"{argument.lower()}_length", "long")
        for argument in arguments
        if types[argument].startswith("CHARACTER")
    ]
    if name == "MPI_Pcontrol":
        # The standard gives it no IERROR. MPICH's module mpi_f08 has an optional one, whose address
        # the library looks at; from elsewhere, what is passed on is what the caller left there.
        parameters.append(Parameter("optional_ierror", "void*"))
    return Prototype(name, tuple(parameters))


def removed_in_fortran(prototype: Prototype) -> Prototype:
    """A removed call's Fortran form: what it has in C, by reference, and the error code."""
    by_reference = tuple(Parameter(p.name, "void*") for p in prototype.parameters)
    return Prototype(prototype.name, (*by_reference, Parameter("ierror", "int*")))


def fortran_prototypes(calls: list[Prototype]) -> list[Prototype]:
    """The Fortran forms of those calls that have one."""
    pympistandard.use_api_version(1, force_bundled=True)
    interfaces = {name: str(p.express.f90) for name, p in pympistandard.PROCEDURES.items()}
    removed = {p.name for p in map(parse, REMOVED) if p is not None}
    forms = []
    for call in calls:
        interface = interfaces.get(call.name.lower(), "None")
        if call.name in removed:
            forms.append(removed_in_fortran(call))
        elif interface != "None":
            forms.append(parse_fortran(call.name, interface))
    return forms
