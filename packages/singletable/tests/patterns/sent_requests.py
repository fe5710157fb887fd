"""The requests of a call, as patterns plan them: a transaction is several."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from singletable import Call, TransactWriteItems


def sent_requests(call: Call) -> Iterator[tuple[str, Any]]:
    """Yield the action of each request and the request; of a transaction, those of its members."""
    for sent in call.requests:
        operation: Any = sent.operation
        if not isinstance(operation, TransactWriteItems):
            yield type(operation).__name__, operation
            continue
        for action in operation.transact_items:
            for name, member in (
                ("PutItem", action.put),
                ("UpdateItem", action.update),
                ("DeleteItem", action.delete),
                ("ConditionCheckItem", action.condition_check),
            ):
                if member is not None:
                    yield name, member
