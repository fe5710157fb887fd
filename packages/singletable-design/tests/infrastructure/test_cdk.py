"""The generated module runs with the AWS CDK and synthesizes the CloudFormation template."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, cast

from singletable_design.infrastructure import render_cdk
from tests.clients.programs import installed
from tests.infrastructure.declarations import ALL
from tests.infrastructure.deployments import DEPLOYMENTS, of_type, template

TOPIC = "arn:aws:sns:eu-west-1:123456789012:alarms"
# The CDK is slow to start, so one process does all: it runs the first module as a script, and uses
# the others in a stack of its own, with a topic for their alarms.
SYNTHESIZE = f"""
import os, runpy, sys
from aws_cdk import App, Stack, aws_sns

first, *others = sys.argv[1:]
runpy.run_path(first + ".py", run_name="__main__")
for name in others:
    app = App(outdir=name)
    stack = Stack(app, "Tables")
    construct = runpy.run_path(name + ".py")["Tables"]
    topic = aws_sns.Topic.from_topic_arn(stack, "Topic", "{TOPIC}")
    options = dict(alarm_topic=topic) if name != "without_alarms" else dict()
    construct(stack, "Tables", **options)
    app.synth()
"""


KINDS = (
    "AWS::DynamoDB::Table",
    "AWS::CloudWatch::Alarm",
    "AWS::CloudWatch::Dashboard",
    "AWS::Budgets::Budget",
    "AWS::ApplicationAutoScaling::ScalableTarget",
    "AWS::ApplicationAutoScaling::ScalingPolicy",
)


def synthesize(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the resources of the stack for each deployment."""
    for name, deployment in DEPLOYMENTS.items():
        (folder / f"{name}.py").write_text(render_cdk(ALL, deployment))
    first = next(iter(DEPLOYMENTS))
    process = subprocess.run(
        [installed("aws-cdk-lib/bin/python"), "-c", SYNTHESIZE, *DEPLOYMENTS],
        cwd=folder,
        # The template that the stack must match is linted elsewhere; the CDK takes longer for that
        # than for everything else.
        env={**os.environ, "CDK_OUTDIR": str(folder / first), "CDK_VALIDATION": "false"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return {
        name: json.loads((folder / name / "Tables.template.json").read_text())["Resources"]
        for name in DEPLOYMENTS
    }


# One test: two would start the CDK twice when tests run in parallel.
def test_synthesized_stack_matches_template(tmp_path: Path) -> None:
    for name, actual in synthesize(tmp_path).items():
        expected = template(ALL, DEPLOYMENTS[name])["Resources"]
        for kind in KINDS:
            assert normalize(of_type(actual, kind), actual) == normalize(
                of_type(expected, kind), expected
            )
        assert removal_policies(actual) == removal_policies(expected)
        topics = [TOPIC] if name in ("customized", "planned") else None
        for alarm in of_type(actual, "AWS::CloudWatch::Alarm"):
            assert (alarm.get("AlarmActions"), alarm.get("OKActions")) == (topics, topics)
        for budget in of_type(actual, "AWS::Budgets::Budget"):
            assert notified(budget["NotificationsWithSubscribers"]) == {
                ("ACTUAL", TOPIC),
                ("FORECASTED", TOPIC),
            }


def removal_policies(resources: dict[str, Any]) -> list[str]:
    """Return what happens to the tables when their stack is deleted."""
    tables = [
        resource for resource in resources.values() if resource["Type"] == "AWS::DynamoDB::Table"
    ]
    return [table[when] for table in tables for when in ("DeletionPolicy", "UpdateReplacePolicy")]


def notified(notifications: list[dict[str, Any]]) -> set[tuple[str, str]]:
    """Return the thresholds and subscribers of a budget."""
    return {
        (one["Notification"]["NotificationType"], subscriber["Address"])
        for one in notifications
        for subscriber in one["Subscribers"]
    }


# Differences without meaning: resource names, explicit defaults, and the order.
DEFAULTS = {"BillingMode": "PROVISIONED"}
GENERATED = {
    "PolicyName",
    "RoleARN",
    "AlarmActions",
    "OKActions",
    "ScalingTargetId",
    "Id",
    "NotificationsWithSubscribers",
}


def normalize(properties: list[dict[str, Any]], resources: dict[str, Any]) -> list[Any]:
    normalized = [resolve(resource, resources) for resource in properties]
    return sorted(normalized, key=lambda resource: json.dumps(resource, sort_keys=True))


def resolve(value: object, resources: dict[str, Any]) -> Any:
    """Replace references to tables by their names."""
    if isinstance(value, list):
        values = [resolve(child, resources) for child in cast("list[object]", value)]
        named = all(isinstance(child, dict) and "Name" in child for child in values)
        return sorted(values, key=lambda child: child["Name"]) if named else values
    if not isinstance(value, dict):
        return value
    node = cast("dict[str, Any]", value)
    if node == {"Ref": "AWS::Region"}:
        return "eu-west-1"
    if "Ref" in node:
        return resources[node["Ref"]]["Properties"].get("TableName", "a resource")
    if "Fn::Join" in node:
        return "".join(resolve(node["Fn::Join"][1], resources))
    if "Fn::Sub" in node:
        text = node["Fn::Sub"].replace("${AWS::Region}", "eu-west-1").replace("${!", "${")
        if not text.startswith("table/"):
            return text
        table, brace, rest = text.removeprefix("table/${").partition("}")
        assert brace
        return f"table/{resources[table]['Properties']['TableName']}{rest}"
    resolved = {
        name: resolve(child, resources)
        for name, child in node.items()
        if name not in GENERATED and DEFAULTS.get(name) != child
    }
    if "DashboardBody" in resolved:
        resolved["DashboardBody"] = json.loads(resolved["DashboardBody"])
    return resolved
