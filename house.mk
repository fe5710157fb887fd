# What a house can do by itself. It uses the tools and the environment of the repository, which are installed when they are missing.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
ROOT := $(abspath $(dir $(lastword $(MAKEFILE_LIST))))
NAME := $(notdir $(CURDIR))
BIN := $(ROOT)/.venv/bin
.PHONY: test test-rest test-types install

install:
	@$(MAKE) --no-print-directory -C $(ROOT) .venv/.installed $(if $(wildcard tests/browser),chromium)

test: install
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check --quiet .
	@cd $(ROOT) && $(BIN)/python -m tools.testing.run -p no:schemathesis --part quick packages/$(NAME)

test-rest: install test-types
	@cd $(ROOT) && $(BIN)/python -m tools.testing.run --part rest packages/$(NAME)

# The cache is the house's own: each house has a package `tests`.
test-types: install
	@cd $(ROOT) && MYPYPATH=packages/$(NAME) $(BIN)/mypy --strict --cache-dir .mypy_cache/$(NAME) packages/$(NAME)
