"""The data of a profiled run: the document that `waywiser show --json` prints.

`functions` sums over ranks; `per_rank` holds the same for each rank. `bytes` is the outgoing
payload that a call's own arguments describe on the calling rank, `receive_bytes` the same for
receives. Matrices hold payload in world ranks, by sender. With --split-sync the profiler puts a
barrier before each blocking collective: `sync_seconds` is the time in these, which is not in
`seconds` but in `mpi_seconds`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import PlainSerializer, computed_field, model_validator

from waywiser.model.advice import Advice
from waywiser.model.base import Model, renamed
from waywiser.model.diagnosis import Diagnosis
from waywiser.model.efficiency_tree import Efficiencies
from waywiser.model.gate import OPEN, Gate
from waywiser.model.kernels import Kernels
from waywiser.model.openmp import OpenMp
from waywiser.model.pairs import Pairs, PairsField, as_tuple
from waywiser.model.posix_io import PosixIo
from waywiser.model.recorded import NodeMetrics, RankMetrics
from waywiser.model.trace import Trace
from waywiser.model.virtual import VirtualClocks
from waywiser.model.waits import Waits

OUTSIDE_MPI_TIME = frozenset(
    {"MPI_Init", "MPI_Init_thread", "MPI_Session_init", "MPI_Finalize", "MPI_Session_finalize"}
)
"""Functions whose time has keys of its own and is not in `mpi_seconds`."""

SizeBin = tuple[int, int, float]
"""(inclusive upper bound in bytes, calls, seconds)."""

PhaseTime = tuple[int, int, float]
"""(phase, number of entries, seconds)."""


class Function(Model):
    """One MPI function's totals."""

    calls: int
    seconds: float
    max_seconds: float = 0.0
    """Time of the longest call."""

    sync_seconds: float = 0.0
    bytes: int
    receive_bytes: int
    pending_calls: int = 0
    """Number of `calls` that tested for completion or a message without success."""

    pending_seconds: float = 0.0
    """Part of `seconds` in pending calls."""

    sizes: tuple[SizeBin, ...]
    """Calls by message size: the outgoing payload of a call, else the size of its posted
    receive."""


def _as_dict(values: Mapping[str, Any]) -> dict[str, Any]:
    """Call `dict`; pydantic would have to parse the signature of `dict` itself."""
    return dict(values)


Functions = Annotated[
    Mapping[str, Function], PlainSerializer(_as_dict, return_type=dict[str, Function])
]
"""Functions by name; made on demand where there are many."""


class RankSeconds(Model):
    rank: int
    seconds: float


class FunctionTotal(Function):
    """An MPI function, summed over all ranks."""

    most: RankSeconds | None = None
    """The rank with the longest time in the function, `sync_seconds` included."""

    least: RankSeconds | None = None
    """The rank with the shortest time in the function, of the ranks that called it."""


class SummaryMpi(Model):
    library: str
    version: str
    abi: str


class Matrix(Model):
    bytes: PairsField
    messages: PairsField


NOTHING_SENT = Matrix(bytes=Pairs(()), messages=Pairs(()))

Role = Literal["compute", "progress"]


class Thread(Model):
    """One thread that called MPI, of a rank where several did."""

    thread: int
    """Number of the thread, by the order of first MPI calls; thread 0 called MPI first."""

    role: Role = "compute"
    """"progress": at least 99 % of the thread's calls are MPI_Test, MPI_Testall, MPI_Testany,
    MPI_Testsome, MPI_Iprobe or MPI_Improbe. At least 80 % of its life is in them, with 50 ns for
    what each takes outside MPI.
    """

    seconds: float = 0.0
    """Time from the thread's first MPI call to the end of its latest."""

    mpi_seconds: float
    functions: Functions


Threads = Annotated[Sequence[Thread], PlainSerializer(as_tuple, return_type=tuple[Thread, ...])]


class RankPlace(Model):
    rank: int
    host: str
    cpus: str
    """The CPUs that the rank may run on, as the kernel lists them, e.g. "0-3,8"."""

    sharing_leader: int | None = None
    """Lowest of the ranks that share memory with this rank, by the MPI library
    (MPI_COMM_TYPE_SHARED); null if the run did not ask."""


class RankSummary(RankMetrics, RankPlace):
    """A rank: its host and CPUs, its metrics from the profile, and its calls."""

    mpi_seconds: float
    sync_seconds: float = 0.0
    not_counted: str = ""
    """Reason why instructions and cycles are null, and the kernel setting that enables them."""

    phases: tuple[PhaseTime, ...] = ()
    mpi_threads: int = 1
    """Number of threads that called MPI."""

    progress_threads: int = 0
    """Number of `mpi_threads` that only make progress."""

    progress_mpi_seconds: float = 0.0
    """Part of `mpi_seconds` in threads that only make progress."""

    openmp: OpenMp | None = None
    posix_io: PosixIo | None = None
    functions: Functions
    threads: Threads
    """Threads that called MPI; empty where one thread made every MPI call."""

    @property
    def application_seconds(self) -> float:
        """Time outside MPI, of all threads that called MPI."""
        in_mpi = self.mpi_seconds + self.init_seconds + self.finalize_seconds
        # Calls before MPI_Init are MPI time too, but lie outside the wall time.
        return max(0.0, self.wall_seconds * max(1, self.mpi_threads) - in_mpi)


class NodePlace(Model):
    host: str


class NodeSummary(NodeMetrics, NodePlace):
    """A node, as its collector measured it (docs/design/006)."""

    unknown: dict[str, str]
    """Reason why a metric is unknown, for each metric that is null."""


