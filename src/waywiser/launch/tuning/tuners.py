"""The libraries that can be tuned. Add a module, add its entry."""

from __future__ import annotations

from waywiser.launch.tuning.intel import INTEL
from waywiser.launch.tuning.mpich import MPICH
from waywiser.launch.tuning.openmpi import OPENMPI
from waywiser.launch.tuning.tuner import Tuner

TUNERS: dict[str, Tuner] = {tuner.library: tuner for tuner in (OPENMPI, MPICH, INTEL)}
