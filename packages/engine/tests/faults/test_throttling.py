"""Throttling has the errors, messages, reasons and resources of AWS."""

from __future__ import annotations

import pytest

from dynamodb_engine.errors import (
    OperationError,
    ProvisionedThroughputExceeded,
    RequestLimitExceeded,
    ResourceNotFound,
    Throttled,
    ThrottlingReason,
    TransactionCanceled,
)
from dynamodb_engine.faults import Faults, FaultyDriver
from dynamodb_engine.operations import (
    AttributeDefinition,
    BillingMode,
    CreateTable,
    DescribeTable,
    GetItem,
    KeySchemaElement,
    Operation,
    PutItem,
    TransactWriteItems,
)
from tests.faults.votes_table import (
    ARN,
    ballot,
    batch_put,
    contents,
    create_engine,
    get,
    key,
    put,
    query_partition,
    query_voter,
    transact_put,
)

PROVISIONED = (
    "The level of configured provisioned throughput for the table was exceeded. Consider "
    "increasing your provisioning level with the UpdateTable API."
)
ON_DEMAND = (
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically "
    "scaling your table or index so please try again shortly. If exceptions persist, check if you "
    "have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
    "bp-partition-key-design.html"
)


def throttling_error(
    operation: Operation[object], faults: Faults, billing_mode: BillingMode = "PAY_PER_REQUEST"
) -> OperationError:
    """Return the error of the operation, which must change nothing."""
    with create_engine(billing_mode) as engine:
        with pytest.raises(OperationError) as raised:
            FaultyDriver(engine, faults).execute(operation)
        assert contents(engine) == {}
        return raised.value


def test_provisioned_table_throttling() -> None:
    error = throttling_error(put(), Faults(throttle=1), "PROVISIONED")
    assert isinstance(error, ProvisionedThroughputExceeded)
    assert error.code == "ProvisionedThroughputExceededException"
    assert error.message == PROVISIONED
    assert error.throttling_reasons == (
        ThrottlingReason("TableWriteProvisionedThroughputExceeded", ARN),
    )


# An on-demand table scales with its traffic, but a single partition key has a limit.
def test_on_demand_table_throttling_is_a_hot_key_range() -> None:
    error = throttling_error(get(), Faults(throttle=1))
    assert type(error) is Throttled
    assert error.code == "ThrottlingException"
    assert error.message == ON_DEMAND
    assert error.throttling_reasons == (
        ThrottlingReason("TableReadKeyRangeThroughputExceeded", ARN),
    )


# The message is about the table; only the reason reveals a hot key.
def test_hot_key_of_provisioned_table_is_in_the_reason_only() -> None:
    error = throttling_error(put(), Faults(throttle=1, keys=("ELECTION#1",)), "PROVISIONED")
    assert isinstance(error, ProvisionedThroughputExceeded)
    assert error.message == PROVISIONED
    assert error.throttling_reasons[0].reason == "TableWriteKeyRangeThroughputExceeded"


def test_index_read_throttling_names_the_index() -> None:
    error = throttling_error(query_voter("ada"), Faults(throttle=1), "PROVISIONED")
    assert isinstance(error, ProvisionedThroughputExceeded)
    assert error.message.startswith(
        "The level of configured provisioned throughput for one or more global secondary indexes"
    )
    assert error.throttling_reasons == (
        ThrottlingReason("IndexReadProvisionedThroughputExceeded", f"{ARN}/index/by_voter"),
    )


def test_slow_index_throttles_writes_to_its_table() -> None:
    error = throttling_error(put(), Faults(throttle=1, indexes=("by_voter",)), "PROVISIONED")
    assert isinstance(error, ProvisionedThroughputExceeded)
    assert error.throttling_reasons == (
        ThrottlingReason("IndexWriteProvisionedThroughputExceeded", f"{ARN}/index/by_voter"),
    )


