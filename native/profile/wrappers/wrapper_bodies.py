"""What the wrappers of both languages have in common."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from call_table import Form
from mpi_standard import Parameter, Prototype

GIVEN_BEFORE: dict[str, tuple[str, ...]] = {"matched_receive": ("message",)}
"""Form -> arguments whose handle the call overwrites, and which is wanted as it was before."""

FREED = {"free_object": ("win", "fh")}
"""Form -> arguments whose handle may come back as soon as the library has it."""

OF_REQUESTS: dict[str, tuple[str, str]] = {
    "one": ("complete", "completion.one(0);"),
    "all": ("complete", "completion.all();"),
    "any": ("complete", "completion.one({index} - {first});"),
    "some": ("complete", "completion.some({outcount}, {array_of_indices}, {first});"),
    "cancel": ("cancel", "completion.mark(kCancelled);"),
    "ask": ("ask", ""),
    "partition": ("partition", ""),
    "partition_range": ("partition_range", ""),
    "partition_list": ("partition_list", ""),
}
"""Form of a call on requests -> its function of traced.hpp, and what tells that it has done it."""

STATUSES = ("status", "array_of_statuses")
PARTITIONS = ("partition", "partition_low", "partition_high", "length")


@dataclass(frozen=True)
class Language:
    """How the wrappers of a language read a call's arguments."""

    converted: Callable[[Parameter, Form], str]
    """An argument as the functions of payload.hpp and traced.hpp read it."""
    handle: Callable[[Parameter], str]
    """The handle that an argument leads to."""
    requests: Callable[[str, str], str]
    """Argument and number of requests -> a RequestArray."""
    integer: Callable[[str], str]
    integers: Callable[[str], str]
    ignored: str
    """The predicate that knows MPI_STATUS_IGNORE."""
    first: int
    """Number of an array's first element."""
    returned: str
    """The call's error code, once it has returned."""
    answers: str
    """What leaves the wrapper with it."""
    call: Callable[[dict[str, str]], str]
    """The library's call with some arguments replaced."""
    again: str
    """The call as the program made it, once more, whose error code nobody sees. After an error
    MPICH's MPI_Waitall leaves the rest alone where it has statuses to say so, else it waits for
    all."""
    given_comm: str = "library.first(comm)"
    """The communicator that a call is about to free."""
    synchronise: str = "call.synchronise(comm);"
    """What waits for the others before a collective call."""


LIFECYCLE: dict[str, Callable[[Language, dict[str, Parameter]], str]] = {
    "MPI_Init": lambda *_: "initialise(call, forward)",
    "MPI_Init_thread": lambda *_: "initialise(call, forward)",
    "MPI_Session_init": lambda in_, known: (
        f"initialise_session(call, [&] {{ return {in_.handle(known['session'])}; }}, forward)"
    ),
    "MPI_Finalize": lambda *_: "finalise(call, world_model(), forward)",
    "MPI_Session_finalize": lambda in_, known: (
        f"finalise(call, {in_.handle(known['session'])}, forward)"
    ),
    "MPI_Abort": lambda *_: "abort(call, forward)",
    "MPI_Comm_free": lambda in_, _: f"free_communicator(call, {in_.given_comm}, forward)",
    "MPI_Comm_disconnect": lambda in_, _: f"free_communicator(call, {in_.given_comm}, forward)",
    "MPI_Start": lambda in_, _: f"start(call, {in_.requests('request', '1')}, forward)",
    "MPI_Startall": lambda in_, _: (
        f"start_all(call, {in_.requests('array_of_requests', in_.integer('count'))}, forward)"
    ),
    "MPI_Request_free": lambda in_, _: (
        f"free_request(call, {in_.requests('request', '1')}, forward)"
    ),
    "MPI_Pcontrol": lambda in_, _: f"control(call, {in_.integer('level')}, forward)",
}
"""Calls that begin and end MPI, and those after which handles are void -> the body of
lifecycle.hpp."""


