"""Backfill: what is written, what is not, and what happens meanwhile."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from dynamodb_engine.operations import GetItem, PutItem, TransactWriteItems, UpdateItem
from dynamodb_engine.testing import InterruptedDriver
from dynamodb_engine.values import Item
from singletable import (
    Attr,
    Count,
    Driver,
    Engine,
    Entity,
    Index,
    Key,
    Store,
    Table,
    Unique,
    attr,
    casefold,
    updated,
    version,
)
from singletable.errors import TransformFailed, VersionConflict
from singletable.migration import AddIndex, Backfill
from singletable.migration.environment import Environment
from tests.migration.in_place import crash_at_every_request, environment, notes_of, stored

before = Table("app")
after = Table("app", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")])


class OldUser(Entity, table=before, type_tag=("type", "user")):
    number: Attr[str] = attr()
    name: Attr[str] = attr()
    city: Attr[str] = attr()
    key = Key(pk=("USER", number), sk="USER")


class User(Entity, table=after, type_tag=("type", "user")):
    """The user of today: in an index by city, with a status."""

    number: Attr[str] = attr()
    name: Attr[str] = attr()
    city: Attr[str] = attr()
    status: Attr[str] = attr(default="active")
    key = Key(pk=("USER", number), sk="USER")
    by_city = Key(pk=("CITY", city), sk=("NAME", name)).on(after.indexes[0])


class Team(Entity, table=after, type_tag=("type", "team")):
    number: Attr[str] = attr()
    size: Attr[int] = attr(default=0)
    label: Attr[str] = attr(default="")
    changed: Attr[datetime] = updated()
    revision: Attr[int] = version()
    key = Key(pk=("TEAM", number), sk="TEAM")


class Member(Entity, table=after, type_tag=("type", "member")):
    team: Attr[str] = attr()
    email: Attr[str] = attr()
    key = Key(pk=("MEMBER", email), sk="MEMBER")
    by_email = Unique(casefold(email))
    members = Count(Team, Team.size, key=(team,))


def fill(driver: Driver, count: int = 10) -> None:
    store = Store(driver)
    store.admin.create_table(before)
    store.put_many([OldUser(number=f"u{n}", name=f"N{n}", city=f"C{n % 3}") for n in range(count)])


def add_index_and_backfill(env: Environment) -> None:
    AddIndex(after, "GSI1").run(env)
    Backfill(User).run(env)


def test_backfill_fills_a_new_index_and_new_attributes(driver: Driver) -> None:
    fill(driver, 20)
    add_index_and_backfill(environment(driver, after, segments=2))
    store = Store(driver)
    assert {user.number for user in store.query(User.by_city("C1"))} == {
        f"u{n}" for n in range(20) if n % 3 == 1
    }
    assert all(item["status"] == {"S": "active"} for item in stored(driver, after))


def test_backfill_writes_only_what_differs(engine: Engine) -> None:
    fill(engine)
    env = environment(engine, after)
    add_index_and_backfill(env)
    assert env.state.counts["Backfill User"] == 10
    driver = InterruptedDriver(engine, (TransactWriteItems, UpdateItem))
    again = environment(driver, after)
    again.state.scans.clear()
    Backfill(User).run(again)
    assert (driver.count, again.state.counts["Backfill User"]) == (0, 0)


def test_backfill_keeps_undeclared_attributes_and_other_items(engine: Engine) -> None:
    fill(engine, 1)
    key: Item = {"PK": {"S": "USER#u0"}, "SK": {"S": "USER"}}
    engine.execute(
        UpdateItem(
            "app",
            key,
            update_expression="SET legacy = :v",
            expression_attribute_values={":v": {"L": [{"N": "1"}]}},
        )
    )
    team = Team(number="t")
    Store(engine).create(team)

    def replace(user: User) -> User:
        return User(number=user.number, name=user.name.upper(), city=user.city)

    env = environment(engine, after)
    AddIndex(after, "GSI1").run(env)
    Backfill(User, replace).run(env)
    item = engine.execute(GetItem("app", key)).item
    assert item is not None
    assert (item["legacy"], item["name"]) == ({"L": [{"N": "1"}]}, {"S": "N0".upper()})
    assert Store(engine).get(Team.key("t")) == team


def test_a_transform_can_be_undone(engine: Engine) -> None:
    fill(engine)
    env = environment(engine, after)
    add_index_and_backfill(env)
    expected = stored(engine, after)

    def upper(user: User) -> None:
        user.city = user.city + "!"

    def lower(user: User) -> None:
        user.city = user.city.removesuffix("!")

    step = Backfill(User, upper, down=lower)
    step.run(env)
    assert len(list(Store(engine).query(User.by_city("C1!")))) == 3
    assert list(Store(engine).query(User.by_city("C1"))) == []
    step.undo(env)
    assert stored(engine, after) == expected
    Backfill(User).undo(env)
    assert "no down" in str(Backfill(User, upper).irreversible)


def test_a_version_counts_up_and_the_time_of_the_update_stays(engine: Engine) -> None:
    store = Store(engine)
    store.admin.create_table(after)
    store.create(Team(number="t"))
    read = store.get(Team.key("t"))
    assert read is not None

    def label(team: Team) -> None:
        team.label = team.number.upper()

    Backfill(Team, label).run(environment(engine, after))
    now = store.get(Team.key("t"))
    assert now is not None
    assert (now.label, now.revision, now.changed) == ("T", read.revision + 1, read.changed)
    with pytest.raises(VersionConflict):
        store.put(read)


def test_a_concurrent_write_is_kept_and_transformed(engine: Engine) -> None:
    fill(engine, 7)
    store = Store(engine)

    def write() -> None:
        names = [item["number"]["S"] for item in stored(engine, before)]
        store.update(OldUser.key(names[0]), OldUser.city.set("new"))
        store.delete(OldUser.key(names[1]))

    def exclaim(user: User) -> None:
        if not user.name.endswith("!"):
            user.name += "!"

    env = environment(
        InterruptedDriver(engine, TransactWriteItems, before=write), after, page_size=None
    )
    AddIndex(after, "GSI1").run(env)
    Backfill(User, exclaim).run(env)
    users = stored(engine, after)
    assert len(users) == 6
    assert all(item["name"]["S"].endswith("!") for item in users)
    assert [user.city for user in store.query(User.by_city("new"))] == ["new"]


def test_an_item_that_gets_another_type_meanwhile_is_left_alone(engine: Engine) -> None:
    fill(engine, 1)
    (user,) = stored(engine, before)
    guest: Item = {**user, "type": {"S": "guest"}}

    def write() -> None:
        engine.execute(PutItem("app", guest))

    driver = InterruptedDriver(engine, TransactWriteItems, before=write)
    add_index_and_backfill(environment(driver, after))
    assert stored(engine, after) == [guest]


def test_unique_values_and_counters_follow_a_transform(engine: Engine) -> None:
    store = Store(engine)
    store.admin.create_table(after)
    store.create(Team(number="a"))
    store.create(Team(number="b"))
    for n in range(5):
        store.create(Member(team="a", email=f"{n}@x.org"))

    def move(member: Member) -> None:
        if member.email != "0@x.org":
            member.team = "b"

    Backfill(Member, move).run(environment(engine, after))
    assert [team.size for id_ in "ab" if (team := store.get(Team.key(id_)))] == [1, 4]
    assert store.find(Member.by_email("3@X.org")) is not None


def test_items_that_fail_are_reported_and_the_run_continues_there(engine: Engine) -> None:
    fill(engine, 12)

    def check(user: User) -> None:
        if user.number in ("u3", "u7"):
            raise ValueError(f"{user.number} is odd")
        user.status = "checked"

    env = environment(engine, after, page_size=None)
    AddIndex(after, "GSI1").run(env)
    with pytest.raises(TransformFailed, match=r"PK=USER#u3 SK=USER: ValueError: u3 is odd") as e:
        Backfill(User, check).run(env)
    assert sorted(str(key["PK"]["S"]) for key, _ in e.value.failures) == ["USER#u3", "USER#u7"]

    def accept(user: User) -> None:
        user.status = "checked"

    Backfill(User, accept).run(environment(engine, after))
    assert {item["status"]["S"] for item in stored(engine, after)} == {"checked"}


def return_text(user: User) -> str:
    return user.name


def return_another(user: User) -> User:
    return User(number="other", name=user.name, city=user.city)


def set_wrong_type(user: User) -> None:
    vars(user)["name"] = 5


@pytest.mark.parametrize(
    ("transform", "reason"),
    [
        (return_text, "must return a User"),
        (return_another, "use Rewrite"),
        (set_wrong_type, "expected"),
    ],
)
def test_a_transform_with_a_wrong_result_changes_nothing(
    engine: Engine, transform: Any, reason: str
) -> None:
    fill(engine, 2)
    expected = stored(engine, before)
    env = environment(engine, after)
    with pytest.raises(TransformFailed, match=reason):
        Backfill(User, transform).run(env)
    assert stored(engine, before) == expected


def test_progress_has_the_number_of_written_items(engine: Engine) -> None:
    fill(engine, 8)
    env = environment(engine, after)
    notes = notes_of(env)
    Backfill(User).run(env)
    assert notes[-1] == "8 written"


def test_a_crash_at_any_request_changes_nothing_in_the_result() -> None:
    assert (
        crash_at_every_request([after], lambda engine: fill(engine, 4), add_index_and_backfill) > 8
    )
