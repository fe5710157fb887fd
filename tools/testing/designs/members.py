"""An entity with unique values, and a check of its markers."""

from __future__ import annotations

from dynamodb_engine.operations import Driver, Scan
from dynamodb_engine.values import Item
from singletable.schema import Attr, Entity, Key, Table, Unique, attr, casefold, model_of

members = Table("members")


class Member(Entity, table=members):
    name: Attr[str] = attr()
    email: Attr[str | None] = attr(default=None)
    handle: Attr[str | None] = attr(default=None)
    town: Attr[str | None] = attr(default=None)
    key = Key(pk=("MEMBER", name), sk="MEMBER")
    one_email = Unique(
        casefold(email),
        pk=("EMAIL", casefold(email)),
        sk="EMAIL",
        include={"type": "marker", "town": town},
    )
    one_handle = Unique(handle)


def check_markers(driver: Driver) -> None:
    """Check that each value has one marker that names its owner, and that no other is left."""
    model = model_of(Member)
    items = driver.execute(Scan("members", consistent_read=True)).items
    owners = [item for item in items if item["SK"] == {"S": "MEMBER"}]
    wanted: dict[str, Item] = {}
    for item in owners:
        member = model.instance(item).__dict__
        for marker in model.uniques.values():
            key = marker.key(member)
            if key is not None:
                assert str(key) not in wanted, f"two share {key}"
                owner = {name: item[name] for name in ("PK", "SK")}
                wanted[str(key)] = marker.item(key, owner, item)
    for item in items:
        if item in owners:
            continue
        place = str({name: item[name] for name in ("PK", "SK")})
        assert wanted.pop(place, None) == item
    assert not wanted, "a value without its marker"
