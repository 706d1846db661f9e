# Everything a person or CI runs; each target sets up what it needs.

PYTHON ?= python3
BIN := .venv/bin
NPM_FOLDERS := $(patsubst %/package.json,%,$(wildcard tests/npm*/package.json))

.DEFAULT_GOAL := help
.PHONY: help setup system demo demo-agents report test test-oldest lint types layers check bench clean

help: ## say what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: .venv/.ready system $(NPM_FOLDERS:=/node_modules/.ready) ## install everything that tests and the demo need

.venv/.ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $@

# A browser for the tests of pages, and the sandbox that Codex starts its commands in; from Debian where absent.
system:
	@command -v chromium >/dev/null && command -v bwrap >/dev/null || \
	  { apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium bubblewrap >/dev/null; }

%/node_modules/.ready: %/package-lock.json
	npm ci --prefix $* --no-audit --no-fund --loglevel=error
	@touch $@

CALIBRATED := quillmesh-frame-limit,quillmesh-sealed-upgrade,ferrowick-hosting-licence

demo: .venv/.ready ## calibrate three tasks and run the quickstart benchmark to its result table (no key, no network)
	$(BIN)/pytest catalogs/quickstart -n 2 -q --tb=no -rN --searchlight-exit=soundness \
	  --searchlight-calibrate --searchlight-task=$(CALIBRATED)
	$(BIN)/pytest catalogs/quickstart -n 2 -q --tb=no -rN --searchlight-exit=soundness

demo-agents: .venv/.ready tests/npm-agents/node_modules/.ready ## the same with Claude Code and Codex, the model played by a script
	PYTHONPATH=tests $(BIN)/python -m scripted_model catalogs/quickstart/tasks.yaml -- \
	  $(BIN)/pytest catalogs/quickstart -n 2 -q --tb=no -rN --searchlight-exit=soundness \
	  --searchlight-agent=claude-code,codex --searchlight-setup=closed-web,no-search

BATTERY := .searchlight/battery

report: .venv/.ready ## calibrate and run the quickstart battery of the baseline agent, and publish it under reports/
	rm -rf $(BATTERY) $(BATTERY)-calibration
	$(BIN)/pytest catalogs/quickstart -n 2 -q --tb=no -rN --searchlight-exit=soundness \
	  --searchlight-calibrate --searchlight-output=$(BATTERY)-calibration
	$(BIN)/pytest catalogs/quickstart -n 2 -q --tb=no -rN --searchlight-exit=soundness \
	  --searchlight-repetitions=3 --searchlight-output=$(BATTERY)
	$(BIN)/sew report $(BATTERY) --name quickstart-baseline --note reports/quickstart-baseline.txt \
	  --title "Quickstart battery of the baseline agent"

lint: .venv/.ready ## style
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: .venv/.ready ## types
	$(BIN)/mypy

layers: .venv/.ready ## which room may import which
	$(BIN)/lint-imports

check: lint types layers

.venv-oldest/.ready: pyproject.toml tests/oldest.txt
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --constraint tests/oldest.txt --editable . hypothesis playwright
	@touch $@

# Workers of the oldest xdist know only what an interpreter knows at its start, hence PYTHONPATH.
test-oldest: system .venv-oldest/.ready ## what depends on the releases of others, with the oldest ones allowed
	PYTHONPATH=tests .venv-oldest/bin/pytest -p no:cacheprovider -q -n 2 tests/plugin tests/rooms tests/stats \
	  tests/comparison tests/publishing tests/website --deselect tests/plugin/test_two_hundred_runs.py

test: setup check test-oldest ## every check: style, types, layers, and the tests bare and distributed
	$(BIN)/pytest -p no:cacheprovider
	$(BIN)/pytest -p no:cacheprovider -n 2

bench: setup ## speed and memory, as ratios against a named peer in the same run
	PYTHONPATH=tests $(BIN)/python -m bench

clean: ## remove what was installed and what sessions left
	rm -rf .venv .venv-oldest .searchlight .bench $(NPM_FOLDERS:=/node_modules)
