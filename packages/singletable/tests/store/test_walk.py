"""An update takes the way that ARCHITECTURE.md describes."""

from __future__ import annotations

from singletable import Attr, Engine, Entity, Key, Store, Table, attr
from tools.testing.walks import missing_stops, traced

users = Table("users")


class User(Entity, table=users):
    email: Attr[str] = attr()
    walked: Attr[str] = attr(default="")  # no other test has parsed an expression with it
    key = Key(pk=("USER", email), sk="PROFILE")


def test_update_takes_the_described_way() -> None:
    store = Store(Engine.in_memory())
    store.admin.create_table(users)
    store.create(User(email="ada@example.com", walked="no"))
    with traced() as trace:
        store.update(User.key("ada@example.com"), User.walked.set("yes"))
    assert missing_stops("store.update", trace) == []
