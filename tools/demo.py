"""`make demo`: profiles ww-minife on 4 ranks under Open MPI and MPICH.

Prints the summaries side by side and writes demo/report.html (Open MPI) and one more report for
each other library. The commands are printed as a user would type them.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from waywiser.report.run.terminal import side_by_side

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.prefix) / "bin"
DEMO = ROOT / "demo"
RANKS = 4
ELEMENTS = 64

# On a laptop there may be fewer cores than ranks, and in a container the user may be root: each
# launcher is told so openly, in its own words.
LAUNCHER_OPTIONS = {
    "openmpi": ["--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])],
    "mpich": [],
}


def waywiser(*words: str) -> str:
    """Runs the command as a user would, from the repository's root; returns what it prints."""
    print("$ waywiser " + shlex.join(words), flush=True)
    done = subprocess.run(
        [str(BIN / "waywiser"), *words], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"waywiser: `waywiser {words[0]}` ended with {done.returncode}")
    return done.stdout


def profile(mpi: str) -> str:
    """Profiles ww-minife under one library and writes its report; returns the summary."""
    directory = os.path.relpath(Path(sys.prefix) / "mpi" / mpi / "bin", ROOT)
    run = os.path.relpath(DEMO / mpi, ROOT)
    report = os.path.relpath(
        DEMO / ("report.html" if mpi == "openmpi" else f"report-{mpi}.html"), ROOT
    )
    launcher = [f"{directory}/mpirun", "-n", str(RANKS), *LAUNCHER_OPTIONS[mpi]]
    waywiser("profile", "-o", run, "--", *launcher, f"{directory}/ww-minife", "--nx", str(ELEMENTS))
    print(waywiser("report", run, "-o", report), end="")
    return waywiser("show", run)


def main() -> None:
    shutil.rmtree(DEMO, ignore_errors=True)
    DEMO.mkdir()
    summaries = [profile(mpi) for mpi in LAUNCHER_OPTIONS]
    text = summaries[0]
    for summary in summaries[1:]:
        text = side_by_side(text, summary)
    print()
    print(text)
    print(f"\nOpen {os.path.relpath(DEMO / 'report.html', ROOT)} in a browser.")


if __name__ == "__main__":
    main()
