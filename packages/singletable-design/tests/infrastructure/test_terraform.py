"""The Terraform configuration is valid and agrees with the CloudFormation template."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from singletable import Table
from singletable_design.infrastructure import Deployment, render_terraform
from tests.infrastructure.deployments import CUSTOMIZED, DEPLOYMENTS, of_type, template
from tests.infrastructure.hcl import resources
from tools.testing.designs.table_shapes import ALL, digests, skills, votes

# Arguments from the provider's documentation.
ARGUMENTS = {
    "aws_dynamodb_table": """
        name billing_mode read_capacity write_capacity hash_key range_key table_class ttl tags
        deletion_protection_enabled stream_enabled stream_view_type attribute lifecycle
        global_secondary_index local_secondary_index point_in_time_recovery server_side_encryption
        on_demand_throughput
    """,
    "aws_appautoscaling_target": """
        service_namespace resource_id scalable_dimension min_capacity max_capacity
    """,
    "aws_appautoscaling_policy": """
        name policy_type service_namespace resource_id scalable_dimension
        target_tracking_scaling_policy_configuration
    """,
    "aws_cloudwatch_metric_alarm": """
        alarm_name alarm_description namespace metric_name dimensions statistic extended_statistic
        period comparison_operator threshold evaluation_periods datapoints_to_alarm
        treat_missing_data alarm_actions ok_actions metric_query
    """,
}


@cache
def parsed(name: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the resources of all tables in one of the deployments."""
    return resources(render_terraform(ALL, DEPLOYMENTS[name]))


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_arguments_are_known_to_the_provider(name: str) -> None:
    for (kind, _), body in parsed(name).items():
        assert set(body) <= set(ARGUMENTS[kind].split())


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_tables_match_cloudformation(name: str) -> None:
    deployment = DEPLOYMENTS[name]
    tables = [
        _as_properties(body)
        for (kind, _), body in parsed(name).items()
        if kind == "aws_dynamodb_table"
    ]
    assert tables == of_type(template(ALL, deployment)["Resources"], "AWS::DynamoDB::Table")


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_alarms_match_cloudformation(name: str) -> None:
    deployment = DEPLOYMENTS[name]
    alarms = [
        (
            body["alarm_name"],
            body.get("metric_name"),
            body["threshold"],
            _dimensions(body),
            [(one["id"], one.get("return_data", False)) for one in body.get("metric_query", [])],
        )
        for (kind, _), body in parsed(name).items()
        if kind == "aws_cloudwatch_metric_alarm"
    ]
    assert alarms == [
        (
            alarm["AlarmName"],
            alarm.get("MetricName"),
            alarm["Threshold"],
            [dimension["Name"] for dimension in alarm.get("Dimensions", [])],
            [(one["Id"], one["ReturnData"]) for one in alarm.get("Metrics", [])],
        )
        for alarm in of_type(template(ALL, deployment)["Resources"], "AWS::CloudWatch::Alarm")
    ]


def test_scaled_capacity_is_ignored_by_terraform() -> None:
    parsed = resources(render_terraform([digests], Deployment()))
    targets = {
        (body["resource_id"], body["scalable_dimension"]): (
            body["min_capacity"],
            body["max_capacity"],
        )
        for (kind, _), body in parsed.items()
        if kind == "aws_appautoscaling_target"
    }
    table = "table/${aws_dynamodb_table.digests.name}"
    assert targets == {
        (table, "dynamodb:table:ReadCapacityUnits"): (5, 50),
        (table, "dynamodb:table:WriteCapacityUnits"): (10, 100),
        (f"{table}/index/by-size", "dynamodb:index:ReadCapacityUnits"): (5, 50),
        (f"{table}/index/by-size", "dynamodb:index:WriteCapacityUnits"): (10, 100),
    }
    (lifecycle,) = parsed["aws_dynamodb_table", "digests"]["lifecycle"]
    ignored = ["read_capacity", "write_capacity", "global_secondary_index"]
    assert lifecycle == {"prevent_destroy": True, "ignore_changes": ignored}


def test_unscaled_capacity_is_not_ignored() -> None:
    parsed = resources(render_terraform([votes, skills], CUSTOMIZED))
    for name in ("vote_data", "glad_entities"):
        assert "lifecycle" not in parsed["aws_dynamodb_table", name]


