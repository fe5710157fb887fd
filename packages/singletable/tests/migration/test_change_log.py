"""The change feed as a change log."""

from __future__ import annotations

import pytest

from singletable import Engine, PutItem, Store, Table, TrimmedDataAccess
from singletable.migration.change_log import FeedChanges
from singletable.migration.two_addresses import Place, TwoAddressDriver
from singletable.steps import run
from singletable.store.context import create_context
from singletable.values import Item

users = Table("users", pk="username", sk=None)
likes = Table("likes", pk="post", sk=None)


def test_changes_of_several_tables_come_in_one_order() -> None:
    with Engine.in_memory() as engine:
        for table in (users, likes):
            Store(engine).admin.create_table(table)
        names = {users: Place("source", "users"), likes: Place("source", "likes")}
        log = FeedChanges(create_context(names), [users, likes], page=3)
        places = TwoAddressDriver(engine, engine)
        start = run(places, log.end())
        expected: list[tuple[Table, Item]] = []
        for number in range(10):
            table = users if number % 4 else likes
            key: Item = {table.pk.name: {"S": str(number)}}
            engine.execute(PutItem(table.name, key))
            expected.append((table, key))
        found: list[tuple[Table, Item]] = []
        position, is_last = start, False
        while not is_last:
            batch = run(places, log.read(position))
            found += [(one.table, one.key) for one in batch.changes]
            position, is_last = batch.position, batch.is_last
        assert found == expected


def test_a_position_after_the_end_belongs_to_another_feed() -> None:
    with Engine.in_memory() as engine:
        Store(engine).admin.create_table(users)
        log = FeedChanges(create_context({users: Place("source", "users")}), [users])
        with pytest.raises(TrimmedDataAccess):
            run(TwoAddressDriver(engine, engine), log.read("7"))
