"""What the templates write of a call: the parts of its wrapper, and its arguments in C++."""

from __future__ import annotations

from dataclasses import dataclass

from call_table import Form
from mpi_standard import HANDLES, Parameter, Prototype

OF_REQUESTS = (
    *("one", "all", "any", "some", "ask", "cancel"),
    *("partition", "partition_range", "partition_list"),
)
"""Forms of traced calls on requests."""

PARTITIONS = ("partition", "partition_low", "partition_high", "length")


@dataclass(frozen=True)
class Wrapper:
    """A call of C. A text is empty if the call has no such part."""

    prototype: Prototype
    """In the language of the wrapper."""
    parameters: dict[str, Parameter]
    """Those of the call in C, by name."""
    payload: Form
    traced: Form
    """Form of the call's entry in a trace."""

    in_c = True
    first = 0
    """Number of an array's first element."""
    answer = "return returned;"
    """What leaves the wrapper with the call's error code."""
    ignored = "ignored_in_c"
    """The predicate that knows MPI_STATUS_IGNORE."""
    freed_comm = "library.first(comm)"
    """The communicator that the call frees, as it was before."""
    synchronise = "call.synchronise(comm);"

    @property
    def name(self) -> str:
        return self.prototype.name

    @property
    def returned(self) -> str:
        """The call's error code, once it has returned."""
        return "returned"

    def next(self, status: str = "") -> str:
        """The library's call, with `status` for the program's."""
        return f"next({self.prototype.passed({self.status: status})})"

    def called(self, status: str = "") -> str:
        return f"const int returned = {self.next(status)};"

    def called_again(self) -> str:
        """The call as the program made it, whose error code nobody sees."""
        return f"{self.next()};"

    def integer(self, name: str) -> str:
        return f"*static_cast<const int*>({name})" if self._is_pointer(name) else name

    def integers(self, name: str) -> str:
        return f"static_cast<const int*>({name})"

    def handle(self, name: str) -> str:
        """The handle that an argument leads to. Files are addresses in every family."""
        is_file = self.parameters[name].mpi_type == "MPI_File"
        return f"{'first_file' if is_file else 'library.first'}({name})"

    def requests(self, name: str, number: str = "1") -> str:
        """What a call has of requests, or of a message: where they are, or a copy."""
        return f"c_requests({'' if self._is_pointer(name) else '&'}{name}, {number})"

    def converted(self, name: str, form: Form) -> str:
        """An argument as the functions of payload.hpp and traced.hpp read it."""
        kind = self.parameters[name].mpi_type
        if form.room == "payload" or kind not in HANDLES or not self._is_pointer(name):
            return name
        return self.requests(name) if kind in ("MPI_Request", "MPI_Message") else self.handle(name)

    def _is_pointer(self, name: str) -> bool:
        return self.parameters[name].type == "void*"

    @property
    def is_of_requests(self) -> bool:
        return self.traced.function in OF_REQUESTS

    @property
    def tells_match(self) -> bool:
        """True if the call itself receives or finds a message."""
        return "status" in self.traced.arguments and not self.is_of_requests

    @property
    def given(self) -> str:
        """The argument whose handle the call overwrites, and which is wanted as it was before."""
        return "message" if self.traced.function == "matched_receive" else ""

    @property
    def freed(self) -> str:
        """The argument whose handle may come back as soon as the library has it."""
        return self.traced.arguments[0] if self.traced.function == "free_object" else ""

    @property
    def made(self) -> str:
        """The argument where the call puts its request, or the message that it finds."""
        if self.is_of_requests:
            return ""
        places = {"request", "message"} - {self.given}
        return next((name for name in self.traced.arguments if name in places), "")

    @property
    def status(self) -> str:
        """The argument where the call puts what it has found out about a message or messages."""
        return next((name for name in self.traced.arguments if "status" in name), "")

    @property
    def flag(self) -> str:
        """What a poll has found: zero for nothing."""
        return self.integer(self.payload.arguments[0])

    @property
    def wildcards(self) -> str:
        tag = "recvtag" if "recvtag" in self.traced.arguments else "tag"
        return f"wildcards({self.integer('source')}, {self.integer(tag)})"

    @property
    def all_requests(self) -> str:
        """The RequestArray of a call on requests."""
        arguments = self.traced.arguments
        array = next(name for name in arguments if name.endswith(("request", "requests")))
        number = next((self.integer(name) for name in arguments if name.endswith("count")), "1")
        return self.requests(array, number)

    @property
    def partitions(self) -> list[str]:
        """The parts of a partitioned request."""
        return [self.integer(name) for name in self.traced.arguments if name in PARTITIONS]

    @property
    def carried(self) -> str:
        """The payload."""
        return self._applied(self.payload)

    @property
    def entry(self) -> str:
        """The entry of a call in a trace, but for what the call makes or finds."""
        return "" if self.is_of_requests else self._applied(self.traced)

    @property
    def whole_entry(self) -> str:
        entry = self.entry
        if self.made:
            traits = ["kPersistent"] if self.traced.function.startswith("prepare_") else []
            if self.made == "request" and "source" in self.traced.arguments:
                traits.append(self.wildcards)
            arguments = (entry, self.requests(self.made), " | ".join(traits))
            entry = f"traced::with_request({', '.join(filter(None, arguments))})"
        return f"traced::matched({entry}, matching.match())" if self.tells_match else entry

    def _applied(self, form: Form) -> str:
        """The form's function with the call's arguments."""
        before = {self.given: "given", self.freed: "freed"}
        names = (name for name in form.arguments if name not in ("status", self.made))
        arguments = ", ".join(before.get(name) or self.converted(name, form) for name in names)
        return f"{form.room}::{form.function}({arguments})" if form.function else ""


