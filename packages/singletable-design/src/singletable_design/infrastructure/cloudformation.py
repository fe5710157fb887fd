"""Render tables as a CloudFormation template."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeAlias

import msgspec

from singletable.schema import Table
from singletable.tables.settings import AwsManagedKey, AwsOwnedKey, CustomerKey
from singletable_design.infrastructure.alarms import Alarm, CapacityUtilization, Metric
from singletable_design.infrastructure.deployment import Deployment
from singletable_design.infrastructure.names import ResourceNames, pascal_case
from singletable_design.infrastructure.plan import (
    DeploymentPlan,
    ScaledCapacity,
    TablePlan,
    create_plan,
)

Json: TypeAlias = "str | int | float | bool | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = dict[str, Json]

_TOPIC = "AlarmTopicArn"
_HAS_TOPIC = "HasAlarmTopic"


def render_cloudformation(tables: Sequence[Table], deployment: Deployment) -> str:
    """Return the template as JSON text."""
    return json.dumps(_template(create_plan(tables, deployment)), indent=2) + "\n"


def _template(plan: DeploymentPlan) -> JsonObject:
    names = ResourceNames(pascal_case)
    resources: JsonObject = {}
    for table in plan.tables:
        resources[names(table.name)] = _table(table, plan.deployment)
    for table in plan.tables:
        resources |= _scaling_and_alarms(table, names)
    first = plan.tables[0].name
    for alarm in plan.account_alarms:
        title = f"{first}: {alarm.name}"
        resources[names(f"account {title} alarm")] = _alarm(title, "", alarm)
    template: JsonObject = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": f"DynamoDB: {', '.join(table.name for table in plan.tables)}"[:1024],
    }
    if plan.deployment.alarms is not None:
        template |= _topic_parameter()
    template["Resources"] = resources
    template["Outputs"] = _outputs(plan, names)
    return template


def _scaling_and_alarms(table: TablePlan, names: ResourceNames) -> JsonObject:
    resources: JsonObject = {}
    resource = names(table.name)
    for scaled in table.scaled:
        of = "" if scaled.index is None else f" of {scaled.index}"
        name = names(f"{table.name} {scaled.direction} scaling{of}")
        resources |= _scaling(name, resource, scaled)
    for alarm in table.alarms:
        title = f"{table.name}: {alarm.name}"
        resources[names(f"{title} alarm")] = _alarm(title, resource, alarm)
    return resources


def _topic_parameter() -> JsonObject:
    return {
        "Parameters": {
            _TOPIC: {
                "Type": "String",
                "Default": "",
                "Description": "SNS topic for alarms. Leave empty to send no notifications.",
            }
        },
        "Conditions": {_HAS_TOPIC: {"Fn::Not": [{"Fn::Equals": [_ref(_TOPIC), ""]}]}},
    }


def _outputs(plan: DeploymentPlan, names: ResourceNames) -> JsonObject:
    outputs: JsonObject = {}
    for table in plan.tables:
        name = names(table.name)
        outputs[f"{name}Arn"] = {"Value": {"Fn::GetAtt": [name, "Arn"]}}
        if plan.deployment.stream is not None:
            outputs[f"{name}StreamArn"] = {"Value": {"Fn::GetAtt": [name, "StreamArn"]}}
    return outputs


def _ref(name: str) -> JsonObject:
    return {"Ref": name}


def _table(plan: TablePlan, deployment: Deployment) -> JsonObject:
    # With deletion protection the table is kept when its stack is deleted.
    policy = "Retain" if deployment.deletion_protection else "Delete"
    # CreateTable and CloudFormation share the names of keys, indexes and capacity.
    properties: JsonObject = msgspec.to_builtins(plan.create)
    properties |= {
        "TableClass": deployment.table_class,
        "DeletionProtectionEnabled": deployment.deletion_protection,
        "PointInTimeRecoverySpecification": _recovery(deployment.recovery_days),
        "SSESpecification": _encryption(deployment),
    }
    if plan.ttl is not None:
        properties["TimeToLiveSpecification"] = {"AttributeName": plan.ttl, "Enabled": True}
    if deployment.stream is not None:
        properties["StreamSpecification"] = {"StreamViewType": deployment.stream}
    if deployment.tags:
        tags = deployment.tags.items()
        properties["Tags"] = [{"Key": key, "Value": value} for key, value in tags]
    return {
        "Type": "AWS::DynamoDB::Table",
        "DeletionPolicy": policy,
        "UpdateReplacePolicy": policy,
        "Properties": properties,
    }


def _recovery(days: int | None) -> JsonObject:
    if days is None:
        return {"PointInTimeRecoveryEnabled": False}
    return {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": days}


def _encryption(deployment: Deployment) -> JsonObject:
    match deployment.encryption:
        case AwsOwnedKey():
            return {"SSEEnabled": False}
        case AwsManagedKey():
            return {"SSEEnabled": True}
        case CustomerKey(arn):
            return {"SSEEnabled": True, "SSEType": "KMS", "KMSMasterKeyId": arn}


def _scaling(name: str, table: str, scaled: ScaledCapacity) -> JsonObject:
    target, policy = f"{name}Target", f"{name}Policy"
    index = "" if scaled.index is None else f"/index/{scaled.index}"
    kind = "table" if scaled.index is None else "index"
    return {
        target: {
            "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
            "Properties": {
                "ServiceNamespace": "dynamodb",
                "ResourceId": {"Fn::Sub": f"table/${{{table}}}{index}"},
                "ScalableDimension": f"dynamodb:{kind}:{scaled.direction}CapacityUnits",
                "MinCapacity": scaled.min_capacity,
                "MaxCapacity": scaled.max_capacity,
            },
        },
        policy: {
            "Type": "AWS::ApplicationAutoScaling::ScalingPolicy",
            "Properties": {
                "PolicyName": policy,
                "PolicyType": "TargetTrackingScaling",
                "ScalingTargetId": _ref(target),
                "TargetTrackingScalingPolicyConfiguration": {
                    "TargetValue": scaled.target_percent,
                    "PredefinedMetricSpecification": {
                        "PredefinedMetricType": f"DynamoDB{scaled.direction}CapacityUtilization"
                    },
                },
            },
        },
    }


def _alarm(title: str, table: str, alarm: Alarm) -> JsonObject:
    actions: JsonObject = {"Fn::If": [_HAS_TOPIC, [_ref(_TOPIC)], _ref("AWS::NoValue")]}
    return {
        "Type": "AWS::CloudWatch::Alarm",
        "Properties": {
            "AlarmName": title,
            "AlarmDescription": alarm.description,
            **_alarm_metric(alarm, table),
            "ComparisonOperator": "GreaterThanOrEqualToThreshold",
            "Threshold": alarm.threshold,
            "EvaluationPeriods": alarm.periods,
            "DatapointsToAlarm": alarm.breaches,
            "TreatMissingData": "notBreaching",
            "AlarmActions": actions,
            "OKActions": actions,
        },
    }


def _alarm_metric(alarm: Alarm, table: str) -> JsonObject:
    match alarm.metric:
        case Metric(statistic=statistic) as metric:
            name = "ExtendedStatistic" if statistic == "p99" else "Statistic"
            return {**_metric(metric, table), name: statistic, "Period": alarm.period_seconds}
        case CapacityUtilization() as utilization:
            return {
                "Metrics": [
                    {
                        "Id": "share",
                        "Expression": utilization.expression,
                        "Label": "percent",
                        "ReturnData": True,
                    },
                    _query("consumed", utilization.consumed, table, alarm.period_seconds),
                    _query("provisioned", utilization.provisioned, table, alarm.period_seconds),
                ]
            }


def _query(name: str, metric: Metric, table: str, seconds: int) -> JsonObject:
    return {
        "Id": name,
        "ReturnData": False,
        "MetricStat": {
            "Metric": _metric(metric, table),
            "Period": seconds,
            "Stat": metric.statistic,
        },
    }


def _metric(metric: Metric, table: str) -> JsonObject:
    properties: JsonObject = {"Namespace": "AWS/DynamoDB", "MetricName": metric.name}
    dimensions: list[Json] = []
    if metric.per_table:
        dimensions.append({"Name": "TableName", "Value": _ref(table)})
    if metric.index is not None:
        dimensions.append({"Name": "GlobalSecondaryIndexName", "Value": metric.index})
    if metric.operation is not None:
        dimensions.append({"Name": "Operation", "Value": metric.operation})
    if dimensions:
        properties["Dimensions"] = dimensions
    return properties
