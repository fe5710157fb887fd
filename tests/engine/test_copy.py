"""A copy of an engine begins with what the engine holds, and the two go apart from there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable import (
    ConditionFailed,
    Engine,
    GetItem,
    Item,
    PutItem,
    ReadChanges,
    Settings,
    TransactWriteItem,
    TransactWriteItems,
)
from singletable.operations import Put
from singletable.schema import create_operation
from tests.store.declared import votes

ADA: Item = {"PK": {"S": "ada"}, "SK": {"S": "1"}}
BEN: Item = {"PK": {"S": "ben"}, "SK": {"S": "1"}}


@pytest.fixture(params=["memory", "file"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    on_disk = Settings(durable=False)
    file = request.param == "file"
    with Engine.on_file(tmp_path / "t.db", on_disk) if file else Engine.in_memory() as engine:
        engine.execute(create_operation(votes))
        engine.execute(PutItem("vote_data", ADA))
        yield engine


def test_a_copy_holds_what_the_engine_held(engine: Engine) -> None:
    with engine.copy() as copy:
        assert copy.execute(GetItem("vote_data", ADA)).item == ADA
        assert len(copy.execute(ReadChanges(0)).changes) == 1


def test_a_copy_and_its_engine_go_apart(engine: Engine) -> None:
    with engine.copy() as copy, copy.copy() as third:
        copy.execute(PutItem("vote_data", BEN))
        engine.execute(PutItem("vote_data", {**ADA, "new": {"BOOL": True}}))
        assert engine.execute(GetItem("vote_data", BEN)).item is None
        assert third.execute(GetItem("vote_data", BEN)).item is None
        assert copy.execute(GetItem("vote_data", ADA)).item == ADA
        assert len(third.execute(ReadChanges(0)).changes) == 1


def test_a_copy_outlives_its_engine(tmp_path: Path) -> None:
    with Engine.on_file(tmp_path / "t.db") as engine:
        engine.execute(create_operation(votes))
        copy = engine.copy()
    with copy:
        copy.execute(PutItem("vote_data", ADA))
        assert copy.execute(GetItem("vote_data", ADA)).item == ADA


def test_a_token_used_in_a_copy_is_not_used_elsewhere(engine: Engine) -> None:
    put = Put("vote_data", BEN, condition_expression="attribute_not_exists(PK)")
    once = TransactWriteItems([TransactWriteItem(put=put)], client_request_token="one")
    with engine.copy() as copy, engine.copy() as other:
        copy.execute(once)
        copy.execute(once)
        other.execute(once)
        assert other.execute(GetItem("vote_data", BEN)).item == BEN
        with pytest.raises(ConditionFailed):
            other.execute(
                PutItem("vote_data", BEN, condition_expression="attribute_not_exists(PK)")
            )


def test_a_copy_can_grow(engine: Engine) -> None:
    with engine.copy() as copy:
        for number in range(300):
            key: Item = {"PK": {"S": "x"}, "SK": {"S": f"{number:04}"}}
            copy.execute(PutItem("vote_data", {**key, "text": {"S": "x" * 50_000}}))
        last = copy.execute(GetItem("vote_data", {"PK": {"S": "x"}, "SK": {"S": "0299"}}))
        assert last.item is not None
