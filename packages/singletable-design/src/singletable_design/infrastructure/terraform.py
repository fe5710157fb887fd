"""Render tables as Terraform configuration for the provider hashicorp/aws."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from dynamodb_engine.operations import GlobalSecondaryIndex, OnDemandThroughput, Projection
from singletable.schema import Table
from singletable.tables.settings import AwsManagedKey, AwsOwnedKey, CustomerKey
from singletable_design.infrastructure.alarms import Alarm, CapacityUtilization, Metric
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

# `key_schema` blocks of indexes exist since 6.29; up to 6.36, removing one index removed all.
_PROVIDER_VERSION = ">= 6.37"
_TABLE = "aws_dynamodb_table"
_TARGET = "aws_appautoscaling_target"
_TOPIC = "alarm_topic_arn"
# Terraform cannot ignore the capacity of an index without ignoring the index.
_IGNORED_NOTE = """\
Auto scaling changes capacity, and Terraform would change it back. Indexes are ignored as a whole:
to add, change or remove one, take global_secondary_index out of this list for that one run."""


@dataclass(frozen=True, slots=True)
class _Raw:
    """An HCL expression, written verbatim."""

    text: str


@dataclass(frozen=True, slots=True)
class _Blocks:
    """Blocks inside a block, after its arguments; `note` is a comment above them."""

    bodies: Iterable[_Body]
    note: str = ""


_Expression: TypeAlias = (
    "str | int | bool | _Raw | Sequence[_Expression] | Mapping[str, _Expression]"
)
# What is None is left out.
_Body: TypeAlias = "dict[str, _Expression | _Blocks | None]"
_Resource: TypeAlias = tuple[str, _Body]


def render_terraform(tables: Sequence[Table], deployment: Deployment) -> str:
    """Return the configuration in Terraform's language, formatted as `terraform fmt` does."""
    blocks = _configuration(create_plan(tables, deployment))
    return "\n".join("\n".join(_render_block(head, body)) + "\n" for head, body in blocks)


def _block(kind: str, *labels: str, **body: _Expression | _Blocks | None) -> _Resource:
    return " ".join([kind, *map(_quote, labels)]), body


def _configuration(plan: DeploymentPlan) -> Iterator[_Resource]:
    names = ResourceNames(snake_case)
    aws = _Raw(
        f'{{\n      source  = "hashicorp/aws"\n      version = "{_PROVIDER_VERSION}"\n    }}'
    )
    yield _block("terraform", required_providers=_Blocks([{"aws": aws}]))
    if plan.deployment.alarms is not None:
        yield _block(
            "variable",
            _TOPIC,
            type=_Raw("string"),
            default=_Raw("null"),
            description="SNS topic for alarms. Leave unset to send no notifications.",
        )
    for table in plan.tables:
        body = _table(table, plan.deployment)
        yield _block("resource", _TABLE, names(table.name), **body)
    for table in plan.tables:
        yield from _scaling_and_alarms(table, names)
    first = plan.tables[0].name
    for alarm in plan.account_alarms:
        title = f"{first}: {alarm.name}"
        yield _alarm(names(f"account {title}"), title, "", alarm)
    for table in plan.tables:
        name = names(table.name)
        yield _block("output", f"{name}_arn", value=_Raw(f"{_TABLE}.{name}.arn"))
        if plan.deployment.stream is not None:
            stream = _Raw(f"{_TABLE}.{name}.stream_arn")
            yield _block("output", f"{name}_stream_arn", value=stream)


def _scaling_and_alarms(table: TablePlan, names: ResourceNames) -> Iterator[_Resource]:
    resource = names(table.name)
    for scaled in table.scaled:
        of = "" if scaled.index is None else f" of {scaled.index}"
        yield from _scaling(names(f"{table.name} {scaled.direction}{of}"), resource, scaled)
    for alarm in table.alarms:
        title = f"{table.name}: {alarm.name}"
        yield _alarm(names(title), title, resource, alarm)


def _table(plan: TablePlan, deployment: Deployment) -> _Body:
    create, days = plan.create, deployment.recovery_days
    partition, *sort = [element.attribute_name for element in create.key_schema]
    ttl: _Body = {"attribute_name": plan.ttl, "enabled": True}
    return {
        "name": create.table_name,
        "billing_mode": create.billing_mode or "PROVISIONED",
        **capacity_arguments(create.provisioned_throughput),
        "hash_key": partition,
        "range_key": sort[0] if sort else None,
        "table_class": deployment.table_class,
        "deletion_protection_enabled": deployment.deletion_protection,
        "stream_enabled": True if deployment.stream else None,
        "stream_view_type": deployment.stream,
        "tags": deployment.tags or None,
        "attribute": _Blocks(
            {"name": one.attribute_name, "type": one.attribute_type}
            for one in create.attribute_definitions
        ),
        "global_secondary_index": _Blocks(
            map(_global_index, create.global_secondary_indexes or ())
        ),
        "local_secondary_index": _Blocks(
            {
                "name": index.index_name,
                "range_key": index.key_schema[-1].attribute_name,
                **_projection(index.projection),
            }
            for index in create.local_secondary_indexes or ()
        ),
        "ttl": None if plan.ttl is None else _Blocks([ttl]),
        "point_in_time_recovery": _Blocks(
            [{"enabled": days is not None, "recovery_period_in_days": days}]
        ),
        "server_side_encryption": _Blocks([_encryption(deployment)]),
        "on_demand_throughput": _max_throughput(create.on_demand_throughput),
        "lifecycle": _lifecycle(plan, deployment),
    }


