"""Invalid keys and fields of a stored pydantic model."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from singletable import ItemKey, Store
from tests.typing.declared import Ballot
from tests.typing.right.models import Poll, Polls


def use(store: Store, number: UUID, at: datetime) -> None:
    """Write each marked line wrongly."""
    Polls.key("x")  # error: call-overload | reportArgumentType
    Polls.of_owner("ada").gt(number)  # error: arg-type | reportArgumentType
    Polls.title.set(5)  # error: arg-type | reportArgumentType
    Polls.one_title(5)  # error: call-overload | reportArgumentType
    one: ItemKey[Polls] = Polls.key(number)  # error: assignment | reportAssignmentType
    other: ItemKey[Ballot] = Polls.key(number)  # error: assignment | reportAssignmentType
    found: Poll = store.get(Polls.key(number))  # error: assignment | reportAssignmentType
    store.update(Polls.key(number), Ballot.weight.set(1))  # error: misc | reportArgumentType
    store.create(Poll)  # error: type-var | reportArgumentType
    store.create(Polls)  # error: type-var | reportArgumentType
    del one, other, found
