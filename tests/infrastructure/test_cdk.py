"""The module runs with the AWS CDK, and what it synthesizes is what the template says."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, cast

from singletable.infrastructure import cdk
from tests.clients.installed import installed
from tests.infrastructure.declarations import ALL
from tests.infrastructure.deployments import DEPLOYMENTS, of_type, template

TOPIC = "arn:aws:sns:eu-west-1:123456789012:told"
# All in one process, for the CDK takes long to start: the first module as its users run it, the
# others as parts of a stack of somebody's own, with a topic for their alarms.
SYNTHESIZE = f"""
import os, runpy, sys
from aws_cdk import App, Stack, aws_sns

first, *others = sys.argv[1:]
runpy.run_path(first + ".py", run_name="__main__")
for name in others:
    app = App(outdir=name)
    stack = Stack(app, "Tables")
    made = runpy.run_path(name + ".py")["Tables"]
    topic = aws_sns.Topic.from_topic_arn(stack, "Topic", "{TOPIC}")
    told = dict(alarm_topic=topic) if name != "without_alarms" else dict()
    made(stack, "Tables", **told)
    app.synth()
"""


KINDS = (
    "AWS::DynamoDB::Table",
    "AWS::CloudWatch::Alarm",
    "AWS::ApplicationAutoScaling::ScalableTarget",
    "AWS::ApplicationAutoScaling::ScalingPolicy",
)


def synthesized(folder: Path) -> dict[str, dict[str, Any]]:
    """The resources of the stack for each deployment."""
    for name, deployment in DEPLOYMENTS.items():
        (folder / f"{name}.py").write_text(cdk(ALL, deployment))
    first = next(iter(DEPLOYMENTS))
    ran = subprocess.run(
        [installed("aws-cdk-lib/bin/python"), "-c", SYNTHESIZE, *DEPLOYMENTS],
        cwd=folder,
        env={**os.environ, "CDK_OUTDIR": str(folder / first)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return {
        name: json.loads((folder / name / "Tables.template.json").read_text())["Resources"]
        for name in DEPLOYMENTS
    }


# One test, for two would start the CDK twice where tests run side by side.
def test_what_is_synthesized_is_what_the_template_says(tmp_path: Path) -> None:
    for name, found in synthesized(tmp_path).items():
        wanted = template(ALL, DEPLOYMENTS[name])["Resources"]
        for kind in KINDS:
            assert _plain(of_type(found, kind), found) == _plain(of_type(wanted, kind), wanted)
        assert _policies(found) == _policies(wanted)
        told = [TOPIC] if name in ("otherwise", "on_demand") else None
        for alarm in of_type(found, "AWS::CloudWatch::Alarm"):
            assert (alarm.get("AlarmActions"), alarm.get("OKActions")) == (told, told)


def _policies(resources: dict[str, Any]) -> list[str]:
    """What becomes of the tables when their stack goes."""
    tables = [one for one in resources.values() if one["Type"] == "AWS::DynamoDB::Table"]
    return [one[when] for one in tables for when in ("DeletionPolicy", "UpdateReplacePolicy")]


# What differs between the two and means the same: names that each gives its resources, what is said
# by saying nothing, and the order.
SAID_BY_NOTHING = {"BillingMode": "PROVISIONED"}
NAMED_BY_EACH = {"PolicyName", "RoleARN", "AlarmActions", "OKActions", "ScalingTargetId", "Id"}


def _plain(properties: list[dict[str, Any]], resources: dict[str, Any]) -> list[Any]:
    plain = [_named(one, resources) for one in properties]
    return sorted(plain, key=lambda one: json.dumps(one, sort_keys=True))


def _named(value: object, resources: dict[str, Any]) -> Any:
    """The value with the names of tables where it refers to them."""
    if isinstance(value, list):
        named = [_named(one, resources) for one in cast("list[object]", value)]
        is_named = all(isinstance(one, dict) and "Name" in one for one in named)
        return sorted(named, key=lambda one: one["Name"]) if is_named else named
    if not isinstance(value, dict):
        return value
    given = cast("dict[str, Any]", value)
    if "Ref" in given:
        return resources[given["Ref"]]["Properties"].get("TableName", "a resource")
    if "Fn::Join" in given:
        return "".join(_named(given["Fn::Join"][1], resources))
    if "Fn::Sub" in given:
        table, brace, rest = given["Fn::Sub"].removeprefix("table/${").partition("}")
        assert brace
        return f"table/{resources[table]['Properties']['TableName']}{rest}"
    return {
        name: _named(one, resources)
        for name, one in given.items()
        if name not in NAMED_BY_EACH and SAID_BY_NOTHING.get(name) != one
    }
