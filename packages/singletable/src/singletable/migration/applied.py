"""The migrations that were applied to a table, as one of its state items."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from dynamodb_engine.operations import PutItem
from dynamodb_engine.retry import RetryPolicy
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import ConditionFailed
from singletable.migration.state import persist, read_state_item, state_key
from singletable.schema import Table
from singletable.schema.table import STATE_ATTRIBUTE


class Applied(msgspec.Struct, frozen=True):
    """A migration that was applied, and when."""

    name: str
    when: float
    schema: str | None = None


_decode_history = msgspec.json.Decoder(list[Applied]).decode


class HistoryStore:
    """The migrations that were applied to a table, in order."""

    def __init__(self, table: Table, table_name: str, retry_policy: RetryPolicy | None = None):
        self._table_name = table_name
        self._policy = retry_policy or RetryPolicy()
        self._key = state_key(table, "history")

    def read(self) -> Steps[list[Applied]]:
        """Return the applied migrations in order."""
        history, _ = yield from self._read()
        return history

    def record(self, applied: Applied) -> Steps[None]:
        """Add a migration, unless it is there."""
        yield from self._change(
            lambda history: [*(one for one in history if one.name != applied.name), applied]
        )

    def prepend(self, earlier: Sequence[Applied]) -> Steps[None]:
        """Add migrations that were applied before these, unless they are there."""

        def change(history: Sequence[Applied]) -> list[Applied]:
            known = {one.name for one in history}
            return [*(one for one in earlier if one.name not in known), *history]

        yield from self._change(change)

    def remove(self, name: str) -> Steps[None]:
        """Remove a migration that was undone."""
        yield from self._change(lambda history: [one for one in history if one.name != name])

    def _read(self) -> Steps[tuple[list[Applied], str | None]]:
        item = yield from read_state_item(self._policy, self._table_name, self._key)
        if item is None:
            return [], None
        text = str(item["history"].get("S"))
        return _decode_history(text), text

    def _change(self, change: Callable[[Sequence[Applied]], list[Applied]]) -> Steps[None]:
        while True:
            history, text = yield from self._read()
            changed = change(history)
            if changed == history:
                return
            item: Item = {
                **self._key,
                STATE_ATTRIBUTE: {"S": "history"},
                "history": {"S": msgspec.json.encode(changed).decode()},
            }
            same = "attribute_not_exists(history)" if text is None else "history = :read"
            put = PutItem(
                self._table_name,
                item,
                condition_expression=same,
                expression_attribute_values=None if text is None else {":read": {"S": text}},
            )
            try:
                yield from persist(self._policy, put)
            except ConditionFailed:
                continue
            return
