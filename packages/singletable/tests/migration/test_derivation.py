"""Rules as a pure function: units, targets, failures, and carrying changes over."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from dynamodb_engine.values import Item
from singletable import Table
from singletable.errors import TransformFailed
from singletable.migration import each, leave_out, unchanged
from singletable.migration.derivation import Derivation
from singletable.store.context import create_context
from tests.designs.site import Likes, Name, OldLike, OldUser, User, entities, likes, users
from tests.migration.site import Site, memory_site

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def site() -> Iterator[Site]:
    yield from memory_site()


def carry_over(site: Site, table: Table, item: Item) -> None:
    derivation = site.derivation()
    unit = derivation.unit_of(table, item)
    assert unit is not None
    site.env.run(derivation.carry_over({unit: [] if len(item) == 1 else [[item]]}))


def test_an_item_is_split_with_its_markers_and_stamps(site: Site) -> None:
    site.store.put(OldUser(username="ada", name="Ada", email="a@x.org"))
    carry_over(site, users, {"username": {"S": "ada"}})
    user = site.store.find(User.by_email("a@x.org"))
    assert user is not None
    assert (user.username, user.since, user.revision) == ("ada", site.env.context.clock(), 1)
    assert site.store.get(Name.key("ada")) == Name(username="ada", name="Ada")


def test_a_group_is_merged_from_all_its_items(site: Site) -> None:
    for visitor in ("v1", "v2", "v3"):
        site.store.put(OldLike(post="p", visitor=visitor))
    carry_over(site, likes, {"post": {"S": "p"}, "visitor": {"S": "v2"}})
    assert site.store.get(Likes.key("p")) == Likes(post="p", visitors=["v1", "v2", "v3"])


def test_targets_of_a_deleted_item_are_deleted(site: Site) -> None:
    old = OldUser(username="ada", name="Ada", email="a@x.org")
    site.store.put(old)
    carry_over(site, users, {"username": {"S": "ada"}})
    site.store.delete(OldUser.key("ada"))
    stored: Item = {"username": {"S": "ada"}, "name": {"S": "Ada"}, "email": {"S": "a@x.org"}}
    carry_over(site, users, stored)
    assert site.store.admin.items(entities, 10).items == []


def test_a_failing_function_is_reported_with_the_key(site: Site) -> None:
    site.store.put(OldUser(username="bob", name="Bob"))
    with pytest.raises(TransformFailed, match=r"username=bob: ValueError: has no e-mail") as failed:
        carry_over(site, users, {"username": {"S": "bob"}})
    assert failed.value.failures[0][0] == {"username": {"S": "bob"}}


def test_an_item_without_a_rule_is_reported() -> None:
    context = create_context({})
    derivation = Derivation([each(User, lambda user: None)], users, context, MOMENT)
    with pytest.raises(TransformFailed, match="no rule takes this item"):
        derivation.unit_of(entities, {"PK": {"S": "X"}, "SK": {"S": "Y"}})


def test_left_out_and_unchanged_items() -> None:
    context = create_context({})
    derivation = Derivation([leave_out(User), unchanged(entities)], users, context, MOMENT)
    profile: Item = {"PK": {"S": "USER#ada"}, "SK": {"S": "PROFILE"}}
    assert derivation.unit_of(entities, profile) is None
    assert derivation.unit_of(entities, {"PK": {"S": "X"}, "SK": {"S": "Y"}}) is not None


def test_failing_items_are_skipped_and_recorded_if_wanted(site: Site) -> None:
    context = create_context({})
    derivation = Derivation(site.copy.rules, entities, context, MOMENT, skip_failures=True)
    bob: Item = {"username": {"S": "bob"}, "name": {"S": "Bob"}}
    unit = derivation.unit_of(users, bob)
    assert unit is not None
    assert derivation.targets(unit, [bob]) == {}
    assert derivation.skipped == {"username=bob": "ValueError: has no e-mail address"}
    strange: Item = {"username": {"S": "eve"}, "name": {"N": "7"}}
    assert derivation.targets(unit, [strange]) == {}