def _global_index(index: GlobalSecondaryIndex) -> _Body:
    return {
        "name": index.index_name,
        **_projection(index.projection),
        **capacity_arguments(index.provisioned_throughput),
        "key_schema": _Blocks(
            {"attribute_name": one.attribute_name, "key_type": one.key_type}
            for one in index.key_schema
        ),
        "on_demand_throughput": _max_throughput(index.on_demand_throughput),
    }


def _projection(projection: Projection) -> _Body:
    return {
        "projection_type": projection.projection_type or "ALL",
        "non_key_attributes": projection.non_key_attributes or None,
    }


def _max_throughput(maximum: OnDemandThroughput | None) -> _Blocks | None:
    return None if maximum is None else _Blocks([{**max_throughput_arguments(maximum)}])


def _encryption(deployment: Deployment) -> _Body:
    match deployment.encryption:
        case AwsOwnedKey():
            return {"enabled": False}
        case AwsManagedKey():
            return {"enabled": True}
        case CustomerKey(arn):
            return {"enabled": True, "kms_key_arn": arn}


def _lifecycle(plan: TablePlan, deployment: Deployment) -> _Blocks | None:
    ignored = ["read_capacity", "write_capacity"] if plan.scaled else []
    scales_indexes = any(scaled.index is not None for scaled in plan.scaled)
    ignored += ["global_secondary_index"] if scales_indexes else []
    if not ignored and not deployment.deletion_protection:
        return None
    body: _Body = {
        "prevent_destroy": deployment.deletion_protection or None,
        "ignore_changes": _Raw(f"[{', '.join(ignored)}]") if ignored else None,
    }
    return _Blocks([body], note=_IGNORED_NOTE if scales_indexes else "")


def _scaling(name: str, table: str, scaled: ScaledCapacity) -> Iterator[_Resource]:
    index = "" if scaled.index is None else f"/index/{scaled.index}"
    kind = "table" if scaled.index is None else "index"
    yield _block(
        "resource",
        _TARGET,
        name,
        service_namespace="dynamodb",
        resource_id=_Raw(f'"table/${{{_TABLE}.{table}.name}}{index}"'),
        scalable_dimension=f"dynamodb:{kind}:{scaled.direction}CapacityUnits",
        min_capacity=scaled.min_capacity,
        max_capacity=scaled.max_capacity,
    )
    target = f"{_TARGET}.{name}"
    metric: _Body = {"predefined_metric_type": f"DynamoDB{scaled.direction}CapacityUtilization"}
    yield _block(
        "resource",
        "aws_appautoscaling_policy",
        name,
        name=name,
        policy_type="TargetTrackingScaling",
        service_namespace=_Raw(f"{target}.service_namespace"),
        resource_id=_Raw(f"{target}.resource_id"),
        scalable_dimension=_Raw(f"{target}.scalable_dimension"),
        target_tracking_scaling_policy_configuration=_Blocks(
            [
                {
                    "target_value": scaled.target_percent,
                    "predefined_metric_specification": _Blocks([metric]),
                }
            ]
        ),
    )


def _alarm(name: str, title: str, table: str, alarm: Alarm) -> _Resource:
    actions = _Raw(f"var.{_TOPIC} == null ? [] : [var.{_TOPIC}]")
    body: _Body = {
        "alarm_name": title,
        "alarm_description": alarm.description,
        **_alarm_metric(alarm, table),
        "comparison_operator": "GreaterThanOrEqualToThreshold",
        "threshold": alarm.threshold,
        "evaluation_periods": alarm.periods,
        "datapoints_to_alarm": alarm.breaches,
        "treat_missing_data": "notBreaching",
        "alarm_actions": actions,
        "ok_actions": actions,
    }
    return _block("resource", "aws_cloudwatch_metric_alarm", name, **body)


def _alarm_metric(alarm: Alarm, table: str) -> _Body:
    seconds = alarm.period_seconds
    match alarm.metric:
        case Metric(statistic=statistic) as metric:
            name = "extended_statistic" if statistic == "p99" else "statistic"
            return {**_metric(metric, table), name: statistic, "period": seconds}
        case CapacityUtilization() as utilization:
            share: _Body = {
                "id": "share",
                "expression": utilization.expression,
                "label": "percent",
                "return_data": True,
            }
            consumed, provisioned = (
                {**_metric(one, table), "stat": one.statistic, "period": seconds}
                for one in (utilization.consumed, utilization.provisioned)
            )
            return {
                "metric_query": _Blocks(
                    [
                        share,
                        {"id": "consumed", "metric": _Blocks([consumed])},
                        {"id": "provisioned", "metric": _Blocks([provisioned])},
                    ]
                )
            }


def _metric(metric: Metric, table: str) -> _Body:
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


def _render_block(head: str, body: _Body) -> Iterator[str]:
    arguments = {
        name: value
        for name, value in body.items()
        if value is not None and not isinstance(value, _Blocks)
    }
    inner = [
        (name, blocks, one)
        for name, blocks in body.items()
        if isinstance(blocks, _Blocks)
        for one in blocks.bodies
    ]
    yield f"{head} {{"
    yield from _render_arguments(arguments)
    for number, (name, blocks, one) in enumerate(inner):
        if arguments or number:
            yield ""
        yield from (f"  # {line}" for line in blocks.note.splitlines())
        yield from (f"  {line}" if line else line for line in _render_block(name, one))
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
