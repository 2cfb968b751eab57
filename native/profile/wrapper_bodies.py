"""What the wrappers of both languages have in common: what follows the library's return."""

from __future__ import annotations

import re

from call_table import Form

GIVEN_BEFORE: dict[str, tuple[str, ...]] = {
    "matched_receive": ("message",),
    "free_object": ("win", "fh"),
}
"""Form -> arguments whose handle the call overwrites, and which is wanted as it was before."""


def given_before(*forms: Form | None) -> str | None:
    """The argument whose handle is to be read before the call."""
    for form in forms:
        for name in form.arguments if form is not None else ():
            if form is not None and name in GIVEN_BEFORE.get(form.function, ()):
                return name
    return None


def ending(
    name: str, payload: str | None, made: str | None, *, error: str, request: str
) -> list[str]:
    """Records a call that has returned.

    Args:
        payload: what computes it, where the call carries something.
        made: what makes the call's entry in a trace, where it has more than times.
        error: the call's error code.
        request: the handle of the request that the call made.
    """
    if made is None:
        return ["    call.record();", "    call.trace();"]
    prepares = re.search(r"_init(_c)?$", name) is not None
    carried = "carried" if payload is not None else "Payload{}"
    return [
        f"    if (call.wants_payload({error})) {{",
        *([f"        const auto carried = {payload};"] if payload is not None else []),
        *([f"        remember_request(call.id(), {request}, carried);"] if prepares else []),
        f"        call.record({carried if payload is not None and not prepares else ''});",
        f"        call.trace({carried}, [&] {{ return {made}; }});",
        "    } else {",
        "        call.record();",
        "        call.trace();",
        "    }",
    ]


def polling(name: str, form: Form, call: str, error: str, made: str | None) -> list[str]:
    """A call that asks whether something is complete, from before it to after its record."""
    assert made is not None
    function, _, arguments = made.partition("(")
    flag = f"*static_cast<const int*>({form.arguments[0]})"
    return [
        f"    Poll poll(Id::{name});",
        f"    poll.ask([&] {{ return subject({arguments}; }},",
        f"             [&] {{ return {function}({arguments}; }});",
        f"    {'const int ' if call.startswith('returned') else ''}{call};",
        f"    poll.record({error} != 0 || {flag} != 0);",
    ]
