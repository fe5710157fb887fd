"""Reading any stored item and putting it back leaves it as it is, or one of them raises."""

from __future__ import annotations

import types
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from dynamodb_engine.engine import Engine
from dynamodb_engine.values import Item, item_from_json, item_to_json
from singletable import (
    Attr,
    Entity,
    Index,
    InvalidValue,
    ItemMismatch,
    Key,
    LocalIndex,
    Number,
    PutItem,
    Store,
    Table,
    attr,
    casefold,
    concat,
    descending,
    padded,
)
from singletable.errors import DeclarationError, OperationError
from singletable.schema import ItemKey, Model, model_of
from singletable.store.decoder import decode_item
from singletable.store.raw_decoder import raw_decoder
from tests.store.stores import stored_item


class Color(Enum):
    RED = "red"
    BLUE = "blue"


TEXTS = st.text("ab#$|é ", min_size=1, max_size=3)
TYPES: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "text": (str, TEXTS),
    "number": (int, st.integers(-5, 999)),
    "amount": (Decimal, st.decimals(-9, 9, places=1)),
    "day": (date, st.dates(date(2026, 1, 1), date(2026, 2, 1))),
    "time": (
        datetime,
        st.datetimes(datetime(2026, 1, 1), datetime(2026, 2, 1), timezones=st.just(UTC)),
    ),
    "flag": (bool, st.booleans()),
    "color": (Color, st.sampled_from(Color)),
    "only": (str, TEXTS),
}
# The parts of an index key in the class of an entity; other parts are fields and texts.
ENCODED: dict[str, Any] = {
    "casefold": lambda fields: casefold(fields["text"]),
    "padded": lambda fields: padded(fields["number"], 3),
    "descending": lambda fields: descending(fields["time"]),
}


def design(number: int) -> tuple[Model, list[str]] | None:
    """Return an entity with up to three index keys and its fields; None for a rejected design."""
    random = Random(number)
    generic: Any = Attr
    key: Any = Key
    declare: Any = attr
    names = sorted(random.sample([*TYPES], random.randint(3, 6)))
    indexes = [
        Index("first", pk="firstKey", sk="firstSort"),
        LocalIndex("second", sk="secondSort"),
        Index("third", pk=("text", "thirdKey"), sk=(Number("thirdNumber"),)),
    ]
    table = Table("designs", indexes=indexes)
    fields: dict[str, Any] = {"id": attr()}
    hints: dict[str, Any] = {"id": generic[str]}
    for name in names:
        optional = random.random() < 0.5 or name == "only"
        options = {"default": None} if optional else {}
        fields[name] = declare(key_only=name == "only", **options)
        hints[name] = generic[TYPES[name][0] | None if optional else TYPES[name][0]]
    is_concatenated = random.random() < 0.5

    def side(parts: list[str]) -> Any:
        written = [
            ENCODED[one](fields) if one in ENCODED else fields.get(one, one) for one in parts
        ]
        if not is_concatenated:
            return tuple(written)
        return concat(*[one for part in written for one in (part, "|")][:-1])

    def sides(required: list[str]) -> tuple[Any, Any]:
        others = [one for one in (*names, *ENCODED) if _is_there(one, names) and one != "only"]
        parts = [*required, *random.sample(others, random.randint(0, 2))]
        random.shuffle(parts)
        return side(["WORD", *parts[:1]]), side([*parts[1:], "END"])

    keys: dict[str, Any] = {"key": key(pk=("ITEM", fields["id"]), sk="ITEM")}
    condition = None
    if "flag" in names and "only" not in names and random.random() < 0.5:
        condition = fields["flag"] == True  # noqa: E712
    pk, sk = sides([one for one in names if one == "only"])
    keys["first"] = key(pk=pk, sk=sk).on(indexes[0], when=condition)
    if random.random() < 0.5:
        keys["second"] = key(pk=("ITEM", fields["id"]), sk=sides([])[1]).on(indexes[1])
    if {"day", "number", "text"} <= set(names):
        third = key(pk=(fields["text"], fields["day"]), sk=fields["number"])
        keys["third"] = third.on(indexes[2])
    body = {**fields, **keys, "__annotations__": hints, "__module__": __name__}
    tag = random.choice([None, ("type", "THING")])
    settings: dict[str, Any] = {"table": table, "type_tag": tag}
    try:
        thing = types.new_class("Thing", (Entity,), settings, lambda space: space.update(body))
    except DeclarationError:
        return None  # a value is in a key twice
    return model_of(thing), names


def _is_there(part: str, names: list[str]) -> bool:
    needed = {"casefold": "text", "padded": "number", "descending": "time"}.get(part, part)
    return needed in names or needed not in TYPES


DESIGNS = [one for number in range(50) if (one := design(number))]
OTHERS: st.SearchStrategy[Any] = st.sampled_from(
    [
        {"S": "WORD"},
        {"S": "a"},
        {"S": "WORD#a"},
        {"S": "a|b"},
        {"S": "2026-01-01T00:00:00.000000Z"},
        {"S": "2026-01-01T00:00:00Z"},
        {"N": "1E2"},
        {"N": "5"},
        None,
    ]
)


@pytest.mark.rest
@given(data=st.data())
def test_get_and_put_leave_any_item_as_it_is(data: st.DataObject) -> None:
    model, names = data.draw(st.sampled_from(DESIGNS))
    values: dict[str, Any] = {"id": "1"}
    for name in names:
        optional = model.fields[name].codec().optional
        kind = TYPES[name][1]
        values[name] = data.draw(kind | st.none() if optional else kind)
    with Engine.in_memory() as engine:
        store = Store(engine)
        store.admin.create_table(model.table)
        try:
            store.put(model.entity(**values))
        except InvalidValue:
            return  # such as a text that ends a value in a concatenated key
        key = ItemKey[Any].of(model.entity, ("1",))
        own = stored_item(engine, key)
        assert store.get(key) is not None
        _check(store, model, key, own)
        indexed = {name for one in model.indexes.values() for name in one.dedicated_attributes}
        item: Item = dict(own)
        for name in data.draw(
            st.lists(st.sampled_from([*sorted(indexed), "unknown"]), min_size=1, max_size=2)
        ):
            other = data.draw(OTHERS)
            if other is None:
                item.pop(name, None)
            else:
                item[name] = other
        if "number" in item and data.draw(st.booleans()):
            item["number"] = {"N": f"{item['number']['N']}.0"}
        try:
            engine.execute(PutItem(model.table.name, item))
        except OperationError:
            return  # an index key of another type
        _check(store, model, key, stored_item(engine, key))


def _check(store: Store, model: Model, key: ItemKey[Any], before: Item) -> None:
    """Read and put the item; compare with what was stored before."""
    raw = Raw(item_to_json(before))
    fast, slow = (
        _outcome(lambda: raw_decoder(model)(raw)),
        _outcome(lambda: decode_item(model, item_from_json(raw))),
    )
    assert fast == slow
    try:
        thing = store.get(key)
        assert thing is not None
        store.put(thing)
    except (ItemMismatch, InvalidValue):
        assert stored_item(store.driver, key) == before
        return
    after = stored_item(store.driver, key)
    assert {name: after.get(name) for name in before} == before
    # An item that lacked a key is in the index from now on.
    indexed = {name for one in model.indexes.values() for name in one.dedicated_attributes}
    assert after.keys() - before.keys() <= indexed


def _outcome(decode: Any) -> object:
    try:
        return decode()
    except ItemMismatch as error:
        return str(error)
