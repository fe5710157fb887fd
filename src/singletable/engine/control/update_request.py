"""What UpdateTable may ask for, whatever the table is: changes that go together."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from singletable.engine.control.encryption import check_encryption
from singletable.engine.control.index_actions import (
    Action,
    actions_of,
    check_new_index,
    makes_or_unmakes,
)
from singletable.engine.control.streams import check_stream
from singletable.engine.control.throughput import check_bounds
from singletable.errors import ValidationError
from singletable.operations import CreateGlobalSecondaryIndexAction, UpdateTable
from singletable.values import INVALID

NOTHING_ASKED = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
    "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, "
    "ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, "
    "OnDemandThroughput, WarmThroughput or TableClass is required"
)
CHANGES = (
    "provisioned_throughput",
    "billing_mode",
    "stream_specification",
    "global_secondary_index_updates",
    "sse_specification",
    "deletion_protection_enabled",
    "on_demand_throughput",
    "warm_throughput",
    "table_class",
)
# What must come alone; of several, the first of these is named.
ALONE = {
    "sse_specification": "Server-Side Encryption modification must be the only operation in "
    "the request",
    "table_class": "TableClass modification must be the only operation in the request",
    "deletion_protection_enabled": "DeletionProtection modification must be the only operation "
    "in the request",
    "warm_throughput": "WarmThroughput must be the only operation in the request",
}
# What cannot come together. Making or unmaking an index is called "index" here.
APART = (
    (
        {"index", "provisioned_throughput"},
        "You cannot create or delete index while updating table IOPS",
    ),
    (
        {"index", "stream_specification"},
        "You cannot create or delete index while changing stream status",
    ),
    (
        {"stream_specification", "provisioned_throughput"},
        "You cannot modify stream status while updating table IOPS",
    ),
)


def check_update(request: UpdateTable) -> None:
    """Raise ValidationError unless some table could be changed so."""
    asked = [name for name in CHANGES if getattr(request, name) is not None]
    if request.global_secondary_index_updates == [] and len(asked) > 1:
        raise ValidationError(f"{INVALID}List of GlobalSecondaryIndexUpdates is empty")
    if not asked or request.global_secondary_index_updates == []:
        raise ValidationError(NOTHING_ASKED)
    _check_throughput(request)
    actions = actions_of(request)
    _check_company(asked, actions)
    check_stream(request.stream_specification)
    check_encryption(request.sse_specification)
    for action in actions:
        if isinstance(action, CreateGlobalSecondaryIndexAction):
            check_new_index(action, request.attribute_definitions)


def _check_throughput(request: UpdateTable) -> None:
    units = request.provisioned_throughput
    if request.billing_mode == "PAY_PER_REQUEST" and units is not None:
        raise ValidationError(
            f"{INVALID}ProvisionedThroughput cannot be specified when BillingMode is "
            "PAY_PER_REQUEST"
        )
    if request.billing_mode == "PROVISIONED" and units is None:
        raise ValidationError(
            f"{INVALID}ProvisionedThroughput must be specified when BillingMode is PROVISIONED"
        )
    if units is not None:
        check_bounds(units)


def _check_company(asked: Collection[str], actions: Sequence[Action]) -> None:
    if "warm_throughput" in asked and any(
        isinstance(action, CreateGlobalSecondaryIndexAction) for action in actions
    ):
        alone = ALONE | {
            "warm_throughput": "Create global secondary index cannot be specified when updating "
            "WarmThroughput"
        }
    else:
        alone = ALONE
    for name, refusal in alone.items():
        if name in asked and len(asked) > 1:
            raise ValidationError(INVALID + refusal)
    if "on_demand_throughput" in asked and not {"on_demand_throughput", "billing_mode"} >= set(
        asked
    ):
        raise ValidationError(
            f"{INVALID}OnDemandThroughput can only be combined with BillingMode in an UpdateTable "
            "request"
        )
    present = {*asked, "index"} if any(map(makes_or_unmakes, actions)) else set(asked)
    for pair, refusal in APART:
        if pair <= present:
            raise ValidationError(INVALID + refusal)
