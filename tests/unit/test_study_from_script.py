"""A study from a Slurm job script, and the faults of the script."""

from __future__ import annotations

import contextlib
import random
import tomllib
from pathlib import Path

import pytest

from tests.support import cases, executable
from waywiser.errors import InvalidCommand, WaywiserError
from waywiser.model.study import Study
from waywiser.study.check import check
from waywiser.study.configurations import configurations_of
from waywiser.study.convert import from_script
from waywiser.study.remark import Remark
from waywiser.study.starter import starter_text
from waywiser.study.study_file import read_study

# A script with the faults of study scripts in print: see the names of the tests.
FAULTY = r"""#!/bin/bash
#SBATCH --job-name=quake
#SBATCH --partition=normal
#SBATCH --nodes=4
#SBATCH --time=02:00:00
module load intel-mpi/2021.10

# Eight cores for each rank, one of them for its communication thread.
omp=8
ncores=$(lscpu -b -p=Core,Socket | grep -v '^#' | sort -u | wc -l)
ppn=$((ncores/omp))
hosts=$(scontrol show hostname $SLURM_JOB_NODELIST | paste -sd,)
export OMP_PLACES="cores(${omp-1})" OMP_PROC_BIND=spread
export SEISSOL_COMMTHREAD=1
export XDMFWRITE_ALIGNMNET=8388608
ulimit -s unlimited

mpirun -hosts "$hosts" -ppn $ppn -np $((ppn*ncores)) \
    -genv FI_PROVIDER=opx -genv I_MPI_FABRICS shm:ofi \
    -genv OMP_NUM_THREADS ${omp-1} -genv I_MPI_PIN_DOMAIN $omp:compact \
    parameters.par > out.log 2>&1
"""
MENDED = (
    FAULTY.replace("${omp-1}", "$((omp-1))")
    .replace("ppn*ncores", "ppn*SLURM_NNODES")
    .replace("WRITE_ALIGNMNET", "WRITER_ALIGNMENT")
    .replace("    parameters.par", "    ./quake parameters.par")
)
READERS = {"seissol": "performance", "lammps": "loop_time"}


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    executable(tmp_path / "quake", "#!/bin/sh\n")
    (tmp_path / "parameters.par").write_text("")
    return tmp_path


def converted(text: str, directory: Path, cores_per_node: int = 64) -> tuple[Study, list[Remark]]:
    study_text, remarks = from_script(
        text, "job.sh", directory, cores_per_node=cores_per_node, readers=READERS
    )
    return Study.model_validate(tomllib.loads(study_text)), remarks


def about(remarks: list[Remark], words: str) -> Remark:
    (remark,) = [remark for remark in remarks if words in remark.text]
    return remark


def test_a_default_that_was_meant_as_a_sum_is_found(directory: Path) -> None:
    _, remarks = converted(FAULTY, directory)

    matching = [remark for remark in remarks if "${omp-1} is not a sum" in remark.text]
    assert [remark.key for remark in matching] == ["line 13", "line 18"]
    assert (
        "it is the value of omp, 8, or 1 where omp is not set; write $((omp-1))" in matching[0].text
    )


def test_a_core_that_was_to_stay_free_is_missed(directory: Path) -> None:
    _, remarks = converted(FAULTY, directory)

    assert about(remarks, "leave none free for the communication threads") == Remark(
        "error",
        "line 18",
        "8 ranks x 8 threads on a node of 64 cores leave none free for the communication threads",
    )


def test_the_missing_core_is_also_found_where_the_ranks_are_right(directory: Path) -> None:
    _, remarks = converted(FAULTY.replace("ppn*ncores", "ppn*SLURM_NNODES"), directory)

    remark = about(remarks, "8 ranks x 8 threads leave no core free for each rank's communication")
    assert (remark.level, remark.key) == ("error", "axes.threads")


@pytest.mark.parametrize(
    "cores",
    [
        "$(nproc)",
        "`getconf _NPROCESSORS_ONLN`",
        "$(grep -c ^processor /proc/cpuinfo)",
        "$SLURM_CPUS_ON_NODE",
        "$(( $(lscpu | awk '/per socket/ {print $4}') * $(lscpu | grep '^Socket' | cut -c 9-) ))",
    ],
)
def test_commands_that_ask_for_cores_are_known(directory: Path, cores: str) -> None:
    text = MENDED.replace("$(lscpu -b -p=Core,Socket | grep -v '^#' | sort -u | wc -l)", cores)
    assert cores in text
    study, _ = converted(text, directory)

    assert study.axes["ranks"] == (32,)


