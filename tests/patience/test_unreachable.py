"""What never arrived is sent again; what may have arrived, only if twice is as good as once."""

from __future__ import annotations

import pytest

from singletable import GetItem, Operation, PutItem, Unreachable, Untrusted, UpdateItem
from singletable.operations import ItemGot, ItemWritten
from singletable.patience import Patience
from tests.patience.test_ask import sent

GET = GetItem("votes", {"PK": {"S": "a"}})
PUT = PutItem("votes", {"PK": {"S": "a"}})
UPDATE = UpdateItem("votes", {"PK": {"S": "a"}})


@pytest.mark.parametrize("operation", [GET, PUT, UPDATE])
def test_what_never_arrived_is_sent_again(operation: Operation[object]) -> None:
    answers = [Unreachable("nobody there"), ItemWritten()]
    assert sent(Patience(), operation, list(answers)).count(operation) == 2


@pytest.mark.parametrize(("operation", "times"), [(GET, 2), (PUT, 2), (UPDATE, 1)])
def test_what_may_have_arrived_is_sent_again_if_it_may_be(
    operation: Operation[object], times: int
) -> None:
    lost = Unreachable("the connection broke", arrived=True)
    assert sent(Patience(), operation, [lost, ItemGot()]).count(operation) == times


def test_who_is_not_trusted_is_not_asked_again() -> None:
    assert sent(Patience(), GET, [Untrusted("who?"), ItemGot()]).count(GET) == 1
