"""What the wrapped driver says of a table."""

from __future__ import annotations

from collections.abc import Iterable

from singletable.errors import OperationError
from singletable.faults.steps import Steps, ask
from singletable.operations import DescribeTable, TableDescription


def described(names: Iterable[str]) -> Steps[dict[str, TableDescription]]:
    """Descriptions by name, of those tables that there are."""
    tables: dict[str, TableDescription] = {}
    for name in dict.fromkeys(names):
        try:
            tables[name] = (yield from ask(DescribeTable(name))).table
        except OperationError:
            # There is no such table; the operation itself will be told so.
            continue
    return tables
