"""Render tables as a Python module for the AWS CDK."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from singletable.operations import (
    CreateTable,
    GlobalSecondaryIndex,
    LocalSecondaryIndex,
    OnDemandThroughput,
    Projection,
    ProvisionedThroughput,
)
from singletable.schema import Table
from singletable.tables.settings import AwsManagedKey, AwsOwnedKey, CustomerKey
from singletable_design.infrastructure.alarms import Alarm, CapacityUtilization, Metric
from singletable_design.infrastructure.budget import BUDGET_NOTIFICATIONS
from singletable_design.infrastructure.dashboard import REGION, Dashboard, Json
from singletable_design.infrastructure.deployment import Deployment
from singletable_design.infrastructure.names import ResourceNames, snake_case
from singletable_design.infrastructure.plan import (
    DeploymentPlan,
    ScaledCapacity,
    TablePlan,
    create_plan,
)

_LINE_LENGTH = 100
_INDENT = 8
_TYPES = {"S": "STRING", "N": "NUMBER", "B": "BINARY"}

_ALARM_METHOD = """
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
"""

_BUDGET_METHOD = f"""
    def _budget(self, name: str, dollars: int, filters: dict[str, str]) -> None:
        budget = budgets.CfnBudget.BudgetDataProperty(
            budget_name=name,
            budget_type="COST",
            time_unit="MONTHLY",
            budget_limit=budgets.CfnBudget.SpendProperty(amount=dollars, unit="USD"),
            cost_filters={{name: [value] for name, value in filters.items()}},
        )
        notifications = [
            budgets.CfnBudget.NotificationWithSubscribersProperty(
                notification=budgets.CfnBudget.NotificationProperty(
                    notification_type=kind,
                    comparison_operator="GREATER_THAN",
                    threshold=100,
                    threshold_type="PERCENTAGE",
                ),
                subscribers=[
                    budgets.CfnBudget.SubscriberProperty(
                        subscription_type="SNS", address=self._alarm_topic.topic_arn
                    )
                ],
            )
            for kind in {json.dumps(BUDGET_NOTIFICATIONS)}
            if self._alarm_topic is not None
        ]
        budgets.CfnBudget(
            self,
            f"{{name}} budget",
            budget=budget,
            notifications_with_subscribers=notifications or None,
        )
"""

_METRIC_FUNCTION = """

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


@dataclass(frozen=True, slots=True)
class _Raw:
    """Python source, written verbatim."""

    text: str


@dataclass(frozen=True, slots=True)
class _Call:
    """A function call; keyword arguments that are None are left out."""

    function: str
    arguments: Sequence[_Source]
    keywords: Mapping[str, _Source | None]


_Source: TypeAlias = (
    "str | int | float | bool | _Raw | _Call | Sequence[_Source] | Mapping[str, _Source] | None"
)
_Keywords: TypeAlias = "dict[str, _Source | None]"


def render_cdk(tables: Sequence[Table], deployment: Deployment) -> str:
    """Return a module with the construct `Tables`, which can also be run as an app."""
    plan = create_plan(tables, deployment)
    parts = [_header(plan), "\n".join(_constructor(plan)) + "\n"]
    if plan.deployment.alarms is not None:
        parts.append(_ALARM_METHOD)
    if plan.budget is not None:
        parts.append(_BUDGET_METHOD)
    if plan.deployment.alarms is not None:
        parts.append(_METRIC_FUNCTION)
    parts.append(_main(plan))
    return "".join(parts)


def _header(plan: DeploymentPlan) -> str:
    deployment = plan.deployment
    has_alarms = deployment.alarms is not None
    names = ["App", "RemovalPolicy", "Stack"]
    modules = ["dynamodb as dynamodb"]
    docstring = "The tables."
    if has_alarms:
        names.append("Duration")
        modules += ["cloudwatch as cloudwatch", "cloudwatch_actions as actions", "sns as sns"]
        docstring = "The tables; alarms notify `alarm_topic`, if there is one."
    if plan.dashboard is not None and not has_alarms:
        modules.append("cloudwatch as cloudwatch")
    if plan.budget is not None:
        modules.append("budgets as budgets")
    if deployment.tags:
        names.append("Tags")
    if isinstance(deployment.encryption, CustomerKey):
        modules.append("kms as kms")
    lines = [
        '"""DynamoDB tables for the AWS CDK, written by singletable."""',
        "",
        "from __future__ import annotations",
        "",
        f"from aws_cdk import {', '.join(sorted(names))}",
        *(f"from aws_cdk import aws_{module}" for module in sorted(modules)),
        "from constructs import Construct",
        "",
        "",
        "class Tables(Construct):",
        f'    """{docstring}"""',
        "",
    ]
    return "\n".join(lines) + "\n"


