"""Instances of entities: assignments are to fields only, and copies keep everything."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest

from singletable.errors import InvalidValue, UnknownField
from singletable.schema import Attr, Entity, Key, Table, attr, version
from tests.store.stores import open_store

docs = Table("docs")


class Doc(Entity, table=docs):
    name: Attr[str] = attr()
    body: Attr[str] = attr(default="")
    note: Attr[str | None] = attr(default=None)
    version: Attr[int] = version()
    key = Key(pk=("DOC", name), sk="DOC")

    @property
    def shout(self) -> str:
        return self.body.upper()

    @shout.setter
    def shout(self, text: str) -> None:
        self.body = text.lower()


def test_assignment_to_a_field_changes_it() -> None:
    doc = Doc(name="a")
    doc.body, doc.version = "text", 3
    assert (doc.body, doc.version) == ("text", 3)


# A misspelled name was kept on the instance and never stored.
@pytest.mark.parametrize(("name", "near"), [("boddy", " Did you mean body?"), ("xyz", "")])
def test_assignment_to_an_unknown_field_is_rejected(name: str, near: str) -> None:
    doc: Any = Doc(name="a")
    with pytest.raises(UnknownField) as error:
        setattr(doc, name, 1)
    expected = f"Doc has no field {name}.{near} Fields: name, body, note, version."
    assert str(error.value) == expected
    assert isinstance(error.value, AttributeError)
    assert name not in vars(doc)


def test_constructor_suggests_the_field_with_a_similar_name() -> None:
    create: Any = Doc
    with pytest.raises(UnknownField, match=r"no field bdy\. Did you mean body\?"):
        create(name="a", bdy="x")
    with pytest.raises(UnknownField, match=r"no field nam\. Did you mean name\?"):
        create(nam="a")  # rather than that name has no value


def test_constructor_names_all_missing_fields() -> None:
    class Copy(Entity, table=Table("copies")):
        name: Attr[str] = attr()
        place: Attr[str] = attr()
        note: Attr[str | None] = attr()
        size: Attr[int] = attr()
        key = Key(pk=("COPY", name), sk="COPY")

    create: Any = Copy
    with pytest.raises(InvalidValue, match="Copy: expected a value for name and size, but got"):
        create(place="a")


def test_key_is_not_a_field() -> None:
    doc: Any = Doc(name="a")
    with pytest.raises(UnknownField):
        doc.key = "x"


# They belong to the program, and are not stored.
def test_properties_and_private_names_can_be_assigned() -> None:
    doc: Any = Doc(name="a")
    doc._cached = "x"
    assert doc._cached == "x"
    del doc._cached
    doc.shout = "LOUD"
    assert doc.body == "loud"


def test_field_cannot_be_deleted() -> None:
    doc: Any = Doc(name="a")
    with pytest.raises(InvalidValue, match=r"Doc\.body cannot be deleted"):
        del doc.body
    with pytest.raises(AttributeError):
        del doc.boddy
    assert doc.body == ""


def test_value_of_a_wrong_type_is_rejected_when_it_is_written() -> None:
    store = open_store(docs)
    doc: Any = Doc(name="a")
    doc.body = 3
    with pytest.raises(InvalidValue, match=r"Doc\.body"):
        store.create(doc)


def test_copies_are_equal_and_independent() -> None:
    doc = Doc(name="a", body="text")
    doc.__dict__["_unknown"] = {"other": {"S": "kept"}}
    for copied in (copy.copy(doc), copy.deepcopy(doc), pickle.loads(pickle.dumps(doc))):
        assert copied == doc
        assert vars(copied)["_unknown"] == {"other": {"S": "kept"}}
    assert dataclasses.replace(doc, body="new").body == "new"
