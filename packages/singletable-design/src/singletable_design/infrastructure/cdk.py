"""Render tables as a Python module for the AWS CDK."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dynamodb_engine.operations import CreateTable, GlobalSecondaryIndex, Projection
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
    capacity_arguments,
    create_plan,
    max_throughput_arguments,
)

_LINE_LENGTH = 100
_INDENT = 8
_TYPES = {"S": "STRING", "N": "NUMBER", "B": "BINARY"}

_CONSTRUCTOR = """\
    def __init__(self, scope: Construct, id: str) -> None:
        super().__init__(scope, id)"""

_CONSTRUCTOR_WITH_TOPIC = """\
    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        alarm_topic: sns.ITopic | None = None,
    ) -> None:
        super().__init__(scope, id)
        self._alarm_topic = alarm_topic"""

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


def _call(function: str, *arguments: _Source, **keywords: _Source) -> _Call:
    return _Call(function, arguments, keywords)


_Source: TypeAlias = (
    "str | int | float | bool | _Raw | _Call | Sequence[_Source] | Mapping[str, _Source] | None"
)


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
    yield _CONSTRUCTOR if plan.deployment.alarms is None else _CONSTRUCTOR_WITH_TOPIC
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
        yield _statement(
            "", _call("self._budget", budget.name, budget.dollars, budget.cost_filters)
        )


def _table_statements(name: str, table: TablePlan, deployment: Deployment) -> Iterator[str]:
    create = table.create
    yield _statement(f"{name} = ", _table(table, deployment))
    for index in create.global_secondary_indexes or ():
        yield _statement(f"{name}.", _global_index(create, index))
    for local in create.local_secondary_indexes or ():
        call = _call(
            "add_local_secondary_index",
            index_name=local.index_name,
            sort_key=_attribute(create, local.key_schema[-1].attribute_name),
            **_projection(local.projection),
        )
        yield _statement(f"{name}.", call)
    for key, value in deployment.tags.items():
        yield _statement(f"Tags.of({name}).", _call("add", key, value))
    for scaled in table.scaled:
        yield _statement(f"scaling = {name}.", _scaling(scaled))
        percent = scaled.target_percent
        scale = _call("scale_on_utilization", target_utilization_percent=percent)
        yield _statement("scaling.", scale)
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
    create, days = plan.create, deployment.recovery_days
    partition, *sort = [element.attribute_name for element in create.key_schema]
    # With deletion protection the table is kept when its stack is deleted.
    policy = "RETAIN" if deployment.deletion_protection else "DESTROY"
    return _call(
        "dynamodb.Table",
        _Raw("self"),
        plan.name,
        table_name=plan.name,
        partition_key=_attribute(create, partition),
        sort_key=_attribute(create, sort[0]) if sort else None,
        billing_mode=_member("BillingMode", create.billing_mode or "PROVISIONED"),
        **capacity_arguments(create.provisioned_throughput),
        **max_throughput_arguments(create.on_demand_throughput),
        table_class=_member("TableClass", deployment.table_class),
        time_to_live_attribute=plan.ttl,
        stream=deployment.stream and _member("StreamViewType", deployment.stream),
        **_encryption(plan, deployment),
        point_in_time_recovery_specification=_call(
            "dynamodb.PointInTimeRecoverySpecification",
            point_in_time_recovery_enabled=days is not None,
            recovery_period_in_days=days,
        ),
        deletion_protection=deployment.deletion_protection,
        removal_policy=_Raw(f"RemovalPolicy.{policy}"),
    )


def _member(enumeration: str, name: str) -> _Raw:
    return _Raw(f"dynamodb.{enumeration}.{name}")


def _global_index(create: CreateTable, index: GlobalSecondaryIndex) -> _Call:
    partition, sort = (
        [
            _attribute(create, element.attribute_name)
            for element in index.key_schema
            if element.key_type == key_type
        ]
        for key_type in ("HASH", "RANGE")
    )
    return _call(
        "add_global_secondary_index",
        index_name=index.index_name,
        partition_keys=partition,
        sort_keys=sort or None,
        **_projection(index.projection),
        **capacity_arguments(index.provisioned_throughput),
        **max_throughput_arguments(index.on_demand_throughput),
    )


def _attribute(create: CreateTable, name: str) -> _Call:
    types = {one.attribute_name: one.attribute_type for one in create.attribute_definitions}
    kind = _member("AttributeType", _TYPES[types[name]])
    return _call("dynamodb.Attribute", name=name, type=kind)


def _projection(projection: Projection) -> dict[str, _Source]:
    return {
        "projection_type": _member("ProjectionType", projection.projection_type or "ALL"),
        "non_key_attributes": projection.non_key_attributes or None,
    }


def _encryption(plan: TablePlan, deployment: Deployment) -> dict[str, _Source]:
    match deployment.encryption:
        case AwsOwnedKey():
            return {"encryption": _member("TableEncryption", "DEFAULT")}
        case AwsManagedKey():
            return {"encryption": _member("TableEncryption", "AWS_MANAGED")}
        case CustomerKey(arn):
            key = _call("kms.Key.from_key_arn", _Raw("self"), f"{plan.name} key", arn)
            encryption = _member("TableEncryption", "CUSTOMER_MANAGED")
            return {"encryption": encryption, "encryption_key": key}


def _scaling(scaled: ScaledCapacity) -> _Call:
    of = "" if scaled.index is None else "global_secondary_index_"
    return _call(
        f"auto_scale_{of}{scaled.direction.lower()}_capacity",
        *([] if scaled.index is None else [scaled.index]),
        min_capacity=scaled.min_capacity,
        max_capacity=scaled.max_capacity,
    )


def _dashboard(dashboard: Dashboard) -> _Call:
    return _call(
        "cloudwatch.CfnDashboard",
        _Raw("self"),
        f"{dashboard.name} dashboard",
        dashboard_name=dashboard.name,
        dashboard_body=_call("stack.to_json_string", _with_region(dashboard.body)),
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
    return _call(
        "self._alarm",
        title,
        alarm.description,
        _alarm_metric(alarm, table),
        threshold=alarm.threshold,
        periods=alarm.periods,
        breaches=alarm.breaches,
    )


def _alarm_metric(alarm: Alarm, table: str) -> _Call:
    seconds = alarm.period_seconds
    match alarm.metric:
        case Metric() as metric:
            return _metric(metric, table, seconds)
        case CapacityUtilization() as utilization:
            return _call(
                "cloudwatch.MathExpression",
                expression=utilization.expression,
                label="percent",
                period=_call("Duration.seconds", seconds),
                using_metrics={
                    "consumed": _metric(utilization.consumed, table, seconds),
                    "provisioned": _metric(utilization.provisioned, table, seconds),
                },
            )


def _metric(metric: Metric, table: str, seconds: int) -> _Call:
    return _call(
        "_metric",
        metric.name,
        metric.statistic,
        seconds,
        TableName=_Raw(f"{table}.table_name") if metric.per_table else None,
        GlobalSecondaryIndexName=metric.index,
        Operation=metric.operation,
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
