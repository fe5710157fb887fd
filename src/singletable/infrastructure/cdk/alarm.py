"""An alarm in the text of the construct, and what all alarms share there."""

from __future__ import annotations

from singletable.infrastructure.alarm import Alarm, Metric, Share
from singletable.infrastructure.cdk.source import Call, Raw, Source

SHARED = """
    def _alarm(
        self,
        name: str,
        description: str,
        metric: cloudwatch.IMetric,
        *,
        threshold: int,
        periods: int,
        breaches: int,
    ) -> None:
        alarm = cloudwatch.Alarm(
            self,
            name,
            alarm_name=name,
            alarm_description=description,
            metric=metric,
            threshold=threshold,
            evaluation_periods=periods,
            datapoints_to_alarm=breaches,
            comparison_operator=_AT_LEAST,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        if self._alarm_topic is not None:
            alarm.add_alarm_action(actions.SnsAction(self._alarm_topic))
            alarm.add_ok_action(actions.SnsAction(self._alarm_topic))


_AT_LEAST = cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD


def _metric(name: str, statistic: str, seconds: int, **dimensions: str) -> cloudwatch.Metric:
    return cloudwatch.Metric(
        namespace="AWS/DynamoDB",
        metric_name=name,
        statistic=statistic,
        period=Duration.seconds(seconds),
        dimensions_map=dimensions,
    )
"""


def alarm_call(title: str, table: str, alarm: Alarm) -> Call:
    """The call that makes an alarm; `table` is the source of the table's construct."""
    return Call(
        "self._alarm",
        [title, alarm.description, _measured(alarm, table)],
        {"threshold": alarm.threshold, "periods": alarm.periods, "breaches": alarm.breaches},
    )


def _measured(alarm: Alarm, table: str) -> Call:
    match alarm.measured:
        case Metric() as metric:
            return _metric(metric, table, alarm.seconds)
        case Share() as share:
            seconds: list[Source] = [alarm.seconds]
            return Call(
                "cloudwatch.MathExpression",
                [],
                {
                    "expression": share.expression,
                    "label": "percent",
                    "period": Call("Duration.seconds", seconds, {}),
                    "using_metrics": {
                        "consumed": _metric(share.consumed, table, alarm.seconds),
                        "provisioned": _metric(share.provisioned, table, alarm.seconds),
                    },
                },
            )


def _metric(metric: Metric, table: str, seconds: int) -> Call:
    return Call(
        "_metric",
        [metric.name, metric.statistic, seconds],
        {
            "TableName": Raw(f"{table}.table_name") if metric.of_table else None,
            "GlobalSecondaryIndexName": metric.index,
            "Operation": metric.operation,
        },
    )
