"""Whatever a write accepts and returns is what a read returns: nothing is rounded silently."""

from __future__ import annotations

from datetime import datetime, timedelta
from types import GenericAlias
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from singletable import (
    Attr,
    Compressed,
    Encrypted,
    Entity,
    Index,
    Key,
    ModelEntity,
    Table,
    TimeFormat,
    attr,
    created,
    expires,
    updated,
)
from tests.schema.codec.strategies import TYPES, datetimes
from tests.store.stores import open_store

SECRET = Encrypted(key=lambda _: bytes(32), key_id="1")
by_time = Index("by_time", pk="GSI1PK", sk="GSI1SK")
table = Table("values", indexes=[by_time], ttl="ends")


def entity_with_every_type(name: str, *codecs: Any) -> Any:
    """Declare an entity with a field of every supported type, stored in one way."""
    kinds = {
        one: Annotated[(kind, *codecs)] if codecs else kind for one, (kind, _) in TYPES.items()
    }
    body = {
        "__module__": __name__,
        "__annotations__": {
            one: GenericAlias(Attr, kind) for one, kind in {"id": str, **kinds}.items()
        },
        **{one: attr() for one in kinds},
        "id": (id_ := attr()),
        "key": Key(pk=(name.upper(), id_), sk="VALUES"),
    }
    return type(name, (Entity,), body, table=table)


ENTITIES = [
    entity_with_every_type("Plain"),
    entity_with_every_type("Secret", Compressed(), SECRET),
]


@pytest.mark.parametrize("entity", ENTITIES)
@settings(max_examples=settings().max_examples // 4)
@given(data=st.data())
def test_written_value_equals_the_value_that_is_read(entity: Any, data: st.DataObject) -> None:
    store, key = open_store(table), entity.key("1")
    one, two = ({name: data.draw(values) for name, (_, values) in TYPES.items()} for _ in range(2))
    assert store.create(entity(id="1", **one)) == store.get(key) == entity(id="1", **one)
    assert store.put(entity(id="1", **two)) == store.get(key) == entity(id="1", **two)
    edits = [getattr(entity, name).set(value) for name, value in one.items()]
    assert store.update(key, *edits) == store.get(key) == entity(id="1", **one)


class Session(Entity, table=table):
    name: Attr[str] = attr()
    made: Attr[datetime] = created(time_format=TimeFormat.SECONDS)
    seen: Attr[datetime] = updated(time_format=TimeFormat.EPOCH_MILLISECONDS)
    ends: Attr[datetime] = expires()

    key = Key(pk=("SESSION", name), sk="SESSION")
    by_end = Key(pk="SESSIONS", sk=(ends, name)).on(by_time)


class Ticket(BaseModel):
    name: str
    ends: datetime


class Tickets(ModelEntity[Ticket], table=table):
    name: Attr[str] = attr()
    ends: Attr[datetime] = expires()

    key = Key(pk=("TICKET", name), sk="TICKET")


# `now + timedelta(…)` has microseconds, and TTL has whole seconds: the store sets the field to what
# is stored, as it sets the version and the times of writes.
@pytest.mark.parametrize("kind", [Session, Ticket])
@given(now=datetimes().filter(lambda time: 1970 < time.year < 5000))
def test_times_that_the_store_sets_equal_those_read_back(kind: Any, now: datetime) -> None:
    store, later = open_store(table, clock=lambda: now), now + timedelta(hours=1)
    root: Any = Session if kind is Session else Tickets
    key = root.key("1")
    item = kind(name="1", ends=later)
    assert store.create(item) == store.get(key)
    assert timedelta(0) <= later - item.ends < timedelta(seconds=1)
    item.ends = later + timedelta(hours=1)
    assert store.put(item) == store.get(key)
    assert store.update(key, root.ends.set(later)) == store.get(key)
    item = store.modify(key, lambda one: setattr(one, "ends", later + timedelta(hours=1)))
    assert item == store.get(key)
    assert store.upsert(key, root.ends.set(later)) == store.get(key)
    item.ends = later
    with store.transaction() as tx:
        tx.put(item)
    assert item == store.get(key)
    other = kind(name="2", ends=later)
    store.bulk_load([other])
    assert other == store.get(root.key("2"))
    third = kind(name="3", ends=later)
    store.put_many([third])
    assert third == store.get(root.key("3"))
