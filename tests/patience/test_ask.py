"""A request is sent again while that may help, and as long as the client has patience left."""

from __future__ import annotations

from typing import Any

import pytest

from singletable import (
    BatchGetItem,
    GetItem,
    InternalError,
    InvalidValue,
    PutItem,
    Query,
    ResourceNotFound,
    Throttled,
    TransactWriteItems,
)
from singletable.errors import SingleTableError
from singletable.operations import Delete, GetItemOutput, KeysAndAttributes, Put, TransactWriteItem
from singletable.retry import Pause, RetryBudget, RetryPolicy, send

GET = GetItem("votes", {"PK": {"S": "a"}})
PUT = PutItem("votes", {"PK": {"S": "a"}}, condition_expression="attribute_not_exists(PK)")


def sent(
    patience: RetryPolicy, operation: Any, answers: list[SingleTableError | object]
) -> list[Any]:
    """Every step of the work, and what it gave or raised at the end."""
    steps = send(patience, operation)
    taken: list[Any] = []
    waiting = iter(answers)
    try:
        step = next(steps)
        while True:
            taken.append(step)
            if isinstance(step, Pause):
                step = next(steps)
                continue
            answer = next(waiting)
            if isinstance(answer, SingleTableError):
                step = steps.throw(answer)
            else:
                step = steps.send(answer)
    except StopIteration as end:
        return [*taken, end.value]
    except SingleTableError as error:
        return [*taken, error]


def test_a_refused_request_is_sent_again_after_a_wait() -> None:
    answer = GetItemOutput()
    first, pause, again, given = sent(RetryPolicy(), GET, [Throttled("busy"), answer])
    assert first is again is GET
    assert isinstance(pause, Pause)
    assert pause.reason == "refused"
    assert given is answer


def test_the_last_attempt_raises_what_it_met() -> None:
    busy = [Throttled(f"busy {turn}") for turn in range(3)]
    *steps, error = sent(RetryPolicy(max_attempts=3), GET, list(busy))
    assert steps.count(GET) == 3
    assert error is busy[-1]


def test_a_write_whose_fate_is_unknown_is_not_sent_again() -> None:
    step, error = sent(RetryPolicy(), PUT, [InternalError("oops")])
    assert step is PUT
    assert "may or may not have been applied" in str(error)


# A service that is down is not asked ten times as often by those who find it so.
def test_a_client_that_meets_failure_after_failure_asks_once() -> None:
    patience = RetryPolicy(budget=RetryBudget(12))
    assert sent(patience, GET, [Throttled("busy")] * 9).count(GET) == 3
    assert sent(patience, GET, [Throttled("busy")]).count(GET) == 1


def test_success_earns_patience_back() -> None:
    patience = RetryPolicy(budget=RetryBudget(5))
    sent(patience, GET, [Throttled("busy"), Throttled("busy")])
    assert patience.budget.left == 0
    for _ in range(9):
        sent(patience, GET, [GetItemOutput()])
    assert patience.budget.left == 5
    assert sent(patience, GET, [Throttled("busy"), GetItemOutput()]).count(GET) == 2
    assert patience.budget.left == 5


def test_a_request_is_sent_at_least_once() -> None:
    with pytest.raises(InvalidValue, match="at least 1, but got 0"):
        RetryPolicy(max_attempts=0)


# DynamoDB says that something is not there, and not what.
@pytest.mark.parametrize(
    ("operation", "said"),
    [
        (GET, "GetItem asked for table 'votes'."),
        (Query("votes", index_name="by_day"), "Query asked for table 'votes', index 'by_day'."),
        (
            BatchGetItem({"votes": KeysAndAttributes([]), "polls": KeysAndAttributes([])}),
            "BatchGetItem asked for table 'votes', 'polls'.",
        ),
        (
            TransactWriteItems(
                [
                    TransactWriteItem(put=Put("votes", {})),
                    TransactWriteItem(delete=Delete("polls", {})),
                ]
            ),
            "TransactWriteItems asked for table 'votes', 'polls'.",
        ),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_what_is_not_found_is_told_beside_the_error(operation: Any, said: str) -> None:
    _, error = sent(RetryPolicy(), operation, [ResourceNotFound("Requested resource not found")])
    assert str(error) == "Requested resource not found"
    (note,) = error.__notes__
    assert note.startswith(f"{said} Does it exist at this address, under this name? ")
