"""Items decoded straight from JSON equal items decoded attribute by attribute."""

from __future__ import annotations

import types
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw
from pydantic import BaseModel

from dynamodb_engine.values import Item, item_from_json, item_to_json
from singletable import Attr, Entity, ItemMismatch, Key, ModelEntity, Number, Table, attr
from singletable.schema import Model, model_of, version
from singletable.store.decoder import decode_item
from singletable.store.raw_decoder import compile_decoder, raw_decoder
from tests.schema.codec.strategies import TYPES, Right

table = Table("raw")
# An empty set and None would be stored alike, and `Any` includes None.
OPTIONAL = [name for name in TYPES if "set" not in name and name not in ("anything", "object")]


def _declare() -> Model:
    """Declare an entity with a field of every type, and one of every type with a default."""
    generic: Any = Attr
    hints: dict[str, Any] = {"id": generic[str], "number": generic[int]}
    fields: dict[str, Any] = {"id": attr(), "number": attr()}
    for name, (kind, _) in TYPES.items():
        hints[name] = generic[kind]
        fields[name] = attr(name=f"stored {name}")
        if name in OPTIONAL:
            hints[f"default_{name}"] = generic[kind | None]
            fields[f"default_{name}"] = attr(default=None)
    key: Any = Key
    body = {
        **fields,
        "key": key(pk=("EVERY", fields["id"]), sk=("TYPE", fields["number"])),
        "version": version(),
        "__annotations__": {**hints, "version": generic[int]},
        "__module__": __name__,
    }
    settings: dict[str, Any] = {"table": table, "type_tag": ("kind", "EVERY")}
    return model_of(types.new_class("Every", (Entity,), settings, lambda space: space.update(body)))


EVERY = _declare()
VALUES = st.fixed_dictionaries(
    {
        "id": st.text(min_size=1, max_size=6),
        "number": st.integers(-(10**18), 10**18),
        "version": st.integers(0, 9),
        **{name: values for name, (_, values) in TYPES.items()},
        **{f"default_{name}": st.none() | TYPES[name][1] for name in OPTIONAL},
    }
)
OTHER_VALUES: st.SearchStrategy[Any] = st.sampled_from(
    [
        {"S": ""},
        {"S": "2026-11-15t05:00:60z"},
        {"N": "5.0"},
        {"N": "1E+3"},
        {"BOOL": True},
        {"NULL": True},
        {"B": "AA=="},
        {"SS": ["a"]},
        {"NS": ["1"]},
        {"L": [{"NULL": True}]},
        {"M": {"a": {"S": "b"}}},
    ]
)


def _outcome(decode: Any) -> object:
    try:
        return decode().__dict__
    except ItemMismatch as error:
        return str(error), error.key


def _check(model: Model, item: Item) -> None:
    raw = Raw(item_to_json(item))
    fast = _outcome(lambda: raw_decoder(model)(raw))
    # repr also tells 1 from True and 1.0, and shows the order of the fields.
    assert repr(fast) == repr(_outcome(lambda: decode_item(model, item_from_json(raw))))


@pytest.mark.rest
@given(values=VALUES, data=st.data())
def test_items_are_decoded_alike(values: dict[str, Any], data: st.DataObject) -> None:
    item = EVERY.item(values)
    _check(EVERY, item)
    names = sorted({*item, *(field.attribute for field in EVERY.fields.values())})
    changed = dict(item)
    for name in data.draw(st.lists(st.sampled_from([*names, "unknown"]), max_size=3)):
        if data.draw(st.booleans()):
            changed[name] = data.draw(OTHER_VALUES)
        else:
            changed.pop(name, None)
    _check(EVERY, changed)


def _reject(raw: Raw) -> Any:
    raise AssertionError(raw)


DECODE_FAST = compile_decoder(EVERY, _reject)


@pytest.mark.rest
@given(values=VALUES)
def test_ordinary_items_are_decoded_without_the_slow_path(values: dict[str, Any]) -> None:
    # Members of a Flag are decoded one by one, because it has more values than members.
    item = EVERY.item({**values, "flags": Right.READ, "default_flags": None})
    DECODE_FAST(Raw(item_to_json(item)))


class Post(BaseModel):
    """A model of pydantic, which validates what is read."""

    slug: str
    likes: int = 0


class Posts(ModelEntity[Post], table=table):
    """How posts are stored."""

    slug: Attr[str] = attr()
    key = Key(pk=("POST", slug), sk="POST")


class Note(Entity, table=table):
    """An entity with a field that is stored only in the key."""

    slug: Attr[str] = attr(key_only=True)
    text: Attr[str | None] = attr(default=None)
    key = Key(pk=("NOTE", slug), sk="NOTE")


other_table = Table("raw_with_plain_keys", pk="owner", sk=Number("position"))


class Plain(Entity, table=other_table):
    """An entity whose key attributes are fields."""

    owner: Attr[str] = attr()
    position: Attr[int] = attr()
    key = Key(pk=owner, sk=position)


@pytest.mark.parametrize(
    ("entity", "item"),
    [
        (Post, {"PK": {"S": "POST#1"}, "SK": {"S": "POST"}, "slug": {"S": "1"}}),
        (Post, {"PK": {"S": "POST#1"}, "SK": {"S": "POST"}, "slug": {"S": "1"}, "x": {"S": "?"}}),
        (Post, {"PK": {"S": "POST#1"}, "SK": {"S": "POST"}, "slug": {"N": "1"}}),
        (Note, {"PK": {"S": "NOTE#a$23b"}, "SK": {"S": "NOTE"}, "text": {"S": "hello"}}),
        (Plain, {"owner": {"S": "ada"}, "position": {"N": "7"}}),
        (Plain, {"owner": {"S": "ada"}, "position": {"N": "7.5"}}),
    ],
)
def test_models_and_keys_of_other_kinds_are_decoded_alike(entity: type, item: Item) -> None:
    _check(model_of(entity), item)