def lifecycle(call: Prototype, language: Language) -> list[str]:
    """Such a call, from before it to the wrapper's end but for what that returns."""
    known = {p.name: p for p in call.parameters}
    return [
        f"    Call call(Id::{call.name});",
        "    const auto forward = [&] {",
        f"        {called(language, {})}",
        f"        return {language.returned};",
        "    };",
        f"    {'return ' * (language.returned == 'returned')}"
        f"{LIFECYCLE[call.name](language, known)};",
    ]


def applied(call: Prototype, form: Form, language: Language) -> str:
    """The form's function with the call's arguments."""
    known = {p.name: p for p in call.parameters}
    missing = set(form.arguments) - set(known)
    if missing:
        raise SystemExit(f"{call.name} has no argument {', '.join(sorted(missing))}")
    arguments_of_trace = [
        name for name in form.arguments if name not in ("status", created_by(form))
    ]
    arguments = ", ".join(language.converted(known[name], form) for name in arguments_of_trace)
    return f"{form.room}::{form.function}({arguments})"


def with_request(key: str, form: Form, language: Language) -> str:
    """The entry of a call in a trace, with the request or the message that it makes."""
    created = created_by(form)
    if created is None:
        return key
    traits = ["kPersistent"] if form.function.startswith("prepare_") else []
    if created == "request" and "source" in form.arguments:
        traits.append(wildcards(form)(language))
    arguments_of_trace = [
        key,
        language.requests(created, "1"),
        *([" | ".join(traits)] if traits else []),
    ]
    return f"traced::with_request({', '.join(arguments_of_trace)})"


def given_before(*forms: Form | None) -> str | None:
    """The argument whose handle is to be read before the call."""
    for form in forms:
        for name in form.arguments if form is not None else ():
            if form is not None and name in GIVEN_BEFORE.get(form.function, ()):
                return name
    return None


def created_by(form: Form) -> str | None:
    """The argument where a call of a trace puts its request, or the message that it finds."""
    if form.room != "traced" or form.function in OF_REQUESTS:
        return None
    given = GIVEN_BEFORE.get(form.function, ())
    return next((n for n in ("request", "message") if n in form.arguments and n not in given), None)


def status_of(form: Form | None) -> str | None:
    """The argument where the call puts what it has found out about a message or messages."""
    return next((name for name in STATUSES if form is not None and name in form.arguments), None)


def tells_match(form: Form | None) -> bool:
    """Whether the call itself receives or finds a message."""
    return form is not None and "status" in form.arguments and form.function not in OF_REQUESTS


def sends_and_waits(form: Form) -> bool:
    return form.function == "send_receive" and "request" not in form.arguments


def wildcards(form: Form) -> Callable[[Language], str]:
    tag = "recvtag" if "recvtag" in form.arguments else "tag"
    return lambda language: f"wildcards({language.integer('source')}, {language.integer(tag)})"


def matching(form: Form, language: Language, condition: str) -> list[str]:
    """Declares where the library puts the status of a receive or a probe."""
    return [
        f"    const unsigned open = {condition} ? {wildcards(form)(language)} : 0U;",
        f"    OneStatus matching(status, open, [&] {{ return {language.ignored}(status); }});",
    ]


def ending(
    name: str, payload: str | None, created: str | None, *, error: str, request: str
) -> list[str]:
    """Records a call that has returned.

    Args:
        payload: what computes it, where the call carries something.
        made: what makes the call's entry in a trace, where it has more than times.
        error: the call's error code.
        request: the handle of the request that the call made.
    """
    if created is None:
        return ["    call.record();", "    call.trace();"]
    prepares = re.search(r"_init(_c)?$", name) is not None
    carried = "carried" if payload is not None else "Payload{}"
    return [
        f"    if (call.needs_payload({error})) {{",
        *([f"        const auto carried = {payload};"] if payload is not None else []),
        *([f"        remember_request(call.id(), {request}, carried);"] if prepares else []),
        f"        call.record({carried if payload is not None and not prepares else ''});",
        f"        call.trace({carried}, [&] {{ return {created}; }});",
        "    } else {",
        "        call.record_failed();",
        "    }",
    ]


