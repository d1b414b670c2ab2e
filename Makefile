# Every task of the project. Each target makes the virtual environment .venv when it is missing.
# `make demo` and `make test` need nothing but make and a Python >= 3.11.

VENV := .venv
BIN := $(VENV)/bin
CANDIDATES := $(PYTHON) python3 python3.13 python3.12 python3.11 python3.14 python
WEB := onnxruntime-web@1.30.0
NPM_OPTIONS := --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=0 --fetch-timeout=60000
SUITABLE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))

.PHONY: demo test pytest lint format types bench docs clean
.DEFAULT_GOAL := test

demo: $(VENV)/demo.stamp
	$(BIN)/graph-program demo --output build/demo

test: lint types pytest

pytest: $(VENV)/test.stamp build/node/$(WEB).stamp
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

$(BIN)/python:
	@for candidate in $(CANDIDATES); do \
	    if $$candidate -c "$(SUITABLE)" >/dev/null 2>&1; then \
	        echo "$$candidate -m venv $(VENV)"; exec $$candidate -m venv $(VENV); \
	    fi; \
	done; \
	echo "No Python >= 3.11 with the venv module was found." \
	    "Name one with: make PYTHON=/path/to/python3" >&2; exit 1
