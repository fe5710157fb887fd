"""The Python module as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from singletable.infrastructure.cdk.alarm import SHARED, alarm_call
from singletable.infrastructure.cdk.source import Call, Source, written
from singletable.infrastructure.cdk.table import index_calls, scaling_call, table_call
from singletable.infrastructure.deployment import CustomerKey, Deployment
from singletable.infrastructure.names import Names, in_snake_case
from singletable.infrastructure.plan import Plan, TablePlan, plan_of
from singletable.schema import Table

_INDENT = 8


def cdk(tables: Sequence[Table], deployment: Deployment) -> str:
    """The source of a module that holds the construct `Tables`, and can be run as an app."""
    plan = plan_of(tables, deployment)
    parts = [_head(plan), "\n".join(_body(plan)) + "\n"]
    if plan.deployment.alarms is not None:
        parts.append(SHARED)
    parts.append(_foot(plan))
    return "".join(parts)


def _head(plan: Plan) -> str:
    alarms = plan.deployment.alarms is not None
    names = ["App", "Duration", "RemovalPolicy", "Stack", "Tags"]
    unused = {"Duration"} if not alarms else set[str]()
    if not plan.deployment.tags:
        unused.add("Tags")
    imported = ", ".join(name for name in names if name not in unused)
    rooms = ["cloudwatch as cloudwatch", "cloudwatch_actions as actions"] if alarms else []
    rooms.append("dynamodb as dynamodb")
    if isinstance(plan.deployment.encryption, CustomerKey):
        rooms.append("kms as kms")
    if alarms:
        rooms.append("sns as sns")
    lines = [
        '"""DynamoDB tables for the AWS CDK, written by singletable."""',
        "",
        "from __future__ import annotations",
        "",
        f"from aws_cdk import {imported}",
        *(f"from aws_cdk import aws_{room}" for room in rooms),
        "from constructs import Construct",
        "",
        "",
        "class Tables(Construct):",
        f'    """{_described(alarms)}"""',
        "",
    ]
    return "\n".join(lines) + "\n"


def _described(alarms: bool) -> str:
    return "The tables; alarms are told to the topic, if there is one." if alarms else "The tables."


def _body(plan: Plan) -> Iterator[str]:
    names = Names(lambda text: f"{in_snake_case(text)}_table")
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
        yield from _table(f"self.{names(table.name)}", table, plan.deployment)
    first = plan.tables[0].name
    for alarm in plan.account_alarms:
        yield _statement("", alarm_call(f"{first}: {alarm.name}", "", alarm))


def _table(name: str, table: TablePlan, deployment: Deployment) -> Iterator[str]:
    yield _statement(f"{name} = ", table_call(table, deployment))
    for call in index_calls(table):
        yield _statement(f"{name}.", call)
    for key, value in deployment.tags.items():
        yield _statement(f"Tags.of({name}).", Call("add", [key, value], {}))
    for scaled in table.scaled:
        yield _statement(f"scaling = {name}.", scaling_call(scaled))
        percent: dict[str, Source | None] = {"target_utilization_percent": scaled.target_percent}
        yield _statement("scaling.", Call("scale_on_utilization", [], percent))
    for alarm in table.alarms:
        yield _statement("", alarm_call(f"{table.name}: {alarm.name}", name, alarm))


def _statement(before: str, call: Call) -> str:
    return f"{' ' * _INDENT}{before}{written(call, _INDENT, len(before))}"


def _foot(plan: Plan) -> str:
    given = "" if plan.deployment.alarms is None else "  # alarm_topic=… tells somebody"
    return (
        '\n\nif __name__ == "__main__":\n'
        "    app = App()\n"
        '    stack = Stack(app, "Tables")\n'
        f'    Tables(stack, "Tables"){given}\n'
        "    app.synth()\n"
    )
