"""Lists are paginated with cursors that clients cannot forge."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode

import pytest
from fastapi.testclient import TestClient

from tests.apps.shared.web.notes import make_client, write

NAMES = ["a", "b", "c/d", "e", "f"]


@pytest.fixture(scope="module")
def client() -> TestClient:
    """Return a client of an API with five notes, two of which have five labels."""
    client = make_client()
    for name in NAMES:
        write(client, name)
    for note in ("a", "c%2Fd"):
        for name in NAMES:
            label = name.replace("/", "%2F")
            assert client.put(f"/api/notes/{note}/labels/{label}").status_code == 204
    return client


@pytest.mark.parametrize(
    "address", ["/api/notes", "/api/notes/a/labels", "/api/notes/c%2Fd/labels?x=%23%C3%A4<>"]
)
def test_next_links_lead_through_the_whole_list(client: TestClient, address: str) -> None:
    joined = "&" if "?" in address else "?"
    following: str | None = f"{address}{joined}limit=2"
    found: list[str] = []
    while following is not None:
        answer = client.get(following)
        found += [
            item if isinstance(item, str) else item["name"] for item in answer.json()["items"]
        ]
        link = answer.links.get("next")
        assert (answer.json()["next"] is None) == (link is None)
        following = link["url"] if link else None
    assert found == NAMES


@pytest.mark.parametrize("limit", ["0", "101", "-1", "x", "1.5", "", "9" * 5000])
def test_limit_is_from_1_to_100(client: TestClient, limit: str) -> None:
    answer = client.get("/api/notes", params={"limit": limit})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["parameter"] == "limit"


@pytest.mark.parametrize("address", ["/api/notes", "/api/notes/a/labels"])
@pytest.mark.parametrize("cursor", ["x", "====", "ä", "a" * 4000, "\x00", "AAAA" * 8])
def test_invented_cursor_is_rejected(client: TestClient, address: str, cursor: str) -> None:
    answer = client.get(address, params={"cursor": cursor})
    assert answer.status_code == 400
    assert answer.json()["type"] == "/api/problems/cursor-refused"
    assert answer.json()["errors"][0]["parameter"] == "cursor"


def test_changed_cursor_is_rejected(client: TestClient) -> None:
    cursor = client.get("/api/notes/a/labels?limit=2").json()["next"]
    content, _, seal = cursor.partition(".")
    position, list_id = json.loads(urlsafe_b64decode(content + "=" * (-len(content) % 4)))
    assert position == 2
    other = urlsafe_b64encode(json.dumps([3, list_id]).encode()).rstrip(b"=").decode()
    changed = f"{other}.{seal}"
    assert client.get("/api/notes/a/labels", params={"cursor": changed}).status_code == 400


def test_cursor_is_valid_for_one_list_with_the_same_filters(client: TestClient) -> None:
    first = "/api/notes/a/labels?limit=1&x=1&y=2"
    cursor = client.get(first).json()["next"]
    same = f"/api/notes/a/labels?y=2&limit=4&cursor={cursor}&x=1"
    assert client.get(same).json()["items"] == NAMES[1:]
    for other in (f"/api/notes/b/labels?x=1&y=2&cursor={cursor}", f"{first[:-1]}3&cursor={cursor}"):
        assert client.get(other).status_code == 400


def test_document_has_the_problem_and_the_link_of_a_list(client: TestClient) -> None:
    document = client.get("/api/openapi.json").json()
    listed = document["paths"]["/api/notes"]["get"]["responses"]
    assert "cursor-refused" in str(listed["400"])
    assert "Link" in listed["200"]["headers"]
