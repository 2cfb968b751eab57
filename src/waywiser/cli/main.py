"""`waywiser VERB`: finds the verb, runs it, and turns errors into one sentence."""

from __future__ import annotations

import argparse
import gc
import importlib
import keyword
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import ModuleType
from typing import Any, NoReturn

from waywiser.errors import USERS_MISTAKES, WaywiserError, alike, nearest

GROUPS = {
    "Record": {
        "profile": "run a program under the profiler",
    },
    "Look": {
        "show": "print a summary of a run",
        "report": "write the HTML report of a run",
        "open": "show the report of a run in a browser",
    },
    "Explain and predict": {
        "advise": "rank what would make a run faster, and by how much",
        "whatif": "predict a run on another network, machine or placement",
    },
    "Place": {
        "place": "map ranks to hosts so that communication is cheapest",
        "rerank": "run a program with its ranks in another order",
    },
    "Compare and study": {
        "compare": "compare two sets of runs and give a verdict",
        "study": "run a campaign from one file: check, run, resume, report",
        "tune": "find the fastest algorithms of an MPI library's collectives on this machine",
    },
    "Exchange": {
        "export": "export a run or its trace to other formats",
        "sql": "query the tables of runs in SQL",
        "import": "import a trace of another tool",
    },
    "Machines and workloads": {
        "machine": "list, draw, compare, import, calibrate and validate machines",
        "build": "build a workload for an MPI library",
        "mesh": "make a benchmark's mesh, or cut a mesh into parts",
    },
    "Set up": {
        "doctor": "check which MPI libraries, launchers and compilers are usable",
        "completion": "print a shell's completion script",
    },
}
"""Use -> its verbs and their lines of `--help`, ordered by use. All else is in the verb's module,
which is imported only when the verb is used. The plots of `report` alone take longer to import than
`profile` takes to start a program.
"""

VERBS = {verb: line for group in GROUPS.values() for verb, line in group.items()}

FIRST_STEPS = """\
usage: waywiser VERB ...

Start with a profile of your program, launched as without Waywiser:

    waywiser profile --trace -o RUN -- mpirun -n 4 ./program
    waywiser show RUN          print a summary
    waywiser report RUN        write the HTML report
    waywiser advise RUN        rank what would make it faster

`waywiser --help` lists all verbs; `waywiser doctor` checks what is installed.\
"""

THREADS_OF_BLAS = "OPENBLAS_NUM_THREADS"


