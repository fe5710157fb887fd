# What `make -C packages/NAME test` does: install, lint, and run the tests of this package alone.
# The Makefile of a package is one line that includes this file.
ROOT := ../..
BIN := $(ROOT)/.venv/bin
.PHONY: test

test:
	@$(MAKE) --no-print-directory --directory $(ROOT) .venv/.installed
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/python -m pytest tests
