"""Patches: `Entity.edits`, `evolve`, updates without edits, and `current_as`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import pytest
from msgspec import UNSET, Struct, UnsetType
from pydantic import BaseModel

from dynamodb_engine.operations import PutItem
from dynamodb_engine.values import Item
from singletable import errors
from singletable.schema import evolve, key_of
from singletable.store import Store
from singletable.testing import StoreClock
from tests.store.issue_entities import ONE, Issue, Note, Notes, Place, Project, tracker
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, expect_error


class PatchModel(BaseModel):
    title: str | None = None
    state: str = "open"


class PatchStruct(Struct):
    title: str | UnsetType = UNSET
    place: Place | UnsetType | None = UNSET


@dataclass
class PatchData:
    title: str
    state: str = "closed"


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(tracker)
    empty.create(Project(name="web"))
    empty.create(Project(name="app"))
    empty.create(Issue(project="web", number=1, title="old", place=Place("Bern", 3)))
    return empty


@pytest.mark.parametrize(
    ("patch", "title", "state", "place"),
    [
        ({"title": "new", "state": "done"}, "new", "done", Place("Bern", 3)),
        ({"place": None}, "old", "open", None),
        ({"place": Place("Rome")}, "old", "open", Place("Rome", 0)),
        ({}, "old", "open", Place("Bern", 3)),
        (PatchModel(title="new"), "new", "open", Place("Bern", 3)),
        (PatchModel(state="done"), "old", "done", Place("Bern", 3)),
        (PatchModel(), "old", "open", Place("Bern", 3)),
        (PatchStruct(place=None), "old", "open", None),
        (PatchStruct(), "old", "open", Place("Bern", 3)),
        (PatchData("new"), "new", "closed", Place("Bern", 3)),
    ],
)
def test_edits_of_a_patch(
    store: Store, patch: object, title: str, state: str, place: Place | None
) -> None:
    found = store.update(ONE, *Issue.edits(patch))
    assert (found.title, found.state, found.place) == (title, state, place)
    assert found == store.get(ONE)
    assert [one.number for one in store.query(Issue.of_state("web", state))] == [1]


def test_edits_can_include_defaults(store: Store) -> None:
    store.update(ONE, Issue.state.set("done"))
    patch = PatchModel(title="new")
    assert store.update(ONE, *Issue.edits(patch, unset="include")).state == "open"


REJECTED: dict[str, tuple[object, str]] = {
    "unknown": ({"tilte": "x"}, r"tilte: there is no such field. Fields: project, number, title"),
    "key": ({"number": 2}, "primary key"),
    "version": ({"version": 9}, "set by the store"),
    "created": ({"made": None}, "set by the store"),
    "updated": ({"changed": None}, "set by the store"),
    "read-only": ({"owner": "eve"}, "read-only"),
    "hidden": ({"secret": "x"}, "hidden"),
    "None": ({"title": None}, "not optional"),
    "model None": (PatchModel(title=None), "not optional"),
    "type": ({"title": 3}, "title: expected"),
    "check": ({"title": "x" * 30}, "x"),
    "nested dict": ({"place": {"town": "Bern"}}, "place"),
    "no patch": ("title=x", "expected a dict"),
    "class": (PatchData, "expected a dict"),
    "list": ([("title", "x")], "expected a dict"),
}


@pytest.mark.parametrize("name", REJECTED)
def test_edits_reject(name: str) -> None:
    patch, message = REJECTED[name]
    with pytest.raises(errors.InvalidValue, match=message):
        Issue.edits(patch)


def test_update_with_a_list_of_edits_says_how_to_pass_them(store: Store) -> None:
    with pytest.raises(errors.InvalidValue, match=r"\*Issue.edits"):
        store.update(ONE, Issue.edits({"title": "new"}))  # type: ignore[arg-type]


# The path is the `field` of an error response.
def test_errors_of_a_patch_name_the_field() -> None:
    patches = ({"tilte": "x"}, {"number": 2}, {"title": None}, {"title": 3}, {"title": "x" * 30})
    paths: list[str] = []
    for patch in patches:
        with pytest.raises(errors.InvalidValue) as caught:
            Issue.edits(patch)
        paths.append(caught.value.path)
    assert paths == ["Issue.tilte", "Issue.number", "Issue.title", "Issue.title", "Issue.title"]


def test_edits_reject_counters_and_invalid_options() -> None:
    with pytest.raises(errors.InvalidValue, match="numbers other items"):
        Project.edits({"issues": 999})
    with pytest.raises(errors.InvalidValue, match="'skip' or 'include'"):
        Issue.edits({}, unset="none")  # type: ignore[arg-type]


def test_edits_of_pydantic_entities(store: Store) -> None:
    store.create(Note(number=1, text="a", tag="x"))
    assert store.update(Notes.key(1), *Notes.edits({"text": "b", "tag": None})) == Note(
        number=1, text="b"
    )
    with pytest.raises(errors.InvalidValue, match="primary key"):
        Notes.edits({"number": 2})
    with pytest.raises(errors.InvalidValue, match="at most 20"):
        Notes.edits({"text": "x" * 30})


# An empty PATCH is valid: it returns the item, and touches nothing.
def test_update_without_edits_returns_the_item_unchanged(store: Store, clock: StoreClock) -> None:
    before = store.get(ONE)
    clock.advance(minutes=1)
    assert store.update(ONE) == before
    assert store.update(ONE, returning="old") == before
    assert store.get(ONE) == before
    with pytest.raises(errors.ConditionFailed):
        store.update(ONE, if_=Issue.state == "closed")
    with pytest.raises(errors.NotFound):
        store.update(Issue.key("web", 2))
    assert store.get(Issue.key("web", 2)) is None
    with store.transaction() as tx:
        tx.update(ONE)
        tx.update(Project.key("app"), Project.issues.add(0))
    with expect_error(errors.NotFound), store.transaction() as tx:
        tx.update(Issue.key("web", 2))
        tx.delete(ONE)
    assert store.get(ONE) == before


def test_evolve_keeps_other_fields(store: Store, opener: StoreOpener) -> None:
    stored: Item = {**ONE.key, "number": {"N": "1"}, "project": {"S": "web"}, "title": {"S": "old"}}
    stored |= {"version": {"N": "4"}, "made": {"S": "2026-01-01T00:00:00Z"}, "extra": {"S": "x"}}
    stored |= {"changed": {"S": "2026-01-01T00:00:00Z"}}
    opener.driver.execute(PutItem("tracker", stored))
    old = existing(store.get(ONE))
    new = evolve(old, title="new")
    assert (old.title, new.title, new.version, new.made) == ("old", "new", 4, old.made)
    assert type(new) is Issue
    store.replace(new)
    found = existing(
        opener.driver.execute(PutItem("tracker", stored, return_values="ALL_OLD")).attributes
    )
    values = (found["extra"], found["version"], found["title"]["S"])
    assert values == ({"S": "x"}, {"N": "5"}, "new")


def test_move_an_item(store: Store) -> None:
    old = existing(store.get(ONE))
    moved = evolve(old, project="app", number=5)
    with store.transaction() as tx:
        tx.create(moved)
        tx.delete(key_of(old), if_=Issue.version == old.version)
    found = existing(store.get(Issue.key("app", 5)))
    assert found == moved
    assert (found.made, found.place) == (old.made, Place("Bern", 3))
    assert store.get(ONE) is None
    projects = store.get_many([Project.key("web"), Project.key("app")])
    assert [one and one.issues for one in projects] == [0, 1]


EVOLVED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown": ({"tilte": "x"}, "tilte: there is no such field"),
    "type": ({"title": 3}, "Issue.title"),
    "None": ({"title": None}, "Issue.title"),
    "check": ({"title": "x" * 30}, "Issue.title"),
    "key": ({"project": ""}, "must not be empty"),
    "version": ({"version": 3}, "set by the store"),
}


@pytest.mark.parametrize("name", EVOLVED)
def test_evolve_rejects(name: str) -> None:
    changes, message = EVOLVED[name]
    issue = Issue(project="web", number=1, title="a")
    with pytest.raises(errors.InvalidValue, match=message):
        evolve(issue, **changes)
    assert issue == Issue(project="web", number=1, title="a")


def test_evolve_of_pydantic_models(store: Store, opener: StoreOpener) -> None:
    stored: Item = {**Notes.key(1).key, "number": {"N": "1"}, "text": {"S": "a"}}
    stored |= {"extra": {"S": "x"}}
    opener.driver.execute(PutItem("tracker", stored))
    old = existing(store.get(Notes.key(1)))
    old._seen = True
    new = evolve(old, text="b")
    assert (old.text, new.text, new._seen) == ("a", "b", True)
    store.put(new)
    put = PutItem("tracker", stored, return_values="ALL_OLD")
    assert (opener.driver.execute(put).attributes or {})["extra"] == {"S": "x"}
    with pytest.raises(errors.InvalidValue, match="at most 20"):
        evolve(old, text="x" * 30)
    with pytest.raises(errors.InvalidValue, match="no such field"):
        evolve(old, txt="x")
    with pytest.raises(errors.InvalidValue, match="the class Issue"):
        evolve(Issue, title="x")


def test_current_as_is_typed(store: Store) -> None:
    with pytest.raises(errors.AlreadyExists) as exists:
        store.create(Issue(project="web", number=1, title="again"))
    current = existing(exists.value.current_as(Issue))
    assert current.title == "old"
    with pytest.raises(errors.InvalidValue, match="the item is an instance of Issue"):
        exists.value.current_as(Project)
    with pytest.raises(errors.InvalidValue, match="expected an entity class, but got 'Issue'"):
        exists.value.current_as(cast("type[Issue]", "Issue"))
    stale = evolve(current, title="stale")
    store.update(ONE, Issue.title.set("newer"))
    with pytest.raises(errors.VersionConflict) as conflict:
        store.replace(stale)
    assert existing(conflict.value.current_as(Issue)).title == "newer"
    with pytest.raises(errors.NotFound) as missing:
        store.update(Issue.key("web", 9), Issue.title.set("x"))
    assert missing.value.current_as(Issue) is None


def test_current_as_of_a_model_expects_the_model(store: Store) -> None:
    store.create(Note(number=1, text="a"))
    with pytest.raises(errors.AlreadyExists) as exists:
        store.create(Note(number=1, text="b"))
    assert existing(exists.value.current_as(Note)).text == "a"
    with pytest.raises(errors.InvalidValue, match=r"Write current_as\(Note\)"):
        exists.value.current_as(Notes)
