"""Pydantic models that are stored unchanged, declared by a class next to them."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any
from uuid import UUID, uuid4

import pytest
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, HttpUrl, SecretStr

from dynamodb_engine.operations import PutItem, Scan
from dynamodb_engine.values import AttributeValue, Item
from singletable import connect_async, errors
from singletable.schema import (
    Attr,
    Collection,
    Count,
    Entity,
    Index,
    Key,
    ModelEntity,
    Table,
    TimeFormat,
    Unique,
    attr,
    casefold,
    created,
    key_of,
    updated,
    version,
)
from singletable.store import AsyncStore, Store
from tests.store.stores import existing, open_store

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
by_owner = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
table = Table("polls", indexes=[by_owner])


class Stage(Enum):
    OPEN = "open"
    CLOSED = "closed"


class Option(BaseModel):
    text: str
    colour: str | None = None


class Poll(BaseModel):
    number: UUID = Field(default_factory=uuid4)
    title: Annotated[str, Field(min_length=3)]
    owner: str
    options: list[Option] = []
    stage: Stage = Stage.OPEN
    fee: Decimal = Decimal(0)
    link: HttpUrl | None = None
    weight: int | str = 1
    lasts: timedelta = timedelta(hours=1)
    opens: AwareDatetime
    closes: Annotated[datetime | None, TimeFormat.EPOCH_SECONDS] = None
    votes: int = 0
    secret: str = Field(default="s", exclude=True)
    version: int = 0
    made: datetime | None = None
    changed: datetime | None = None


class Polls(ModelEntity[Poll], table=table, type_tag=("type", "POLL")):
    number: Attr[UUID] = attr()
    title: Attr[str] = attr(name="T")
    owner: Attr[str] = attr()
    opens: Attr[AwareDatetime] = attr()
    votes: Attr[int] = attr()
    version: Attr[int] = version()
    made: Attr[datetime] = created()
    changed: Attr[datetime] = updated()

    key = Key(pk=("POLL", number), sk="POLL")
    of_owner = Key(pk=("OWNER", owner), sk=(opens, number)).on(by_owner)
    one_title = Unique(casefold(title))


class Vote(BaseModel):
    poll: UUID
    voter: str


class Votes(ModelEntity[Vote], table=table):
    poll: Attr[UUID] = attr()
    voter: Attr[str] = attr()
    key = Key(pk=("POLL", poll), sk=("VOTE", voter))
    counted = Count(Poll, Polls.votes, key=(poll,))


class Note(Entity, table=table):
    poll: Attr[UUID] = attr()
    text: Attr[str] = attr()
    key = Key(pk=("POLL", poll), sk="NOTE")


class Everything(Collection):
    poll: Poll
    note: Note | None
    votes: list[Vote]


@pytest.fixture
def store() -> Store:
    return open_store(table)


def a_poll(**values: Any) -> Poll:
    given: dict[str, Any] = {"title": "Lunch?", "owner": "ada", "opens": NOON, **values}
    return Poll(**given)


def stored_item(store: Store) -> Item:
    items = store.driver.execute(Scan("polls")).items
    return next(dict(item) for item in items or [] if item.get("type") == {"S": "POLL"})


def write(store: Store, **attributes: AttributeValue) -> None:
    """Write attributes as another program, older or newer, would."""
    store.driver.execute(PutItem("polls", {**stored_item(store), **attributes}))


def test_model_round_trips(store: Store) -> None:
    poll = a_poll(
        options=[Option(text="here"), Option(text="there", colour="red")],
        stage=Stage.CLOSED,
        fee=Decimal("2.5"),
        link=HttpUrl("https://example.org/lunch"),
        weight="heavy",
        closes=NOON + timedelta(hours=2),
    )
    assert store.create(poll) is poll
    assert (poll.version, poll.made) == (1, poll.changed)
    found = store.get(Polls.key(poll.number))
    assert type(found) is Poll
    assert found == poll


def test_fields_are_stored_as_native_types_or_else_as_json(store: Store) -> None:
    poll = store.create(a_poll(link=HttpUrl("https://example.org"), closes=NOON))
    item = stored_item(store)
    assert item["PK"] == {"S": f"POLL#{poll.number}"}
    assert item["T"] == {"S": "Lunch?"}
    assert item["closes"] == {"N": str(int(NOON.timestamp()))}
    assert item["link"] == {"S": "https://example.org/"}
    assert item["lasts"] == {"N": "3600"}
    # What a response leaves out is stored all the same.
    assert item["secret"] == {"S": "s"}
    assert "secret" not in poll.model_dump()


def test_model_can_be_queried_updated_and_deleted(store: Store) -> None:
    early, late = a_poll(), a_poll(title="Dinner?", opens=NOON + timedelta(days=1))
    store.create(early)
    store.create(late)
    assert list(store.query(Polls.of_owner("ada"))) == [early, late]
    assert list(store.query(Polls.of_owner("ada").gt(NOON))) == [late]
    assert list(store.query(Polls.of_owner("ada"), where=Polls.title.begins_with("D"))) == [late]
    assert store.find(Polls.one_title("DINNER?")) == late
    changed = store.update(Polls.key(early.number), Polls.title.set("Supper?"), Polls.fee.add(2))
    assert (changed.title, changed.fee, changed.version) == ("Supper?", 2, 2)
    with pytest.raises(errors.AlreadyExists):
        store.create(a_poll(title="supper?"))
    with pytest.raises(errors.VersionConflict):
        store.put(early)
    assert store.delete(key_of(changed)) == changed
    assert list(store.admin.scan(Poll)) == [late]


def test_models_and_entities_can_share_a_partition(store: Store) -> None:
    poll = store.create(a_poll())
    with store.transaction() as together:
        together.create(Vote(poll=poll.number, voter="ada"))
        together.create(Vote(poll=poll.number, voter="bob"))
        together.create(Note(poll=poll.number, text="hungry"))
    found = store.collect(Everything, Polls.key.partition(poll.number))
    assert (found.poll.votes, [vote.voter for vote in found.votes]) == (2, ["ada", "bob"])
    assert found.note == Note(poll=poll.number, text="hungry")


def test_async_store_accepts_models() -> None:
    async def work() -> Poll | None:
        store = AsyncStore(connect_async("memory:"))
        await store.admin.create_table(table)
        poll = await store.create(a_poll())
        return await store.get(Polls.key(poll.number))

    assert existing(asyncio.run(work())).title == "Lunch?"


def test_unknown_attributes_are_preserved_and_not_shown(store: Store) -> None:
    poll = store.create(a_poll())
    write(store, later={"S": "kept"})
    found = existing(store.get(Polls.key(poll.number)))
    assert found == poll
    assert "later" not in found.model_dump_json() + repr(found)
    store.put(found.model_copy(update={"title": "Brunch?"}))
    assert stored_item(store)["later"] == {"S": "kept"}
    assert stored_item(store)["T"] == {"S": "Brunch?"}


def test_item_that_the_model_rejects_is_a_mismatch(store: Store) -> None:
    poll = store.create(a_poll())
    write(store, T={"S": "?"}, weight={"L": []})
    with pytest.raises(
        errors.ItemMismatch, match=r"Poll\.weight: .* expected a string \(S\) or a number \(N\)"
    ):
        store.get(Polls.key(poll.number))
    write(store, weight={"N": "1"})
    with pytest.raises(
        errors.ItemMismatch, match="it rejected title: String should have at least 3"
    ):
        store.get(Polls.key(poll.number))


def test_missing_attributes_get_their_defaults(store: Store) -> None:
    poll = store.create(a_poll())
    left_out = ("stage", "fee", "lasts", "secret")
    item = {name: value for name, value in stored_item(store).items() if name not in left_out}
    store.driver.execute(PutItem("polls", item))
    assert store.get(Polls.key(poll.number)) == poll


# Otherwise the model would reject the item when it is read, which is too late.
def test_value_that_the_model_would_reject_is_not_written(store: Store) -> None:
    poll = store.create(a_poll())
    with pytest.raises(errors.InvalidValue, match=r"Polls\.title: String should have at least 3"):
        Polls.title.set("?")
    poll.title = "?"
    with pytest.raises(errors.InvalidValue, match="String should have at least 3"):
        store.put(poll)
    poll.title, poll.weight = "Lunch?", 1.5  # type: ignore[assignment] # pyright: ignore
    with pytest.raises(
        errors.InvalidValue, match=r"Poll\.weight: expected an integer \(int\) or a str"
    ):
        store.put(poll)


def test_naive_datetime_is_rejected_at_its_field(store: Store) -> None:
    with pytest.raises(errors.InvalidValue, match=r"Poll\.closes"):
        store.create(a_poll(closes=datetime(2026, 1, 1)))


# Pydantic dumps a secret as stars, so it could not be read back.
def test_value_that_does_not_round_trip_is_rejected(store: Store) -> None:
    class Login(BaseModel):
        name: str
        password: SecretStr

    class Logins(ModelEntity[Login], table=Table("logins")):
        name: Attr[str] = attr()
        key = Key(pk=("LOGIN", name), sk="LOGIN")

    with pytest.raises(errors.InvalidValue, match="reads back unchanged"):
        store.create(Login(name="ada", password=SecretStr("x")))
    assert Logins.key("ada").key["PK"] == {"S": "LOGIN#ada"}


def test_field_can_be_stored_under_its_alias(store: Store) -> None:
    class Seat(BaseModel):
        row: int = Field(alias="rowNumber")
        place: str = Field(serialization_alias="placeName")
        stage: Stage = Stage.OPEN
        model_config = ConfigDict(use_enum_values=True, frozen=True)

    seats = Table("polls")

    class Seats(ModelEntity[Seat], table=seats, type_tag=("type", "POLL"), by_alias=True):
        row: Attr[int] = attr()
        key = Key(pk=("SEAT", row), sk="SEAT")

    seat = store.create(Seat(rowNumber=7, place="left", stage=Stage.CLOSED))
    item = stored_item(store)
    assert (item["rowNumber"], item["placeName"]) == ({"N": "7"}, {"S": "left"})
    assert item["stage"] == {"S": "closed"}
    assert store.get(Seats.key(7)) == seat


def test_unknown_field_is_rejected_with_the_fields_of_the_model() -> None:
    with pytest.raises(AttributeError, match=r"no field or key titel\. Fields: number, t"):
        Polls.titel  # noqa: B018 # pyright: ignore[reportUnusedExpression]


def test_declaration_class_cannot_be_instantiated() -> None:
    with pytest.raises(errors.DeclarationError, match=r"Create an instance of the model: Poll"):
        Polls()
