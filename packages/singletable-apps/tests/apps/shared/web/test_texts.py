"""Texts and IDs of requests: normalized, and rejected with a sentence."""

from __future__ import annotations

from typing import Annotated

import pytest
from fastapi.testclient import TestClient

from singletable_apps.shared.web import ItemId, Model, api_router, line, make_app, paragraphs

router = api_router("notes")


class Draft(Model):
    """A note."""

    title: Annotated[str, line(longest=10, required=True)]
    text: Annotated[str, paragraphs(longest=20)] = ""


@router.post("/notes/{note_id}")
def echo(note_id: ItemId, draft: Draft) -> list[str]:
    return [note_id, draft.title, draft.text]


client = TestClient(make_app("Notes", "1.0", routers=[router]), base_url="https://notes.example")


def test_texts_are_normalized() -> None:
    body = {"title": "  Green   tea ", "text": "Hot.\r\n\r\nSweet. "}
    answer = client.post("/notes/a%2Fb", json=body)
    assert answer.json() == ["a/b", "Green tea", "Hot.\n\nSweet."]


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ({"title": " "}, 'Please fill this in; got " ".'),
        ({"title": "a" * 11}, "Use at most 10 characters; there are 11 now; got"),
        ({"title": "a", "text": "\x07"}, "Remove the invisible character U+0007"),
    ],
)
def test_invalid_text_is_rejected(body: dict[str, str], detail: str) -> None:
    answer = client.post("/notes/1", json=body)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["detail"].startswith(detail)


# A longer one could not be a key of a table.
def test_long_id_is_rejected() -> None:
    assert client.post(f"/notes/{'a' * 200}", json={"title": "Tea"}).status_code == 200
    assert client.post(f"/notes/{'a' * 201}", json={"title": "Tea"}).status_code == 422
