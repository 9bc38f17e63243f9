# demo: see it work.   quick: before each commit.   test: everything CI checks.   campaign: what takes hours.
# format: fix what can be fixed.   docs: write the generated pages.
# The environment is made on first use and again when pyproject.toml or constraints.txt changes.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP_INSTALL := $(BIN)/python -m pip --quiet --disable-pip-version-check install --no-compile -c constraints.txt

# modules are compiled once, whatever the environment says, and not by each process
unexport PYTHONDONTWRITEBYTECODE
export PY_COLORS := 0
export NO_COLOR := 1
# tests run on every core already
export OPENBLAS_NUM_THREADS := 1

.PHONY: demo quick test lint types unit filecheck campaign format docs clean

demo: $(VENV)/.core
	$(BIN)/python examples/digits/demo.py
	$(BIN)/python -m examples.models.generate

# One case of each test, without those that take long and those of the project as a whole; a minute.
quick: $(VENV)/.test
	$(BIN)/ruff check .
	PTIR_QUICK=1 $(BIN)/python -m pytest -n logical --dist worksteal --ignore=tests/unit/project tests/unit
	$(BIN)/lit --quiet tests/filecheck/ptir tests/filecheck/tiny tests/filecheck/region tests/filecheck/pto tests/filecheck/nv

# Two at a time: types are checked on one core, and the last tests of each kind leave one idle.
test: $(VENV)/.test
	$(MAKE) --no-print-directory --jobs=2 lint types unit filecheck

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/vulture

types: $(VENV)/.test
	$(BIN)/basedpyright

# Assertions are not rewritten, which takes half of the time of collecting tests; what failed runs again with their messages.
unit: $(VENV)/.test
	$(BIN)/python -m pytest -n logical --dist worksteal --assert=plain --durations=30 || \
	  { $(BIN)/python -m pytest --last-failed --last-failed-no-failures=none; exit 1; }

filecheck: $(VENV)/.test
	$(BIN)/lit --verbose --order=lexical tests/filecheck

# What takes hours. Stopped, it goes on where it was; results are committed with the date.
FUSED = ptir-flatten-tuples,ptir-to-tiny,tiny-emulate-int4,tiny-fold-empty,form-regions
RESULT = --state build/campaign/$(subst /,-,$(1)).journal --report tests/$(1)$(shell date +%F).json

campaign: $(VENV)/.test
	mkdir -p build/campaign
	PTIR_WHOLE=1 $(BIN)/python -m pytest -n logical --dist worksteal
	$(BIN)/python -m tests.cleanup_orders --count 5000 --report tests/cleanup_orders/results/$(shell date +%F).json
	$(BIN)/python -m tests.movement_chains --lower $(call RESULT,movement_chains/results/lowered-)
	$(BIN)/python -m tests.random_programs --count 10000 $(call RESULT,random_programs/results/)
	$(BIN)/python -m tests.random_programs --compile --seed 1 --count 2000 $(call RESULT,random_programs/results/compiled-)
	$(BIN)/python -m tests.random_programs --compile --affine --seed 1 --count 2000 $(call RESULT,random_programs/results/affine-)
	for strategy in none greedy exact; do $(BIN)/python -m tests.random_programs --affine --dynamic 0 --seed 5 --count 300 \
	  --pipeline "$(FUSED){arch=sm80 strategy=$$strategy}" \
	  --state build/campaign/fusion-$$strategy.journal --report tests/random_programs/results/fusion-$$strategy-$(shell date +%F).json; done
	$(BIN)/python -m tests.intent_verifier $(call RESULT,intent_verifier/results/)
	$(BIN)/python -m tests.random_programs --affine --dynamic 0 --seed 5 --count 300 --partitions 1 \
	  --pipeline "$(FUSED){arch=sm80 strategy=greedy}" \
	  $(call RESULT,random_programs/results/fusion-random-)
	$(BIN)/python -m tests.fusion_orders $(call RESULT,fusion_orders/results/)
	$(BIN)/python -m tests.conformance $(call RESULT,conformance/results/)
	$(BIN)/python -m tests.grid --arch sm80 $(call RESULT,grid/results/sm80-)
	$(BIN)/python -m tests.grid --arch sm90 $(call RESULT,grid/results/sm90-)
	$(BIN)/python -m tests.convolution_grid $(call RESULT,convolution_grid/results/)
	$(BIN)/python -m tests.plan_grid $(call RESULT,plan_grid/results/)
	$(BIN)/python -m tests.strict_floats $(call RESULT,strict_floats/results/)
	$(BIN)/python -m tests.cost_model $(call RESULT,cost_model/results/)
	$(BIN)/python -m tests.attention_grid $(call RESULT,attention_grid/results/)
	$(BIN)/python -m tests.attention_grid.backward $(call RESULT,attention_grid/results/backward-)
	$(BIN)/python -m tests.dialect_mutation --dialect tiny $(call RESULT,dialect_mutation/results/tiny-)
	$(BIN)/python -m tests.dialect_mutation --dialect poly $(call RESULT,dialect_mutation/results/poly-)
	$(BIN)/python -m tests.dialect_mutation --dialect ptir $(call RESULT,dialect_mutation/results/ptir-)
	$(BIN)/python -m tests.dialect_mutation --dialect vyre $(call RESULT,dialect_mutation/results/vyre-)
	$(BIN)/python -m tests.dialect_mutation --dialect pto $(call RESULT,dialect_mutation/results/pto-)
	$(BIN)/python -m tests.fuzz.text $(call RESULT,fuzz/results/)
	$(BIN)/python -m tests.fuzz.text --pto $(call RESULT,fuzz/results/pto-)
	$(BIN)/python -m tests.pto_programs.cpp --count 1000 $(call RESULT,pto_programs/results/cpp-)
	$(BIN)/python -m tests.pto_programs.random_tensors --count 300 $(call RESULT,pto_programs/results/tensors-)
	for track in integer strict approximate; do \
	  $(BIN)/ptir-conform vyre --track $$track -o tests/certificates/$$track-$(shell date +%F).json; done
	$(BIN)/python -m tests.vyre_programs --count 3000 --journal build/campaign/vyre-programs.journal --report tests/vyre_programs/results/$(shell date +%F).json
	$(BIN)/python -m tests.vyre_programs --floats --count 500 --journal build/campaign/vyre-floats.journal --report tests/vyre_programs/results/floats-$(shell date +%F).json
	$(BIN)/python -m tests.elementary
	$(BIN)/python -m tests.elementary --powers 4000000
	$(BIN)/python -m tests.mutation $(call RESULT,mutation/results/)
	$(BIN)/python -m tests.nvrtc_versions --report tests/nvrtc_versions/results/$(shell date +%F).json

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.core
	$(BIN)/python docs/generate.py

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP_INSTALL) -e .
	touch $@

$(VENV)/.test: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP_INSTALL) -e '.[test]'
	touch $@ $(VENV)/.core