def _constructor(plan: DeploymentPlan) -> Iterator[str]:
    names = ResourceNames(lambda text: f"{snake_case(text)}_table")
    if plan.deployment.alarms is None:
        yield "    def __init__(self, scope: Construct, id: str) -> None:"
        yield "        super().__init__(scope, id)"
    else:
        yield "    def __init__("
        yield "        self,"
        yield "        scope: Construct,"
        yield "        id: str,"
        yield "        *,"
        yield "        alarm_topic: sns.ITopic | None = None,"
        yield "    ) -> None:"
        yield "        super().__init__(scope, id)"
        yield "        self._alarm_topic = alarm_topic"
    for table in plan.tables:
        yield ""
        yield from _table_statements(f"self.{names(table.name)}", table, plan.deployment)
    first = plan.tables[0].name
    for alarm in plan.account_alarms:
        yield _statement("", _alarm(f"{first}: {alarm.name}", "", alarm))
    if plan.dashboard is not None:
        yield "        stack = Stack.of(self)"
        yield _statement("", _dashboard(plan.dashboard))
    if plan.budget is not None:
        budget = plan.budget
        arguments: list[_Source] = [budget.name, budget.dollars, budget.cost_filters]
        yield _statement("", _Call("self._budget", arguments, {}))


def _table_statements(name: str, table: TablePlan, deployment: Deployment) -> Iterator[str]:
    create = table.create
    yield _statement(f"{name} = ", _table(table, deployment))
    for index in create.global_secondary_indexes or ():
        yield _statement(f"{name}.", _global_index(create, index))
    for local in create.local_secondary_indexes or ():
        yield _statement(f"{name}.", _local_index(create, local))
    for key, value in deployment.tags.items():
        yield _statement(f"Tags.of({name}).", _Call("add", [key, value], {}))
    for scaled in table.scaled:
        yield _statement(f"scaling = {name}.", _scaling(scaled))
        percent: _Keywords = {"target_utilization_percent": scaled.target_percent}
        yield _statement("scaling.", _Call("scale_on_utilization", [], percent))
    for alarm in table.alarms:
        yield _statement("", _alarm(f"{table.name}: {alarm.name}", name, alarm))


def _main(plan: DeploymentPlan) -> str:
    comment = "" if plan.deployment.alarms is None else "  # alarm_topic=… sends notifications"
    return (
        '\n\nif __name__ == "__main__":\n'
        "    app = App()\n"
        '    stack = Stack(app, "Tables")\n'
        f'    Tables(stack, "Tables"){comment}\n'
        "    app.synth()\n"
    )


def _table(plan: TablePlan, deployment: Deployment) -> _Call:
    create = plan.create
    partition, *sort = [element.attribute_name for element in create.key_schema]
    billing = create.billing_mode or "PROVISIONED"
    # With deletion protection the table is kept when its stack is deleted.
    policy = "RETAIN" if deployment.deletion_protection else "DESTROY"
    return _Call(
        "dynamodb.Table",
        [_Raw("self"), plan.name],
        {
            "table_name": plan.name,
            "partition_key": _attribute(create, partition),
            "sort_key": _attribute(create, sort[0]) if sort else None,
            "billing_mode": _Raw(f"dynamodb.BillingMode.{billing}"),
            **_capacity(create.provisioned_throughput),
            **_max_throughput(create.on_demand_throughput),
            "table_class": _Raw(f"dynamodb.TableClass.{deployment.table_class}"),
            "time_to_live_attribute": plan.ttl,
            "stream": None
            if deployment.stream is None
            else _Raw(f"dynamodb.StreamViewType.{deployment.stream}"),
            **_encryption(plan, deployment),
            "point_in_time_recovery_specification": _recovery(deployment.recovery_days),
            "deletion_protection": deployment.deletion_protection,
            "removal_policy": _Raw(f"RemovalPolicy.{policy}"),
        },
    )


def _global_index(create: CreateTable, index: GlobalSecondaryIndex) -> _Call:
    def keys(key_type: str) -> list[_Source]:
        return [
            _attribute(create, element.attribute_name)
            for element in index.key_schema
            if element.key_type == key_type
        ]

    return _Call(
        "add_global_secondary_index",
        [],
        {
            "index_name": index.index_name,
            "partition_keys": keys("HASH"),
            "sort_keys": keys("RANGE") or None,
            **_projection(index.projection),
            **_capacity(index.provisioned_throughput),
            **_max_throughput(index.on_demand_throughput),
        },
    )


def _local_index(create: CreateTable, index: LocalSecondaryIndex) -> _Call:
    return _Call(
        "add_local_secondary_index",
        [],
        {
            "index_name": index.index_name,
            "sort_key": _attribute(create, index.key_schema[-1].attribute_name),
            **_projection(index.projection),
        },
    )


def _attribute(create: CreateTable, name: str) -> _Call:
    types = {
        definition.attribute_name: definition.attribute_type
        for definition in create.attribute_definitions
    }
    attribute_type = _Raw(f"dynamodb.AttributeType.{_TYPES[types[name]]}")
    return _Call("dynamodb.Attribute", [], {"name": name, "type": attribute_type})


def _projection(projection: Projection) -> _Keywords:
    return {
        "projection_type": _Raw(f"dynamodb.ProjectionType.{projection.projection_type or 'ALL'}"),
        "non_key_attributes": projection.non_key_attributes or None,
    }


def _capacity(units: ProvisionedThroughput | None) -> _Keywords:
    if units is None:
        return {}
    return {
        "read_capacity": units.read_capacity_units,
        "write_capacity": units.write_capacity_units,
    }


