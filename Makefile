# GNU make and Python 3.11 or newer are all this needs.

VENV := .venv
BIN := $(VENV)/bin
RUNS := $(VENV)/runs
READY := $(VENV)/ready
CODE := src tests tools $(wildcard benchmarks)
# Three on two cores: tests wait for servers and browsers a third of the time.
WORKERS ?= 3

# Tests start hundreds of processes: none should compile itself anew.
unexport PYTHONDONTWRITEBYTECODE

# A name on the PATH may be a shim that cannot run, so each candidate is asked.
CHECK := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for python in python3.13 python3.12 python3.11 python3; do \
	$$python -c '$(CHECK)' 2>/dev/null && { echo $$python; break; }; done)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help serve demo quick test lint lint-types lint-windows lint-rest test-fast test-pythons test-slow chaos mutants bench bench-peers format man pictures clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; do \
		printf '  make %-12s %s\n' "$$name" "$$text"; done

INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# What running needs, and no more.
$(RUNS): pyproject.toml constraints.txt
	@python="$(PYTHON)"; test -n "$$python" || { \
		echo "unspool needs Python 3.11 or newer with its venv module, and found none." >&2; \
		echo "Install one (Debian: apt-get install python3-venv), or say where it is:" >&2; \
		echo "  make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; exit 1; }; \
	echo "Installing unspool into $(VENV) (once, about a minute) ..."; \
	$(BIN)/python -c '$(CHECK)' 2>/dev/null || "$$python" -m venv --clear $(VENV)
	@$(INSTALL) --editable .
	@touch $@

# What changing it needs beside that.
$(READY): $(RUNS)
	@echo "Installing the development tools into $(VENV) (once, a few minutes) ..."
	@$(INSTALL) --editable '.[dev]'
	@touch $@

serve: $(RUNS) ## run unspool: index, follow, serve, and open the browser; ARGS="--port 4200"
	@$(BIN)/unspool $(ARGS)

demo: $(RUNS) ## the same on made-up sessions
	@$(BIN)/unspool --demo $(ARGS)

# What a change most often breaks: all that is pure, and one test of each kind beside it.
QUICK := tests/decode tests/derive tests/redact tests/show tests/store tests/tools \
	tests/engine/sessions/test_session.py tests/engine/indexing/test_indexer.py tests/cli/test_ls.py \
	tests/serve/api/test_sessions.py tests/e2e/test_marks.py

quick: lint ## lint, and the tests that answer within a minute
	UNSPOOL_EXAMPLES=5 $(BIN)/python -m pytest -q -n $(WORKERS) -m 'not slow' \
		--ignore tests/redact/test_find_growth.py $(QUICK)

test: lint test-fast ## everything but the slow tests

lint: $(READY) ## style, types, imports, sizes, mirror, dead code
	@$(MAKE) --no-print-directory --jobs=2 --output-sync lint-types lint-windows lint-rest

lint-types:
	$(BIN)/python -m mypy $(CODE)

lint-windows:
	$(BIN)/python -m mypy --platform win32 --cache-dir .mypy_cache/win32 src

lint-rest:
	$(BIN)/python -m ruff check $(CODE)
	$(BIN)/python -m ruff format --check $(CODE)
	$(BIN)/lint-imports --no-logo
	$(BIN)/python tools/sizes.py
	$(BIN)/python tools/mirror.py
	$(BIN)/python tools/dead.py

# A file's tests share a server or a browser, so they stay with one worker; files in order, as those
# with few tests are the longest, and would otherwise be the last.
test-fast: $(READY)
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m 'not slow' $(TESTS)

# Each has an environment of its own. One that pyenv has need not be chosen by its shim.
PYENV_ROOT ?= $(HOME)/.pyenv

test-pythons: ## the tests of `make test` on Python 3.11, 3.12 and 3.13, those that are there; TESTS="tests/decode"
	@ran= failed=; for version in 3.11 3.12 3.13; do \
		for python in python$$version $(PYENV_ROOT)/versions/$$version.*/bin/python; do \
			$$python -c '$(CHECK)' 2>/dev/null || continue; \
			ran="$$ran $$version"; \
			$(MAKE) --no-print-directory test-fast VENV=.venvs/$$version PYTHON=$$python || \
				failed="$$failed $$version"; \
			break; \
		done; \
	done; \
	test -z "$$failed" || { echo "Failed on Python$$failed." >&2; exit 1; }; \
	test -n "$$ran" || { echo "There is no Python from 3.11 to 3.13." >&2; exit 1; }; \
	echo "Passed on Python$$ran."

# These compute all the time, and some for minutes: whoever is idle takes the next. The second run
# tries all examples of what `make test` tries a few of.
test-slow: $(READY) ## the slow tests; fails when there are none
	UNSPOOL_EXAMPLES=all $(BIN)/python -m pytest -q -n 2 --dist worksteal -m slow \
		--hypothesis-profile=slow
	UNSPOOL_EXAMPLES=all $(BIN)/python -m pytest -q -n 2 --dist worksteal \
		-m 'hypothesis and not slow'

chaos: $(READY) ## hours of kills, power cuts, histories of files and odd surroundings
	UNSPOOL_EXAMPLES=all UNSPOOL_KILLS=2000 UNSPOOL_CUTS=2000 UNSPOOL_HISTORIES=100000 \
		UNSPOOL_HUB_LINES=1000000 \
		$(BIN)/python -m pytest -q -n $(WORKERS) tests/chaos
	$(COMPILE)
	UNSPOOL_LIVE_SECONDS=600 $(BIN)/python -m benchmarks.live
	UNSPOOL_CHANNEL_SECONDS=120 $(BIN)/python -m benchmarks.channel soak

mutants: $(READY) ## 300 small faults, each noticed by a test or listed; ARGS="--count 40"
	@UNSPOOL_EXAMPLES=all $(BIN)/python -m tools.mutants $(ARGS)

# An installed package comes compiled: what is measured is that.
COMPILE = $(BIN)/python -m compileall -q src benchmarks

bench: $(READY) ## measure, and compare with the budgets
	$(COMPILE)
	$(BIN)/python -m benchmarks

# Whoever we are measured against lives outside the tree.
PEERS ?= $(or $(TMPDIR),/tmp)/unspool-peers

bench-peers: $(READY) ## measure costs and the index beside ccusage and agentsview, installed for it
	mkdir -p $(PEERS)
	npm install --silent --no-audit --no-fund --prefix $(PEERS) \
		ccusage@20.0.24 @ccusage/ccusage-linux-x64@20.0.24
	test -x $(PEERS)/venv/bin/agentsview || { $(BIN)/python -m venv $(PEERS)/venv && \
		$(PEERS)/venv/bin/pip install --quiet --disable-pip-version-check agentsview==0.46.1; }
	$(COMPILE)
	UNSPOOL_PEERS=$(PEERS) $(BIN)/python -m benchmarks.peers $(ROOT)

format: $(READY) ## put the code in house style
	$(BIN)/python -m ruff check --fix $(CODE)
	$(BIN)/python -m ruff format $(CODE)

man: $(READY) ## write docs/unspool.1 and docs/commands.md, after a change of commands or options
	$(BIN)/python -m tools.man_page
	$(BIN)/python -m tools.command_page

pictures: $(READY) ## take the pictures of the README again, after a change of pages or of the demo
	$(BIN)/python -m tools.pictures

clean: ## remove what make made
	rm -rf $(VENV) .venvs build dist .coverage htmlcov .hypothesis .import_linter_cache \
		.mypy_cache .pytest_cache .ruff_cache
	find $(CODE) -name __pycache__ -prune -exec rm -rf {} +
