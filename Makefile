# Everything works from a fresh clone on a machine with Python >= 3.11; the first call sets up .venv.

.DEFAULT_GOAL := help
.PHONY: help demo test check lint types layers format bench bench-files browser coverage prior-study monitor-study store-torture clean

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
READY := $(VENV)/ready

# The first Python that is new enough, or the one you name: make test PYTHON=python3.13
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

demo: $(INSTALLED) ## two models on a bundled example, and the page about them
	@$(BIN)/python -m baserate.demo

test: lint types layers browser ## everything that must pass before a change lands
	@$(BIN)/pytest -n 2 --dist loadfile

check: lint types layers ## the quick part of it: nothing slow, no Spark, no browser
	@$(BIN)/pytest -n 2 --dist loadfile -m "not slow and not spark and not browser"

# Chromium, for the tests of the page: the system's, or installed where that is allowed; else they are skipped.
browser:
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Chromium for the tests of the page (once) ..."; \
		{ apt-get update -qq && apt-get install -qq -y chromium; } >/dev/null 2>&1 || echo "... which did not work"; \
	else echo "No Chromium here: the tests of the page in a browser are skipped."; fi

lint: $(READY)
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check

types: $(READY)
	@$(BIN)/mypy

layers: $(READY)
	@$(BIN)/lint-imports --no-logo

format: $(READY) ## tidy the code
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

bench: $(READY) ## speed and memory beside scikit-learn, in one run (minutes)
	@$(BIN)/python benchmarks/speed.py --write docs/speed.md

bench-files: $(READY) ## a hundred million rows of Parquet: time and memory (minutes, 2 GB of disk)
	@$(BIN)/python benchmarks/files.py --write docs/files-speed.md

coverage: $(READY) ## how often the intervals hold: the whole study (an hour or two)
	@$(BIN)/python benchmarks/coverage.py --write docs/coverage.md

prior-study: $(READY) ## how well the prevalence of unlabelled rows is known: the whole study (half an hour)
	@$(BIN)/python benchmarks/prevalence.py --write docs/prevalence-study.md

monitor-study: $(READY) ## how often monitoring cries wolf, and how soon it sees a decay (half an hour)
	@$(BIN)/python benchmarks/monitoring.py --write docs/monitoring-study.md

store-torture: $(READY) ## kill a writer of the store two hundred times (a few minutes)
	@BASERATE_STORE_KILLS=200 $(BIN)/pytest tests/monitor/test_store_torture.py -s -q

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
