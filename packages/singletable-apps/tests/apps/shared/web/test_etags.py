"""Conditional requests: If-Match for edits, If-None-Match for reads, and idempotency keys."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apps.shared.web.notes import TOKEN, Note, empty_store, make_client, write

MINE = {"Authorization": f"Bearer {TOKEN}"}
store = empty_store()
client = make_client(store)


@pytest.fixture(autouse=True)
def tea() -> Iterator[None]:
    """Create a note with revision 1, and delete all notes afterwards."""
    write(client, "tea")
    yield
    store.delete_many([Note.key("tea"), Note.key("milk")])


@pytest.mark.parametrize(
    ("tags", "status"),
    [
        ('"1"', 200),
        ("*", 200),
        (' "0" , "1"', 200),
        ('"a,b", "1"', 200),
        ('"2"', 412),
        ('W/"1"', 412),
        ('"1,2"', 412),
        ('""', 412),
        ("1", 422),
        ('"1', 422),
        ('*, "1"', 422),
        ("", 422),
        ('"1" "2"', 422),
        ('"ä"', 422),
        (None, 428),
    ],
)
def test_if_match_must_have_the_current_etag(tags: str | None, status: int) -> None:
    headers = {} if tags is None else {b"If-Match": tags.encode("latin-1")}
    answer = client.put("/api/notes/tea", json={"text": "hot"}, headers=headers)
    assert answer.status_code == status
    if status == 200:
        assert answer.headers["etag"] == '"2"'
    if status == 412:
        assert answer.headers["etag"] == '"1"'
    if status in (422, 428):
        assert answer.json()["errors"][0]["header"] == "If-Match"


def test_second_edit_with_the_same_etag_is_rejected() -> None:
    seen = {"If-Match": client.get("/api/notes/tea").headers["etag"]}
    assert client.put("/api/notes/tea", json={"text": "hot"}, headers=seen).status_code == 200
    assert client.delete("/api/notes/tea", headers={**seen, **MINE}).status_code == 412


@pytest.mark.parametrize(
    ("tags", "status"),
    [
        ('"1"', 304),
        ('W/"1"', 304),
        ("*", 304),
        ('"0","1"', 304),
        ('"2"', 200),
        ("1", 200),
        ("", 200),
    ],
)
def test_if_none_match_with_the_current_etag_returns_304(tags: str, status: int) -> None:
    answer = client.get("/api/notes/tea", headers={"If-None-Match": tags})
    assert answer.status_code == status
    assert answer.headers["etag"] == '"1"'
    assert answer.headers["cache-control"] == "private, no-cache"
    assert bool(answer.content) == (status == 200)


def test_if_match_of_a_missing_resource_returns_404() -> None:
    answer = client.put("/api/notes/milk", json={"text": ""}, headers={"If-Match": "*"})
    assert answer.status_code == 404


@pytest.mark.parametrize(
    ("key", "status"),
    [
        ("a", 201),
        ("~" * 200, 201),
        ("~" * 201, 400),
        ("", 400),
        ("a b", 400),
        ("ä", 400),
        (None, 400),
    ],
)
def test_idempotency_key_is_required_and_validated(key: str | None, status: int) -> None:
    headers = {} if key is None else {b"Idempotency-Key": key.encode("latin-1")}
    answer = client.post("/api/notes", json={"name": "milk", "text": ""}, headers=headers)
    assert answer.status_code == status
    if status == 400:
        assert answer.json()["errors"][0]["header"] == "Idempotency-Key"