class _Version(argparse.Action):
    """Prints the version and exits; the version is looked up only then."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        from waywiser.cli.version import version_text

        print(version_text(), end="")
        parser.exit(0)


class HelpFormatter(argparse.HelpFormatter):
    """Breaks lines between words only, keeps the lines of a description, and aligns the lines of
    all verbs and actions."""

    def add_argument(self, action: argparse.Action) -> None:
        super().add_argument(action)
        for subaction in self._iter_indented_subactions(action):
            length = len(self._format_action_invocation(subaction)) + self._current_indent
            self._action_max_length = max(self._action_max_length, length)

    def _format_action(self, action: argparse.Action) -> str:
        """A verb that is the first of its group has the group's heading above its line."""
        heading = getattr(action, "heading", "")
        above = f"\n{' ' * (self._current_indent - 2)}{heading}:\n" if heading else ""
        return above + super()._format_action(action)

    def _split_lines(self, text: str, width: int) -> list[str]:
        from textwrap import wrap

        return wrap(text, width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """A line that begins with a name and two blanks continues below what follows them."""
        from textwrap import fill

        def filled(line: str) -> str:
            named = re.match(r"  \S.*?\S {2,}", line)
            hanging = indent + " " * len(named[0] if named else "")
            return fill(line, width, subsequent_indent=hanging, break_on_hyphens=False)

        return "\n".join(map(filled, text.splitlines()))


class Parser(argparse.ArgumentParser):
    """Reports an error in one sentence, in the form of all other errors."""

    verb = ""
    """The verb whose arguments are not added yet; "" if there is none."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"formatter_class": HelpFormatter, **kwargs})

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        verb, self.verb = self.verb, ""
        if verb:
            module = module_of(verb)
            self.set_defaults(action=getattr(module, "run", None))  # or each action has its own
            module.add_arguments(self)
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:  # here, so that the error points to the help of this verb or action
            self.error(_unknown(unknown, self))
        return known, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            self.error(_no_choice(action, value))

    def error(self, message: str) -> NoReturn:
        sentence = message.removeprefix("argument ")
        pointer = "" if "; " in sentence else f"; `{self.prog} --help` lists what there is"
        self.exit(2, f"waywiser: {sentence}{pointer}\n")


def parser(verbs: Iterable[str] = VERBS) -> argparse.ArgumentParser:
    """The parser of these verbs. A verb's arguments are added when its words are parsed."""
    top = Parser(
        prog="waywiser",
        description="Profile any unmodified MPI program and explain where its time goes.",
    )
    top.add_argument(
        "--version", action=_Version, nargs=0, help="show the version, the build and the libraries"
    )
    parsers = top.add_subparsers(required=True, metavar="VERB", dest="verb")
    headings = {next(iter(group)): heading for heading, group in GROUPS.items()}
    for verb in verbs:
        parsers.add_parser(verb, help=VERBS[verb]).verb = verb
        # `HelpFormatter` reads this attribute, which argparse does not declare.
        parsers._choices_actions[-1].heading = headings.get(verb)  # type: ignore[attr-defined]
    return top


def whole_parser() -> argparse.ArgumentParser:
    """The parser with the arguments of every verb."""
    top = parser()
    (verbs,) = (part for part in top._actions if isinstance(part, argparse._SubParsersAction))
    for verb, verb_parser in verbs.choices.items():
        module_of(verb).add_arguments(verb_parser)
        verb_parser.verb = ""
    return top


def _unknown(words: Sequence[str], parser: argparse.ArgumentParser) -> str:
    """The message for words that a parser does not know, with the option nearest to the first."""
    option = next((word.partition("=")[0] for word in words if word.startswith("-")), "")
    if not option:
        return f"{' '.join(words)}: unexpected argument"
    # Without the hyphens, which would make all short options alike.
    meant = nearest(option.lstrip("-"), [known.lstrip("-") for known in _options(parser)])
    return f"{option}: unknown option" + (f" (did you mean --{meant}?)" if meant else "")


def _no_choice(action: argparse.Action, value: object) -> str:
    """The message for a value that is not one of an argument's choices, with the nearest one."""
    known = [*map(str, action.choices or ())]
    meant = alike(str(value), known)
    if not action.option_strings:
        return f"{value}: unknown {str(action.metavar or action.dest).lower()}{meant}"
    listed = ", ".join(known)
    return f"{action.option_strings[-1]} {value}: unknown value{meant}; expected one of {listed}"


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The long options of a parser and of those of its verbs and actions."""
    for action in parser._actions:
        yield from (option for option in action.option_strings if option.startswith("--"))
        if isinstance(action, argparse._SubParsersAction):
            for subparser in action.choices.values():
                yield from _options(subparser)


def module_of(verb: str) -> ModuleType:
    """Import the module that adds the verb's arguments; if the verb is a keyword of Python, the
    module's name ends in "_"."""
    name = f"{verb}_" if keyword.iskeyword(verb) else verb
    with _one_thread_of_blas():
        return importlib.import_module(f"waywiser.cli.{name}")


@contextmanager
def _one_thread_of_blas() -> Iterator[None]:
    """Keep NumPy's OpenBLAS from starting a thread on each core at its import, which takes half of
    the import on two cores and more on more. The variable is removed again before a program is
    started, which may need its own value."""
    known = os.environ.get(THREADS_OF_BLAS)
    os.environ.setdefault(THREADS_OF_BLAS, "1")
    try:
        yield
    finally:
        if known is None:
            del os.environ[THREADS_OF_BLAS]


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code (docs/reference/exit-codes.md)."""
    words = sys.argv[1:] if argv is None else argv
    if not words:
        print(FIRST_STEPS, file=sys.stderr)
        return 2
    named = [word for word in words[:1] if word in VERBS]
    if argv is None:
        # Modules stay to the end. Garbage collections would take a tenth of the time to import
        # them, and the last one, when Python ends, a fifth of the time of `waywiser show`.
        gc.disable()
    arguments = parser(named or VERBS).parse_args(words)
    if argv is None:
        gc.freeze()
        gc.enable()
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
        # The reader of our output has gone (`waywiser show RUN | head`), which is not a failure.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0
    except (MemoryError, RecursionError) as error:
        # Readers bound their memory; still a machine may have less than they need.
        short = "memory" if isinstance(error, MemoryError) else "room for nested input"
        print(f"waywiser: {' '.join(words)}: not enough {short}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"waywiser: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # drops buffered output
        return 2 if isinstance(error, USERS_MISTAKES) else 1


if __name__ == "__main__":
    sys.exit(main())