def called(language: Language, replaced: dict[str, str]) -> str:
    """The statement that calls the library."""
    call = language.call(replaced)
    return f"const int returned = {call};" if language.returned == "returned" else f"{call};"


@dataclass(frozen=True)
class OnRequests:
    """What the wrapper of a traced call on requests is made of."""

    requests: str
    """The RequestArray."""
    detail: str
    """The part of a partitioned request; empty for others."""
    created: str
    """What makes the call's entry."""
    failed: str
    """The predicate that the call has failed."""
    done: str
    """The statement that tells the completion what a call has done that has not failed."""
    call: str
    """The statement that calls the library, with statuses of ours where they are needed."""


def parts_of(form: Form, language: Language) -> OnRequests:
    function, done = OF_REQUESTS[form.function]
    array = next(name for name in form.arguments if name.endswith(("request", "requests")))
    number = next((language.integer(n) for n in form.arguments if n.endswith("count")), "1")
    words = {name: language.integer(name) for name in ("index", "outcount")}
    words["array_of_indices"] = language.integers("array_of_indices")
    status = status_of(form)
    passed = f"completion.statuses({status}, [&] {{ return {language.ignored}({status}); }})"
    detail = language.integer("partition") if form.function == "partition" else ""
    arguments_of_trace = "".join(
        f", {language.integer(n)}" for n in form.arguments if n in PARTITIONS
    )
    return OnRequests(
        requests=language.requests(array, number),
        detail=detail,
        created=f"[&] {{ return traced::{function}(completion{arguments_of_trace}); }}",
        failed=f"{language.returned} != 0",
        done=done.format(first=language.first, **words),
        call=called(language, {status: passed} if status else {}),
    )


def on_requests(form: Form, language: Language) -> list[str]:
    """A traced call on requests, from before it to the wrapper's end."""
    of = parts_of(form, language)
    again = f"    if ({of.failed} && completion.replaced()) {language.again}"
    lines = [
        "if (__builtin_expect(call.is_traced() && library.ready(), 0)) {",
        f"    Completion completion({of.requests}, call.outermost());",
        f"    {of.call}",
        *([again] if form.function == "all" else []),
        "    call.end();",
        f"    if ({of.failed}) completion.failed();",
        *([f"    if (!({of.failed})) {of.done}"] if of.done else []),
        "    call.record();",
        f"    call.trace(Payload{{}}, {of.created});",
        f"    {language.answers}",
        "}",
    ]
    return [f"    {line}" for line in lines]


def asking(form: Form, language: Language, poll: Form) -> list[str]:
    """A call that asks whether requests are complete, from before it to after its record."""
    of = parts_of(form, language)
    flag = language.integer(poll.arguments[0])
    detail = f"static_cast<unsigned>({of.detail})" if of.detail else "0"
    ended = [
        f"if ({of.failed}) completion.failed();",
        *([f"if (!({of.failed})) {of.done}"] if of.done else []),
        "poll.add([&](auto& key) { key.completed = completion.completed(); });",
    ]
    lines = [
        "const bool is_traced = poll.is_traced() && library.ready();",
        f"const bool repeats = is_traced && poll.repeats({of.requests}, {detail});",
        "if (__builtin_expect(is_traced && !repeats, 0)) {",
        f"    Completion completion({of.requests}, poll.outermost());",
        f"    poll.ask([&] {{ return Subject{{completion.subject(), {detail}}}; }}, {of.created});",
        f"    {of.call}",
        f"    const bool found = {of.failed} || {flag} != 0;",
        "    if (found) {",
        *(f"        {line}" for line in ended),
        "    }",
        "    poll.record(found);",
        f"    {language.answers}",
        "}",
        called(language, {}),
        f"const bool found = {of.failed} || {flag} != 0;",
        "if (__builtin_expect(repeats && found, 0)) {",
        f"    Completion completion({of.requests});",
        "    completion.identify_again();",
        *(f"    {line}" for line in ended),
        "}",
        "poll.record(found);",
    ]
    return [f"    {line}" for line in lines]


