# What a developer types, over the CMake presets. Whatever measures is a command: scripts/quartet --help.
# `make help` lists every line `target: needs ## what it does`.

# Which preset of CMakePresets.json to build: `make test PRESET=host-ci`.
PRESET ?= host-release
# More for `make run`, what `make build` builds, and more for ctest: `make run RUN_FLAGS='--budget 300'`,
# `make build TARGETS='cg fft'`, `make test TESTS='-L cli'`.
RUN_FLAGS ?=
TARGETS ?=
TESTS ?=
# More for `make release`: `make release RELEASE_FLAGS='--commit v0.1.0'`.
RELEASE_FLAGS ?=

# Whether to build the CUDA device: AUTO (wherever a toolkit is found), ON or OFF. The preset
# host-release leaves it out where there is no GPU driver: nothing of it could run.
CUDA ?= AUTO
DRIVER := $(wildcard /proc/driver/nvidia/version /dev/nvidiactl /dev/dxg)
CUDA_HERE := $(if $(DRIVER)$(filter-out host-release,$(PRESET))$(filter-out file,$(origin CUDA)),$(CUDA),OFF)
SAY_CUDA = $(if $(filter $(CUDA),$(CUDA_HERE)),:,echo "make: without the CUDA device, since there is no GPU driver here (CUDA=AUTO builds it)")

BUILD := build/$(PRESET)
CONFIGURE = cmake --preset $(PRESET) --log-level=NOTICE $(if $(filter-out gpu,$(PRESET)),-D QUARTET_CUDA=$(CUDA_HERE))
PROGRAMS := $(patsubst %/main.cpp,%,$(wildcard */main.cpp))
JOBS := $(shell nproc)
# A Python that has pytest and xdist: the first of these.
PYTEST = $(firstword $(foreach p,python3 /usr/bin/python3,$(shell $(p) -c 'import pytest, xdist' 2>/dev/null && echo $(p))) python3) -m pytest -n $(JOBS)
# Layout differs between versions of clang-format: the one of Debian 12 decides where it is there.
CLANG_FORMAT ?= $(or $(shell command -v clang-format-14),clang-format)
# One version from PyPI finds the same everywhere; from 22 on clang-tidy passes over the system's headers: a third of
# the time.
LINTERS = clang-tidy==23.1.4 ruff==0.17.6 mypy==1.20.2 mkdocs==1.6.1 mkdocs-material==9.8.2
LINT_TOOLS = build/lint-tools
# Of the files that match, in a build folder.
TIDY = $(LINT_TOOLS)/bin/run-clang-tidy.py -clang-tidy-binary $(LINT_TOOLS)/bin/clang-tidy -quiet -j $(JOBS) \
	    -extra-arg=-Wno-unknown-warning-option -extra-arg=-idirafter$(shell c++ -print-file-name=include)
SOURCES = $(shell find common docs scripts tests $(PROGRAMS) -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' \
	    -o -name '*.cuh')
SHELL_SCRIPTS = $(shell grep -rlIE '^\#!.*\b(ba)?sh$$' scripts tests .ci)

.DEFAULT_GOAL := help
.PHONY: help setup build run check test lint format clean release

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Install what running and testing need (and only what is missing)
	@scripts/setup.sh test

# A folder that `make run` made for the programs alone is configured anew.
FRESH = $$(grep -qs 'QUARTET_TESTS:BOOL=OFF' $(BUILD)/CMakeCache.txt && echo --fresh)

build: ## Build everything, tests included; or TARGETS
	@scripts/setup.sh test
	@$(SAY_CUDA)
	@$(CONFIGURE) $(FRESH) >/dev/null
	@cmake --build $(BUILD) --target $(or $(TARGETS),all)

run: ## Measure on this machine: builds what is needed, ends with a table and a verdict
	@scripts/setup.sh run
	@$(SAY_CUDA)
	@$(CONFIGURE) $$([ -e $(BUILD)/build.ninja ] || echo -D QUARTET_TESTS=OFF) >/dev/null
	@cmake --build $(BUILD) --target $(PROGRAMS)
	@scripts/quartet run --build $(BUILD) $(RUN_FLAGS)

check: ## Build and run the tests of one process each, and Python's: minutes
	@$(MAKE) --no-print-directory build TARGETS=unit_tests
	@ctest --preset $(PRESET) -j $(JOBS) -L unit
	@$(PYTEST) -q

test: ## Build everything and run all tests, but for those that measure or take minutes (.ci/nightly)
	@$(MAKE) --no-print-directory build
	@ctest --preset $(PRESET) -j $(JOBS) $(TESTS)

lint: ## Look for suspicious code: layout, ruff, mypy, links of the pages, shellcheck where it is, clang-tidy
	@scripts/setup.sh lint
	@$(CLANG_FORMAT) --dry-run --Werror $(SOURCES)
	@scripts/setup.sh venv $(LINT_TOOLS) $(LINTERS)
	@$(LINT_TOOLS)/bin/ruff check --no-cache
	@$(LINT_TOOLS)/bin/mypy --no-incremental
	@NO_MKDOCS_2_WARNING=1 $(LINT_TOOLS)/bin/mkdocs build # the site of the pages: links lead somewhere
	@! command -v shellcheck >/dev/null || shellcheck $(SHELL_SCRIPTS)
	@$(CONFIGURE) -B build/lint -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null && cmake --build build/lint --target quartet_version >/dev/null
	@cp tests/.clang-tidy build/lint/tests/ # clang-tidy looks beside the units
	@$(TIDY) -p build/lint '^$(CURDIR)/((?!build/).*\.cpp|.*/unity_.*\.cxx)$$'

format: ## Lay out the C++ sources
	@scripts/setup.sh test
	@$(CLANG_FORMAT) -i $(SOURCES)

release: ## Make a release tarball that carries the header-only libraries, and a recipe for it: build/quartet-VERSION.*
	@scripts/quartet release $(RELEASE_FLAGS)

clean: ## Remove everything that was built
	@rm -rf build
