# demo: see it work.   test: everything CI checks.   format: mend what can be mended.   docs: write the generated pages.
# The environment is made on first use and again when pyproject.toml changes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check

export PY_COLORS := 0
export NO_COLOR := 1
# tests run on every core already
export OPENBLAS_NUM_THREADS := 1

.PHONY: demo test lint types unit filecheck format docs clean

demo: $(VENV)/.core
	$(BIN)/python examples/digits/demo.py

test: lint types unit filecheck

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/basedpyright

unit: $(VENV)/.test
	$(BIN)/python -m pytest -n logical --dist worksteal

filecheck: $(VENV)/.test
	$(BIN)/lit --verbose --order=lexical tests/filecheck

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.core
	$(BIN)/python docs/generate.py

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml | $(BIN)/python
	$(PIP) install -e .
	touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(PIP) install -e '.[test]'
	touch $@ $(VENV)/.core
