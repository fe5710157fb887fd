"""Render tables as Terraform configuration for the provider hashicorp/aws."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from singletable.operations import (
    GlobalSecondaryIndex,
    LocalSecondaryIndex,
    OnDemandThroughput,
    Projection,
    ProvisionedThroughput,
)
from singletable.schema import Table
from singletable.tables.settings import AwsManagedKey, AwsOwnedKey, CustomerKey
from singletable_design.infrastructure.alarms import Alarm, CapacityUtilization, Metric
from singletable_design.infrastructure.budget import BUDGET_NOTIFICATIONS, Budget
from singletable_design.infrastructure.dashboard import REGION, Dashboard
from singletable_design.infrastructure.deployment import Deployment
from singletable_design.infrastructure.names import ResourceNames, snake_case
from singletable_design.infrastructure.plan import (
    DeploymentPlan,
    ScaledCapacity,
    TablePlan,
    create_plan,
)

# `key_schema` blocks of indexes exist since 6.29; up to 6.36, removing one index removed all.
_PROVIDER_VERSION = ">= 6.37"
_TABLE = "aws_dynamodb_table"
_TARGET = "aws_appautoscaling_target"
_TOPIC = "alarm_topic_arn"
_REGION = "current"
# Terraform cannot ignore the capacity of an index without ignoring the index.
_IGNORED_NOTE = """\
Auto scaling changes capacity, and Terraform would change it back. Indexes are ignored as a whole:
to add, change or remove one, take global_secondary_index out of this list for that one run."""


@dataclass(frozen=True, slots=True)
class _Raw:
    """An HCL expression, written verbatim."""

    text: str


_Expression: TypeAlias = (
    "str | int | bool | _Raw | Sequence[_Expression] | Mapping[str, _Expression]"
)
_Arguments: TypeAlias = "dict[str, _Expression | None]"


@dataclass(frozen=True, slots=True)
class _Block:
    """An HCL block; arguments that are None are left out, `note` is a comment above it."""

    type: str
    labels: tuple[str, ...] = ()
    arguments: Mapping[str, _Expression | None] | None = None
    blocks: tuple[_Block, ...] = ()
    note: str = ""


def render_terraform(tables: Sequence[Table], deployment: Deployment) -> str:
    """Return the configuration in Terraform's language, formatted as `terraform fmt` does."""
    blocks = _configuration(create_plan(tables, deployment))
    return "\n".join("\n".join(_render_block(block)) + "\n" for block in blocks)


def _configuration(plan: DeploymentPlan) -> Iterator[_Block]:
    names = ResourceNames(snake_case)
    yield _required_providers()
    if plan.deployment.alarms is not None:
        yield _topic_variable()
    for table in plan.tables:
        yield _table(names(table.name), table, plan.deployment)
    for table in plan.tables:
        yield from _scaling_and_alarms(table, names)
    first = plan.tables[0].name
    for alarm in plan.account_alarms:
        title = f"{first}: {alarm.name}"
        yield _alarm(names(f"account {title}"), title, "", alarm)
    if plan.dashboard is not None:
        yield from _dashboard(names(plan.dashboard.name), plan.dashboard)
    if plan.budget is not None:
        yield _budget(names(plan.budget.name), plan.budget)
    for table in plan.tables:
        yield from _outputs(names(table.name), plan.deployment)


def _scaling_and_alarms(table: TablePlan, names: ResourceNames) -> Iterator[_Block]:
    resource = names(table.name)
    for scaled in table.scaled:
        of = "" if scaled.index is None else f" of {scaled.index}"
        yield from _scaling(names(f"{table.name} {scaled.direction}{of}"), resource, scaled)
    for alarm in table.alarms:
        title = f"{table.name}: {alarm.name}"
        yield _alarm(names(title), title, resource, alarm)


def _required_providers() -> _Block:
    aws = _Raw(
        f'{{\n      source  = "hashicorp/aws"\n      version = "{_PROVIDER_VERSION}"\n    }}'
    )
    return _Block("terraform", blocks=(_Block("required_providers", arguments={"aws": aws}),))


