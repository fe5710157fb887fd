"""A session with dynamodb-admin: request its pages as a browser does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from signal import SIGTERM
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.clients.endpoint import Endpoint
from tools.testing.programs import SESSION_TIMEOUT, installed, node, running

TABLE = "dynamodb-admin"


class Admin:
    """A running dynamodb-admin."""

    def __init__(self, port: int) -> None:
        self._port = port

    def page(self, path: str) -> str:
        """Return the page at the path, which must exist."""
        status, text = self.send("GET", path)
        assert status == 200, text
        return text

    def send(self, method: str, path: str, body: object = None) -> tuple[int, str]:
        """Return the status and the body of a response."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=SESSION_TIMEOUT)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"content-type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()


@pytest.fixture
def admin(endpoint: Endpoint) -> Iterator[Admin]:
    """Yield a dynamodb-admin that is connected to the endpoint."""
    program = installed("dynamodb-admin/node_modules/dynamodb-admin/dist/dynamodb-admin.js")
    options = ("--host", "127.0.0.1", "--port", "0", "--dynamo-endpoint", endpoint.url)
    # Otherwise it signs with a session token of its own.
    own_credentials = "--skip-default-credentials"
    with running(
        [node(), program, *options, own_credentials],
        ready=r"listening on http://127\.0\.0\.1:(\d+)",
        status=-SIGTERM,
        environment=endpoint.environment,
    ) as output:
        yield Admin(int(output[1]))


def table_form(units: object) -> dict[str, Any]:
    """Return the body that the form for a new table sends."""
    throughput = {"ReadCapacityUnits": units, "WriteCapacityUnits": units}
    return {
        "TableDefinition": {
            "TableName": TABLE,
            "HashAttributeName": "election",
            "HashAttributeType": "S",
            "RangeAttributeName": "number",
            "RangeAttributeType": "N",
            **throughput,
        },
        "SecondaryIndexes": [
            {
                "IndexName": "by_voter",
                "IndexType": "global",
                "HashAttributeName": "voter",
                "HashAttributeType": "S",
                **throughput,
            }
        ],
    }


def test_dynamodb_admin_session(admin: Admin) -> None:
    assert TABLE not in admin.page("/")
    assert admin.send("POST", "/create-table", table_form(5)) == (204, "")
    assert TABLE in admin.page("/")
    check_add_show_and_change(admin)
    check_pages_and_filter(admin)
    for tab in ("", "/get", "/meta", "/ttl", "/add-item"):
        assert TABLE in admin.page(f"/tables/{TABLE}{tab}")
    assert admin.send("DELETE", f"/tables/{TABLE}/all")[0] == 200
    assert json.loads(admin.page(f"/tables/{TABLE}/items"))["Items"] == []
    assert admin.send("DELETE", f"/tables/{TABLE}")[0] == 204
    assert "Requested resource not found" in admin.send("GET", f"/tables/{TABLE}")[1]


def check_add_show_and_change(admin: Admin) -> None:
    for number in range(30):
        ballot = {"election": "council", "number": number, "voter": "ada", "ranking": ["lee", None]}
        added = admin.send("PUT", f"/tables/{TABLE}/add-item", ballot)
        assert (added[0], json.loads(added[1])) == (200, {"election": "council", "number": number})
    path = f"/tables/{TABLE}/items/council,7"
    assert "lee" in admin.page(path)
    changed = {"election": "council", "number": 7, "voter": "kim", "ward": {"name": "Grünau"}}
    status, shown = admin.send("PUT", path, changed)
    assert (status, json.loads(shown)) == (200, changed)
    assert admin.send("DELETE", f"/tables/{TABLE}/items/council,8")[0] == 204
    assert admin.send("GET", f"/tables/{TABLE}/items/council,8") == (404, "Not found")


def check_pages_and_filter(admin: Admin) -> None:
    page = json.loads(admin.page(f"/tables/{TABLE}/items"))
    assert len(page["Items"]) == 25
    more = json.loads(admin.page(f"/tables/{TABLE}/items?startKey={page['nextKey']}"))
    assert (len(more["Items"]), more["nextKey"]) == (4, None)
    kim = {"voter": {"value": "kim", "operator": "=", "type": "S"}}
    query = urlencode(
        {"operationType": "query", "queryableSelection": "by_voter", "filters": json.dumps(kim)}
    )
    (item,) = json.loads(admin.page(f"/tables/{TABLE}/items?{query}"))["Items"]
    assert item["ward"] == {"name": "Grünau"}


# The form sends capacity units as text, which DynamoDB rejects.
def test_create_table_form_is_rejected_like_in_dynamodb(admin: Admin) -> None:
    status, output = admin.send("POST", "/create-table", table_form("5"))
    assert (status, json.loads(output)) == (
        500,
        {"message": "STRING_VALUE cannot be converted to Long"},
    )
