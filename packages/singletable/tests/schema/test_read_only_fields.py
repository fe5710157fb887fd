"""What a client may not set or see: counters, read-only fields and hidden fields in bodies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import BaseModel, TypeAdapter

from singletable import connect
from singletable.errors import DeclarationError
from singletable.schema import Attr, Count, Entity, Key, ModelEntity, Table, attr, sequence
from singletable.store import Store
from tests.store.stores import existing, open_store

tracker = Table("tracker")


@dataclass
class Totals:
    comments: int
    watchers: int = 0
    label: str = "all"


@dataclass
class Board:
    columns: dict[str, Totals] = field(default_factory=dict[str, Totals])


class Project(Entity, table=tracker):
    name: Attr[str] = attr()
    issues: Attr[int] = attr(default=0)
    closed: Attr[int] = attr()
    totals: Attr[Totals | None] = attr(default=None)
    by_label: Attr[dict[str, int]] = attr(factory=dict[str, int])
    board: Attr[Board] = attr(factory=Board)
    slots: Attr[list[int]] = attr(factory=list[int])
    plan: Attr[str] = attr(default="free", read_only=True)
    token: Attr[str] = attr(default="s3cret", hidden=True)
    key = Key(pk=("PROJECT", name), sk="PROJECT")


# The routes and the validators exist before the entities that count.
adapter: TypeAdapter[Project] = TypeAdapter(Project)
app = FastAPI()
store = Store(connect("memory:"))


@app.post("/projects")
def create_project(project: Project) -> Project:
    return store.create(project)


@app.post("/many")
def create_projects(projects: list[Project]) -> list[Project]:
    return [store.create(project) for project in projects]


class Issue(Entity, table=tracker):
    project: Attr[str] = attr()
    number: Attr[int] = attr()
    key = Key(pk=("PROJECT", project), sk=("ISSUE", number))
    counted = Count(Project, Project.issues, key=(project,))
    counted_closed = Count(Project, Project.closed, key=(project,))
    in_totals = Count(Project, Project.totals.nested(lambda one: one.comments), key=(project,))
    in_label = Count(Project, Project.by_label["bug"], key=(project,))
    in_board = Count(
        Project, Project.board.nested(lambda one: one.columns["new"].comments), key=(project,)
    )
    in_slots = Count(Project, Project.slots[1], key=(project,))


FORGED: dict[str, object] = {
    "name": "web",
    "issues": 999,
    "closed": 999,
    "totals": {"comments": 999, "label": "mine"},
    "by_label": {"bug": 999, "chore": 3},
    "board": {"columns": {"new": {"comments": 999, "watchers": 2}, "old": {"comments": 5}}},
    "slots": [7, 999, 9],
    "plan": "enterprise",
    "token": "forged",
}
STORED = {
    "name": "web",
    "issues": 0,
    "closed": 0,
    "totals": {"comments": 0, "watchers": 0, "label": "mine"},
    "by_label": {"chore": 3},
    "board": {
        "columns": {
            "new": {"comments": 0, "watchers": 2, "label": "all"},
            "old": {"comments": 5, "watchers": 0, "label": "all"},
        }
    },
    "slots": [7, 0, 9],
    "plan": "free",
}


@pytest.fixture
def client() -> TestClient:
    global store
    store = open_store(tracker)
    return TestClient(app)


def test_body_sets_no_counter_and_no_read_only_or_hidden_field(client: TestClient) -> None:
    answer = client.post("/projects", json=FORGED)
    assert answer.status_code == 200
    assert answer.json() == STORED
    project = existing(store.get(Project.key("web")))
    assert (project.issues, project.plan, project.token) == (0, "free", "s3cret")


def test_body_may_leave_out_a_counter_without_default(client: TestClient) -> None:
    assert client.post("/projects", json={"name": "web"}).json()["closed"] == 0
    totals = {"name": "app", "totals": {"label": "x"}}
    assert client.post("/projects", json=totals).json()["totals"]["comments"] == 0


# A client may send back what it received.
@pytest.mark.parametrize("sent", [0, None, "many", [1]])
def test_counter_in_a_body_is_ignored(client: TestClient, sent: object) -> None:
    answer = client.post("/many", json=[{"name": "web", "issues": sent, "plan": sent}])
    assert answer.json()[0]["issues"] == 0
    assert adapter.validate_json('{"name": "web", "issues": 999}').issues == 0
    assert adapter.validate_python({"name": "web", "issues": 999}).issues == 0


@pytest.mark.parametrize("totals", [None, 3, []])
def test_parent_of_a_nested_counter_is_validated(client: TestClient, totals: object) -> None:
    answer = client.post("/projects", json={"name": "web", "totals": totals})
    assert answer.status_code == (200 if totals is None else 422)


def test_body_that_is_not_an_object_is_rejected(client: TestClient) -> None:
    assert client.post("/projects", json=[1]).status_code == 422


def test_put_keeps_the_counter_that_the_body_does_not_have(client: TestClient) -> None:
    client.post("/projects", json=FORGED)
    store.create(Issue(project="web", number=1))
    sent_back = adapter.dump_python(store.put(adapter.validate_python({**FORGED, "by_label": {}})))
    assert (sent_back["issues"], sent_back["by_label"]) == (1, {"bug": 1})


def test_openapi_has_read_only_and_no_hidden_fields(client: TestClient) -> None:
    schemas = client.get("/openapi.json").json()["components"]["schemas"]
    taken, returned = schemas["Project-Input"], schemas["Project-Output"]
    names = ["name", "totals", "by_label", "board", "slots"]
    assert list(taken["properties"]) == names
    assert taken["required"] == ["name"]
    assert sorted(returned["properties"]) == sorted([*names, "issues", "closed", "plan"])
    for name in ("issues", "closed", "plan"):
        assert returned["properties"][name]["readOnly"] is True
    assert "readOnly" not in returned["properties"]["name"]
    for schema in (taken, returned):
        properties: dict[str, Any] = schema["properties"]
        assert properties["totals"]["properties"] == {"comments": {"readOnly": True}}
        assert properties["by_label"]["properties"] == {
            "bug": {"type": "integer", "readOnly": True}
        }
        columns = properties["board"]["properties"]["columns"]["properties"]
        assert columns["new"]["properties"] == {"comments": {"readOnly": True}}
    # The type of the totals has a place elsewhere, where its numbers are ordinary ones.
    assert "readOnly" not in str(schemas["Totals"])


def test_hidden_field_is_in_no_dump_and_not_in_the_repr() -> None:
    project = Project(name="web", closed=0)
    assert "token" not in adapter.dump_python(project)
    assert b"s3cret" not in adapter.dump_json(project)
    assert "s3cret" not in repr(project)
    assert project.token == "s3cret"


# An import or a restored backup knows how many there are; only clients of an API do not.
def test_constructor_and_create_accept_an_initial_count(client: TestClient) -> None:
    store.create(Project(name="old", closed=4, issues=7, plan="paid", token="t"))
    project = existing(store.get(Project.key("old")))
    assert (project.issues, project.closed, project.plan, project.token) == (7, 4, "paid", "t")


class Account(Entity, table=Table("accounts")):
    name: Attr[str] = attr()
    password: Attr[str] = attr(hidden=True)
    key = Key(pk=("ACCOUNT", name), sk="ACCOUNT")


def test_hidden_field_without_a_default_is_for_responses_only() -> None:
    accounts: TypeAdapter[Account] = TypeAdapter(Account)
    assert accounts.dump_python(Account(name="ada", password="x")) == {"name": "ada"}
    with pytest.raises(DeclarationError, match="is hidden, so a request body"):
        accounts.validate_python({"name": "ada", "password": "x"})


class Person(BaseModel):
    name: str
    role: str = "reader"


@pytest.mark.parametrize("role", [attr(read_only=True), attr(hidden=True)])
def test_model_entity_leaves_both_to_pydantic(role: Any) -> None:
    declared = role
    with pytest.raises(DeclarationError, match="=True has no effect"):

        class People(ModelEntity[Person], table=Table("people")):  # pyright: ignore[reportUnusedClass]
            name: Attr[str] = attr()
            role: Attr[str] = declared
            key = Key(pk=("PERSON", name), sk="PERSON")


class Audited(Entity):
    by: Attr[str] = attr(default="system", read_only=True)
    note: Attr[str] = attr(default="", hidden=True)


class Entry(Audited, table=Table("entries")):
    name: Attr[str] = attr()
    key = Key(pk=("ENTRY", name), sk="ENTRY")


def test_inherited_fields_stay_read_only_and_hidden() -> None:
    entries: TypeAdapter[Entry] = TypeAdapter(Entry)
    entry = entries.validate_python({"name": "x", "by": "me", "note": "mine"})
    assert (entry.by, entry.note) == ("system", "")
    assert entries.dump_python(entry) == {"by": "system", "name": "x"}


class Ticket(Entity, table=tracker):
    project: Attr[str] = attr()
    number: Attr[int] = sequence(Project.closed, key=(project,))
    key = Key(pk=("PROJECT", project), sk=("TICKET", number))


numbered: TypeAdapter[Ticket] = TypeAdapter(Ticket)


def test_body_sets_neither_the_number_of_a_sequence_nor_the_last_one(client: TestClient) -> None:
    client.post("/projects", json=FORGED)
    ticket = numbered.validate_json('{"project": "web", "number": 999}')
    assert numbered.dump_python(ticket) == {"project": "web"}
    assert numbered.dump_python(store.create(ticket)) == {"project": "web", "number": 1}
    assert list(numbered.json_schema()["properties"]) == ["project"]
    output = numbered.json_schema(mode="serialization")["properties"]
    assert output["number"]["readOnly"] is True


class Sprint(Entity, table=tracker):
    name: Attr[str] = attr()
    last_task: Attr[int] = attr(default=0, hidden=True)
    key = Key(pk=("SPRINT", name), sk="SPRINT")


class Task(Entity, table=tracker):
    sprint: Attr[str] = attr()
    number: Attr[int] = sequence(Sprint.last_task, key=(sprint,))
    key = Key(pk=("SPRINT", sprint), sk=("TASK", number))


@pytest.mark.parametrize("mode", ["validation", "serialization"])
def test_schema_has_no_hidden_number(mode: Literal["validation", "serialization"]) -> None:
    schema = TypeAdapter[Sprint](Sprint).json_schema(mode=mode)
    assert list(schema["properties"]) == ["name"]