def _topic_variable() -> _Block:
    return _Block(
        "variable",
        (_TOPIC,),
        {
            "type": _Raw("string"),
            "default": _Raw("null"),
            "description": "SNS topic for alarms. Leave unset to send no notifications.",
        },
    )


def _outputs(name: str, deployment: Deployment) -> Iterator[_Block]:
    yield _Block("output", (f"{name}_arn",), {"value": _Raw(f"{_TABLE}.{name}.arn")})
    if deployment.stream is not None:
        value = _Raw(f"{_TABLE}.{name}.stream_arn")
        yield _Block("output", (f"{name}_stream_arn",), {"value": value})


def _table(name: str, plan: TablePlan, deployment: Deployment) -> _Block:
    create = plan.create
    partition, *sort = [element.attribute_name for element in create.key_schema]
    return _Block(
        "resource",
        (_TABLE, name),
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
        tuple(_table_blocks(plan, deployment)),
    )


def _table_blocks(plan: TablePlan, deployment: Deployment) -> Iterator[_Block]:
    create = plan.create
    for definition in create.attribute_definitions:
        attribute: _Arguments = {
            "name": definition.attribute_name,
            "type": definition.attribute_type,
        }
        yield _Block("attribute", arguments=attribute)
    for index in create.global_secondary_indexes or ():
        yield _global_index(index)
    for local in create.local_secondary_indexes or ():
        yield _local_index(local)
    if plan.ttl is not None:
        yield _Block("ttl", arguments={"attribute_name": plan.ttl, "enabled": True})
    days = deployment.recovery_days
    recovery: _Arguments = {"enabled": days is not None, "recovery_period_in_days": days}
    yield _Block("point_in_time_recovery", arguments=recovery)
    yield _encryption(deployment)
    yield from _max_throughput(create.on_demand_throughput)
    yield from _lifecycle(plan, deployment)


def _global_index(index: GlobalSecondaryIndex) -> _Block:
    keys: list[_Arguments] = [
        {"attribute_name": element.attribute_name, "key_type": element.key_type}
        for element in index.key_schema
    ]
    return _Block(
        "global_secondary_index",
        arguments={
            "name": index.index_name,
            **_projection(index.projection),
            **_capacity(index.provisioned_throughput),
        },
        blocks=(
            *(_Block("key_schema", arguments=key) for key in keys),
            *_max_throughput(index.on_demand_throughput),
        ),
    )


def _local_index(index: LocalSecondaryIndex) -> _Block:
    return _Block(
        "local_secondary_index",
        arguments={
            "name": index.index_name,
            "range_key": index.key_schema[-1].attribute_name,
            **_projection(index.projection),
        },
    )


def _projection(projection: Projection) -> _Arguments:
    return {
        "projection_type": projection.projection_type or "ALL",
        "non_key_attributes": projection.non_key_attributes or None,
    }


def _capacity(units: ProvisionedThroughput | None) -> _Arguments:
    if units is None:
        return {}
    return {
        "read_capacity": units.read_capacity_units,
        "write_capacity": units.write_capacity_units,
    }


def _max_throughput(maximum: OnDemandThroughput | None) -> Iterator[_Block]:
    if maximum is not None:
        arguments: _Arguments = {
            "max_read_request_units": maximum.max_read_request_units,
            "max_write_request_units": maximum.max_write_request_units,
        }
        yield _Block("on_demand_throughput", arguments=arguments)


def _encryption(deployment: Deployment) -> _Block:
    arguments: _Arguments
    match deployment.encryption:
        case AwsOwnedKey():
            arguments = {"enabled": False}
        case AwsManagedKey():
            arguments = {"enabled": True}
        case CustomerKey(arn):
            arguments = {"enabled": True, "kms_key_arn": arn}
    return _Block("server_side_encryption", arguments=arguments)