# Names in Terraform start with a letter and have no dots.
def test_invalid_resource_names_are_converted() -> None:
    tables = [Table("7.days"), Table("7-days"), Table("7_DAYS")]
    parsed = resources(render_terraform(tables, Deployment(alarms=None)))
    assert {name: body["name"] for (_, name), body in parsed.items()} == {
        "t_7_days": "7.days",
        "t_7_days2": "7-days",
        "t_7_days3": "7_DAYS",
    }


def _dimensions(body: dict[str, Any]) -> list[str]:
    return list(body.get("dimensions", {}))


def _as_properties(body: dict[str, Any]) -> dict[str, Any]:
    """Convert a table from Terraform's names to CloudFormation's."""
    (recovery,) = body["point_in_time_recovery"]
    (encryption,) = body["server_side_encryption"]
    optional = {
        "ProvisionedThroughput": _units(body),
        "GlobalSecondaryIndexes": [
            _global(index) for index in body.get("global_secondary_index", [])
        ],
        "LocalSecondaryIndexes": [
            _index(index, [(body["hash_key"], "HASH"), (index["range_key"], "RANGE")])
            for index in body.get("local_secondary_index", [])
        ],
        "TimeToLiveSpecification": next(
            (
                {"AttributeName": ttl["attribute_name"], "Enabled": ttl["enabled"]}
                for ttl in body.get("ttl", [])
            ),
            None,
        ),
        "OnDemandThroughput": _maximum(body),
        "StreamSpecification": {"StreamViewType": body["stream_view_type"]}
        if body.get("stream_enabled")
        else None,
        "Tags": [{"Key": key, "Value": value} for key, value in body.get("tags", {}).items()],
    }
    keys = [(body["hash_key"], "HASH")]
    keys += [(body["range_key"], "RANGE")] if "range_key" in body else []
    return {
        "TableName": body["name"],
        "AttributeDefinitions": [
            {"AttributeName": attribute["name"], "AttributeType": attribute["type"]}
            for attribute in body["attribute"]
        ],
        "KeySchema": _schema(keys),
        "BillingMode": body["billing_mode"],
        "TableClass": body["table_class"],
        "DeletionProtectionEnabled": body["deletion_protection_enabled"],
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": recovery["enabled"]}
        | (
            {"RecoveryPeriodInDays": recovery["recovery_period_in_days"]}
            if recovery["enabled"]
            else {}
        ),
        "SSESpecification": {"SSEEnabled": encryption["enabled"]}
        | (
            {"SSEType": "KMS", "KMSMasterKeyId": encryption["kms_key_arn"]}
            if "kms_key_arn" in encryption
            else {}
        ),
    } | {name: value for name, value in optional.items() if value}


def _global(body: dict[str, Any]) -> dict[str, Any]:
    keys = [(element["attribute_name"], element["key_type"]) for element in body["key_schema"]]
    optional = {"ProvisionedThroughput": _units(body), "OnDemandThroughput": _maximum(body)}
    return _index(body, keys) | {name: value for name, value in optional.items() if value}


def _index(body: dict[str, Any], keys: list[tuple[str, str]]) -> dict[str, Any]:
    projection: dict[str, object] = {"ProjectionType": body["projection_type"]}
    if "non_key_attributes" in body:
        projection["NonKeyAttributes"] = body["non_key_attributes"]
    return {"IndexName": body["name"], "KeySchema": _schema(keys), "Projection": projection}


def _schema(keys: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"AttributeName": name, "KeyType": kind} for name, kind in keys]


def _maximum(body: dict[str, Any]) -> dict[str, int] | None:
    for maximum in body.get("on_demand_throughput", []):
        return {
            "MaxReadRequestUnits": maximum["max_read_request_units"],
            "MaxWriteRequestUnits": maximum["max_write_request_units"],
        }
    return None


def _units(body: dict[str, Any]) -> dict[str, int] | None:
    if "read_capacity" not in body:
        return None
    return {
        "ReadCapacityUnits": body["read_capacity"],
        "WriteCapacityUnits": body["write_capacity"],
    }