def _max_throughput(maximum: OnDemandThroughput | None) -> _Keywords:
    if maximum is None:
        return {}
    return {
        "max_read_request_units": maximum.max_read_request_units,
        "max_write_request_units": maximum.max_write_request_units,
    }


def _recovery(days: int | None) -> _Call:
    return _Call(
        "dynamodb.PointInTimeRecoverySpecification",
        [],
        {"point_in_time_recovery_enabled": days is not None, "recovery_period_in_days": days},
    )


def _encryption(plan: TablePlan, deployment: Deployment) -> _Keywords:
    match deployment.encryption:
        case AwsOwnedKey():
            return {"encryption": _Raw("dynamodb.TableEncryption.DEFAULT")}
        case AwsManagedKey():
            return {"encryption": _Raw("dynamodb.TableEncryption.AWS_MANAGED")}
        case CustomerKey(arn):
            key = _Call("kms.Key.from_key_arn", [_Raw("self"), f"{plan.name} key", arn], {})
            return {
                "encryption": _Raw("dynamodb.TableEncryption.CUSTOMER_MANAGED"),
                "encryption_key": key,
            }


def _scaling(scaled: ScaledCapacity) -> _Call:
    direction = scaled.direction.lower()
    limits: _Keywords = {
        "min_capacity": scaled.min_capacity,
        "max_capacity": scaled.max_capacity,
    }
    if scaled.index is None:
        return _Call(f"auto_scale_{direction}_capacity", [], limits)
    function = f"auto_scale_global_secondary_index_{direction}_capacity"
    return _Call(function, [scaled.index], limits)


def _dashboard(dashboard: Dashboard) -> _Call:
    return _Call(
        "cloudwatch.CfnDashboard",
        [_Raw("self"), f"{dashboard.name} dashboard"],
        {
            "dashboard_name": dashboard.name,
            "dashboard_body": _Call("stack.to_json_string", [_with_region(dashboard.body)], {}),
        },
    )


def _with_region(value: Json) -> _Source:
    match value:
        case dict():
            return {name: _with_region(part) for name, part in value.items()}
        case list():
            return [_with_region(part) for part in value]
        case _:
            return _Raw("stack.region") if value == REGION else value


def _alarm(title: str, table: str, alarm: Alarm) -> _Call:
    return _Call(
        "self._alarm",
        [title, alarm.description, _alarm_metric(alarm, table)],
        {"threshold": alarm.threshold, "periods": alarm.periods, "breaches": alarm.breaches},
    )


def _alarm_metric(alarm: Alarm, table: str) -> _Call:
    seconds = alarm.period_seconds
    match alarm.metric:
        case Metric() as metric:
            return _metric(metric, table, seconds)
        case CapacityUtilization() as utilization:
            return _Call(
                "cloudwatch.MathExpression",
                [],
                {
                    "expression": utilization.expression,
                    "label": "percent",
                    "period": _Call("Duration.seconds", [seconds], {}),
                    "using_metrics": {
                        "consumed": _metric(utilization.consumed, table, seconds),
                        "provisioned": _metric(utilization.provisioned, table, seconds),
                    },
                },
            )


def _metric(metric: Metric, table: str, seconds: int) -> _Call:
    return _Call(
        "_metric",
        [metric.name, metric.statistic, seconds],
        {
            "TableName": _Raw(f"{table}.table_name") if metric.per_table else None,
            "GlobalSecondaryIndexName": metric.index,
            "Operation": metric.operation,
        },
    )


# Python text


def _statement(prefix: str, call: _Call) -> str:
    return f"{' ' * _INDENT}{prefix}{_render(call, _INDENT, len(prefix))}"


def _render(value: _Source, indent: int = 0, column: int = 0) -> str:
    """Return the source on one line if it fits after `column` characters, else one part a line."""
    parts = _parts(value)
    if parts is None:
        return value.text if isinstance(value, _Raw) else _literal(value)
    opening, closing, inner = parts
    line = f"{opening}{', '.join(label + _render(part) for label, part in inner)}{closing}"
    if indent + column + len(line) < _LINE_LENGTH or not inner:
        return line
    lines = [
        f"{' ' * (indent + 4)}{label}{_render(part, indent + 4, len(label) + 1)},"
        for label, part in inner
    ]
    return "\n".join([opening, *lines, f"{' ' * indent}{closing}"])


def _parts(value: _Source) -> tuple[str, str, list[tuple[str, _Source]]] | None:
    """Return the opening, the closing and the labeled parts between; None for a scalar."""
    match value:
        case _Call(function, arguments, keywords):
            inner = [("", argument) for argument in arguments]
            inner += [(f"{name}=", part) for name, part in keywords.items() if part is not None]
            return f"{function}(", ")", inner
        case None | str() | int() | float() | _Raw():
            return None
        case Mapping():
            return "{", "}", [(f"{_literal(key)}: ", part) for key, part in value.items()]
        case _:
            return "[", "]", [("", part) for part in value]


def _literal(value: object) -> str:
    # Strings in double quotes, as formatters write them.
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
