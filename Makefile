# Every task of the project. Each target makes the virtual environment .venv when it is missing.
# `make demo` and `make test` need nothing but make and a Python >= 3.11.

VENV := .venv
BIN := $(VENV)/bin
CANDIDATES := $(PYTHON) python3 python3.13 python3.12 python3.11 python3.14 python
WEB := onnxruntime-web@1.30.0
NPM_OPTIONS := --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=0 --fetch-timeout=60000
EMULATORS := qemu-user-static qemu-system-arm gcc-arm-none-eabi libnewlib-arm-none-eabi \
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabihf libc6-dev-armhf-cross \
    gcc-riscv64-linux-gnu libc6-dev-riscv64-cross chromium
SUITABLE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))

.PHONY: demo test pytest lint format types bench docs emulators clean
.DEFAULT_GOAL := test

demo: $(VENV)/demo.stamp
	$(BIN)/graph-program demo --output build/demo

test: lint types pytest

# System packages are installed where tests run on their own machine (CI); elsewhere when asked for: make emulators.
pytest: $(VENV)/test.stamp build/node/$(WEB).stamp $(if $(CI),build/emulators.stamp)
	$(BIN)/python -m pytest -n 2 $(TESTS)

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/test.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(VENV)/test.stamp
	$(BIN)/python tests/tools/typecheck.py

bench: $(VENV)/bench.stamp
	$(BIN)/python -m tests.benchmarks

docs: $(VENV)/docs.stamp
	$(BIN)/python docs/generate.py

clean:
	rm -rf build dist $(VENV)

$(VENV)/%.stamp: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[$*]"
	@touch $@

# Tests that need the package are skipped without it: where there is no npm, or no network.
build/node/$(WEB).stamp:
	@mkdir -p $(@D)
	@if ! command -v npm >/dev/null; then \
	    echo "There is no npm: tests in onnxruntime-web are skipped."; \
	elif npm install --prefix $(@D) $(NPM_OPTIONS) $(WEB) >/dev/null; then \
	    touch $@; \
	else \
	    echo "npm could not install $(WEB): tests in it are skipped."; \
	fi

# Emulated devices: what cannot be installed is skipped by the tests, with the reason.
emulators: build/emulators.stamp

build/emulators.stamp: pyproject.toml | $(VENV)/test.stamp
	@mkdir -p $(@D)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[devices]" >/dev/null 2>&1 || \
	    echo "Zig and wasmtime could not be installed: tests in wasm are skipped."
	@if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $(EMULATORS); \
	    } >/dev/null 2>&1 || echo "apt-get could not install the emulators: tests on other processors are skipped."; \
	else \
	    echo "No emulators are installed here (that takes root and apt-get): tests use those that are there."; \
	fi
	@touch $@

$(BIN)/python:
	@for candidate in $(CANDIDATES); do \
	    if $$candidate -c "$(SUITABLE)" >/dev/null 2>&1; then \
	        echo "$$candidate -m venv $(VENV)"; exec $$candidate -m venv $(VENV); \
	    fi; \
	done; \
	echo "No Python >= 3.11 with the venv module was found." \
	    "Name one with: make PYTHON=/path/to/python3" >&2; exit 1
