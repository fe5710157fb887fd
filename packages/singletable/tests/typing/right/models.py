"""Stored pydantic models: keys and fields have the type of the model, not of its declaration."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from pydantic import AwareDatetime, BaseModel

from singletable import (
    Attr,
    Condition,
    Edit,
    Index,
    ItemKey,
    Key,
    ModelEntity,
    Partition,
    Path,
    Store,
    Table,
    Unique,
    attr,
    created,
)
from singletable.schema.unique import UniqueValue
from tests.typing.declared import Election

by_owner = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
table = Table("polls", indexes=[by_owner])


class Poll(BaseModel):
    """A pydantic model."""

    number: UUID
    title: str
    owner: str
    opens: AwareDatetime
    made: datetime | None = None


class Polls(ModelEntity[Poll], table=table):
    """The declaration of its keys."""

    number: Attr[UUID] = attr()
    title: Attr[str] = attr(name="T")
    owner: Attr[str] = attr()
    opens: Attr[AwareDatetime] = attr()
    made: Attr[datetime] = created()
    key = Key(pk=("POLL", number), sk="POLL")
    of_owner = Key(pk=("OWNER", owner), sk=(opens, number)).on(by_owner)
    one_title = Unique(title)


def use(store: Store, number: UUID, at: datetime) -> None:
    """Store and read the model."""
    address: ItemKey[Poll] = Polls.key(number)
    found: Poll | None = store.get(address)
    title: Path[Poll, str] = Polls.title
    condition: Condition[Poll] = Polls.title == "Lunch?"
    edit: Edit[Poll] = Polls.title.set("Dinner?")
    changed: Poll = store.update(Polls.key(number), edit, if_=condition & (Polls.opens < at))
    owned: Partition[Poll, datetime, UUID] = Polls.of_owner("ada")
    polls: list[Poll] = list(store.query(Polls.of_owner("ada").gt(at), where=Polls.made < at))
    taken: UniqueValue[Poll] = Polls.one_title("Lunch?")
    stored: Poll = store.create(changed)
    either: Poll | Election = store.put(changed if polls else Election(name="L"))
    del found, title, owned, taken, stored, either
