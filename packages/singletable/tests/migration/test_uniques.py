"""AddUnique: violations are found before anything is written, then every item has its marker."""

from __future__ import annotations

import pytest

from dynamodb_engine.operations import PutItem, Scan, TransactWriteItems
from dynamodb_engine.testing import InterruptedDriver
from dynamodb_engine.values import Item
from singletable import Attr, Driver, Engine, Entity, Key, Store, Table, Unique, attr, casefold
from singletable.errors import AlreadyExists, TransformFailed
from singletable.migration import AddUnique
from tests.migration.in_place import crash_at_every_request, environment, stored

app = Table("app")
STEP_TAG = ("type", "user")


class OldUser(Entity, table=Table("app"), type_tag=STEP_TAG):
    """The user before the constraint."""

    name: Attr[str] = attr()
    email: Attr[str | None] = attr(default=None)
    key = Key(pk=("USER", name), sk="USER")


class User(Entity, table=app, type_tag=STEP_TAG):
    name: Attr[str] = attr()
    email: Attr[str | None] = attr(default=None)
    key = Key(pk=("USER", name), sk="USER")
    by_email = Unique(casefold(email), include={"name": name})


STEP = AddUnique(User, "by_email")


def fill(driver: Driver, count: int = 7) -> None:
    store = Store(driver)
    store.admin.create_table(app)
    store.put_many([OldUser(name=f"u{n}", email=f"U{n}@x.org") for n in range(count)])
    store.put(OldUser(name="none"))


def test_every_item_with_a_value_gets_its_marker(driver: Driver) -> None:
    fill(driver)
    store = Store(driver)
    store.create(User(name="new", email="new@x.org"))
    env = environment(driver, app, segments=2)
    STEP.run(env)
    assert env.state.counts["AddUnique User.by_email"] == 7
    user = store.find(User.by_email("u3@X.ORG"))
    assert user is not None
    assert user.name == "u3"
    with pytest.raises(AlreadyExists):
        store.create(User(name="other", email="u0@x.org"))
    expected = stored(driver, app)
    STEP.run(env)
    assert env.state.counts["AddUnique User.by_email"] == 0
    assert stored(driver, app) == expected


def test_all_violations_are_listed_and_nothing_is_written(engine: Engine) -> None:
    fill(engine, 9)
    store = Store(engine)
    for name, email in (("a", "u1@X.org"), ("b", "u1@x.ORG"), ("c", "u2@x.org")):
        store.put(OldUser(name=name, email=email))
    store.create(User(name="first", email="taken@x.org"))
    store.put(OldUser(name="d", email="Taken@x.org"))
    expected = stored(engine, app)
    with pytest.raises(TransformFailed) as failed:
        STEP.run(environment(engine, app, segments=2))
    text = str(failed.value)
    assert "3 values have several owners" in text
    assert (
        "'U1@x.org' = 'u1@X.org' = 'u1@x.ORG': PK=USER#a SK=USER; PK=USER#b SK=USER; "
        "PK=USER#u1 SK=USER"
    ) in text
    assert "'U2@x.org' = 'u2@x.org': PK=USER#c SK=USER; PK=USER#u2 SK=USER" in text
    assert "'Taken@x.org' = 'taken@x.org': PK=USER#d SK=USER; PK=USER#first SK=USER" in text
    assert len(failed.value.failures) == 7
    assert stored(engine, app) == expected


def test_a_corrected_violation_can_be_run_again(engine: Engine) -> None:
    fill(engine)
    store = Store(engine)
    store.put(OldUser(name="a", email="u1@x.org"))
    env = environment(engine, app)
    with pytest.raises(TransformFailed):
        STEP.run(env)
    store.delete(OldUser.key("a"))
    STEP.run(environment(engine, app))
    assert store.find(User.by_email("u1@x.org")) is not None


def test_the_marker_of_an_item_without_the_value_is_a_violation(engine: Engine) -> None:
    fill(engine)
    store = Store(engine)
    store.create(User(name="b", email="u1@x.org"))
    # An old program takes the value away and leaves the marker.
    store.put(OldUser(name="b", email="b@x.org"))
    with pytest.raises(TransformFailed, match=r"'U1@x\.org': PK=USER#b SK=USER; PK=USER#u1"):
        STEP.run(environment(engine, app))


def test_concurrent_changes_get_the_markers_of_their_new_values(engine: Engine) -> None:
    fill(engine, 6)
    store = Store(engine)

    def write() -> None:
        # By the old program, which writes no markers.
        store.put(OldUser(name="u0", email="changed@x.org"))
        store.delete(OldUser.key("u1"))
        # By the new one.
        store.put(User(name="u2", email="two@x.org"))

    env = environment(
        InterruptedDriver(engine, TransactWriteItems, before=write), app, page_size=None
    )
    STEP.run(env)
    owners = {
        email: None if user is None else user.name
        for email in ("changed@x.org", "u0@x.org", "u1@x.org", "two@x.org", "u2@x.org", "u3@x.org")
        for user in [store.find(User.by_email(email))]
    }
    assert owners == {
        "changed@x.org": "u0",
        "u0@x.org": None,
        "u1@x.org": None,
        "two@x.org": "u2",
        "u2@x.org": None,
        "u3@x.org": "u3",
    }
    items = stored(engine, app)
    assert sum("owner_PK" in item for item in items) == 5


def test_a_concurrent_violation_is_reported(engine: Engine) -> None:
    fill(engine, 4)
    store = Store(engine)

    def write() -> None:
        store.create(User(name="fast", email="u2@x.org"))

    with pytest.raises(TransformFailed, match=r"USER#u2.*USER#fast SK=USER has got the same"):
        STEP.run(
            environment(
                InterruptedDriver(engine, TransactWriteItems, before=write), app, page_size=None
            ),
        )
    with pytest.raises(TransformFailed, match=r"USER#u2"):
        STEP.run(environment(engine, app))
    store.delete(User.key("fast"))
    STEP.run(environment(engine, app))
    assert store.find(User.by_email("u2@x.org")) == User(name="u2", email="U2@x.org")


def test_undoing_deletes_the_markers(engine: Engine) -> None:
    fill(engine)
    expected = stored(engine, app)
    env = environment(engine, app)
    STEP.run(env)
    assert stored(engine, app) != expected
    STEP.undo(env)
    assert stored(engine, app) == expected


def test_an_item_that_cannot_be_read_is_reported(engine: Engine) -> None:
    fill(engine)
    key: Item = {"PK": {"S": "USER#bad"}, "SK": {"S": "USER"}, "type": {"S": "user"}}
    engine.execute(PutItem("app", {**key, "name": {"S": "bad"}, "email": {"N": "5"}}))
    with pytest.raises(TransformFailed, match=r"PK=USER#bad SK=USER: .*email"):
        STEP.run(environment(engine, app))
    assert not any("owner_PK" in item for item in engine.execute(Scan("app")).items)


def test_a_crash_at_any_request_changes_nothing_in_the_result() -> None:
    crashes = crash_at_every_request(
        [app], lambda engine: fill(engine, 3), lambda env: STEP.run(env)
    )
    assert crashes > 8
