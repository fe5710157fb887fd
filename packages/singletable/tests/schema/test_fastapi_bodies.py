"""Entities as request bodies and responses of FastAPI, and as pydantic types."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import BaseModel, TypeAdapter, ValidationError

from singletable.schema import Attr, Collection, Entity, Key, Table, attr, created, updated, version
from singletable.store import Page
from tests.store.stores import open_store


class Stage(Enum):
    OPEN = "open"
    CLOSED = "closed"


@dataclasses.dataclass
class Line:
    name: str
    rank: int = 1


def no_shouting(text: str) -> None:
    if text.isupper():
        raise ValueError("no shouting, please")


def positive(number: int) -> bool:
    return number > 0


polls = Table("polls")


class Poll(Entity, table=polls):
    """A poll with its options."""

    name: Attr[str] = attr()
    title: Attr[str] = attr(name="T", check=no_shouting)
    number: Attr[UUID] = attr(factory=uuid4)
    places: Attr[int] = attr(default=1, check=positive)
    fee: Attr[Decimal] = attr(default=Decimal("1.5"))
    quorum: Attr[float] = attr(default=0.5)
    secret: Attr[bool] = attr(default=True)
    seal: Attr[bytes] = attr(default=b"\xff")
    opens: Attr[datetime] = attr()
    day: Attr[date | None] = attr(default=None)
    stage: Attr[Stage] = attr(default=Stage.OPEN)
    method: Attr[Literal["runoff", "pairs"]] = attr(default="runoff")
    lines: Attr[list[Line]] = attr(factory=list[Line])
    votes: Attr[dict[str, int]] = attr(factory=dict[str, int])
    tags: Attr[set[str]] = attr(factory=set[str])
    seals: Attr[list[bytes]] = attr(factory=list[bytes])
    version: Attr[int] = version()
    made: Attr[datetime] = created()
    changed: Attr[datetime] = updated()

    key = Key(pk=("POLL", name), sk="POLL")


class Board(BaseModel):
    polls: list[Poll]


NOON = "2026-01-01T12:00:00Z"
LEAST: dict[str, object] = {"name": "lunch", "title": "Where?", "opens": NOON}
FULL: dict[str, object] = LEAST | {
    "number": "6c1b6e2c-6d0c-4a0e-9a53-2f3c1a0a7a11",
    "places": 2,
    "fee": "2.5",
    "quorum": 0.25,
    "secret": False,
    "seal": "AP8=",
    "day": "2026-01-02",
    "stage": "closed",
    "method": "pairs",
    "lines": [{"name": "here", "rank": 2}],
    "votes": {"ada": 1},
    "tags": ["food"],
    "seals": ["/w=="],
}
adapter: TypeAdapter[Poll] = TypeAdapter(Poll)


def errors_of(value: object) -> dict[tuple[int | str, ...], str]:
    with pytest.raises(ValidationError) as rejected:
        adapter.validate_python(value)
    return {error["loc"]: error["msg"] for error in rejected.value.errors()}


def test_each_type_is_validated_from_json_and_dumped_as_json() -> None:
    poll = adapter.validate_python(FULL)
    assert type(poll) is Poll
    assert poll.fee == Decimal("2.5")
    assert poll.seal == b"\x00\xff"
    assert poll.seals == [b"\xff"]
    assert poll.opens == datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert poll.day == date(2026, 1, 2)
    assert poll.stage is Stage.CLOSED
    assert poll.lines == [Line("here", 2)]
    assert poll.tags == {"food"}
    assert adapter.dump_python(poll, mode="json") == FULL | {"version": 0}
    assert adapter.validate_json(adapter.dump_json(poll)) == poll


def test_default_is_created_for_each_instance() -> None:
    one, other = adapter.validate_python(LEAST), adapter.validate_python(LEAST)
    assert one.places == 1
    assert one.day is None
    assert one.number != other.number
    assert one.lines is not other.lines


def test_missing_fields_are_reported() -> None:
    missing = {("name",), ("title",), ("opens",)}
    assert errors_of({}) == dict.fromkeys(missing, "Field required")


@pytest.mark.parametrize(
    ("field", "value", "fragment"),
    [
        ("title", "WHERE?", "no shouting, please"),
        ("places", 0, "that positive accepts, but got 0."),
        ("places", "many", "valid integer"),
        ("opens", "2026-01-01T12:00:00", "timezone"),
        ("stage", "shut", "'open' or 'closed'"),
        ("method", "dice", "'runoff' or 'pairs'"),
        ("seal", "no base64", "expected base64"),
        ("quorum", float("nan"), "expected a number"),
        ("name", "", "must not be empty"),
        ("name", "\ud800", "half of a surrogate pair"),
    ],
)
def test_invalid_value_is_reported_at_its_field(field: str, value: object, fragment: str) -> None:
    errors = errors_of(LEAST | {field: value})
    assert list(errors) == [(field,)]
    assert fragment in errors[field,]


def test_invalid_nested_value_is_reported_with_its_path() -> None:
    errors = errors_of(LEAST | {"lines": [{"name": "here"}, {"rank": 1}]})
    assert list(errors) == [("lines", 1, "name")]


def test_all_errors_are_reported_at_once() -> None:
    errors = errors_of({"name": "", "title": "LOUD", "opens": "now"})
    assert list(errors) == [("name",), ("title",), ("opens",)]


# A client may send back what it received, with changes.
def test_fields_set_by_the_store_are_ignored_in_input() -> None:
    poll = adapter.validate_python(LEAST | {"version": 7, "made": NOON, "changed": "nonsense"})
    assert poll.version == 0
    assert "made" not in adapter.dump_python(poll)


def test_instance_is_accepted_unchanged() -> None:
    poll = adapter.validate_python(LEAST)
    assert adapter.validate_python(poll) is poll
    assert Board(polls=[poll]).polls[0] is poll


def test_model_may_contain_entities() -> None:
    board = Board.model_validate({"polls": [LEAST]})
    assert board.model_dump(mode="json")["polls"][0]["title"] == "Where?"
    with pytest.raises(ValidationError) as rejected:
        Board.model_validate({"polls": [LEAST, {}]})
    assert {error["loc"][:2] for error in rejected.value.errors()} == {("polls", 1)}


def test_fields_can_be_included_and_excluded() -> None:
    poll = adapter.validate_python(LEAST | {"lines": [{"name": "here"}]})
    assert adapter.dump_python(poll, include={"name"}) == {"name": "lunch"}
    assert "name" not in adapter.dump_python(poll, exclude={"name"})
    inner = adapter.dump_python(poll, include={"lines": {0: {"rank"}}})
    assert inner == {"lines": [{"rank": 1}]}
    assert "places" not in adapter.dump_python(poll, exclude_defaults=True)


def test_json_schema_of_input() -> None:
    schema = adapter.json_schema()
    shown = schema["properties"]
    assert (schema["title"], schema["description"]) == ("Poll", "A poll with its options.")
    assert schema["required"] == ["name", "title", "opens"]
    assert not {"version", "made", "changed"} & shown.keys()
    assert shown["opens"] == {"title": "Opens", "type": "string", "format": "date-time"}
    assert shown["number"]["format"] == "uuid"
    assert shown["places"] == {"title": "Places", "type": "integer", "default": 1}
    assert shown["seal"] == {"title": "Seal", "type": "string", "contentEncoding": "base64"}
    assert shown["tags"]["uniqueItems"] is True


def test_json_schema_of_output() -> None:
    schema = adapter.json_schema(mode="serialization")
    shown = schema["properties"]
    assert shown["version"] == {"title": "Version", "type": "integer", "readOnly": True}
    assert shown["made"]["readOnly"] is True
    # The times are there as soon as the item was written; everything else always is.
    assert set(schema["required"]) == shown.keys() - {"made", "changed"}


app = FastAPI()
store = open_store(polls)
client = TestClient(app)


@app.post("/polls")
def create(poll: Poll) -> Poll:
    return store.create(poll)


@app.get("/polls/{name}")
def read(name: str) -> Poll | None:
    return store.get(Poll.key(name))


def test_body_is_stored_and_response_has_the_fields_set_by_the_store() -> None:
    answer = client.post("/polls", json=FULL)
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    assert shown.items() >= FULL.items()
    assert shown["version"] == 1
    assert datetime.fromisoformat(shown["made"]) <= datetime.now(UTC)
    assert client.get("/polls/lunch").json() == shown
    assert client.get("/polls/dinner").json() is None


def test_rejected_body_reports_the_field() -> None:
    answer = client.post("/polls", json=LEAST | {"places": 0})
    assert answer.status_code == 422
    assert [error["loc"] for error in answer.json()["detail"]] == [["body", "places"]]


def test_openapi_has_input_and_output_schemas() -> None:
    documented = client.get("/openapi.json").json()
    body = documented["paths"]["/polls"]["post"]["requestBody"]["content"]["application/json"]
    assert body["schema"] == {"$ref": "#/components/schemas/Poll-Input"}
    assert "version" not in documented["components"]["schemas"]["Poll-Input"]["properties"]
    assert "version" in documented["components"]["schemas"]["Poll-Output"]["properties"]


def test_unknown_attributes_are_not_in_the_output() -> None:
    poll = adapter.validate_python(LEAST)
    poll.__dict__["_unknown"] = {"later": {"S": "x"}}
    assert "_unknown" not in adapter.dump_python(poll)
    assert b"later" not in adapter.dump_json(poll)


def test_entity_is_a_dataclass_at_run_time() -> None:
    poll = store.create(Poll(name="dinner", title="When?", opens=datetime(2026, 1, 1, tzinfo=UTC)))
    other = dataclasses.replace(poll, name="supper")
    assert (other.name, other.title, other.version) == ("supper", "When?", 0)
    assert dataclasses.asdict(poll)["made"] == poll.made
    assert [field.name for field in dataclasses.fields(poll)][:2] == ["name", "title"]


def test_import_needs_neither_pydantic_nor_cryptography() -> None:
    missing = "sys.modules |= {'pydantic': None, 'cryptography': None}"
    script = f"import sys; {missing}; from singletable import *; Entity, Encrypted"
    subprocess.run([sys.executable, "-c", script], check=True)


class Vote(Entity, table=polls):
    poll: Attr[str] = attr()
    voter: Attr[str] = attr()
    key = Key(pk=("POLL", poll), sk=("VOTE", voter))


class Closing(Entity, table=polls):
    poll: Attr[str] = attr()
    key = Key(pk=("POLL", poll), sk="CLOSING")


class PollFile(Collection):
    """A poll and its votes."""

    poll: Poll
    votes: list[Vote]
    closing: Closing | None


def test_collections_and_pages_are_responses() -> None:
    served = FastAPI()

    @served.get("/file")
    def file() -> PollFile:
        return store.collect(PollFile, Poll.key.partition("supper"))

    @served.get("/votes")
    def votes() -> Page[Vote]:
        return store.page(Vote.key.partition("supper"), 1)

    store.create(Poll(name="supper", title="When?", opens=datetime(2026, 1, 1, tzinfo=UTC)))
    store.create(Vote(poll="supper", voter="ada"))
    asked = TestClient(served)
    shown = asked.get("/file").json()
    assert shown["poll"]["version"] == 1
    assert (shown["votes"], shown["closing"]) == ([{"poll": "supper", "voter": "ada"}], None)
    assert asked.get("/votes").json()["items"] == shown["votes"]
    schema = asked.get("/openapi.json").json()["components"]["schemas"]["PollFile"]
    assert schema["required"] == ["poll", "votes", "closing"]
    assert schema["description"] == "A poll and its votes."
