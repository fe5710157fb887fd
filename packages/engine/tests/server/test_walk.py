"""PutItem over HTTP takes the way that ARCHITECTURE.md describes."""

from __future__ import annotations

import httpx2

from dynamodb_engine import Engine
from dynamodb_engine.testing import endpoint
from tests.conformance.tables import make_table
from tools.testing.walks import missing_stops, traced


def test_put_item_over_http_takes_the_described_way() -> None:
    engine = Engine.in_memory()
    table = make_table(engine, pk="S")
    body = {"TableName": table, "Item": {"pk": {"S": "a"}}}
    headers = {"X-Amz-Target": "DynamoDB_20120810.PutItem"}
    with traced() as trace, endpoint(engine) as address:
        assert httpx2.post(address, json=body, headers=headers).status_code == 200
    assert missing_stops("PutItem over HTTP", trace) == []