def _lifecycle(plan: TablePlan, deployment: Deployment) -> Iterator[_Block]:
    arguments: _Arguments = {}
    if deployment.deletion_protection:
        arguments["prevent_destroy"] = True
    ignored = ["read_capacity", "write_capacity"] if plan.scaled else []
    scales_indexes = any(scaled.index is not None for scaled in plan.scaled)
    if scales_indexes:
        ignored.append("global_secondary_index")
    if ignored:
        arguments["ignore_changes"] = _Raw(f"[{', '.join(ignored)}]")
    if arguments:
        note = _IGNORED_NOTE if scales_indexes else ""
        yield _Block("lifecycle", arguments=arguments, note=note)


def _scaling(name: str, table: str, scaled: ScaledCapacity) -> Iterator[_Block]:
    index = "" if scaled.index is None else f"/index/{scaled.index}"
    kind = "table" if scaled.index is None else "index"
    target = f"{_TARGET}.{name}"
    yield _Block(
        "resource",
        (_TARGET, name),
        {
            "service_namespace": "dynamodb",
            "resource_id": _Raw(f'"table/${{{_TABLE}.{table}.name}}{index}"'),
            "scalable_dimension": f"dynamodb:{kind}:{scaled.direction}CapacityUnits",
            "min_capacity": scaled.min_capacity,
            "max_capacity": scaled.max_capacity,
        },
    )
    metric = f"DynamoDB{scaled.direction}CapacityUtilization"
    specification = _Block(
        "predefined_metric_specification", arguments={"predefined_metric_type": metric}
    )
    configuration = _Block(
        "target_tracking_scaling_policy_configuration",
        arguments={"target_value": scaled.target_percent},
        blocks=(specification,),
    )
    yield _Block(
        "resource",
        ("aws_appautoscaling_policy", name),
        {
            "name": name,
            "policy_type": "TargetTrackingScaling",
            "service_namespace": _Raw(f"{target}.service_namespace"),
            "resource_id": _Raw(f"{target}.resource_id"),
            "scalable_dimension": _Raw(f"{target}.scalable_dimension"),
        },
        (configuration,),
    )


def _dashboard(name: str, dashboard: Dashboard) -> Iterator[_Block]:
    yield _Block("data", ("aws_region", _REGION))
    # JSON is valid in Terraform's language, but for templates in strings.
    body = json.dumps(dashboard.body, indent=2).replace("${", "$${").replace("%{", "%%{")
    body = body.replace(json.dumps(REGION), f"data.aws_region.{_REGION}.region")
    lines = body.replace("\n", "\n  ")
    yield _Block(
        "resource",
        ("aws_cloudwatch_dashboard", name),
        {
            "dashboard_name": dashboard.name,
            "dashboard_body": _Raw(f"jsonencode({lines})"),
        },
    )


def _budget(name: str, budget: Budget) -> _Block:
    kinds = ", ".join(map(_quote, BUDGET_NOTIFICATIONS))
    filters: list[_Arguments] = [
        {"name": name, "values": [value]} for name, value in budget.cost_filters.items()
    ]
    content: _Arguments = {
        "notification_type": _Raw("notification.value"),
        "comparison_operator": "GREATER_THAN",
        "threshold": 100,
        "threshold_type": "PERCENTAGE",
        "subscriber_sns_topic_arns": _Raw(f"[var.{_TOPIC}]"),
    }
    return _Block(
        "resource",
        ("aws_budgets_budget", name),
        {
            "name": budget.name,
            "budget_type": "COST",
            "time_unit": "MONTHLY",
            "limit_amount": str(budget.dollars),
            "limit_unit": "USD",
        },
        (
            *(_Block("cost_filter", arguments=one) for one in filters),
            _Block(
                "dynamic",
                ("notification",),
                {"for_each": _Raw(f"var.{_TOPIC} == null ? [] : [{kinds}]")},
                (_Block("content", arguments=content),),
            ),
        ),
    )


