"""A body with changes has the fields of a base model, all optional but not null."""

from __future__ import annotations

from typing import Annotated

import pytest
from pydantic import Field, ValidationError

from singletable_apps.shared.web import Changes, Document, Model, partial_model


class _Note(Document):
    title: str = Field(description="The title.", examples=["Tea"])
    stars: Annotated[int, Field(strict=True, ge=1)] = Field(description="From 1.")


class NoteBody(_Note):
    """A note."""

    revision: int


@partial_model()
class NoteChanges(_Note, Changes):
    """Fields of a note to change."""

    def loud(self) -> str:
        """Return the title in capitals."""
        return self.title.upper()


@partial_model("title")
class NewNote(_Note, Model):
    """A note to create."""


def test_changes_are_the_fields_that_were_sent() -> None:
    changes = NoteChanges.model_validate({"title": "tea"})
    assert changes.sent() == {"title": "tea"}
    assert changes.loud() == "TEA"


@pytest.mark.parametrize(
    "body", [{}, {"title": None}, {"stars": "3"}, {"stars": 0}, {"color": "red"}]
)
def test_changes_are_checked_like_the_fields_themselves(body: object) -> None:
    with pytest.raises(ValidationError):
        NoteChanges.model_validate(body)


def test_required_fields_stay_required() -> None:
    assert NewNote.model_validate({"title": "tea"}).model_fields_set == {"title"}
    with pytest.raises(ValidationError):
        NewNote.model_validate({"stars": 3})


def test_schemas_of_both_describe_the_fields() -> None:
    changes, body = NoteChanges.model_json_schema(), NoteBody.model_json_schema()
    assert changes["title"] == "NoteChanges"
    assert changes["description"] == "Fields of a note to change."
    assert changes["minProperties"] == 1
    assert "required" not in changes
    assert changes["properties"] == {name: body["properties"][name] for name in ("title", "stars")}
    assert body["required"] == ["title", "stars", "revision"]
