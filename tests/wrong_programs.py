"""More of tests/wrong_studies.py: mistakes in programs, figures, designs and jobs."""

from __future__ import annotations

from tests.support import mpi_libraries
from tests.wrong_studies import Case

MPICH_MINIFE = next(mpi.program("ww-minife") for mpi in mpi_libraries() if mpi.name == "mpich")
OPENMPI_MINIFE = next(mpi.program("ww-minife") for mpi in mpi_libraries() if mpi.name == "openmpi")
MPICH_MPIRUN, OPENMPI_MPIRUN = (
    program.parent / "mpirun" for program in (MPICH_MINIFE, OPENMPI_MINIFE)
)

CASES = [
    Case(
        "an unknown machine, or one without a peak",
        'report.machine = "nurionn"',
        'report.machine = "nurion"',
        "there is no machine",
        "report.machine",
    ),
    Case(
        "an unknown machine, or one without a peak",
        'report.machine = "rig-3"',
        "report.node_peak_GFLOPps = 3000",
        "rig-3 has no node.peak_GFLOPps; add it to the machine file, or give node_peak_GFLOPps",
        "report.machine",
    ),
    Case(
        "no launcher",
        'mpi.openmpi.launcher = "/nowhere/mpirun"',
        'mpi.openmpi.launcher = ""',
        "there is no /nowhere/mpirun; give its launcher",
        "mpi.openmpi.launcher",
    ),
    Case(
        "no launcher",
        'mpi.openmpi.library = "mpich"',
        'mpi.openmpi.library = "openmpi"',
        "under the name of another library, Open MPI",
        "mpi.openmpi.library",
    ),
    Case(
        "no launcher",
        f'mpi.openmpi.launcher = "{MPICH_MPIRUN}"',
        f'mpi.openmpi.launcher = "{OPENMPI_MPIRUN}"',
        f'{MPICH_MPIRUN} is the launcher of MPICH, not of Open MPI ("openmpi")',
        "mpi.openmpi.launcher",
    ),
    Case(
        "no launcher",
        f'mpi.site = {{library = "openmpi", launcher = "{MPICH_MPIRUN}"}}',
        f'mpi.site = {{library = "mpich", launcher = "{MPICH_MPIRUN}"}}',
        "is the launcher of MPICH, not of Open MPI",
        "mpi.site.library",
    ),
    Case(
        "no launcher",
        "mpi.mpihc = {}",
        "mpi.mpich = {}",
        '"mpihc" is not an MPI library that Waywiser knows (did you mean "mpich"?); expected one '
        "of openmpi, mpich, impi, or a table [mpi.mpihc]",
        "mpi",
    ),
    Case(
        "no launcher",
        'mpi.mvapich2.modules = ["mvapich2"]',
        f'mpi.mvapich2.launcher = "{MPICH_MPIRUN}"',
        '"mvapich2" is not an MPI library that Waywiser knows',
        "mpi",
    ),
    Case(
        "no launcher",
        f'mpi.site = {{modules = ["openmpi"], launcher = "{OPENMPI_MPIRUN}"}}',
        f'mpi.site = {{modules = ["openmpi"], launcher = "{OPENMPI_MPIRUN}", library = "openmpi"}}',
        "say which library it is",
        "mpi.site.library",
    ),
    Case(
        "several ranks without a launcher",
        'mpi.openmpi.launcher = "none"',
        'mpi.openmpi.launcher = "none"\naxes.ranks = [1]',
        'r2 has 2 ranks, and launcher = "none" starts one',
        "axes.ranks",
    ),
    Case(
        "no executable",
        'application.app.program = "./missing"',
        'application.app.program = "./app"',
        "there is no ./missing, or it is not executable",
        "application.app.program",
    ),
    Case(
        "no executable",
        'application.app.program = "no-such-program"',
        'application.app.program = "no-such-program"\n'
        'mpi.openmpi = {modules = ["it"], library = "openmpi"}',
        "there is no no-such-program, or it is not executable",
        "application.app.program",
    ),
    Case(
        "no executable",
        'application.app.program = "./data.txt"',
        'mpi.openmpi.programs.app = "./app"\napplication.app.program = "./data.txt"',
        "there is no ./data.txt, or it is not executable",
        "application.app.program",
    ),
    Case(
        "a workload that is unknown or not built",
        'application = {w = {workload = "minifee", reader = "minife"}}',
        'application = {w = {workload = "minife", reader = "minife"}}',
        "there is no workload minifee; built here: comm, fd, grid, lattice, memory, minife",
        "application.w.workload",
    ),
    Case(
        "a program that is linked to another MPI",
        f'application.app.program = "{MPICH_MINIFE}"',
        f'application.app.program = "{OPENMPI_MINIFE}"',
        "is linked to MPICH's family",
        "application.app.program",
    ),
    Case(
        "a program that is linked to another MPI",
        f'mpi.site.launcher = "{OPENMPI_MPIRUN}"\napplication.app.mpi = ["site"]\n'
        f'application.app.program = "{MPICH_MINIFE}"',
        f'mpi.site.launcher = "{MPICH_MPIRUN}"\napplication.app.mpi = ["site"]\n'
        f'application.app.program = "{MPICH_MINIFE}"',
        "is linked to MPICH's family",
        "application.app.program",
    ),
    Case(
        "a program that is linked to another MPI",
        f'mpi.openmpi.launcher = "srun"\napplication.app.program = "{MPICH_MINIFE}"',
        f'mpi.openmpi.launcher = "srun"\napplication.app.program = "{OPENMPI_MINIFE}"',
        "is linked to MPICH's family, which Open MPI cannot serve",
        "application.app.program",
    ),
    Case(
        "a program that is linked to another MPI",
        f'mpi.mpich.modules = ["mpich"]\napplication.app.mpi = ["mpich"]\n'
        f'application.app.program = "{OPENMPI_MINIFE}"',
        f'mpi.mpich.modules = ["mpich"]\napplication.app.mpi = ["mpich"]\n'
        f'application.app.program = "{MPICH_MINIFE}"',
        "is linked to Open MPI, which MPICH cannot serve",
        "application.app.program",
    ),
    Case(
        "missing inputs",
        'application.app.inputs = ["data.txt", "other.txt"]',
        'application.app.inputs = ["data.txt", "folder"]',
        "there is no other.txt",
        "application.app.inputs",
    ),
    Case(
        "missing inputs",
        'application.app.inputs = ["data.txt", "folder/data.txt"]',
        'application.app.inputs = ["folder/data.txt"]',
        "data.txt stands for several files",
        "application.app.inputs",
    ),
    Case(
        "an unknown reader",
        'application.app.reader = "lamps"',
        'application.app.reader = "lammps"',
        "there is no reader lamps; there are lammps",
        "application.app.reader",
    ),
    Case(
        "a headline that is not a figure",
        'application.app.headline = "tiem"',
        'application.app.headline = "time"',
        "there is no figure tiem; there are time, run_time",
        "application.app.headline",
    ),
    Case(
        "a headline that is not a figure",
        'application.app.figures.rate = {pattern = "(.) Hz", better = "higher"}',
        'application.app.figures.rate = {pattern = "(.) Hz", better = "higher"}\n'
        'application.app.headline = "rate"',
        "without it, it is time of time, rate, run_time",
        "application.app.headline",
    ),
    Case(
        "a headline that is not a figure",
        "application.app.correct.energy.value = 1.0",
        "application.app.correct.time.value = 1.0",
        "no such figure",
        "application.app.correct.energy",
    ),
    Case(
        "a headline that is not a figure",
        'application = {bare = {program = "./app"}}',
        'application = {bare = {program = "./app", reader = "lammps"}}',
        "its one figure is run_time",
        "application.bare.figures",
    ),
    Case(
        "weak scaling whose work per rank varies",
        'report.scaling = "weak"\naxes = {ranks = [1, 2], nx = [10, 10]}\n'
        'zip = [["ranks", "nx"]]\napplication.app.work = "{nx}"',
        'report.scaling = "weak"\naxes = {ranks = [1, 2], nx = [10, 20]}\n'
        'zip = [["ranks", "nx"]]\napplication.app.work = "{nx}"',
        "varies by 100 %: 5 in r2, 10 in r1",
        "application.app.work",
    ),
    Case(
        "weak scaling whose work per rank varies",
        'report.scaling = "weak"',
        'report.scaling = "weak"\napplication.app.work = "{ranks} * 7"',
        "nobody knows whether the scaling is weak",
        "application.app.work",
    ),
    Case(
        "weak scaling whose work per rank varies",
        'report.scaling = "strong"\napplication.app.work = "{ranks}"',
        'report.scaling = "strong"\napplication.app.work = "3"',
        'with scaling = "strong" the work stays the same',
        "application.app.work",
    ),
    Case(
        "weak scaling whose work per rank varies",
        'report.scaling = "weak"\napplication.app.work = "{ranks} - 1"',
        'report.scaling = "weak"\napplication.app.work = "{ranks}"',
        "it comes to 0 for r1; expected a positive number",
        "application.app.work",
    ),
    Case(
        "a value is excluded that no axis has",
        "exclude = [{ranks = [2, 3]}]",
        "exclude = [{ranks = [2]}]",
        "ranks has no value 3; it has 1, 2",
        "exclude",
    ),
    Case(
        "a value is excluded that no axis has",
        'exclude = [{mpi = "mpihc", ranks = 2}]',
        'exclude = [{mpi = "openmpi", ranks = 2}]',
        "mpi has no value mpihc; it has openmpi",
        "exclude",
    ),
    Case(
        "the report is about a figure that nothing has",
        'report.figures = ["tiem"]',
        'report.figures = ["time"]',
        "there is no figure tiem; there are time, run_time",
        "report.figures",
    ),
    Case(
        "the report is about a figure that nothing has",
        "report.within.eror = 1.0",
        "report.within.time = 1.0",
        "there is no figure eror; there are time, run_time",
        "report.within",
    ),
    Case(
        "too few blocks for an interval",
        "repeats.blocks = 5",
        "repeats = {blocks = 5, at_most = 6}",
        "5 blocks give no interval",
        "repeats.blocks",
    ),
    Case(
        "nothing to compare",
        'report.compare = "threads"\naxes.threads = [2]',
        'report.compare = "threads"\naxes.threads = [1, 2]',
        "threads has one value only",
        "report.compare",
    ),
    Case(
        "nothing to compare",
        'report = {compare = "ranks", base = 3}',
        'report = {compare = "ranks", base = 2}',
        "ranks has no value 3; it has 1, 2",
        "report.base",
    ),
    Case(
        "options of a profile that is not made",
        'profile = "never"\nprofile_options = ["callsites"]',
        'profile = "every"\nprofile_options = ["callsites"]',
        "no effect",
        "profile_options",
    ),
    Case(
        "a time limit that is too short",
        "resources = {expected_seconds = 601, time_limit_minutes = 10}",
        "resources = {expected_seconds = 600, time_limit_minutes = 10}",
        "10 min 01 s, and is ended after 10 min 00 s",
        "resources.time_limit_minutes",
    ),
    Case(
        "a budget that does not last",
        "resources.expected_seconds = 3600\nrepeats.core_hours = 20",
        "resources.expected_seconds = 3600\nrepeats.core_hours = 21",
        "take about 21 core-hours, and 20 are allowed",
        "repeats.core_hours",
    ),
    Case(
        "arrays where there are none",
        'resources = {scheduler = "flux", jobs = "array"}',
        'resources = {scheduler = "slurm", jobs = "array"}',
        'Flux has no arrays of batch scripts; write jobs = "block" or "run"',
        "resources.jobs",
    ),
    Case(
        "options that the batch script sets itself",
        'resources = {scheduler = "slurm", options = ["--time=1:00:00"]}',
        'resources = {scheduler = "slurm", options = ["--exclusive"]}',
        "--time=1:00:00 is what resources.time_limit_minutes says",
        "resources.options",
    ),
]
