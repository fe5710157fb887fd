"""An alarm as a resource of CloudFormation."""

from __future__ import annotations

from singletable.infrastructure.alarm import Alarm, Metric, Share
from singletable.infrastructure.cloudformation.shape import Json, Properties, ref

TOPIC = "AlarmTopicArn"
HAS_TOPIC = "HasAlarmTopic"


def alarm_resource(title: str, table: str, alarm: Alarm) -> Properties:
    """The alarm, which tells the topic that the stack is given, if it is given one."""
    told: Properties = {"Fn::If": [HAS_TOPIC, [ref(TOPIC)], ref("AWS::NoValue")]}
    return {
        "Type": "AWS::CloudWatch::Alarm",
        "Properties": {
            "AlarmName": title,
            "AlarmDescription": alarm.description,
            **_measured(alarm, table),
            "ComparisonOperator": "GreaterThanOrEqualToThreshold",
            "Threshold": alarm.threshold,
            "EvaluationPeriods": alarm.periods,
            "DatapointsToAlarm": alarm.breaches,
            "TreatMissingData": "notBreaching",
            "AlarmActions": told,
            "OKActions": told,
        },
    }


def _measured(alarm: Alarm, table: str) -> Properties:
    match alarm.measured:
        case Metric(statistic=statistic) as metric:
            how = "ExtendedStatistic" if statistic == "p99" else "Statistic"
            return {**_metric(metric, table), how: statistic, "Period": alarm.seconds}
        case Share() as share:
            return {
                "Metrics": [
                    {
                        "Id": "share",
                        "Expression": share.expression,
                        "Label": "percent",
                        "ReturnData": True,
                    },
                    _stat("consumed", share.consumed, table, alarm.seconds),
                    _stat("provisioned", share.provisioned, table, alarm.seconds),
                ]
            }


def _stat(name: str, metric: Metric, table: str, seconds: int) -> Properties:
    return {
        "Id": name,
        "ReturnData": False,
        "MetricStat": {
            "Metric": _metric(metric, table),
            "Period": seconds,
            "Stat": metric.statistic,
        },
    }


def _metric(metric: Metric, table: str) -> Properties:
    found: Properties = {"Namespace": "AWS/DynamoDB", "MetricName": metric.name}
    dimensions: list[Json] = []
    if metric.of_table:
        dimensions.append({"Name": "TableName", "Value": ref(table)})
    if metric.index is not None:
        dimensions.append({"Name": "GlobalSecondaryIndexName", "Value": metric.index})
    if metric.operation is not None:
        dimensions.append({"Name": "Operation", "Value": metric.operation})
    if dimensions:
        found["Dimensions"] = dimensions
    return found
