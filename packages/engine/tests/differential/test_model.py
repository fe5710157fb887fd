"""Our engine against a dictionary: table, indexes, feed and counts always agree with it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from dynamodb_engine import operations as ops
from dynamodb_engine.engine import Engine, Settings
from dynamodb_engine.errors import ConditionFailed, TransactionCanceled
from dynamodb_engine.values import AttributeValue, Item
from tests.differential.features import Feature
from tests.differential.model import Model, as_kept, in_any_order
from tests.differential.strategies.tables import NAME, Index, items, keys, tables
from tests.differential.strategies.universe import attributes, usual_values

FEATURES = frozenset(Feature)


class TableAndModel(RuleBasedStateMachine):
    """One table in the engine and in the model, written in every way."""

    on_file: ClassVar[bool] = False

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.position = 0
        self.engine = self.opened()

    def opened(self) -> Engine:
        if self.on_file:
            path = Path(self.folder.name) / "tables.db"
            return Engine.on_file(path, Settings(durable=False))
        return Engine.in_memory()

    def teardown(self) -> None:
        self.engine.close()
        self.folder.cleanup()

    @initialize(data=st.data())
    def make(self, data: st.DataObject) -> None:
        self.table = data.draw(tables(FEATURES))
        self.model = Model(self.table)
        self.engine.execute(self.table.creation)

    @rule(data=st.data())
    def put(self, data: st.DataObject) -> None:
        item = data.draw(items(self.table, FEATURES))
        old = self.model.get(item)
        answer = self.engine.execute(ops.PutItem(NAME, item, return_values="ALL_OLD"))
        assert answer.attributes == old
        self.model.put(item)

    @rule(data=st.data())
    def put_unless_there(self, data: st.DataObject) -> None:
        item = data.draw(items(self.table, FEATURES))
        put = ops.PutItem(NAME, item, condition_expression="attribute_not_exists(pk)")
        if self.model.get(item) is None:
            self.engine.execute(put)
            self.model.put(item)
        else:
            with pytest.raises(ConditionFailed):
                self.engine.execute(put)

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        key = data.draw(keys(self.table))
        old = self.model.get(key)
        answer = self.engine.execute(ops.DeleteItem(NAME, key, return_values="ALL_OLD"))
        assert answer.attributes == old
        self.model.delete(key)

    @rule(data=st.data(), name=attributes(FEATURES))
    def set(self, data: st.DataObject, name: str) -> None:
        key = data.draw(keys(self.table))
        value = data.draw(usual_values(name, FEATURES))

        def change(item: Item) -> None:
            item[name] = value

        answer = self.engine.execute(
            ops.UpdateItem(
                NAME,
                key,
                update_expression="SET #a = :v",
                expression_attribute_names={"#a": name},
                expression_attribute_values={":v": value},
                return_values="ALL_NEW",
            )
        )
        self.model.update(key, change, makes=True)
        assert answer.attributes == self.model.get(key)

    # Including index keys: removing one removes the item from the index.
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        key = data.draw(keys(self.table))
        names = [name for name in self.table.types if name not in key]
        name = data.draw(st.sampled_from([*names, "a"]))

        def change(item: Item) -> None:
            item.pop(name, None)

        self.engine.execute(ops.UpdateItem(NAME, key, update_expression=f"REMOVE {name}"))
        self.model.update(key, change, makes=False)

    @rule(data=st.data())
    def write_batch(self, data: st.DataObject) -> None:
        drawn = self.different(data, 4)
        kept = data.draw(st.integers(0, len(drawn)))
        self.engine.execute(
            ops.BatchWriteItem(
                {
                    NAME: [
                        ops.WriteRequest(put_request=ops.PutRequest(item))
                        if number < kept
                        else ops.WriteRequest(delete_request=ops.DeleteRequest(self.key_in(item)))
                        for number, item in enumerate(drawn)
                    ]
                }
            )
        )
        for number, item in enumerate(drawn):
            if number < kept:
                self.model.put(item)
            else:
                self.model.delete(item)

    # All or nothing: the check of one key decides about the puts of the others.
    @rule(data=st.data())
    def write_transaction(self, data: st.DataObject) -> None:
        checked, *others = self.different(data, 3)
        puts = [ops.TransactWriteItem(put=ops.Put(NAME, item)) for item in others]
        check = ops.ConditionCheck(NAME, self.key_in(checked), "attribute_exists(pk)")
        transaction = ops.TransactWriteItems([*puts, ops.TransactWriteItem(condition_check=check)])
        if self.model.get(checked) is None:
            with pytest.raises(TransactionCanceled):
                self.engine.execute(transaction)
        else:
            self.engine.execute(transaction)
            for item in others:
                self.model.put(item)

    @precondition(lambda self: self.on_file)
    @rule()
    def reopen(self) -> None:
        self.engine.close()
        self.engine = self.opened()

    @rule(data=st.data())
    def get_batch(self, data: st.DataObject) -> None:
        wanted = [self.key_in(item) for item in self.different(data, 4)]
        answer = self.engine.execute(ops.BatchGetItem({NAME: ops.KeysAndAttributes(wanted)}))
        found = [item for key in wanted if (item := self.model.get(key)) is not None]
        assert in_any_order(answer.responses[NAME]) == in_any_order(found)

    @invariant()
    def the_table_and_its_indexes_hold_the_items(self) -> None:
        for index in (None, *self.table.indexes):
            name = None if index is None else index.name
            held = self.model.held(index)
            page = self.engine.execute(ops.Scan(NAME, index_name=name))
            assert in_any_order(page.items) == in_any_order(held)
            count = self.engine.execute(ops.Scan(NAME, index_name=name, select="COUNT"))
            assert count.count == count.scanned_count == len(held)

    @invariant()
    def a_partition_is_in_order(self) -> None:
        for index in (None, *self.table.indexes):
            asked = self.table.keys if index is None else index.keys
            for value in self.table.pools[asked.partition]:
                expected = self.model.partition(index, value)
                forward = self.walked(index, value, forward=True)
                backward = self.walked(index, value, forward=False)
                if asked.sort is not None:
                    order = [item[asked.sort] for item in expected]
                    assert [item[asked.sort] for item in forward] == order
                    assert [item[asked.sort] for item in backward] == order[::-1]
                assert in_any_order(forward) == in_any_order(expected)
                assert in_any_order(backward) == in_any_order(expected)

    @invariant()
    def the_description_counts_the_items(self) -> None:
        table = self.engine.execute(ops.DescribeTable(NAME)).table
        assert table.item_count == len(self.model.items)
        described = {
            one.index_name: one.item_count
            for one in (
                *(table.local_secondary_indexes or ()),
                *(table.global_secondary_indexes or ()),
            )
        }
        assert described == {one.name: len(self.model.held(one)) for one in self.table.indexes}

    @invariant()
    def the_feed_tells_every_change_once(self) -> None:
        read = self.engine.execute(ops.ReadChanges(self.position))
        changes = [(one.kind, one.keys, one.old, one.new) for one in read.changes]
        assert changes == self.model.changes
        self.position = read.position
        self.model.changes.clear()

    def walked(self, index: Index | None, value: AttributeValue, *, forward: bool) -> list[Item]:
        """Return all items of a partition, two per page."""
        asked = self.table.keys if index is None else index.keys
        found: list[Item] = []
        start: Item | None = None
        while True:
            page = self.engine.execute(
                ops.Query(
                    NAME,
                    index_name=None if index is None else index.name,
                    key_condition_expression=f"{asked.partition} = :p",
                    expression_attribute_values={":p": value},
                    scan_index_forward=forward,
                    limit=2,
                    exclusive_start_key=start,
                )
            )
            found += page.items
            start = page.last_evaluated_key
            if start is None:
                return found

    def different(self, data: st.DataObject, most: int) -> list[Item]:
        """Draw at least one item, with distinct keys."""
        drawn = [
            data.draw(items(self.table, FEATURES)) for _ in range(data.draw(st.integers(1, most)))
        ]
        return list({self.model.key_of(item): item for item in drawn}.values())

    def key_in(self, item: Item) -> Item:
        """Return the key of the item as it is spelled there."""
        return {name: item[name] for name in self.table.keys.names}


class TableOnFile(TableAndModel):
    """The same on a file that is closed and reopened now and then."""

    on_file = True


# Errors that a test of one operation cannot see: stale index entries, changes recorded twice,
# counts that drift.
@pytest.mark.parametrize("machine", [TableAndModel, TableOnFile], ids=["memory", "file"])
def test_engine_agrees_with_a_dictionary_model(machine: type[TableAndModel]) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            stateful_step_count=20,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )


def test_model_stores_what_dynamodb_stores() -> None:
    assert as_kept({"N": "-0.0"}) == {"N": "0"}
    assert as_kept({"NS": ["10", "9"]}) == {"NS": ["9", "10"]}
    assert as_kept({"L": [{"SS": ["b", "a"]}]}) == {"L": [{"SS": ["a", "b"]}]}
