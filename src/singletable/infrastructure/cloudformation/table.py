"""A table as a resource of CloudFormation."""

from __future__ import annotations

from singletable.infrastructure.cloudformation.shape import Json, Properties
from singletable.infrastructure.deployment import (
    AwsManagedKey,
    AwsOwnedKey,
    CustomerKey,
    Deployment,
)
from singletable.infrastructure.plan import TablePlan
from singletable.operations import (
    GlobalSecondaryIndex,
    KeySchemaElement,
    LocalSecondaryIndex,
    Projection,
    ProvisionedThroughput,
)


def table_resource(plan: TablePlan, deployment: Deployment) -> Properties:
    """The resource; a protected table outlives its stack."""
    policy = "Retain" if deployment.deletion_protection else "Delete"
    return {
        "Type": "AWS::DynamoDB::Table",
        "DeletionPolicy": policy,
        "UpdateReplacePolicy": policy,
        "Properties": _properties(plan, deployment),
    }


def _properties(plan: TablePlan, deployment: Deployment) -> Properties:
    create = plan.create
    found: Properties = {
        "TableName": create.table_name,
        "AttributeDefinitions": [
            {"AttributeName": one.attribute_name, "AttributeType": one.attribute_type}
            for one in create.attribute_definitions
        ],
        "KeySchema": _key(create.key_schema),
        "BillingMode": create.billing_mode or "PROVISIONED",
        "TableClass": deployment.table_class,
        "DeletionProtectionEnabled": deployment.deletion_protection,
        "PointInTimeRecoverySpecification": _recovery(deployment.recovery_days),
        "SSESpecification": _encryption(deployment),
    }
    if create.provisioned_throughput is not None:
        found["ProvisionedThroughput"] = _throughput(create.provisioned_throughput)
    if create.global_secondary_indexes:
        found["GlobalSecondaryIndexes"] = [_global(one) for one in create.global_secondary_indexes]
    if create.local_secondary_indexes:
        found["LocalSecondaryIndexes"] = [_index(one) for one in create.local_secondary_indexes]
    if plan.ttl is not None:
        found["TimeToLiveSpecification"] = {"AttributeName": plan.ttl, "Enabled": True}
    if deployment.stream is not None:
        found["StreamSpecification"] = {"StreamViewType": deployment.stream}
    if deployment.tags:
        found["Tags"] = [{"Key": key, "Value": value} for key, value in deployment.tags.items()]
    return found


def _key(schema: list[KeySchemaElement]) -> list[Json]:
    return [{"AttributeName": one.attribute_name, "KeyType": one.key_type} for one in schema]


def _index(index: GlobalSecondaryIndex | LocalSecondaryIndex) -> Properties:
    return {
        "IndexName": index.index_name,
        "KeySchema": _key(index.key_schema),
        "Projection": _projection(index.projection),
    }


def _global(index: GlobalSecondaryIndex) -> Properties:
    found = _index(index)
    if index.provisioned_throughput is not None:
        found["ProvisionedThroughput"] = _throughput(index.provisioned_throughput)
    return found


def _projection(projection: Projection) -> Properties:
    found: Properties = {"ProjectionType": projection.projection_type or "ALL"}
    if projection.non_key_attributes:
        found["NonKeyAttributes"] = list(projection.non_key_attributes)
    return found


def _throughput(units: ProvisionedThroughput) -> Properties:
    return {
        "ReadCapacityUnits": units.read_capacity_units,
        "WriteCapacityUnits": units.write_capacity_units,
    }


def _recovery(days: int | None) -> Properties:
    if days is None:
        return {"PointInTimeRecoveryEnabled": False}
    return {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": days}


def _encryption(deployment: Deployment) -> Properties:
    match deployment.encryption:
        case AwsOwnedKey():
            return {"SSEEnabled": False}
        case AwsManagedKey():
            return {"SSEEnabled": True}
        case CustomerKey(arn):
            return {"SSEEnabled": True, "SSEType": "KMS", "KMSMasterKeyId": arn}
