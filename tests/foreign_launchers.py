"""Launchers of machines that nobody has here: scripts that take the documented options alone, and
start the ranks with a launcher that is here."""

from __future__ import annotations

from pathlib import Path

from tests.support import MpiLibrary, executable

SCRIPT = r"""#!/bin/sh
# The options before the program; counts $ranks.
[ "$1" = --version ] && {{ echo "{version}"; exit; }}
touch {directory}/started
while [ $# -gt 0 ]; do
    case $1 in
{cases}
    -*) echo "{name}: there is no option $1" >&2; exit 2 ;;
    *) break ;;
    esac
done
exec {mpiexec} -n "$ranks" sh -c '{variables} exec "$0" "$@"' "$@"
"""


def write_launcher(
    file: Path, mpi: MpiLibrary, *, version: str, cases: dict[str, str], rank: str
) -> Path:
    """Writes what is called like the launcher.

    Args:
        cases: patterns of options, and what the shell does with $1 and $2.
        rank: variables that it gives each rank, from $RANK.
    """
    own = "OMPI_COMM_WORLD_RANK" if mpi.abi == "openmpi" else "PMI_RANK"
    file.parent.mkdir(parents=True, exist_ok=True)
    executable(
        file,
        SCRIPT.format(
            version=version,
            directory=file.parent,
            name=file.name,
            cases="\n".join(f"    {pattern}) {does} ;;" for pattern, does in cases.items()),
            mpiexec=mpi.bin / "mpirun",
            variables=f"RANK=${own}; export {rank};",
        ),
    )
    return file
