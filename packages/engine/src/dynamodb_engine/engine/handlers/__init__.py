"""The handlers: one module per operation, named for it in snake case.

A module defines `run(plan, session)`, which returns the operation's output. It may define
`check(request)`, which returns the plan; `VALIDATOR`, the wording of the errors of `check`; and
`ONE_STATEMENT`. Without `check`, the request itself is the plan. A module that writes items defines
`places(plan, session)`, which returns the tables and keys of these items. A module whose requests
may write or only read defines `only_reads(plan)`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.storage import RowKey
from dynamodb_engine.engine.table import Table
from dynamodb_engine.engine.validation import READ, Validator
from dynamodb_engine.operations.registry import OPERATIONS, OperationSpec


class Handler(Struct, frozen=True):
    """How one operation is executed.

    `check` rejects requests that are invalid for every table; it runs before the table is looked up
    and outside the write lock, as on AWS. `run` does the rest on one snapshot of the database. The
    types of request, plan and output match within each handler, but differ between handlers, so
    they are Any here. With `one_statement`, `run` executes at most one SQL statement, which needs
    no transaction to read a snapshot. A storage with many writers locks `places` before `run`.
    """

    check: Callable[[Any], Any]
    run: Callable[[Any, Session], Any]
    writes: bool
    validator: Validator
    one_statement: bool
    places: Callable[[Any, Session], Iterable[tuple[Table, RowKey]]] | None
    only_reads: Callable[[Any], bool] | None = None

    def for_plan(self, plan: Any) -> Handler:
        """Return the handler of a plan, which does not write if the plan only reads."""
        if self.only_reads is None or not self.only_reads(plan):
            return self
        return replace(self, writes=False, places=None)


def _load(spec: OperationSpec) -> Handler:
    """Import the module of an operation: DescribeTable is in `describe_table.py`."""
    module = import_module(f"{__name__}.{re.sub(r'(?<!^)(?=[A-Z])', '_', spec.name).lower()}")
    check = getattr(module, "check", _accept)
    validator = getattr(module, "VALIDATOR", READ)
    one_statement = getattr(module, "ONE_STATEMENT", False)
    places = getattr(module, "places", None)
    only_reads = getattr(module, "only_reads", None)
    return Handler(check, module.run, spec.writes, validator, one_statement, places, only_reads)


def _accept(request: object) -> object:
    return request


HANDLERS = {operation: _load(spec) for operation, spec in OPERATIONS.items()}
