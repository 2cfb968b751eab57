"""Why a launcher refused to start anything, said with the option that it wants.

The launchers of wheels often lack their help files and then name only the topic of a message.
"""

from __future__ import annotations

import os
import re

from waywiser.launch.command import Launcher

AS_ROOT = re.compile(r"run(ning)?[ -]as[ -]root", re.IGNORECASE)
TOO_FEW_SLOTS = re.compile(r"enough[ -]slots|alloc-error|out-of-resource")


def why_refused(launcher: Launcher, said: str) -> list[str]:
    """Sentences with the option that would have helped; none where that is not known.

    Args:
        said: what the launcher wrote on stderr.
    """
    if launcher.kind.name != "Open MPI":
        return []
    sentences = []
    if os.geteuid() == 0 and AS_ROOT.search(said):
        sentences.append(
            f"{launcher} does not run as root unless it is told to: {launcher.path.name} "
            "--allow-run-as-root …"
        )
    if TOO_FEW_SLOTS.search(said):
        old = launcher.version.split(".")[0] in "1234"
        option = "--oversubscribe" if old else "--map-by :OVERSUBSCRIBE"
        sentences.append(
            f"{launcher} has fewer slots than ranks were asked for (one per core, if no host file "
            f"says otherwise): ask for fewer, or allow more with {launcher.path.name} {option} …"
        )
    return sentences