class FortranWrapper(Wrapper):
    """A procedure of Fortran. Its wrapper passes the arguments on untouched, so that MPI_BOTTOM and
    MPI_STATUS_IGNORE, which are addresses in Fortran, and the hidden lengths of CHARACTER arguments
    arrive as they were. Handles are converted for the payload alone."""

    in_c = False
    first = 1
    answer = "return;"
    ignored = "fortran.ignores"
    freed_comm = "fortran.given_comm(comm)"
    synchronise = "if (options.split_sync) call.synchronise(fortran.comm(comm));"

    @property
    def has_error(self) -> bool:
        return "ierror" in self.prototype.names

    @property
    def returned(self) -> str:
        return "error.value()" if self.has_error else "0"

    def next(self, status: str = "", error: str = "error.address()") -> str:
        own = f"static_cast<int*>({status})" if status else ""
        return f"next({self.prototype.passed({'ierror': error, self.status: own})})"

    def called(self, status: str = "") -> str:
        return f"{self.next(status)};"

    def called_again(self) -> str:
        return f"{{ int unseen = 0; {self.next(error='static_cast<int*>(&unseen)')}; }}"

    def integer(self, name: str) -> str:
        return f"*static_cast<const int*>({name})"

    def integers(self, name: str) -> str:
        return name

    def handle(self, name: str) -> str:
        return f"fortran.{self._kind(name)}({name})"

    def requests(self, name: str, number: str = "1") -> str:
        return f"fortran_array_of_{self._kind(name)}s({name}, {number})"

    def converted(self, name: str, form: Form) -> str:
        parameter = self.parameters[name]
        match parameter.mpi_type:
            case "MPI_Datatype" if parameter.type == "void*":
                return f"fortran_types({name})"
            case "MPI_Request" | "MPI_Message" if form.room == "traced":
                return self.requests(name)
            case kind if kind in HANDLES:
                return self.handle(name)
            case "void":
                return f"fortran.buffer({name})"
        return name if parameter.type.endswith("*") else f"*{name}"

    def _kind(self, name: str) -> str:
        return self.parameters[name].mpi_type.removeprefix("MPI_").lower()
