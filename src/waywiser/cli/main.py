"""`waywiser VERB`: finds the verb, runs it, and turns errors into one sentence."""

from __future__ import annotations

import argparse
import importlib
import keyword
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from waywiser import __version__
from waywiser.errors import USERS_MISTAKES, WaywiserError

VERBS = (
    "doctor",
    "profile",
    "show",
    "report",
    "export",
    "import",
    "study",
    "compare",
    "build",
    "place",
    "machine",
    "rerank",
    "tune",
    "whatif",
    "advise",
    "mesh",
)
"""Modules of this room; one whose name is a word of Python's ends in "_"."""

THREADS_OF_BLAS = "OPENBLAS_NUM_THREADS"


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence, as all other mistakes are said."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"waywiser: {message}; `{self.prog} --help` lists what there is\n")


def parser(names: Sequence[str] = VERBS) -> argparse.ArgumentParser:
    """The command line of these verbs.

    Only their modules are imported, because the figures of `report` take longer to import than
    `profile` takes to start a program.
    """
    top = Parser(
        prog="waywiser",
        description="Profiles any unmodified MPI program and explains where its time goes.",
    )
    top.add_argument("--version", action="version", version=f"waywiser {__version__}")
    verbs = top.add_subparsers(required=True, metavar="VERB", dest="verb")
    with _one_thread_of_blas():
        for name in names:
            module = f"{name}_" if keyword.iskeyword(name) else name
            importlib.import_module(f"waywiser.cli.{module}").add_parser(verbs)
    return top


@contextmanager
def _one_thread_of_blas() -> Iterator[None]:
    """NumPy's OpenBLAS starts a thread on each core when it is imported, which takes half of the
    import on two cores and more on more; nothing here needs them. The variable is gone before a
    program is started, which may want its own."""
    known = os.environ.get(THREADS_OF_BLAS)
    os.environ.setdefault(THREADS_OF_BLAS, "1")
    try:
        yield
    finally:
        if known is None:
            del os.environ[THREADS_OF_BLAS]


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code: 0, 2 on a user's mistake, 1 when something failed; `profile` passes on its
    program's."""
    words = sys.argv[1:] if argv is None else argv
    named = [name for name in VERBS if name in words[:1]]
    arguments = parser(named or VERBS).parse_args(words)
    try:
        code: int = arguments.action(arguments)
        sys.stdout.flush()
        return code
    except WaywiserError as error:
        print(f"waywiser: {error}", file=sys.stderr)
        return 2 if isinstance(error.__cause__, USERS_MISTAKES) else error.exit_code
    except KeyboardInterrupt:
        print("waywiser: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # Nobody reads our output any more (`waywiser show RUN | head`); that is no failure.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except (MemoryError, RecursionError) as error:
        # Readers bound what they take; still a machine may have less than they need.
        short = "memory" if isinstance(error, MemoryError) else "room for nested input"
        print(f"waywiser: {' '.join(words)}: not enough {short}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"waywiser: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is still buffered has no place to go
        return 2 if isinstance(error, USERS_MISTAKES) else 1


if __name__ == "__main__":
    sys.exit(main())
