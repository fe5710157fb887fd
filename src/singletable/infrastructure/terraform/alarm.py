"""An alarm as a resource of Terraform's provider for AWS."""

from __future__ import annotations

from singletable.infrastructure.alarm import Alarm, Metric, Share
from singletable.infrastructure.terraform.hcl import Block, Expression, Raw
from singletable.infrastructure.terraform.table import KIND

TOPIC = "alarm_topic_arn"


def alarm_block(name: str, title: str, table: str, alarm: Alarm) -> Block:
    """The alarm, which tells the topic in the variable, if there is one."""
    told = Raw(f"var.{TOPIC} == null ? [] : [var.{TOPIC}]")
    measured, blocks = _measured(alarm, table)
    return Block(
        "resource",
        ("aws_cloudwatch_metric_alarm", name),
        {
            "alarm_name": title,
            "alarm_description": alarm.description,
            **measured,
            "comparison_operator": "GreaterThanOrEqualToThreshold",
            "threshold": alarm.threshold,
            "evaluation_periods": alarm.periods,
            "datapoints_to_alarm": alarm.breaches,
            "treat_missing_data": "notBreaching",
            "alarm_actions": told,
            "ok_actions": told,
        },
        blocks,
    )


def _measured(alarm: Alarm, table: str) -> tuple[dict[str, Expression | None], tuple[Block, ...]]:
    match alarm.measured:
        case Metric(statistic=statistic) as metric:
            how = "extended_statistic" if statistic == "p99" else "statistic"
            return {**_metric(metric, table), how: statistic, "period": alarm.seconds}, ()
        case Share() as share:
            total: dict[str, Expression | None] = {
                "id": "share",
                "expression": share.expression,
                "label": "percent",
                "return_data": True,
            }
            return {}, (
                Block("metric_query", arguments=total),
                _query("consumed", share.consumed, table, alarm.seconds),
                _query("provisioned", share.provisioned, table, alarm.seconds),
            )


def _query(name: str, metric: Metric, table: str, seconds: int) -> Block:
    inner = Block(
        "metric",
        arguments={**_metric(metric, table), "stat": metric.statistic, "period": seconds},
    )
    return Block("metric_query", arguments={"id": name}, blocks=(inner,))


def _metric(metric: Metric, table: str) -> dict[str, Expression | None]:
    dimensions: dict[str, Expression] = {}
    if metric.of_table:
        dimensions["TableName"] = Raw(f"{KIND}.{table}.name")
    if metric.index is not None:
        dimensions["GlobalSecondaryIndexName"] = metric.index
    if metric.operation is not None:
        dimensions["Operation"] = metric.operation
    return {
        "namespace": "AWS/DynamoDB",
        "metric_name": metric.name,
        "dimensions": dimensions or None,
    }
