# Thin targets over the CMake presets. `make help` lists every line `target: needs ## what it does`.

# Which preset of CMakePresets.json to build: `make test PRESET=host-ci`.
PRESET ?= host-release
# More for `make run`: `make run RUN_FLAGS='--budget 300'`; likewise for `make sweep`, and which.
RUN_FLAGS ?=
SWEEPS ?= $(wildcard scripts/sweeps/laptop-*.json)
SWEEP_FLAGS ?= --budget 480
# What the report is made from and where it goes: `make report REPORT_FLAGS='old/ new/'`.
REPORT_FLAGS ?=
# More for `make limits` and `make cost`: `make limits LIMITS_FLAGS='--only cg,fft'`.
LIMITS_FLAGS ?=
COST_FLAGS ?=

# More for `make peers`: `make peers PEERS_FLAGS='--only cg --rounds 4'`.
PEERS_FLAGS ?=

# More for `make gpu`: `make gpu GPU_FLAGS='--only build,tests'`.
GPU_FLAGS ?=
# More for ctest: `make test TESTS='-L cli'`.
TESTS ?=
# Seconds for each reader in `make fuzz`.
FUZZ_SECONDS ?= 60
# More for `make soak`: `make soak SOAK_FLAGS='--minutes 5 --seed 7'`.
SOAK_FLAGS ?=

# More for `make simulate`: what is simulated, as `make simulate SIMULATE_FLAGS='MACHINE cg --sizes 4096 --ranks 8'`.
SIMULATE_FLAGS ?=

# More for `make dist`: `make dist DIST_FLAGS='--commit v0.1.0'`.
DIST_FLAGS ?=

# Whether to build the CUDA device: AUTO (wherever a toolkit is found), ON or OFF. `make run`, `make
# check` and `make test` leave it out where there is no GPU driver: nothing of it could run.
CUDA ?= AUTO
DRIVER := $(wildcard /proc/driver/nvidia/version /dev/nvidiactl /dev/dxg)
CUDA_HERE := $(if $(DRIVER)$(filter-out host-release,$(PRESET))$(filter-out file,$(origin CUDA)),$(CUDA),OFF)
SAY_CUDA = $(if $(filter $(CUDA),$(CUDA_HERE)),:,echo "make: without the CUDA device, since there is no GPU driver here (CUDA=AUTO builds it)")

BUILD := build/$(PRESET)
CONFIGURE = cmake --preset $(PRESET) --log-level=NOTICE $(if $(filter-out gpu,$(PRESET)),-D QUARTET_CUDA=$(CUDA))
PROGRAMS := $(patsubst %/main.cpp,%,$(wildcard */main.cpp))
JOBS := $(shell nproc)
# Layout differs between versions of clang-format: the one of Debian 12 decides where it is there.
CLANG_FORMAT ?= $(or $(shell command -v clang-format-14),clang-format)
CLANG_VERSIONS = 22 21 20 19
# One version from PyPI finds the same everywhere; from 22 on it passes over the system's headers: a third of the time.
CLANG_TIDY_VERSION = 23.1.4
LINT_TOOLS = build/lint-tools
# Of the files that match, in a build folder.
TIDY = $(LINT_TOOLS)/bin/run-clang-tidy.py -clang-tidy-binary $(LINT_TOOLS)/bin/clang-tidy -quiet -j $(JOBS) \
	    -extra-arg=-Wno-unknown-warning-option -extra-arg=-idirafter$(shell c++ -print-file-name=include)
