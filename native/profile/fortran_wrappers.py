"""Generates the wrappers of the Fortran procedures.

A wrapper passes its arguments on untouched, so that MPI_BOTTOM and MPI_STATUS_IGNORE, which are
addresses in Fortran, and the hidden lengths of CHARACTER arguments arrive as they were. Handles
are converted for the payload alone.
"""

from __future__ import annotations

from pathlib import Path

from call_table import Form
from mpi_standard import Parameter, Prototype

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
    "MPI_Comm_free": "free_communicator(call, forward)",
    "MPI_Comm_disconnect": "free_communicator(call, forward)",
    "MPI_Start": "start(call, fortran_requests(request), forward)",
    "MPI_Startall": "start_all(call, *count, fortran_requests(array_of_requests), forward)",
    "MPI_Request_free": "free_request(call, fortran.request(request), forward)",
    "MPI_Pcontrol": "control(call, *level, forward)",
}


def converted(parameter: Parameter) -> str:
    """An argument of the Fortran call as the payload functions read it."""
    name = parameter.name
    if parameter.mpi_type == "MPI_Message":
        return "matched"
    if parameter.mpi_type == "MPI_Datatype" and parameter.type == "void*":
        return f"fortran_types({name})"
    if parameter.type == "Handle":
        return f"fortran.{parameter.mpi_type.removeprefix('MPI_').lower()}({name})"
    if parameter.mpi_type == "void":
        return f"fortran.buffer({name})"
    return name if parameter.type.endswith("*") else f"*{name}"


def ending(call: Prototype, form: Form | None) -> list[str]:
    """What follows the library's return."""
    if form is None:
        return ["    call.record();"]
    known = {p.name: p for p in call.parameters}
    arguments = ", ".join(converted(known[name]) for name in form.arguments)
    payload = f"payload::{form.function}({arguments})"
    if call.name.endswith("_init"):
        return [
            "    if (call.wants_payload(error.value()))",
            f"        remember_request(call.id(), fortran.request(request), {payload});",
            "    call.record();",
        ]
    return [
        "    if (call.wants_payload(error.value())) {",
        f"        call.record({payload});",
        "    } else {",
        "        call.record();",
        "    }",
    ]


def polling(call: Prototype, form: Form, passed: str) -> list[str]:
    """A call that asks whether something is complete."""
    flag = f"*static_cast<const int*>({form.arguments[0]})"
    return [
        f"    Poll poll(Id::{call.name});",
        f"    next({passed});",
        f"    poll.record(error.value() != 0 || {flag} != 0);",
        "}",
    ]


def body(call: Prototype, fortran: Prototype, form: Form | None) -> str:
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
    if form is not None and "message" in form.arguments:
        lines.append("    const Handle matched = fortran.message(message);")
    if returns_error:
        lines.append("    const ErrorCode error(ierror);")
    if form is not None and form.function == "poll":
        return "\n".join([*lines, *polling(call, form, passed)])
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
        lines += [f"    next({passed});", "    call.end();", *ending(call, form)]
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
    table: dict[str, Form],
    path: Path,
) -> None:
    in_c = {call.name: call for call in calls}
    bodies = [body(in_c[f.name], f, table.get(f.name)) for f in fortran_calls]
    path.write_text(
        "// Generated by generate_wrappers.py.\n"
        '#include "profile/fortran.hpp"\n#include "profile/lifecycle.hpp"\n'
        '#include "profile/polls.hpp"\n\n'
        "#define ALWAYS_INLINE [[gnu::always_inline]] inline\n\n"
        "using namespace waywiser::profile;\n\nnamespace {\n\n"
        + "\n\n".join(bodies)
        + '\n\n}  // namespace\n\n#pragma GCC visibility push(default)\nextern "C" {\n\n'
        + "\n\n".join(text for f in fortran_calls for text in entries(f))
        + '\n\n}  // extern "C"\n#pragma GCC visibility pop\n',
        encoding="utf-8",
    )