def test_item_outside_index_is_not_throttled_by_it() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(throttle=1, indexes=("by_voter",)))
        driver.execute(PutItem("votes", key()))
        with pytest.raises(Throttled):
            driver.execute(put())


@pytest.mark.parametrize(
    ("faults", "kind", "text", "reason"),
    [
        (
            Faults(throttle=1, limit="MaxOnDemandThroughputExceeded"),
            Throttled,
            "Throughput exceeds the maximum OnDemandThroughput configured on table or index",
            "TableWriteMaxOnDemandThroughputExceeded",
        ),
        (
            Faults(throttle=1, limit="AccountLimitExceeded"),
            RequestLimitExceeded,
            "Throughput exceeds the current throughput limit for your account. To request a limit "
            "increase, contact AWS Support at https://aws.amazon.com/support.",
            "TableWriteAccountLimitExceeded",
        ),
    ],
)
def test_limit_selects_error(faults: Faults, kind: type[Throttled], text: str, reason: str) -> None:
    error = throttling_error(put(), faults)
    assert isinstance(error, Throttled)
    assert type(error) is kind
    assert error.message == text
    assert error.throttling_reasons == (ThrottlingReason(reason, ARN),)


# A throttled transaction is canceled, with the throttling in its reasons.
@pytest.mark.parametrize(
    ("billing_mode", "code", "text"),
    [
        ("PROVISIONED", "ProvisionedThroughputExceeded", PROVISIONED),
        ("PAY_PER_REQUEST", "ThrottlingError", ON_DEMAND),
    ],
)
def test_throttled_transaction_is_canceled(billing_mode: BillingMode, code: str, text: str) -> None:
    transaction = TransactWriteItems([transact_put("ada"), transact_put("bob")])
    error = throttling_error(transaction, Faults(throttle=1), billing_mode)
    assert isinstance(error, TransactionCanceled)
    reasons = {reason.code: reason.message for reason in error.reasons}
    assert reasons == {"None": None, code: text}


# A batch is throttled only if none of it can be processed; otherwise a part is unprocessed.
def test_throttled_batch_changes_nothing() -> None:
    assert isinstance(throttling_error(batch_put("ada", "bob"), Faults(throttle=1)), Throttled)


def test_table_operations_are_throttled_without_reasons() -> None:
    error = throttling_error(
        DescribeTable("votes"), Faults(throttle=1, operations=("DescribeTable",))
    )
    assert isinstance(error, Throttled)
    assert error.message == "Rate of requests exceeds the allowed throughput."
    assert error.throttling_reasons == ()


def test_only_selected_key_is_throttled() -> None:
    with create_engine() as engine:
        driver = FaultyDriver(engine, Faults(throttle=1, keys=("ELECTION#1",)))
        driver.execute(put("ELECTION#2"))
        driver.execute(query_partition("ELECTION#2"))
        driver.execute(query_voter("ELECTION#2"))
        for hot in (put("ELECTION#1"), get("ELECTION#1"), query_partition("ELECTION#1")):
            with pytest.raises(Throttled):
                driver.execute(hot)


def test_number_key_matches_its_canonical_form() -> None:
    with create_engine() as engine:
        engine.execute(
            CreateTable(
                "numbers",
                [AttributeDefinition("number", "N")],
                [KeySchemaElement("number", "HASH")],
                billing_mode="PAY_PER_REQUEST",
            )
        )
        driver = FaultyDriver(engine, Faults(throttle=1, keys=("7",)))
        driver.execute(GetItem("numbers", {"number": {"N": "8"}}))
        with pytest.raises(Throttled):
            driver.execute(GetItem("numbers", {"number": {"N": "7.0"}}))


def test_missing_table_is_not_throttled() -> None:
    with create_engine() as engine, pytest.raises(ResourceNotFound):
        FaultyDriver(engine, Faults(throttle=1)).execute(PutItem("nowhere", ballot()))