def _alarm(name: str, title: str, table: str, alarm: Alarm) -> _Block:
    actions = _Raw(f"var.{_TOPIC} == null ? [] : [var.{_TOPIC}]")
    metric, blocks = _alarm_metric(alarm, table)
    return _Block(
        "resource",
        ("aws_cloudwatch_metric_alarm", name),
        {
            "alarm_name": title,
            "alarm_description": alarm.description,
            **metric,
            "comparison_operator": "GreaterThanOrEqualToThreshold",
            "threshold": alarm.threshold,
            "evaluation_periods": alarm.periods,
            "datapoints_to_alarm": alarm.breaches,
            "treat_missing_data": "notBreaching",
            "alarm_actions": actions,
            "ok_actions": actions,
        },
        blocks,
    )


def _alarm_metric(alarm: Alarm, table: str) -> tuple[_Arguments, tuple[_Block, ...]]:
    seconds = alarm.period_seconds
    match alarm.metric:
        case Metric(statistic=statistic) as metric:
            name = "extended_statistic" if statistic == "p99" else "statistic"
            return {**_metric(metric, table), name: statistic, "period": seconds}, ()
        case CapacityUtilization() as utilization:
            total: _Arguments = {
                "id": "share",
                "expression": utilization.expression,
                "label": "percent",
                "return_data": True,
            }
            return {}, (
                _Block("metric_query", arguments=total),
                _query("consumed", utilization.consumed, table, seconds),
                _query("provisioned", utilization.provisioned, table, seconds),
            )


def _query(name: str, metric: Metric, table: str, seconds: int) -> _Block:
    arguments: _Arguments = {
        **_metric(metric, table),
        "stat": metric.statistic,
        "period": seconds,
    }
    block = _Block("metric", arguments=arguments)
    return _Block("metric_query", arguments={"id": name}, blocks=(block,))


def _metric(metric: Metric, table: str) -> _Arguments:
    dimensions: dict[str, _Expression] = {}
    if metric.per_table:
        dimensions["TableName"] = _Raw(f"{_TABLE}.{table}.name")
    if metric.index is not None:
        dimensions["GlobalSecondaryIndexName"] = metric.index
    if metric.operation is not None:
        dimensions["Operation"] = metric.operation
    return {
        "namespace": "AWS/DynamoDB",
        "metric_name": metric.name,
        "dimensions": dimensions or None,
    }


# HCL text


def _render_block(block: _Block) -> Iterator[str]:
    labels = "".join(f" {_quote(label)}" for label in block.labels)
    arguments = {
        name: value for name, value in (block.arguments or {}).items() if value is not None
    }
    yield from (f"# {line}" for line in block.note.splitlines())
    yield f"{block.type}{labels} {{"
    yield from _render_arguments(arguments)
    for number, inner in enumerate(block.blocks):
        if arguments or number:
            yield ""
        yield from (f"  {line}" if line else line for line in _render_block(inner))
    yield "}"


def _render_arguments(arguments: Mapping[str, _Expression]) -> Iterator[str]:
    """Yield lines with the equals signs aligned, except those of multi-line values."""
    short = [name for name, value in arguments.items() if not isinstance(value, Mapping)]
    width = _width(short)
    for name, value in arguments.items():
        if isinstance(value, Mapping):
            yield f"  {name} = {{"
            key_width = _width(map(_quote, value))
            for key, entry in value.items():
                yield f"    {_quote(key):{key_width}} = {_render_value(entry)}"
            yield "  }"
        else:
            yield f"  {name:{width}} = {_render_value(value)}"


def _width(texts: Iterable[str]) -> int:
    return max(map(len, texts), default=0)


def _render_value(value: _Expression) -> str:
    match value:
        case _Raw(text):
            return text
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return _quote(value)
        case Mapping():
            pairs = ", ".join(f"{_quote(key)} = {_render_value(v)}" for key, v in value.items())
            return f"{{ {pairs} }}"
        case _:
            return f"[{', '.join(map(_render_value, value))}]"


def _quote(text: str) -> str:
    """Return a quoted string; doubled signs keep `${` and `%{` from starting a template."""
    quoted = json.dumps(text, ensure_ascii=False)
    return quoted.replace("${", "$${").replace("%{", "%%{")
