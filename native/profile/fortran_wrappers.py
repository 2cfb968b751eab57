"""Generates the wrappers of the Fortran procedures.

A wrapper passes its arguments on untouched, so that MPI_BOTTOM and MPI_STATUS_IGNORE, which are
addresses in Fortran, and the hidden lengths of CHARACTER arguments arrive as they were. Handles
are converted for the payload alone.
"""

from __future__ import annotations

from pathlib import Path

from call_table import Form
from mpi_standard import HANDLES, Parameter, Prototype
from wrapper_bodies import GIVEN_BEFORE, ending, given_before, polling

# lifecycle.hpp's bodies, as in C.
LIFECYCLE = {
    "MPI_Init": "initialise(call, forward)",
    "MPI_Init_thread": "initialise(call, forward)",
    "MPI_Session_init": (
        "initialise_session(call, [&] { return fortran.session(session); }, forward)"
    ),
    "MPI_Finalize": "finalise(call, world_model(), forward)",
    "MPI_Session_finalize": "finalise(call, fortran.session(session), forward)",
    "MPI_Abort": "abort(call, forward)",
    "MPI_Comm_free": "free_communicator(call, fortran.given_comm(comm), forward)",
    "MPI_Comm_disconnect": "free_communicator(call, fortran.given_comm(comm), forward)",
    "MPI_Start": "start(call, fortran_requests(request), forward)",
    "MPI_Startall": "start_all(call, *count, fortran_requests(array_of_requests), forward)",
    "MPI_Request_free": "free_request(call, fortran.request(request), forward)",
    "MPI_Pcontrol": "control(call, *level, forward)",
}


def converted(parameter: Parameter, form: Form) -> str:
    """An argument of the Fortran call as the functions of payload.hpp and traced.hpp read it."""
    name = parameter.name
    if name in GIVEN_BEFORE.get(form.function, ()):
        return "given"
    if parameter.mpi_type == "MPI_Datatype" and parameter.type == "void*":
        return f"fortran_types({name})"
    if name == "array_of_requests":
        return f"fortran_requests({name})"
    if parameter.mpi_type in HANDLES:
        return f"fortran.{parameter.mpi_type.removeprefix('MPI_').lower()}({name})"
    if parameter.mpi_type == "void":
        return f"fortran.buffer({name})"
    return name if parameter.type.endswith("*") else f"*{name}"


def applied(call: Prototype, form: Form) -> str:
    """The form's function with the call's arguments."""
    known = {p.name: p for p in call.parameters}
    arguments = ", ".join(converted(known[name], form) for name in form.arguments)
    return f"{form.room}::{form.function}({arguments})"


def body(call: Prototype, fortran: Prototype, form: Form | None, traced: Form | None) -> str:
    """The C++ that all the names of a procedure share."""
    declared = ", ".join(f"{p.type} {p.name}" for p in fortran.parameters)
    types = ", ".join(p.type for p in fortran.parameters)
    passed = ", ".join(
        "error.address()" if p.name == "ierror" else p.name for p in fortran.parameters
    )
    returns_error = any(p.name == "ierror" for p in fortran.parameters)
    lines = [
        f"ALWAYS_INLINE void record_{call.name}(NextFortran& definition, {declared}) {{",
        f"    const auto next = definition.get<void (*)({types})>();",
        f"    if (next == nullptr) return{' no_such_call(ierror)' if returns_error else ''};",
    ]
    if given := given_before(form, traced):
        handle = {p.name: p for p in call.parameters}[given].mpi_type.removeprefix("MPI_").lower()
        lines.append(f"    const Handle given = fortran.{handle}({given});")
    if returns_error:
        lines.append("    const ErrorCode error(ierror);")
    made = None if traced is None else applied(call, traced)
    if form is not None and form.function == "poll":
        poll = polling(call.name, form, f"next({passed})", "error.value()", made)
        return "\n".join([*lines, *poll, "}"])
    lines.append(f"    Call call(Id::{call.name});")
    if form is not None and form.synchronised:
        lines.append("    if (options.split_sync) call.synchronise(fortran.comm(comm));")
    if call.name in LIFECYCLE:
        lines += [
            "    const auto forward = [&] {",
            f"        next({passed});",
            f"        return {'error.value()' if returns_error else '0'};",
            "    };",
            f"    {LIFECYCLE[call.name]};",
        ]
    else:
        lines += [
            f"    next({passed});",
            "    call.end();",
            *ending(
                call.name,
                None if form is None else applied(call, form),
                made,
                error="error.value()" if returns_error else "0",
                request="fortran.request(request)",
            ),
        ]
    return "\n".join([*lines, "}"])


def entry(fortran: Prototype, name: str, *aliases: str) -> str:
    """The definition of one linker name, and of others that mean the same."""
    declared = ", ".join(f"{p.type} {p.name}" for p in fortran.parameters)
    passed = ", ".join(p.name for p in fortran.parameters)
    lines = [
        f"void {name}({declared}) {{",
        f'    static constinit NextFortran next("{name}");',
        f"    record_{fortran.name}(next, {passed});",
        "}",
    ]
    lines += [f'decltype({name}) {alias} [[gnu::alias("{name}")]];' for alias in aliases]
    return "\n".join(lines)


def entries(fortran: Prototype) -> list[str]:
    """A procedure under its linker names.

    In mpif.h and the module mpi they are the compiler's: it appends one underscore, two or none,
    or writes capitals; what returns memory also has a form for TYPE(C_PTR), with `_cptr`. In
    mpi_f08 a procedure ends in `_f08` if its buffers are plain addresses (MPI-4.1, table 19.1).
    Those that end in `_f08ts` take descriptors; MPICH, which has them, calls MPI_ in C from there.
    """
    name = fortran.name.lower()
    returns_memory = any(p.name == "baseptr" for p in fortran.parameters)
    stems = (name, f"{name}_cptr") if returns_memory else (name,)
    older = [entry(fortran, f"{stem}_", stem, f"{stem}__", stem.upper()) for stem in stems]
    return [*older, entry(fortran, f"{name}_f08_")]


def write(
    calls: list[Prototype],
    fortran_calls: list[Prototype],
    tables: tuple[dict[str, Form], dict[str, Form]],
    path: Path,
) -> None:
    in_c = {call.name: call for call in calls}
    bodies = [
        body(in_c[f.name], f, *(table.get(f.name) for table in tables)) for f in fortran_calls
    ]
    path.write_text(
        "// Generated by generate_wrappers.py.\n"
        '#include "profile/fortran.hpp"\n#include "profile/lifecycle.hpp"\n'
        '#include "profile/polls.hpp"\n#include "profile/traced.hpp"\n\n'
        "#define ALWAYS_INLINE [[gnu::always_inline]] inline\n\n"
        "using namespace waywiser::profile;\n\nnamespace {\n\n"
        + "\n\n".join(bodies)
        + '\n\n}  // namespace\n\n#pragma GCC visibility push(default)\nextern "C" {\n\n'
        + "\n\n".join(text for f in fortran_calls for text in entries(f))
        + '\n\n}  // extern "C"\n#pragma GCC visibility pop\n',
        encoding="utf-8",
    )