class Phase(Model):
    """The part of a run between two calls of MPI_Pcontrol."""

    phase: int
    """The level that MPI_Pcontrol was called with; 1 from the start."""

    name: str | None = None
    entries: int
    """Number of times that a rank entered the phase, for the rank with most."""

    seconds: float
    """Mean over ranks."""

    max_seconds: float
    """Time of the rank that was in the phase longest."""

    max_rank: int | None
    """Rank with the longest time; null where no rank had memory left for its time."""

    functions: dict[str, Function]


class Calls(Model):
    """Calls of one kind, summed over ranks."""

    calls: int
    seconds: float
    max_seconds: float
    """Time of the longest call."""

    sync_seconds: float
    bytes: int
    receive_bytes: int


class CommunicatorFunction(Calls):
    roots: tuple[int, ...] | Literal["several"]
    """Roots by their rank in the communicator; empty where the function has none."""


class Communicator(Model):
    """Processes in the order of a communicator's ranks; equal lists are one communicator."""

    size: int | None
    """Number of processes; null for the entry of all communicators beyond the number that is
    distinguished."""

    name: str
    ranks: str | None
    """World ranks, "0-3,8"; "0-14:2" is every second rank. Null if they are unknown."""

    intercommunicator: bool
    """True for an intercommunicator; size and ranks are then those of the remote group."""

    functions: dict[str, CommunicatorFunction]


class CallSite(Calls):
    """A function as called from one place."""

    place: str | None
    """"solve at cg.c:131"; null until it is looked up."""

    module: str
    """The file that the code was loaded from."""

    address: str
    """Return address in the module, in hexadecimal; the line for Python."""

    function: str
    ranks: int
    """Number of ranks that called the function there."""

    most: RankSeconds


class ThreadTotals(Model):
    """Threads that only make progress, over all ranks; see `Thread.role`."""

    progress_ranks: int = 0
    """Number of ranks with such threads."""

    progress_threads: int = 0
    progress_mpi_seconds: float = 0.0
    progress_mpi_share: float = 0.0
    """Share of threads that only make progress in the MPI time of all ranks."""


class WaitingEstimate(Model):
    """The waiting of ranks in collectives, estimated without a trace.

    In a blocking collective that needs all ranks, a rank waits for its time beyond the shortest
    of all ranks; in MPI_Barrier, for all its time. Ranks that are late in turn are missed.
    """

    seconds: tuple[float, ...]
    """Waiting time of each rank, in rank order."""

    collective_seconds: float
    """Time of all ranks in the collectives of the estimate."""


def exit_code_sentence(code: int) -> str:
    """The sentence of `Summary.lost` for a program that failed."""
    return f"the program ended with exit code {code}"


class Summary(Model):
    waywiser: str
    status: Literal["complete", "partial"]
    """Status of the data, whatever became of the program. Partial: a rank is missing or did not
    finalise, or some of the data was lost."""

    exit_code: int | None = None
    """Exit code of the program, which failed if it is not 0; null if unknown."""

    mpi: SummaryMpi
    ranks: int
    split_sync: bool = False
    wall_seconds: float
    """Longest time of a rank from the start of MPI_Init to the end of MPI_Finalize."""

    mpi_seconds: tuple[float, ...]
    """MPI time of each rank, in rank order; without MPI_Init and MPI_Finalize."""

    sync_seconds: tuple[float, ...] = ()
    """Part of `mpi_seconds` in the barriers of --split-sync, for each rank."""

    init_seconds: tuple[float, ...]
    finalize_seconds: tuple[float, ...]
    functions: dict[str, FunctionTotal]
    phases: tuple[Phase, ...] = ()
    communicators: tuple[Communicator, ...] = ()
    call_sites: tuple[CallSite, ...] = ()
    threads: ThreadTotals = ThreadTotals()
    matrix: Matrix
    """Point-to-point messages."""

    collective_matrix: Matrix = NOTHING_SENT
    """Bytes that collectives sent: exact where their arguments name each destination's share, else
    by their logical pattern (native/explain/decompose.hpp has the table)."""

    collective_remarks: tuple[str, ...] = ()
    """Sentences on omissions and assumptions of the matrix of collectives."""

    waiting_estimate: WaitingEstimate | None = None
    """Estimate of the waiting; None where no collective permits one, or --split-sync measures
    it."""

    per_rank: tuple[RankSummary, ...] | None = None
    nodes: tuple[NodeSummary, ...] = ()
    """Nodes of the run, sorted by host; empty for profiles of 0.1 and for windows of the trace."""

    trace: Trace | None = None
    virtual: VirtualClocks | None = None
    """Times on virtual clocks; None where the run was not followed by any."""

    waits: Waits | None = None
    """Waiting from the trace; None where the run was not traced."""

    advice: Advice | None = None
    """Advice; None where `waywiser advise` has not been run."""

    efficiencies: Efficiencies | None = None
    """POP's efficiencies: those of `advice` if present, else of the profile's times; None if no
    rank left a time."""

    roofline: Kernels | None = None
    """Kernels of the `ww-*` program that ran; null if no file beside the run has their samples."""

    gate: Gate = OPEN
    """Gate of the run: whether the ranks had their CPUs to themselves, so that the times are the
    program's own."""

    diagnosis: Diagnosis | None = None
    """Diagnosis of the run; null where none was made."""

    @computed_field(json_schema_extra={"deprecated": True})
    def verdict(self) -> Diagnosis | None:
        """The old name of `diagnosis`, written until version 1.0."""
        return self.diagnosis

    @model_validator(mode="before")
    @classmethod
    def _either_name(cls, document: Any) -> Any:
        return renamed(document, "verdict", "diagnosis")

    lost: tuple[str, ...]
    """One sentence for each loss of the profile."""
