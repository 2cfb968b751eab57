"""The supported batch systems, by their names in study files."""

from waywiser.launch.batch import Scheduler
from waywiser.launch.flux import Flux
from waywiser.launch.local import Local
from waywiser.launch.pbs import Pbs
from waywiser.launch.slurm_batch import Slurm
from waywiser.model.study import LOCAL

SCHEDULERS: dict[str, Scheduler] = {
    LOCAL: Local(),
    "slurm": Slurm(),
    "pbs": Pbs(),
    "flux": Flux(),
}
