"""Admin creates declared tables, waits until they are active, and lists their items."""

from __future__ import annotations

import pytest

from dynamodb_engine.engine import Delays, Engine, Settings
from dynamodb_engine.operations import DescribeTable, DescribeTimeToLive, Driver, Scan
from singletable.errors import DeclarationError, ResourceInUse
from singletable.schema import Table
from singletable.store import Call, Store
from tests.store.store_adapter import StoreOpener
from tests.store.stores import open_store
from tools.testing.designs.votes import Election, ballot, keys_only, votes


def ttl_attribute(driver: Driver) -> str | None:
    described = driver.execute(DescribeTimeToLive("vote_data"))
    return described.time_to_live_description.attribute_name


def test_create_table_creates_the_declared_table(empty: Store, opener: StoreOpener) -> None:
    assert empty.admin.create_table(votes) is True
    table = opener.driver.execute(DescribeTable("vote_data")).table
    assert table.table_status == "ACTIVE"
    indexes = {one.index_name for one in table.global_secondary_indexes or []}
    assert indexes == {"by_person", "keys_only"}
    assert ttl_attribute(opener.driver) == "TTL"


def test_create_table_if_missing_creates_once(empty: Store) -> None:
    empty.admin.create_table(votes)
    with pytest.raises(ResourceInUse):
        empty.admin.create_table(votes)
    assert empty.admin.create_table(votes, if_missing=True) is False


def test_create_table_rejects_an_existing_table_without_a_declared_index(empty: Store) -> None:
    empty.admin.create_table(Table("vote_data", indexes=[keys_only]))
    with pytest.raises(DeclarationError, match="without the declared index 'by_person'"):
        empty.admin.create_table(votes, if_missing=True)


# DynamoDB takes some seconds to create a table, and rejects everything until then.
def test_create_table_waits_until_active() -> None:
    delays = Delays(create_table=0.7)
    with Engine.in_memory(Settings(delays=delays)) as engine:
        open_store(votes, driver=engine).create(Election(name="L"))
        assert ttl_attribute(engine) == "TTL"


# A scan ends at 1 MB, before the page is full.
def test_page_of_large_items_reads_one_more_than_its_size(calls: list[Call]) -> None:
    store = open_store(votes, observers=[calls.append])
    store.put_many(ballot(f"v{number}", notes=["x" * 380_000]) for number in range(5))
    page = store.admin.items(votes, 3)
    assert (len(page.items), page.cursor is None) == (3, False)
    limits = [
        sent.operation.limit for sent in calls[-1].requests if isinstance(sent.operation, Scan)
    ]
    assert limits == [4, 1]
