"""What never arrived is sent again; what may have arrived, only if twice is as good as once."""

from __future__ import annotations

import pytest

from singletable import CertificateError, ConnectionFailed, GetItem, Operation, PutItem, UpdateItem
from singletable.operations import GetItemOutput, WriteItemOutput
from singletable.retry import RetryPolicy
from tests.patience.test_ask import sent

GET = GetItem("votes", {"PK": {"S": "a"}})
PUT = PutItem("votes", {"PK": {"S": "a"}})
UPDATE = UpdateItem("votes", {"PK": {"S": "a"}})


@pytest.mark.parametrize("operation", [GET, PUT, UPDATE])
def test_what_never_arrived_is_sent_again(operation: Operation[object]) -> None:
    answers = [ConnectionFailed("nobody there"), WriteItemOutput()]
    assert sent(RetryPolicy(), operation, list(answers)).count(operation) == 2


@pytest.mark.parametrize(("operation", "times"), [(GET, 2), (PUT, 2), (UPDATE, 1)])
def test_what_may_have_arrived_is_sent_again_if_it_may_be(
    operation: Operation[object], times: int
) -> None:
    lost = ConnectionFailed("the connection broke", may_have_arrived=True)
    assert sent(RetryPolicy(), operation, [lost, GetItemOutput()]).count(operation) == times


def test_who_is_not_trusted_is_not_asked_again() -> None:
    assert sent(RetryPolicy(), GET, [CertificateError("who?"), GetItemOutput()]).count(GET) == 1