@pytest.mark.parametrize("cores", [48, 64, 96])
def test_ranks_multiplied_by_cores_are_found(directory: Path, cores: int) -> None:
    _, remarks = converted(FAULTY, directory, cores)

    remark = about(remarks, "-np $((ppn*ncores))")
    assert (remark.level, remark.key) == ("error", "line 18")
    assert f"starts {cores // 8 * cores} ranks" in remark.text.replace(",", "")
    assert f"{cores // 8} on each of 4 nodes are {cores // 2}" in remark.text
    assert "it multiplies by the cores of a node, where the number of nodes" in remark.text
    assert about(remarks, "(slots)").key == "axes.ranks"


def test_other_superfluous_ranks_are_not_blamed_on_the_cores(directory: Path) -> None:
    _, remarks = converted(FAULTY.replace("$((ppn*ncores))", "40"), directory)

    remark = about(remarks, "-np 40 starts 40 ranks, but 8 on each of 4 nodes are 32")
    assert "cores" not in remark.text


def test_a_misspelt_variable_is_found(directory: Path) -> None:
    _, remarks = converted(FAULTY, directory)

    assert about(remarks, "XDMFWRITER_ALIGNMENT is probably meant").key.endswith(
        ".XDMFWRITE_ALIGNMNET"
    )


def test_a_line_without_executable_is_found(directory: Path) -> None:
    study, remarks = converted(FAULTY, directory)

    remark = about(remarks, "the mpirun line names no executable")
    assert (remark.level, remark.key) == ("error", "line 18")
    assert "parameters.par" in remark.text
    assert study.application["job"].arguments == ("parameters.par",)


def test_a_script_put_right_becomes_a_study_without_a_fault(directory: Path) -> None:
    study, remarks = converted(MENDED, directory)

    assert remarks == []
    assert study.title == "quake"
    application = study.application["job"]
    assert application.program == "./quake"
    assert application.reader == "seissol"
    assert application.arguments == ("parameters.par",)
    assert application.inputs == ("parameters.par",)
    assert application.free_cores == 1
    assert application.environment == {
        "OMP_PLACES": "cores(7)",
        "OMP_PROC_BIND": "spread",
        "SEISSOL_COMMTHREAD": "1",
        "XDMFWRITER_ALIGNMENT": "8388608",
        "FI_PROVIDER": "opx",
        "I_MPI_FABRICS": "shm:ofi",
        "I_MPI_PIN_DOMAIN": "8:compact",
    }
    assert study.axes == {"nodes": (4,), "ranks": (32,), "threads": (7,)}
    assert study.mpi["impi"].library == "impi"
    resources = study.resources
    assert (resources.scheduler, resources.partition) == ("slurm", "normal")
    assert resources.time_limit_minutes == 120
    assert study.mpi["impi"].modules == ("intel-mpi/2021.10",)
    assert resources.setup == ("ulimit -s unlimited",)


def test_cores_that_only_a_node_knows_are_assumed_and_reported(directory: Path) -> None:
    _, remarks = converted(MENDED, directory, cores_per_node=0)

    (remark,) = remarks
    assert remark.key == "resources.cores_per_node"
    assert "64 are assumed" in remark.text


def test_srun_with_the_counts_of_its_job(directory: Path) -> None:
    study, remarks = converted(
        """#!/bin/sh
#SBATCH -N 2 --ntasks-per-node=16
#SBATCH -c 4 # a comment
#SBATCH -t 1-02:30 -A project --exclusive --mem=0
ml openmpi/5.0.3
export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK
cd $SLURM_SUBMIT_DIR
time srun --mpi=pmix --kill-on-bad-exit=1 ./quake -in "a b" '{x}' | tee log
""",
        directory,
    )

    assert study.axes == {"nodes": (2,), "ranks": (32,), "threads": (4,)}
    assert study.application["job"].arguments == ("-in", "a b", "{{x}}")
    assert study.application["job"].free_cores == 0
    mpi = study.mpi["openmpi"]
    assert (mpi.launcher, mpi.pmi) == ("srun", "pmix")
    assert mpi.launcher_arguments == ("--kill-on-bad-exit=1",)
    assert study.resources.time_limit_minutes == 26.5 * 60
    assert study.resources.options == ("--exclusive", "--mem=0")
    assert about(remarks, "`cd $SLURM_SUBMIT_DIR`").key == "job script"


