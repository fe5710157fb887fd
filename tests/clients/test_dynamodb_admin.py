"""A session with dynamodb-admin: its pages are asked for as a browser does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from signal import SIGTERM
from typing import Any
from urllib.parse import urlencode

import pytest

from tests.clients.endpoint import Endpoint
from tests.clients.installed import PATIENCE, installed, node
from tests.clients.program import running

TABLE = "dynamodb-admin"


class Admin:
    """A running dynamodb-admin."""

    def __init__(self, port: int) -> None:
        self._port = port

    def page(self, path: str) -> str:
        """The page at the path, which must be there."""
        status, text = self.ask("GET", path)
        assert status == 200, text
        return text

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, str]:
        """The status and the text of an answer."""
        connection = HTTPConnection("127.0.0.1", self._port, timeout=PATIENCE)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, path, text, {"content-type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()


@pytest.fixture
def admin(endpoint: Endpoint) -> Iterator[Admin]:
    """A dynamodb-admin that shows the endpoint."""
    program = installed("dynamodb-admin/node_modules/dynamodb-admin/dist/dynamodb-admin.js")
    place = ("--host", "127.0.0.1", "--port", "0", "--dynamo-endpoint", endpoint.url)
    # Without this it signs with a session token that nobody gave it.
    own_credentials = "--skip-default-credentials"
    with running(
        [node(), program, *place, own_credentials],
        ready=r"listening on http://127\.0\.0\.1:(\d+)",
        status=-SIGTERM,
        environment=endpoint.environment,
    ) as said:
        yield Admin(int(said[1]))


def definition(units: object) -> dict[str, Any]:
    """What the form for a new table sends."""
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


def test_a_session(admin: Admin) -> None:
    assert TABLE not in admin.page("/")
    assert admin.ask("POST", "/create-table", definition(5)) == (204, "")
    assert TABLE in admin.page("/")
    items_are_added_shown_and_changed(admin)
    items_are_found(admin)
    for tab in ("", "/get", "/meta", "/ttl", "/add-item"):
        assert TABLE in admin.page(f"/tables/{TABLE}{tab}")
    assert admin.ask("DELETE", f"/tables/{TABLE}/all")[0] == 200
    assert json.loads(admin.page(f"/tables/{TABLE}/items"))["Items"] == []
    assert admin.ask("DELETE", f"/tables/{TABLE}")[0] == 204
    assert "Requested resource not found" in admin.ask("GET", f"/tables/{TABLE}")[1]


def items_are_added_shown_and_changed(admin: Admin) -> None:
    for number in range(30):
        ballot = {"election": "council", "number": number, "voter": "ada", "ranking": ["lee", None]}
        added = admin.ask("PUT", f"/tables/{TABLE}/add-item", ballot)
        assert (added[0], json.loads(added[1])) == (200, {"election": "council", "number": number})
    place = f"/tables/{TABLE}/items/council,7"
    assert "lee" in admin.page(place)
    changed = {"election": "council", "number": 7, "voter": "kim", "ward": {"name": "Grünau"}}
    status, shown = admin.ask("PUT", place, changed)
    assert (status, json.loads(shown)) == (200, changed)
    assert admin.ask("DELETE", f"/tables/{TABLE}/items/council,8")[0] == 204
    assert admin.ask("GET", f"/tables/{TABLE}/items/council,8") == (404, "Not found")


def items_are_found(admin: Admin) -> None:
    page = json.loads(admin.page(f"/tables/{TABLE}/items"))
    assert len(page["Items"]) == 25
    more = json.loads(admin.page(f"/tables/{TABLE}/items?startKey={page['nextKey']}"))
    assert (len(more["Items"]), more["nextKey"]) == (4, None)
    kim = {"voter": {"value": "kim", "operator": "=", "type": "S"}}
    query = urlencode(
        {"operationType": "query", "queryableSelection": "by_voter", "filters": json.dumps(kim)}
    )
    (found,) = json.loads(admin.page(f"/tables/{TABLE}/items?{query}"))["Items"]
    assert found["ward"] == {"name": "Grünau"}


# Its form sends units of capacity as text, which DynamoDB refuses and we do too. Tables that other
# clients made are shown all the same.
def test_its_form_is_refused_as_dynamodb_refuses_it(admin: Admin) -> None:
    status, said = admin.ask("POST", "/create-table", definition("5"))
    assert (status, json.loads(said)) == (
        500,
        {"message": "STRING_VALUE cannot be converted to Long"},
    )
