# Everything works from a fresh clone on a machine with Python >= 3.11; the first call sets up .venv.

.DEFAULT_GOAL := help
.PHONY: help demo test check lint types layers units format bench clean

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
READY := $(VENV)/ready

# The first Python that is new enough, or the one you name: make test PYTHON=python3.13
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)

help: ## show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

demo: $(INSTALLED) ## two models on a bundled example, read at four prevalences
	@$(BIN)/python -m baserate.demo

test: check ## everything that must pass before a change lands

check: lint types layers units ## the quick part of it (so far, all of it)

lint: $(READY)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

types: $(READY)
	@$(BIN)/mypy

layers: $(READY)
	@$(BIN)/lint-imports --no-logo

units: $(READY)
	@$(BIN)/pytest -n 2

format: $(READY) ## tidy the code
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

bench: $(READY) ## speed and memory beside scikit-learn, in one run (minutes)
	@$(BIN)/python benchmarks/speed.py --write docs/speed.md

clean: ## forget the environment and all caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(INSTALLED): pyproject.toml
	@test -n "$(PYTHON)" || { echo "baserate needs Python 3.11 or later; install it, or name it: make PYTHON=/path/to/python"; exit 1; }
	@echo "Setting up $(VENV) with $$($(PYTHON) --version) (once, half a minute) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	@touch $@

$(READY): $(INSTALLED)
	@echo "Installing what the tests need (once, a minute) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@