@pytest.mark.parametrize(
    ("line", "library"),
    [
        ("mpirun -x A=1 -n 2 ./quake", "openmpi"),
        ("mpirun --mca btl self -n 2 ./quake", "openmpi"),
        ("mpiexec -genv A 1 -n 2 ./quake", "mpich"),
        ("mpiexec -genv A=1 -n 2 ./quake", "mpich"),
        ("mpiexec -genv I_MPI_DEBUG 5 -n 2 ./quake", "impi"),
        ("module load cray-mpich\nsrun -n2 ./quake", "mpich"),
        ("module load hpcx\nmpirun -n 2 ./quake", "openmpi"),
    ],
)
def test_the_library_is_recognised_by_modules_and_options(
    directory: Path, line: str, library: str
) -> None:
    study, _ = converted(f"#SBATCH -N 1\n{line}\n", directory)

    assert list(study.mpi) == [library]
    assert study.axes["ranks"] == (2,)
    assert study.application["job"].program == "./quake"


def test_what_a_study_has_no_place_for_is_reported(directory: Path) -> None:
    _, remarks = converted(
        """#SBATCH -N 1
for n in 1 2 4; do
  mpirun -n $n --bind-to core ./quake < input
done
mpirun -n 2 ./other
cp a b
""",
        directory,
    )

    texts = [remark.text for remark in remarks if "not taken over" in remark.text]
    assert texts == [
        "not taken over: line 2: of the loop only n = 1 is read; make it an axis",
        "not taken over: line 6: `cp a b`",
        "not taken over: --bind-to core; a study binds each rank to cores of its own",
        "not taken over: < input; give it as input",
        "not taken over: it starts ./other; the study has the first",
    ]


def test_an_executable_that_only_the_environment_knows(directory: Path) -> None:
    study, remarks = converted("#SBATCH -N 1\nmpirun -n 2 $EXE -v\n", directory)

    assert "the executable is $EXE, which the script does not set" in remarks[0].text
    assert study.application["job"].program == "./PROGRAM"


def test_ranks_that_only_the_environment_knows(directory: Path) -> None:
    _, remarks = converted("#SBATCH -N 1\nmpirun -n $RANKS ./quake\n", directory)

    assert about(remarks, "-n $RANKS cannot be known").level == "warning"


def test_a_script_that_starts_nothing_is_refused(directory: Path) -> None:
    with pytest.raises(InvalidCommand, match=r"job\.sh starts nothing with mpirun"):
        converted("#SBATCH -N 1\necho mpirun\n", directory)


def test_nothing_of_a_script_is_run(directory: Path) -> None:
    trace = directory / "trace"
    converted(
        f"#SBATCH -N 1\nn=$(touch {trace}; echo 2)\nmpirun -n $n `touch {trace}`\n", directory
    )

    assert not trace.exists()


def test_the_starter_is_a_study_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(starter_text())
    study = read_study(path)

    remarks = check(study, configurations_of(study), tmp_path, READERS)

    assert {remark.key for remark in remarks} <= {"application.app.program", "axes.ranks"}
    assert about(remarks, "there is no ./app, or it is not executable").level == "error"


def test_the_starters_examples_are_keys_that_exist(tmp_path: Path) -> None:
    """The starter file with the examples from its comments enabled."""
    lines = []
    for line in starter_text().splitlines():
        example = line.removeprefix("# ")
        is_key = line.startswith("# ") and (" = " in example or example.startswith("["))
        lines.append(example if is_key and not example.startswith("  ") else line)
    path = tmp_path / "study.toml"
    path.write_text("\n".join(lines))

    study = read_study(path)

    assert study.report.scaling == "strong"
    assert study.repeats.at_most == 20


PIECES = (
    *FAULTY.split(" "),
    *(
        "${",
        "$((",
        "$(",
        "))",
        "`",
        '"',
        "'",
        "\\",
        "\n",
        "{",
        "}",
        "<<E",
        "for",
        "in",
        "\x7f",
        "é",
    ),
    *(
        "${a",
        "-1}",
        "#SBATCH --nodes=",
        "99999999999999999999",
        "export A=",
        "-genv",
        "mpirun",
        "\0",
    ),
    *("((" * 200, "$(" * 2000, "-" * 5000, "module load", "${a:-${a:-${a:-", "a=$((a*a+3))"),
)


@pytest.mark.parametrize("seed", cases(range(0, 300, 7), long=range(300)))
def test_any_script_gives_a_study_or_a_sentence(seed: int, directory: Path) -> None:
    choose = random.Random(seed)
    text = " ".join(choose.choices(PIECES, k=choose.randrange(80)))
    if seed % 2:
        text += f"\n{MENDED}"

    with contextlib.suppress(WaywiserError):
        study_text, _ = from_script(text, "job.sh", directory, cores_per_node=choose.randrange(80))
        assert configurations_of(Study.model_validate(tomllib.loads(study_text)))
