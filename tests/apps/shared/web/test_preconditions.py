"""An edit is based on what is there, and a read does not send what was seen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.apps.shared.web.notes import TOKEN, Note, client, empty_store, write

MINE = {"Authorization": f"Bearer {TOKEN}"}
store = empty_store()
asking = client(store)


@pytest.fixture(autouse=True)
def tea() -> Iterator[None]:
    """A note of revision 1, and no other."""
    write(asking, "tea")
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
def test_an_edit_says_what_it_is_based_on(tags: str | None, status: int) -> None:
    headers = {} if tags is None else {b"If-Match": tags.encode("latin-1")}
    answer = asking.put("/api/notes/tea", json={"text": "hot"}, headers=headers)
    assert answer.status_code == status
    if status == 200:
        assert answer.headers["etag"] == '"2"'
    if status == 412:
        assert answer.headers["etag"] == '"1"'
    if status in (422, 428):
        assert answer.json()["errors"][0]["header"] == "If-Match"


def test_of_two_edits_based_on_the_same_one_is_refused() -> None:
    seen = {"If-Match": asking.get("/api/notes/tea").headers["etag"]}
    assert asking.put("/api/notes/tea", json={"text": "hot"}, headers=seen).status_code == 200
    assert asking.delete("/api/notes/tea", headers={**seen, **MINE}).status_code == 412


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
def test_a_read_knows_what_was_seen(tags: str, status: int) -> None:
    answer = asking.get("/api/notes/tea", headers={"If-None-Match": tags})
    assert answer.status_code == status
    assert answer.headers["etag"] == '"1"'
    assert answer.headers["cache-control"] == "private, no-cache"
    assert bool(answer.content) == (status == 200)


def test_what_is_not_there_has_no_tag() -> None:
    answer = asking.put("/api/notes/milk", json={"text": ""}, headers={"If-Match": "*"})
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
def test_what_shall_happen_once_has_a_key(key: str | None, status: int) -> None:
    headers = {} if key is None else {b"Idempotency-Key": key.encode("latin-1")}
    answer = asking.post("/api/notes", json={"name": "milk", "text": ""}, headers=headers)
    assert answer.status_code == status
    if status == 400:
        assert answer.json()["errors"][0]["header"] == "Idempotency-Key"