FUZZ_COMPILERS = $(foreach v,$(CLANG_VERSIONS),$(if $(shell command -v clang++-$(v)),clang++-$(v)))
SOURCES = $(shell find common scripts tests $(PROGRAMS) -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' \
	    -o -name '*.cuh')
SHELL_SCRIPTS = $(shell grep -rlIE '^\#!.*\b(ba)?sh$$' scripts tests .ci)
# Charts need matplotlib; without it the report has tables.
REPORT_PYTHON = $(firstword $(foreach p,python3 /usr/bin/python3,$(shell $(p) -c 'import matplotlib' \
		2>/dev/null && echo $(p))) python3)
PYTHON_SCRIPTS = $(shell find scripts tests -name '*.py')

.DEFAULT_GOAL := help
# What measures here needs the programs.
PROGRAMS_HERE = scripts/setup.sh run && $(SAY_CUDA) && $(MAKE) --no-print-directory programs CUDA=$(CUDA_HERE)

.PHONY: help setup run check-machine sweep limits mkl peers cost gpu report simulate matplotlib programs build check test microbench \
	sanitize fuzz soak format format-check lint dist clean

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Install what running and testing need (and only what is missing)
	@scripts/setup.sh test

run: ## Measure on this machine: builds what is needed, ends with a table and a verdict
	@$(PROGRAMS_HERE)
	@scripts/quartet run --build $(BUILD) $(RUN_FLAGS)

check-machine: ## Is this machine fit to be measured? 20 seconds
	@$(PROGRAMS_HERE)
	@scripts/quartet check-machine --build $(BUILD)

sweep: ## Scaling on this machine, the published figures in laptop size; goes on where it was stopped
	@$(PROGRAMS_HERE)
	@scripts/quartet sweep --build $(BUILD) $(SWEEP_FLAGS) $(SWEEPS)

limits: ## How near each kernel is to its limit, and how far ahead of its peers: at most 50 minutes
	@$(PROGRAMS_HERE)
	@scripts/quartet build $(BUILD) limit_loops
	@scripts/quartet limits --build $(BUILD) $(LIMITS_FLAGS)

mkl: ## Build with Intel's MKL, a further peer of `make limits`: 0.7 GB to install
	@scripts/setup.sh run
	@scripts/setup.sh mkl
	@cmake --preset host-mkl --log-level=NOTICE >/dev/null
	@scripts/quartet build build/host-mkl matmul mkl_fft

peers: ## The paper's data flows by TensorFlow itself beside ours: 1.5 GB to install, then 10 minutes
	@$(PROGRAMS_HERE)
	@scripts/setup.sh tensorflow
	@scripts/quartet peers --build $(BUILD) $(PEERS_FLAGS)

cost: matplotlib ## Time and memory of each kernel against its size, beside the formulas; pictures of them
	@$(PROGRAMS_HERE)
	@QUARTET_PYTHON=$(REPORT_PYTHON) scripts/quartet cost --build $(BUILD) $(COST_FLAGS)

gpu: ## The first hour on a GPU: build for it, test, try everything, measure; one page of it
	@scripts/quartet gpu $(GPU_FLAGS)

report: matplotlib ## Make one page of all results, results/report/index.html
	@QUARTET_PYTHON=$(REPORT_PYTHON) scripts/quartet report $(REPORT_FLAGS)

simulate: ## Build the programs for simulated ranks of a described machine (SimGrid), and try one
	@scripts/setup.sh simulate
	@cmake --preset simulate --log-level=NOTICE >/dev/null
	@scripts/quartet build build/simulate $(PROGRAMS)
	@scripts/quartet simulate $(or $(SIMULATE_FLAGS),fat-tree-cpu-example cg --sizes 65536 --ranks 8:64 --arguments "--iterations 4")

# Where it can be installed: whoever draws does without otherwise.
matplotlib:
	@scripts/setup.sh report || true

programs: ## Build the four programs, with CUDA wherever a toolkit is found
	@$(CONFIGURE) $$([ -e $(BUILD)/build.ninja ] || \
	    echo -D QUARTET_TESTS=OFF -D QUARTET_MICROBENCH=OFF) >/dev/null
	@scripts/quartet build $(BUILD) $(PROGRAMS)

# A folder that `make run` made for the programs alone is configured anew.
FRESH = $$(grep -qs 'QUARTET_TESTS:BOOL=OFF' $(BUILD)/CMakeCache.txt && echo --fresh)

build: ## Build everything, tests included
	@scripts/setup.sh test
	@$(CONFIGURE) $(FRESH) >/dev/null
	@scripts/quartet build $(BUILD) $(TARGETS)

check: ## Build and run the unit tests, of one process each: minutes
	@$(SAY_CUDA)
	@$(MAKE) --no-print-directory build CUDA=$(CUDA_HERE) TARGETS=unit_tests
	@ctest --preset $(PRESET) -j $(JOBS) -L unit

test: ## Build everything and run all tests, but for those that measure or take minutes (.ci/nightly)
	@$(SAY_CUDA)
	@$(MAKE) --no-print-directory build CUDA=$(CUDA_HERE)
	@ctest --preset $(PRESET) -j $(JOBS) $(TESTS)

microbench: build ## Run the micro benchmarks
	@for program in $(BUILD)/microbench/*; do [ ! -x "$$program" ] || "$$program" || exit; done

sanitize: ## Test under the address, undefined-behaviour and thread sanitizers
	@$(MAKE) --no-print-directory test PRESET=host-sanitize
	@$(MAKE) --no-print-directory test PRESET=host-thread TARGETS=thread_tests

fuzz: ## Look for inputs that break a reader of files or flags: FUZZ_SECONDS=60 for each
	@scripts/setup.sh fuzz
	@QUARTET_FUZZ_COMPILER=$(firstword $(FUZZ_COMPILERS)) cmake --preset host-fuzz --log-level=NOTICE >/dev/null
	@cmake --build build/host-fuzz --target fuzz_targets
	@tests/fuzz/search.sh build/host-fuzz $(FUZZ_SECONDS)

soak: ## Disturb jobs for an hour: kills, signals, full disks, hostile inputs; nothing may be lost or left
	@$(PROGRAMS_HERE)
	@scripts/quartet soak --build $(BUILD) $(SOAK_FLAGS)

format: ## Lay out the C++ sources
	@scripts/setup.sh test
	@$(CLANG_FORMAT) -i $(SOURCES)

format-check: ## Fail where the layout is not clang-format's
	@scripts/setup.sh test
	@$(CLANG_FORMAT) --dry-run --Werror $(SOURCES)

lint: ## Look for suspicious code: clang-tidy, shellcheck where it is, Python's compiler
	@scripts/setup.sh lint
	@python3 -m py_compile $(PYTHON_SCRIPTS)
	@! command -v shellcheck >/dev/null || shellcheck $(SHELL_SCRIPTS)
	@scripts/setup.sh venv $(LINT_TOOLS) clang-tidy==$(CLANG_TIDY_VERSION)
	@$(CONFIGURE) -B build/lint -D CMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null && cmake --build build/lint --target quartet_version >/dev/null
	@cp tests/.clang-tidy build/lint/tests/ # clang-tidy looks beside the units
	@$(TIDY) -p build/lint '^$(CURDIR)/((?!build/).*\.cpp|.*/unity_.*\.cxx)$$'

dist: ## Make a release tarball that carries the header-only libraries: build/quartet-VERSION.tar.gz
	@scripts/quartet dist $(DIST_FLAGS)

clean: ## Remove everything that was built
	@rm -rf build
