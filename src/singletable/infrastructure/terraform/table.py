"""A table as a resource of Terraform's provider for AWS."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.infrastructure.deployment import (
    AwsManagedKey,
    AwsOwnedKey,
    CustomerKey,
    Deployment,
)
from singletable.infrastructure.plan import TablePlan
from singletable.infrastructure.terraform.hcl import Block, Expression, Raw
from singletable.operations import (
    GlobalSecondaryIndex,
    KeySchemaElement,
    LocalSecondaryIndex,
    Projection,
    ProvisionedThroughput,
)

KIND = "aws_dynamodb_table"


def table_block(name: str, plan: TablePlan, deployment: Deployment) -> Block:
    """The resource; a protected table is not destroyed by Terraform either."""
    create = plan.create
    partition, *sort = [element.attribute_name for element in create.key_schema]
    return Block(
        "resource",
        (KIND, name),
        {
            "name": create.table_name,
            "billing_mode": create.billing_mode or "PROVISIONED",
            **_capacity(create.provisioned_throughput),
            "hash_key": partition,
            "range_key": sort[0] if sort else None,
            "table_class": deployment.table_class,
            "deletion_protection_enabled": deployment.deletion_protection,
            "stream_enabled": True if deployment.stream else None,
            "stream_view_type": deployment.stream,
            "tags": deployment.tags or None,
        },
        tuple(_inner(plan, deployment)),
    )


def _inner(plan: TablePlan, deployment: Deployment) -> Iterator[Block]:
    create = plan.create
    for one in create.attribute_definitions:
        yield Block("attribute", arguments={"name": one.attribute_name, "type": one.attribute_type})
    for index in create.global_secondary_indexes or ():
        yield _global(index)
    for local in create.local_secondary_indexes or ():
        yield _local(local)
    if plan.ttl is not None:
        yield Block("ttl", arguments={"attribute_name": plan.ttl, "enabled": True})
    days = deployment.recovery_days
    yield Block(
        "point_in_time_recovery",
        arguments={"enabled": days is not None, "recovery_period_in_days": days},
    )
    yield _encryption(deployment)
    yield from _lifecycle(plan, deployment)


def _global(index: GlobalSecondaryIndex) -> Block:
    return Block(
        "global_secondary_index",
        arguments={
            "name": index.index_name,
            **_projection(index.projection),
            **_capacity(index.provisioned_throughput),
        },
        blocks=tuple(map(_key, index.key_schema)),
    )


def _local(index: LocalSecondaryIndex) -> Block:
    return Block(
        "local_secondary_index",
        arguments={
            "name": index.index_name,
            "range_key": index.key_schema[-1].attribute_name,
            **_projection(index.projection),
        },
    )


def _key(element: KeySchemaElement) -> Block:
    return Block(
        "key_schema",
        arguments={"attribute_name": element.attribute_name, "key_type": element.key_type},
    )


def _projection(projection: Projection) -> dict[str, Expression | None]:
    return {
        "projection_type": projection.projection_type or "ALL",
        "non_key_attributes": projection.non_key_attributes or None,
    }


def _capacity(units: ProvisionedThroughput | None) -> dict[str, Expression | None]:
    if units is None:
        return {}
    return {
        "read_capacity": units.read_capacity_units,
        "write_capacity": units.write_capacity_units,
    }


def _encryption(deployment: Deployment) -> Block:
    arguments: dict[str, Expression | None]
    match deployment.encryption:
        case AwsOwnedKey():
            arguments = {"enabled": False}
        case AwsManagedKey():
            arguments = {"enabled": True}
        case CustomerKey(arn):
            arguments = {"enabled": True, "kms_key_arn": arn}
    return Block("server_side_encryption", arguments=arguments)


# The capacity of a single index cannot be named there, so all that indexes are is passed over.
_IGNORED = """\
Auto scaling changes capacity, and Terraform would change it back. Indexes are ignored as a whole:
to add, change or remove one, take global_secondary_index out of this list for that one run."""


def _lifecycle(plan: TablePlan, deployment: Deployment) -> Iterator[Block]:
    arguments: dict[str, Expression | None] = {}
    if deployment.deletion_protection:
        arguments["prevent_destroy"] = True
    ignored = ["read_capacity", "write_capacity"] if plan.scaled else []
    on_indexes = any(one.index is not None for one in plan.scaled)
    if on_indexes:
        ignored.append("global_secondary_index")
    if ignored:
        arguments["ignore_changes"] = Raw(f"[{', '.join(ignored)}]")
    if arguments:
        yield Block("lifecycle", arguments=arguments, note=_IGNORED if on_indexes else "")
