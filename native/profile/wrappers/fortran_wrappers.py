"""Generates the wrappers of the Fortran procedures.

A wrapper passes its arguments on untouched, so that MPI_BOTTOM and MPI_STATUS_IGNORE, which are
addresses in Fortran, and the hidden lengths of CHARACTER arguments arrive as they were. Handles
are converted for the payload alone.
"""

from __future__ import annotations

from pathlib import Path

from call_table import Form
from mpi_standard import HANDLES, Parameter, Prototype
from wrapper_bodies import FREED, GIVEN_BEFORE, Language, body


def handle(parameter: Parameter) -> str:
    return f"fortran.{parameter.mpi_type.removeprefix('MPI_').lower()}({parameter.name})"


def requests(parameter: Parameter, number: str = "1") -> str:
    """What a call has of requests, or of a message: where they are."""
    kind = parameter.mpi_type.removeprefix("MPI_").lower()
    return f"fortran_array_of_{kind}s({parameter.name}, {number})"


def converted(parameter: Parameter, form: Form) -> str:
    """An argument of the Fortran call as the functions of payload.hpp and traced.hpp read it."""
    name = parameter.name
    if name in GIVEN_BEFORE.get(form.function, ()):
        return "given"
    if name in FREED.get(form.function, ()):
        return "freed"
    if parameter.mpi_type == "MPI_Datatype" and parameter.type == "void*":
        return f"fortran_types({name})"
    if parameter.mpi_type in ("MPI_Request", "MPI_Message") and form.room == "traced":
        return requests(parameter)
    if parameter.mpi_type in HANDLES:
        return handle(parameter)
    if parameter.mpi_type == "void":
        return f"fortran.buffer({name})"
    return name if parameter.type.endswith("*") else f"*{name}"


def in_fortran(call: Prototype, fortran: Prototype, *, returns_error: bool) -> Language:
    """How the procedure's wrapper reads its arguments."""
    known = {p.name: p for p in call.parameters}

    def forwarded(replaced: dict[str, str]) -> str:
        passed = {p.name: p.name for p in fortran.parameters}
        if returns_error:
            passed["ierror"] = "error.address()"
        passed |= {name: f"static_cast<int*>({text})" for name, text in replaced.items()}
        return f"next({', '.join(passed.values())})"

    return Language(
        converted=converted,
        handle=handle,
        requests=lambda name, number: requests(known[name], number),
        integer=lambda name: f"*static_cast<const int*>({name})",
        integers=lambda name: name,
        ignored="fortran.ignores",
        first=1,
        returned="error.value()" if returns_error else "0",
        answers="return;",
        call=forwarded,
        again=f"{{ int unseen = 0; {forwarded({'ierror': '&unseen'})}; }}",
        given_comm="fortran.given_comm(comm)",
        synchronise="if (options.split_sync) call.synchronise(fortran.comm(comm));",
    )


def body_of(call: Prototype, fortran: Prototype, form: Form | None, traced: Form | None) -> str:
    """The C++ that all the names of a procedure share."""
    declared = ", ".join(f"{p.type} {p.name}" for p in fortran.parameters)
    types = ", ".join(p.type for p in fortran.parameters)
    returns_error = any(p.name == "ierror" for p in fortran.parameters)
    language = in_fortran(call, fortran, returns_error=returns_error)
    lines = [
        f"ALWAYS_INLINE void record_{call.name}(NextFortran& definition, {declared}) {{",
        f"    const auto next = definition.get<void (*)({types})>();",
        f"    if (next == nullptr) return{' no_such_call(ierror)' if returns_error else ''};",
    ]
    if returns_error:
        lines.append("    const ErrorCode error(ierror);")
    lines += body(call, form, traced, language)
    return "\n".join([*lines, "}"])


def entry(fortran: Prototype, shared: str, name: str, *aliases: str) -> str:
    """The definition of one linker name, and of others that mean the same.

    Args:
        shared: the function that it calls, before the procedure's name.
    """
    declared = ", ".join(f"{p.type} {p.name}" for p in fortran.parameters)
    passed = ", ".join(p.name for p in fortran.parameters)
    lines = [
        f"void {name}({declared}) {{",
        f'    static constinit NextFortran next("{name}");',
        f"    {shared}_{fortran.name}(next, {passed});",
        "}",
    ]
    lines += [f'decltype({name}) {alias} [[gnu::alias("{name}")]];' for alias in aliases]
    return "\n".join(lines)


def entries(fortran: Prototype, shared: str) -> list[str]:
    """A procedure under its linker names.

    In mpif.h and the module mpi they are the compiler's: it appends one underscore, two or none,
    or writes capitals; what returns memory also has a form for TYPE(C_PTR), with `_cptr`. In
    mpi_f08 a procedure ends in `_f08` if its buffers are plain addresses (MPI-4.1, table 19.1).
    Those that end in `_f08ts` take descriptors; MPICH, which has them, calls MPI_ in C from there.
    """
    name = fortran.name.lower()
    returns_memory = any(p.name == "baseptr" for p in fortran.parameters)
    stems = (name, f"{name}_cptr") if returns_memory else (name,)
    older = [entry(fortran, shared, f"{stem}_", stem, f"{stem}__", stem.upper()) for stem in stems]
    return [*older, entry(fortran, shared, f"{name}_f08_")]


def write(
    calls: list[Prototype],
    fortran_calls: list[Prototype],
    tables: tuple[dict[str, Form], dict[str, Form]],
    path: Path,
    head: str,
) -> None:
    in_c = {call.name: call for call in calls}
    bodies = [
        body_of(in_c[f.name], f, *(table.get(f.name) for table in tables)) for f in fortran_calls
    ]
    path.write_text(
        head + '#include "profile/preload/fortran.hpp"\n#include "profile/calls/lifecycle.hpp"\n'
        '#include "profile/messages/payload.hpp"\n#include "profile/calls/polls.hpp"\n'
        '#include "profile/tracing/traced.hpp"\n\n'
        "#define ALWAYS_INLINE [[gnu::always_inline]] inline\n\n"
        "using namespace waywiser::profile;\n\nnamespace {\n\n"
        + "\n\n".join(bodies)
        + '\n\n}  // namespace\n\n#pragma GCC visibility push(default)\nextern "C" {\n\n'
        + "\n\n".join(text for f in fortran_calls for text in entries(f, "record"))
        + '\n\n}  // extern "C"\n#pragma GCC visibility pop\n',
        encoding="utf-8",
    )
