"""Throttling is worded as AWS words it: the exception, the text, the reason and the resource."""

from __future__ import annotations

import pytest

from singletable.errors import (
    OperationError,
    ProvisionedThroughputExceeded,
    RequestLimitExceeded,
    ResourceNotFound,
    Throttled,
    ThrottlingReason,
    TransactionCanceled,
)
from singletable.faults import Faults, FaultyDriver
from singletable.operations import (
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
from tests.faults.votes import (
    ARN,
    ballot,
    batch_of,
    contents,
    engine_with_votes,
    get,
    key,
    of_partition,
    of_voter,
    put,
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


def refusal(
    operation: Operation[object], faults: Faults, billing_mode: BillingMode = "PAY_PER_REQUEST"
) -> OperationError:
    """What the operation is refused with; and then nothing was changed."""
    with engine_with_votes(billing_mode) as engine:
        with pytest.raises(OperationError) as refused:
            FaultyDriver(engine, faults).execute(operation)
        assert contents(engine) == {}
        return refused.value


def test_a_provisioned_table_exceeds_what_was_provisioned() -> None:
    error = refusal(put(), Faults(throttle=1), "PROVISIONED")
    assert isinstance(error, ProvisionedThroughputExceeded)
    assert error.code == "ProvisionedThroughputExceededException"
    assert error.message == PROVISIONED
    assert error.throttling_reasons == (
        ThrottlingReason("TableWriteProvisionedThroughputExceeded", ARN),
    )


# An on-demand table scales with its traffic, but for one partition key there is a bound.
def test_an_on_demand_table_has_a_hot_key_range() -> None:
    error = refusal(get(), Faults(throttle=1))
    assert type(error) is Throttled
    assert error.code == "ThrottlingException"
    assert error.message == ON_DEMAND
    assert error.throttling_reasons == (
        ThrottlingReason("TableReadKeyRangeThroughputExceeded", ARN),
    )


# The exception speaks of the table; only the reason tells a hot key from a busy table.
def test_a_hot_key_of_a_provisioned_table_shows_in_the_reason_alone() -> None:
    error = refusal(put(), Faults(throttle=1, keys=("ELECTION#1",)), "PROVISIONED")
    assert isinstance(error, ProvisionedThroughputExceeded)
    assert error.message == PROVISIONED
    assert error.throttling_reasons[0].reason == "TableWriteKeyRangeThroughputExceeded"


def test_a_read_of_an_index_names_the_index() -> None:
    error = refusal(of_voter("ada"), Faults(throttle=1), "PROVISIONED")
    assert isinstance(error, ProvisionedThroughputExceeded)
    assert error.message.startswith(
        "The level of configured provisioned throughput for one or more global secondary indexes"
    )
    assert error.throttling_reasons == (
        ThrottlingReason("IndexReadProvisionedThroughputExceeded", f"{ARN}/index/by_voter"),
    )


# The trap of global indexes: one that cannot keep up throttles writes to its table.
def test_an_index_that_cannot_keep_up_throttles_writes_to_its_table() -> None:
    error = refusal(put(), Faults(throttle=1, indexes=("by_voter",)), "PROVISIONED")
    assert isinstance(error, ProvisionedThroughputExceeded)
    assert error.throttling_reasons == (
        ThrottlingReason("IndexWriteProvisionedThroughputExceeded", f"{ARN}/index/by_voter"),
    )


def test_an_item_that_is_not_in_the_index_is_not_throttled_by_it() -> None:
    with engine_with_votes() as engine:
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
def test_the_limit_can_be_chosen(
    faults: Faults, kind: type[Throttled], text: str, reason: str
) -> None:
    error = refusal(put(), faults)
    assert isinstance(error, Throttled)
    assert type(error) is kind
    assert error.message == text
    assert error.throttling_reasons == (ThrottlingReason(reason, ARN),)


# A transaction has no exception of its own for this: it is canceled, and the reasons tell.
@pytest.mark.parametrize(
    ("billing_mode", "code", "text"),
    [
        ("PROVISIONED", "ProvisionedThroughputExceeded", PROVISIONED),
        ("PAY_PER_REQUEST", "ThrottlingError", ON_DEMAND),
    ],
)
def test_a_throttled_transaction_is_canceled(
    billing_mode: BillingMode, code: str, text: str
) -> None:
    transaction = TransactWriteItems([transact_put("ada"), transact_put("bob")])
    error = refusal(transaction, Faults(throttle=1), billing_mode)
    assert isinstance(error, TransactionCanceled)
    reasons = {reason.code: reason.message for reason in error.reasons}
    assert reasons == {"None": None, code: text}


# A batch is refused only if none of it could be done; else the rest is handed back.
def test_a_throttled_batch_does_nothing() -> None:
    assert isinstance(refusal(batch_of("ada", "bob"), Faults(throttle=1)), Throttled)


def test_too_many_requests_about_tables_are_throttled_without_a_reason() -> None:
    error = refusal(DescribeTable("votes"), Faults(throttle=1, operations=("DescribeTable",)))
    assert isinstance(error, Throttled)
    assert error.message == "Rate of requests exceeds the allowed throughput."
    assert error.throttling_reasons == ()


def test_only_the_hot_key_is_throttled() -> None:
    with engine_with_votes() as engine:
        driver = FaultyDriver(engine, Faults(throttle=1, keys=("ELECTION#1",)))
        driver.execute(put("ELECTION#2"))
        driver.execute(of_partition("ELECTION#2"))
        driver.execute(of_voter("ELECTION#2"))
        for hot in (put("ELECTION#1"), get("ELECTION#1"), of_partition("ELECTION#1")):
            with pytest.raises(Throttled):
                driver.execute(hot)


def test_a_key_may_be_a_number_in_its_shortest_form() -> None:
    with engine_with_votes() as engine:
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


# What DynamoDB would refuse anyway is refused in its own words.
def test_a_table_that_is_not_there_is_not_throttled() -> None:
    with engine_with_votes() as engine, pytest.raises(ResourceNotFound):
        FaultyDriver(engine, Faults(throttle=1)).execute(PutItem("nowhere", ballot()))
