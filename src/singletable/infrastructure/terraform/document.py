"""The configuration as a whole, and its text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from singletable.infrastructure.deployment import Deployment
from singletable.infrastructure.names import Names, in_snake_case
from singletable.infrastructure.plan import Plan, TablePlan, plan_of
from singletable.infrastructure.terraform.alarm import TOPIC, alarm_block
from singletable.infrastructure.terraform.hcl import Block, Raw, written
from singletable.infrastructure.terraform.scaling import scaling_blocks
from singletable.infrastructure.terraform.table import KIND, table_block
from singletable.schema import Table

# Indexes have `key_schema` blocks since 6.29; up to 6.36, to remove one index removed all of them.
PROVIDER = ">= 6.37"


def terraform(tables: Sequence[Table], deployment: Deployment) -> str:
    """The configuration in Terraform's language."""
    return written(_blocks(plan_of(tables, deployment)))


def _blocks(plan: Plan) -> Iterator[Block]:
    names = Names(in_snake_case)
    yield _requirements()
    if plan.deployment.alarms is not None:
        yield _topic()
    for table in plan.tables:
        yield table_block(names(table.name), table, plan.deployment)
    for table in plan.tables:
        yield from _companions(table, names)
    first = plan.tables[0].name
    for alarm in plan.account_alarms:
        title = f"{first}: {alarm.name}"
        yield alarm_block(names(f"account {title}"), title, "", alarm)
    for table in plan.tables:
        yield from _outputs(names(table.name), plan.deployment)


def _companions(table: TablePlan, names: Names) -> Iterator[Block]:
    resource = names(table.name)
    for one in table.scaled:
        of = "" if one.index is None else f" of {one.index}"
        yield from scaling_blocks(names(f"{table.name} {one.direction}{of}"), resource, one)
    for alarm in table.alarms:
        title = f"{table.name}: {alarm.name}"
        yield alarm_block(names(title), title, resource, alarm)


def _requirements() -> Block:
    aws = Raw(f'{{\n      source  = "hashicorp/aws"\n      version = "{PROVIDER}"\n    }}')
    return Block("terraform", blocks=(Block("required_providers", arguments={"aws": aws}),))


def _topic() -> Block:
    return Block(
        "variable",
        (TOPIC,),
        {
            "type": Raw("string"),
            "default": Raw("null"),
            "description": "The SNS topic that alarms are told to. Without it nobody is told.",
        },
    )


def _outputs(name: str, deployment: Deployment) -> Iterator[Block]:
    yield Block("output", (f"{name}_arn",), {"value": Raw(f"{KIND}.{name}.arn")})
    if deployment.stream is not None:
        yield Block("output", (f"{name}_stream_arn",), {"value": Raw(f"{KIND}.{name}.stream_arn")})
