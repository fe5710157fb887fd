"""How DynamoDB words that it throttles: the exception, its text and its reasons."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.errors import (
    CancellationReason,
    OperationError,
    ProvisionedThroughputExceeded,
    RequestLimitExceeded,
    Throttled,
    ThrottlingReason,
    TransactionCanceled,
)
from singletable.faults.description import Faults, Limit
from singletable.faults.surface import Part
from singletable.operations import TableDescription

# The texts are AWS's own, with the full stops that it sets and those that it forgets.
TOO_MANY_REQUESTS = "Rate of requests exceeds the allowed throughput."
_TABLE_PROVISIONED = (
    "The level of configured provisioned throughput for the table was exceeded. Consider "
    "increasing your provisioning level with the UpdateTable API."
)
_INDEX_PROVISIONED = (
    "The level of configured provisioned throughput for one or more global secondary indexes of "
    "the table was exceeded. Consider increasing your provisioning level for the under-provisioned "
    "global secondary indexes with the UpdateTable API"
)
_TABLE_SCALING = (
    "Throughput exceeds the current capacity of your table or index. DynamoDB is automatically "
    "scaling your table or index so please try again shortly. If exceptions persist, check if you "
    "have a hot key: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/"
    "bp-partition-key-design.html"
)
_INDEX_SCALING = (
    "Throughput exceeds the current capacity for one or more global secondary indexes. DynamoDB is "
    "automatically scaling your index so please try again shortly."
)
_MOST_ON_DEMAND = "Throughput exceeds the maximum OnDemandThroughput configured on table or index"
_ACCOUNT = (
    "Throughput exceeds the current throughput limit for your account. To request a limit "
    "increase, contact AWS Support at https://aws.amazon.com/support."
)


@dataclass(frozen=True, slots=True)
class Wording:
    """An exception, its text for a table and for an index, and its name within a transaction."""

    error: type[Throttled]
    table: str
    index: str
    reason_code: str


PROVISIONED = Wording(
    ProvisionedThroughputExceeded,
    _TABLE_PROVISIONED,
    _INDEX_PROVISIONED,
    "ProvisionedThroughputExceeded",
)
ON_DEMAND = Wording(Throttled, _TABLE_SCALING, _INDEX_SCALING, "ThrottlingError")
# A busy key range is worded by how the table is billed, as if all of the table were busy.
WORDINGS: dict[Limit, Wording | None] = {
    "ProvisionedThroughputExceeded": PROVISIONED,
    "KeyRangeThroughputExceeded": None,
    "MaxOnDemandThroughputExceeded": Wording(
        Throttled, _MOST_ON_DEMAND, _MOST_ON_DEMAND, "ThrottlingError"
    ),
    "AccountLimitExceeded": Wording(RequestLimitExceeded, _ACCOUNT, _ACCOUNT, "ThrottlingError"),
}


def throttled(faults: Faults, part: Part, table: TableDescription, actions: int) -> OperationError:
    """The refusal of an operation for want of throughput for one of its parts.

    `actions` is the number of a transaction's actions, 0 for what is no transaction.
    """
    summary = table.billing_mode_summary
    provisioned = summary is None or summary.billing_mode == "PROVISIONED"
    limit = faults.limit or _likely(faults, provisioned=provisioned)
    wording = WORDINGS[limit] or (PROVISIONED if provisioned else ON_DEMAND)
    index = _index(faults, part)
    text = wording.table if index is None else wording.index
    if actions and wording.error is not RequestLimitExceeded:
        reasons = [CancellationReason()] * actions
        reasons[part.place] = CancellationReason(wording.reason_code, text)
        return TransactionCanceled(reasons)
    what = f"{'Table' if index is None else 'Index'}{'Write' if part.writes else 'Read'}{limit}"
    return wording.error(text, [ThrottlingReason(what, _arn(table, index))])


def _likely(faults: Faults, *, provisioned: bool) -> Limit:
    """What most often is exceeded: a hot key, or what was provisioned."""
    if faults.keys or not provisioned:
        return "KeyRangeThroughputExceeded"
    return "ProvisionedThroughputExceeded"


def _index(faults: Faults, part: Part) -> str | None:
    """The index that is throttled: the one that is read, or the one that holds a write back."""
    return part.index or next((name for name in part.feeds if name in faults.indexes), None)


def _arn(table: TableDescription, index: str | None) -> str:
    return table.table_arn if index is None else f"{table.table_arn}/index/{index}"
