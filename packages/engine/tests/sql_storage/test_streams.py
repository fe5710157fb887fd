"""Streams on SQL servers: shards are split in the background, and any process trims the feed."""

from __future__ import annotations

import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.engine import Retention, Settings, StreamShards
from dynamodb_engine.engine.change_feed import BLOCK
from dynamodb_engine.engine.server_engine import ServerEngine
from tests.conformance.streams import make_streamed, records_of, shards_of
from tests.conformance.table_requests import on_demand
from tests.conformance.tables import put
from tests.conformance.transaction_actions import key
from tools.testing.sql_servers import KINDS, new_address

BOTH = ops.StreamSpecification(True, "NEW_AND_OLD_IMAGES")


@pytest.mark.parametrize("kind", KINDS)
def test_shards_are_split_and_the_feed_keeps_what_a_stream_needs(kind: str) -> None:
    address, count = new_address(kind), 3 * BLOCK
    shards = StreamShards(first=1, most=2, records=BLOCK)
    settings = Settings(retention=Retention(records=1), stream_shards=shards)
    with ServerEngine.at(address, settings) as other:
        other.execute(on_demand(table_name="other"))
        with ServerEngine.at(address, settings) as engine:
            arn = make_streamed(engine, on_demand(table_name="things", stream_specification=BOTH))
            put(engine, "things", *(key(f"{number}") for number in range(count)))
        put(other, "other", *(key(f"{number}") for number in range(count)))
        assert len(shards_of(other, arn)) > 1
        keys = [record.dynamodb.keys["pk"]["S"] for record in records_of(other, arn)]
    assert sorted(keys, key=int) == [f"{number}" for number in range(count)]