def probing(form: Form, language: Language, poll: Form, key: str) -> list[str]:
    """A traced poll for a message, from before it to the wrapper's end.

    Args:
        key: what makes its entry, while nothing is found.
    """
    selectors = ", ".join(language.integer(name) for name in ("source", "tag"))
    flag = language.integer(poll.arguments[0])
    created = created_by(form)
    found = [
        "key = traced::matched(key, matching.match());",
        *([f"key.request = open_slot({language.requests(created, '1')}, 0);"] if created else []),
    ]
    lines = [
        "if (__builtin_expect(poll.is_traced() && library.ready(), 0)) {",
        *matching(form, language, "true"),
        f"    const auto polled = {key};",
        f"    poll.ask([&] {{ return subject(polled.object, {selectors}); }},",
        "             [&] { return polled; });",
        "    " + called(language, {"status": "matching.passed()"}),
        f"    const bool found = {language.returned} != 0 || {flag} != 0;",
        f"    if (found && {language.returned} == 0)",
        f"        poll.add([&](auto& key) {{ {' '.join(found)} }});",
        "    poll.record(found);",
        f"    {language.answers}",
        "}",
    ]
    return [f"    {line}" for line in lines]


def polling(call: Prototype, form: Form, traced: Form, language: Language) -> list[str]:
    """A call that asks whether something is complete, from before it to after its record."""
    flag = language.integer(form.arguments[0])
    lines = [f"    Poll poll(Id::{call.name});"]
    if traced.function in OF_REQUESTS:
        return lines + asking(traced, language, form)
    if tells_match(traced):
        lines += probing(traced, language, form, applied(call, traced, language))
    else:
        created = applied(call, traced, language)
        subject = f"subject(({created}).object)"
        lines += [f"    poll.ask([&] {{ return {subject}; }}, [&] {{ return {created}; }});"]
    return [
        *lines,
        "    " + called(language, {}),
        f"    poll.record({language.returned} != 0 || {flag} != 0);",
    ]


def recording(
    call: Prototype, form: Form | None, traced: Form | None, language: Language
) -> list[str]:
    """A call that is no poll, from before it to after its record.

    Args:
        form: of its payload.
        traced: of its entry in a trace.
    """
    handles = {p.name: language.handle(p) for p in call.parameters}
    carried = applied(call, form, language) if form is not None else None
    on_request = traced is not None and traced.function in OF_REQUESTS
    lines = []
    if (given := given_before(form, traced)) is not None:
        lines.append(f"    const Handle given = {handles[given]};")
    lines.append(f"    Call call(Id::{call.name});")
    if form is not None and form.synchronised:
        lines.append(f"    {language.synchronise}")
    key = applied(call, traced, language) if traced is not None and not on_request else None
    created = (
        with_request(key, traced, language) if key is not None and traced is not None else None
    )
    replaced = {}
    if traced is not None and on_request:
        lines += on_requests(traced, language)
    if traced is not None and tells_match(traced):
        lines += matching(traced, language, "call.is_traced() && library.ready()")
        replaced = {"status": "matching.passed()"}
        created = f"traced::matched({created}, matching.match())"
    for freed in FREED.get(traced.function, ()) if traced is not None else ():
        if traced is not None and freed in traced.arguments:
            forget = "forget_file" if freed == "fh" else "forget_object"
            lines.append("    std::int32_t freed = 0;")
            lines.append(f"    if (call.is_traced()) freed = {forget}({handles[freed]});")
    if form is not None and traced is not None and sends_and_waits(traced):
        lines.append(f"    call.begins([&] {{ return {carried}; }}, [&] {{ return {key}; }});")
    return [
        *lines,
        "    " + called(language, replaced),
        "    call.end();",
        *ending(
            call.name,
            carried,
            created,
            error=language.returned,
            request=handles.get("request", ""),
        ),
    ]


def body(call: Prototype, form: Form | None, traced: Form | None, language: Language) -> list[str]:
    """A wrapper from before its call to after its record.

    Args:
        form: of its payload.
        traced: of its entry in a trace.
    """
    if call.name in LIFECYCLE:
        return lifecycle(call, language)
    if form is not None and form.function == "poll" and traced is not None:
        return polling(call, form, traced, language)
    return recording(call, form, traced, language)
