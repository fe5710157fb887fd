"""The template as a whole, and its text."""

from __future__ import annotations

import json
from collections.abc import Sequence

from singletable.infrastructure.alarm import Alarm
from singletable.infrastructure.cloudformation.alarm import HAS_TOPIC, TOPIC, alarm_resource
from singletable.infrastructure.cloudformation.scaling import scaling_resources
from singletable.infrastructure.cloudformation.shape import Properties, ref
from singletable.infrastructure.cloudformation.table import table_resource
from singletable.infrastructure.deployment import Deployment
from singletable.infrastructure.names import Names, in_capitals
from singletable.infrastructure.plan import Plan, ScaledCapacity, plan_of
from singletable.schema import Table


def cloudformation(tables: Sequence[Table], deployment: Deployment) -> str:
    """The template in JSON."""
    return json.dumps(template_of(plan_of(tables, deployment)), indent=2) + "\n"


def template_of(plan: Plan) -> Properties:
    """The template: the tables, what makes them grow, what watches them, and where they are."""
    names = Names(in_capitals)
    resources: Properties = {}
    for table in plan.tables:
        resources[names(table.name)] = table_resource(table, plan.deployment)
    for table in plan.tables:
        resources |= _companions(table.name, table.scaled, table.alarms, names)
    first = plan.tables[0].name
    for alarm in plan.account_alarms:
        title = f"{first}: {alarm.name}"
        resources[names(f"account {title} alarm")] = alarm_resource(title, "", alarm)
    template: Properties = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": f"DynamoDB: {', '.join(table.name for table in plan.tables)}"[:1024],
    }
    if plan.deployment.alarms is not None:
        template |= _topic()
    template["Resources"] = resources
    template["Outputs"] = _outputs(plan, names)
    return template


def _companions(
    table: str, scaled: Sequence[ScaledCapacity], alarms: Sequence[Alarm], names: Names
) -> Properties:
    found: Properties = {}
    resource = names(table)
    for one in scaled:
        of = "" if one.index is None else f" of {one.index}"
        found |= scaling_resources(names(f"{table} {one.direction} scaling{of}"), resource, one)
    for alarm in alarms:
        title = f"{table}: {alarm.name}"
        found[names(f"{title} alarm")] = alarm_resource(title, resource, alarm)
    return found


def _topic() -> Properties:
    return {
        "Parameters": {
            TOPIC: {
                "Type": "String",
                "Default": "",
                "Description": "The SNS topic that alarms are told to. Without it nobody is told.",
            }
        },
        "Conditions": {HAS_TOPIC: {"Fn::Not": [{"Fn::Equals": [ref(TOPIC), ""]}]}},
    }


def _outputs(plan: Plan, names: Names) -> Properties:
    outputs: Properties = {}
    for table in plan.tables:
        name = names(table.name)
        outputs[f"{name}Arn"] = {"Value": {"Fn::GetAtt": [name, "Arn"]}}
        if plan.deployment.stream is not None:
            outputs[f"{name}StreamArn"] = {"Value": {"Fn::GetAtt": [name, "StreamArn"]}}
    return outputs
