"""A table as a construct of the AWS CDK."""

from __future__ import annotations

from collections.abc import Iterator

from singletable.infrastructure.cdk.source import Call, Raw, Source
from singletable.infrastructure.deployment import (
    AwsManagedKey,
    AwsOwnedKey,
    CustomerKey,
    Deployment,
)
from singletable.infrastructure.plan import ScaledCapacity, TablePlan
from singletable.operations import (
    CreateTable,
    GlobalSecondaryIndex,
    LocalSecondaryIndex,
    Projection,
    ProvisionedThroughput,
)

_TYPES = {"S": "STRING", "N": "NUMBER", "B": "BINARY"}


def table_call(plan: TablePlan, deployment: Deployment) -> Call:
    """The call that makes the table; a protected one outlives its stack."""
    create = plan.create
    partition, *sort = [element.attribute_name for element in create.key_schema]
    billing = create.billing_mode or "PROVISIONED"
    policy = "RETAIN" if deployment.deletion_protection else "DESTROY"
    return Call(
        "dynamodb.Table",
        [Raw("self"), plan.name],
        {
            "table_name": plan.name,
            "partition_key": _attribute(create, partition),
            "sort_key": _attribute(create, sort[0]) if sort else None,
            "billing_mode": Raw(f"dynamodb.BillingMode.{billing}"),
            **_capacity(create.provisioned_throughput),
            "table_class": Raw(f"dynamodb.TableClass.{deployment.table_class}"),
            "time_to_live_attribute": plan.ttl,
            "stream": None
            if deployment.stream is None
            else Raw(f"dynamodb.StreamViewType.{deployment.stream}"),
            **_encryption(plan, deployment),
            "point_in_time_recovery_specification": _recovery(deployment.recovery_days),
            "deletion_protection": deployment.deletion_protection,
            "removal_policy": Raw(f"RemovalPolicy.{policy}"),
        },
    )


def index_calls(plan: TablePlan) -> Iterator[Call]:
    """The calls that give the table its indexes."""
    create = plan.create
    for index in create.global_secondary_indexes or ():
        yield _global(create, index)
    for local in create.local_secondary_indexes or ():
        yield _local(create, local)


def scaling_call(scaled: ScaledCapacity) -> Call:
    """The call that lets the capacity of the table, or of an index, follow its load."""
    way = scaled.direction.lower()
    limits: dict[str, Source | None] = {
        "min_capacity": scaled.least,
        "max_capacity": scaled.most,
    }
    if scaled.index is None:
        return Call(f"auto_scale_{way}_capacity", [], limits)
    return Call(f"auto_scale_global_secondary_index_{way}_capacity", [scaled.index], limits)


def _global(create: CreateTable, index: GlobalSecondaryIndex) -> Call:
    def keys(kind: str) -> list[Source]:
        return [
            _attribute(create, element.attribute_name)
            for element in index.key_schema
            if element.key_type == kind
        ]

    return Call(
        "add_global_secondary_index",
        [],
        {
            "index_name": index.index_name,
            "partition_keys": keys("HASH"),
            "sort_keys": keys("RANGE") or None,
            **_projection(index.projection),
            **_capacity(index.provisioned_throughput),
        },
    )


def _local(create: CreateTable, index: LocalSecondaryIndex) -> Call:
    return Call(
        "add_local_secondary_index",
        [],
        {
            "index_name": index.index_name,
            "sort_key": _attribute(create, index.key_schema[-1].attribute_name),
            **_projection(index.projection),
        },
    )


def _attribute(create: CreateTable, name: str) -> Call:
    types = {one.attribute_name: one.attribute_type for one in create.attribute_definitions}
    kind = Raw(f"dynamodb.AttributeType.{_TYPES[types[name]]}")
    return Call("dynamodb.Attribute", [], {"name": name, "type": kind})


def _projection(projection: Projection) -> dict[str, Source | None]:
    kind = projection.projection_type or "ALL"
    return {
        "projection_type": Raw(f"dynamodb.ProjectionType.{kind}"),
        "non_key_attributes": projection.non_key_attributes or None,
    }


def _capacity(units: ProvisionedThroughput | None) -> dict[str, Source | None]:
    if units is None:
        return {}
    return {
        "read_capacity": units.read_capacity_units,
        "write_capacity": units.write_capacity_units,
    }


def _recovery(days: int | None) -> Call:
    return Call(
        "dynamodb.PointInTimeRecoverySpecification",
        [],
        {"point_in_time_recovery_enabled": days is not None, "recovery_period_in_days": days},
    )


def _encryption(plan: TablePlan, deployment: Deployment) -> dict[str, Source | None]:
    match deployment.encryption:
        case AwsOwnedKey():
            return {"encryption": Raw("dynamodb.TableEncryption.DEFAULT")}
        case AwsManagedKey():
            return {"encryption": Raw("dynamodb.TableEncryption.AWS_MANAGED")}
        case CustomerKey(arn):
            key = Call("kms.Key.from_key_arn", [Raw("self"), f"{plan.name} key", arn], {})
            return {
                "encryption": Raw("dynamodb.TableEncryption.CUSTOMER_MANAGED"),
                "encryption_key": key,
            }
