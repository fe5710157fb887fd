"""An update and a migration take the ways that ARCHITECTURE.md describes."""

from __future__ import annotations

from singletable import Attr, Engine, Entity, Key, PutItem, Store, Table, attr
from singletable.migration import Backfill, Migration, MigrationRunner
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


def test_migration_takes_the_described_way() -> None:
    engine = Engine.in_memory()
    Store(engine).admin.create_table(users)
    item = {"PK": "USER#ada@example.com", "SK": "PROFILE", "email": "ada@example.com"}
    engine.execute(PutItem("users", {name: {"S": value} for name, value in item.items()}))
    with traced() as trace:
        MigrationRunner(Migration(Backfill(User), name="0001_users"), engine).run()
    assert missing_stops("A migration", trace) == []
