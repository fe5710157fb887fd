"""Requests are retried while that is safe and the budget allows; independent parts run together."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from dynamodb_engine import (
    AccessDenied,
    BatchGetItem,
    CertificateError,
    ConnectionFailed,
    GetItem,
    InternalError,
    InvalidValue,
    Operation,
    PutItem,
    Query,
    ResourceNotFound,
    Throttled,
    TransactionCanceled,
    TransactionInProgress,
    TransactWriteItems,
    UpdateItem,
)
from dynamodb_engine.errors import CancellationReason, EngineError, LimitExceeded
from dynamodb_engine.operations import (
    Delete,
    GetItemOutput,
    GetRecords,
    KeysAndAttributes,
    Put,
    TransactWriteItem,
    WriteItemOutput,
)
from dynamodb_engine.retry import RetryBudget, RetryPolicy, send
from dynamodb_engine.steps import Pause, Steps, run, run_async, together

GET = GetItem("votes", {"PK": {"S": "a"}})
PUT = PutItem("votes", {"PK": {"S": "a"}})
CONDITIONAL_PUT = PutItem(
    "votes", {"PK": {"S": "a"}}, condition_expression="attribute_not_exists(PK)"
)
UPDATE = UpdateItem("votes", {"PK": {"S": "a"}})


def record_steps(
    policy: RetryPolicy, operation: Any, responses: list[EngineError | object]
) -> list[Any]:
    """Return every step of sending `operation`, and the output or the error at the end."""
    steps = send(policy, operation)
    recorded: list[Any] = []
    remaining = iter(responses)
    try:
        step = next(steps)
        while True:
            recorded.append(step)
            if isinstance(step, Pause):
                step = next(steps)
                continue
            response = next(remaining)
            if isinstance(response, EngineError):
                step = steps.throw(response)
            else:
                step = steps.send(response)
    except StopIteration as end:
        return [*recorded, end.value]
    except EngineError as error:
        return [*recorded, error]


def test_throttled_request_is_retried_after_a_pause() -> None:
    output = GetItemOutput()
    first, pause, second, result = record_steps(RetryPolicy(), GET, [Throttled("busy"), output])
    assert first is second is GET
    assert isinstance(pause, Pause)
    assert pause.reason == "unavailable"
    assert result is output


# Streams say so if there are too many requests in a second; elsewhere it is a limit of tables.
@pytest.mark.parametrize(("operation", "attempts"), [(GetRecords("iterator"), 2), (GET, 1)])
def test_limit_of_streams_is_a_rate(operation: Operation[Any], attempts: int) -> None:
    steps = record_steps(RetryPolicy(), operation, [LimitExceeded("limit"), object()])
    assert steps.count(operation) == attempts


def test_last_attempt_raises_its_error() -> None:
    errors = [Throttled(f"busy {attempt}") for attempt in range(3)]
    *steps, error = record_steps(RetryPolicy(max_attempts=3), GET, list(errors))
    assert steps.count(GET) == 3
    assert error is errors[-1]


def test_conditional_write_is_not_retried_after_internal_error() -> None:
    step, error = record_steps(RetryPolicy(), CONDITIONAL_PUT, [InternalError("oops")])
    assert step is CONDITIONAL_PUT
    assert isinstance(error, InternalError)
    assert "may or may not have been applied" in str(error)


# Retries must not multiply the load on a service that is down.
def test_exhausted_budget_stops_retries() -> None:
    policy = RetryPolicy(budget=RetryBudget(12))
    assert record_steps(policy, GET, [Throttled("busy")] * 9).count(GET) == 3
    assert record_steps(policy, GET, [Throttled("busy")]).count(GET) == 1


def test_successes_refill_the_budget() -> None:
    policy = RetryPolicy(budget=RetryBudget(5))
    record_steps(policy, GET, [Throttled("busy"), Throttled("busy")])
    assert policy.budget.left == 0
    for _ in range(9):
        record_steps(policy, GET, [GetItemOutput()])
    assert policy.budget.left == 5
    assert record_steps(policy, GET, [Throttled("busy"), GetItemOutput()]).count(GET) == 2
    assert policy.budget.left == 5


def test_max_attempts_must_be_positive() -> None:
    with pytest.raises(InvalidValue, match="at least 1, but got 0"):
        RetryPolicy(max_attempts=0)


# DynamoDB's error does not name the missing resource.
@pytest.mark.parametrize(
    ("operation", "hint"),
    [
        (GET, "GetItem uses table 'votes'."),
        (Query("votes", index_name="by_day"), "Query uses table 'votes', index 'by_day'."),
        (
            BatchGetItem({"votes": KeysAndAttributes([]), "polls": KeysAndAttributes([])}),
            "BatchGetItem uses table 'votes', 'polls'.",
        ),
        (
            TransactWriteItems(
                [
                    TransactWriteItem(put=Put("votes", {})),
                    TransactWriteItem(delete=Delete("polls", {})),
                ]
            ),
            "TransactWriteItems uses table 'votes', 'polls'.",
        ),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_resource_not_found_has_a_note_with_the_resource(operation: Any, hint: str) -> None:
    not_found = ResourceNotFound("Requested resource not found")
    _, error = record_steps(RetryPolicy(), operation, [not_found])
    assert str(error) == "Requested resource not found"
    (note,) = error.__notes__
    assert note.startswith(hint)


@pytest.mark.parametrize("operation", [GET, PUT, UPDATE], ids=lambda value: type(value).__name__)
def test_request_that_never_arrived_is_retried(operation: Operation[object]) -> None:
    responses = [ConnectionFailed("connection refused"), WriteItemOutput()]
    assert record_steps(RetryPolicy(), operation, list(responses)).count(operation) == 2


@pytest.mark.parametrize(
    ("operation", "attempts"),
    [(GET, 2), (PUT, 2), (UPDATE, 1)],
    ids=lambda value: "" if isinstance(value, int) else type(value).__name__,
)
def test_request_that_may_have_arrived_is_retried_if_idempotent(
    operation: Operation[object], attempts: int
) -> None:
    lost = ConnectionFailed("the connection broke", may_have_arrived=True)
    steps = record_steps(RetryPolicy(), operation, [lost, GetItemOutput()])
    assert steps.count(operation) == attempts


def test_certificate_error_is_not_retried() -> None:
    responses = [CertificateError("not trusted"), GetItemOutput()]
    assert record_steps(RetryPolicy(), GET, list(responses)).count(GET) == 1


# Lost responses. The server keeps DynamoDB's promise: it applies a client token once, and evaluates
# conditions only when it has not been applied.

TRANSACTION = TransactWriteItems(
    [TransactWriteItem(put=Put("votes", {"PK": {"S": "a"}}))], client_request_token="once"
)
TRANSIENT = TransactionCanceled([CancellationReason("TransactionConflict")])
FAILED = TransactionCanceled([CancellationReason("ConditionalCheckFailed")])
LOST = ConnectionFailed("the connection broke", may_have_arrived=True)
# Whether the request is applied, and the error of its response.
RESPONSES: dict[str, tuple[bool, EngineError]] = {
    "lost after": (True, InternalError()),
    "cut before": (False, LOST),
    "not connected": (False, ConnectionFailed("connection refused")),
    "throttled": (False, Throttled("busy")),
    "conflict": (False, TRANSIENT),
    "in progress": (False, TransactionInProgress("in progress")),
    "canceled": (False, FAILED),
    "access denied": (False, AccessDenied("no")),
}


def count_applied(operation: Operation[Any], script: Sequence[str]) -> tuple[int, object, int]:
    """Return how often a request was applied, its output or error, and how many were used."""
    steps = send(RetryPolicy(max_attempts=6, base_delay=0), operation)
    applied = used = 0
    is_settled = operation is TRANSACTION  # a token is applied once
    step = next(steps)
    try:
        while True:
            if isinstance(step, Pause):
                step = next(steps)
                continue
            is_applied, error = RESPONSES[script[used]] if used < len(script) else (True, None)
            used += 1
            if is_applied and not (is_settled and applied):
                applied += 1
            if error is None or (error is FAILED and is_settled and applied):
                step = steps.send(WriteItemOutput())
            else:
                step = steps.throw(error)
    except StopIteration as end:
        return applied, end.value, used
    except EngineError as error:
        return applied, error, used


@pytest.mark.parametrize("operation", [TRANSACTION, UPDATE, PUT], ids=["token", "update", "put"])
def test_error_says_whether_a_write_was_applied(operation: Operation[Any]) -> None:
    endings = Counter[str]()
    scripts: list[tuple[str, ...]] = [()]
    for script in scripts:
        applied, end, used = count_applied(operation, script)
        if not isinstance(end, EngineError):
            # A put without a condition has the same effect when it is applied twice.
            assert applied == 1 or (operation is PUT and applied > 1), script
        elif not end.outcome_unknown:
            assert applied == 0, (script, end)
        elif operation is not PUT:
            assert applied <= 1, script
        endings[type(end).__name__] += 1
        if used > len(script) < 5:
            # Only a transaction can be canceled.
            names = [name for name in RESPONSES if name != "canceled" or operation is TRANSACTION]
            scripts += [(*script, name) for name in names]
    assert {"WriteItemOutput", "InternalError", "AccessDenied"} <= endings.keys()


# DynamoDB remembers a token for ten minutes. An older one would be applied again.
def test_transaction_is_not_repeated_after_its_token_expires() -> None:
    now = [0.0]
    steps = send(RetryPolicy(clock=lambda: now[0]), TRANSACTION)
    assert next(steps) is TRANSACTION
    assert isinstance(steps.throw(InternalError()), Pause)
    assert next(steps) is TRANSACTION
    now[0] = 570.0
    with pytest.raises(InternalError, match=r"busy\. The write may or may not have been applied"):
        steps.throw(Throttled("busy"))
    # Without an open attempt there is nothing to be afraid of.
    steps = send(RetryPolicy(clock=lambda: now[0]), TRANSACTION)
    next(steps)
    now[0] += 600
    assert isinstance(steps.throw(Throttled("busy")), Pause)


@pytest.mark.parametrize(
    "operation",
    [
        TransactWriteItems(TRANSACTION.transact_items),
        PutItem("votes", {"PK": {"S": "a"}}, return_values="ALL_OLD"),
    ],
    ids=["no token", "old values"],
)
def test_request_with_another_response_the_second_time_is_not_idempotent(
    operation: Operation[Any],
) -> None:
    assert record_steps(RetryPolicy(), operation, [LOST])[:-1] == [operation]


# Independent parts

NAMES = ("a", "b", "c")


def get(name: str, policy: RetryPolicy) -> Steps[str]:
    output: Any = yield from send(policy, GetItem("t", {"PK": {"S": name}}))
    return str(output)


def get_all(*names: str, policy: RetryPolicy | None = None) -> Steps[list[str]]:
    chosen = policy or RetryPolicy(base_delay=0)
    return (yield from together([get(name, chosen) for name in names]))


class EchoDriver:
    """A driver that returns the requested name, or raises a given error first."""

    def __init__(self, **errors: EngineError) -> None:
        self.errors = errors
        self.sent = Counter[str]()

    def execute(self, operation: Any, /) -> Any:
        """Return the name in the key."""
        name = operation.key["PK"]["S"]
        self.sent[name] += 1
        if name in self.errors:
            raise self.errors.pop(name)
        return name


class SubmittingDriver(EchoDriver):
    """A driver that can execute requests at the same time."""

    def __init__(self, **errors: EngineError) -> None:
        super().__init__(**errors)
        self.threads = ThreadPoolExecutor(3)

    def submit(self, operation: Any, /) -> Future[Any]:
        """Execute a request in another thread."""
        return self.threads.submit(self.execute, operation)


class AsyncEchoDriver(EchoDriver):
    """An async driver that responds only when `expected` requests have arrived."""

    def __init__(self, expected: int, **errors: EngineError) -> None:
        super().__init__(**errors)
        self.expected = expected
        self.complete = asyncio.Event()

    async def execute(self, operation: Any, /) -> Any:
        """Return the name once all requests have arrived."""
        self.expected -= 1
        if self.expected == 0:
            self.complete.set()
        await asyncio.wait_for(self.complete.wait(), 10)
        return super().execute(operation)


@pytest.mark.parametrize("names", [NAMES, NAMES[:1], ()], ids=["three", "one", "none"])
def test_together_returns_results_in_order(names: tuple[str, ...]) -> None:
    for driver in (EchoDriver(), SubmittingDriver()):
        assert run(driver, get_all(*names)) == list(names)

    async def run_parts() -> list[str]:
        return await run_async(AsyncEchoDriver(len(names)), get_all(*names))

    assert asyncio.run(run_parts()) == list(names)


def test_only_the_throttled_part_is_retried() -> None:
    for new in (EchoDriver, SubmittingDriver):
        driver = new(b=Throttled("busy"))
        assert run(driver, get_all(*NAMES)) == list(NAMES)
        assert driver.sent == {"a": 1, "b": 2, "c": 1}

    async def run_parts() -> Counter[str]:
        driver = AsyncEchoDriver(3, b=Throttled("busy"))
        assert await run_async(driver, get_all(*NAMES)) == list(NAMES)
        return driver.sent

    assert asyncio.run(run_parts()) == {"a": 1, "b": 2, "c": 1}


def test_parts_can_have_parts_on_a_driver_that_submits() -> None:
    def parts() -> Steps[list[list[str]]]:
        return (yield from together([get_all(*NAMES), get_all("d", "e")]))

    assert run(SubmittingDriver(d=Throttled("busy")), parts()) == [list(NAMES), ["d", "e"]]


def test_together_raises_the_error_of_a_part() -> None:
    def catch() -> Steps[str]:
        try:
            yield from get_all(*NAMES, policy=RetryPolicy(max_attempts=1))
        except InternalError as error:
            return error.message
        return "nothing"

    assert run(EchoDriver(b=InternalError("oops")), catch()) == "oops"

    # Nothing keeps running in the background: all parts have finished when the error is raised.
    submitting = SubmittingDriver(b=InternalError("oops"))
    assert run(submitting, catch()) == "oops"
    assert submitting.sent == Counter(NAMES)

    async def run_parts() -> tuple[str, Counter[str]]:
        driver = AsyncEchoDriver(3, b=InternalError("oops"))
        return await run_async(driver, catch()), driver.sent

    assert asyncio.run(run_parts()) == ("oops", Counter(NAMES))


def test_pauses_use_the_given_sleep() -> None:
    pauses: list[float] = []
    driver = EchoDriver(a=Throttled("busy"))
    policy = RetryPolicy(base_delay=1.0)
    assert run(driver, get("a", policy), pauses.append) == "a"
    assert len(pauses) == 1
