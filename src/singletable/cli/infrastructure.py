"""`singletable infrastructure`: a declaration as CloudFormation, Terraform, CDK or IAM policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from singletable.cli.choices import StreamView, TableKind
from singletable.cli.iam import iam
from singletable.cli.table import App, NameOption
from singletable.cli.written import encryption_key, give, pairs

if TYPE_CHECKING:
    from singletable.infrastructure import Deployment
    from singletable.schema import Provisioned, Table

app = typer.Typer(
    help="Write what an app declares as infrastructure for AWS.",
    no_args_is_help=True,
)
app.command()(iam)

Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to this file, not to the screen."),
]
Capacity = Annotated[
    str | None,
    typer.Option(
        metavar="on-demand|READ/WRITE",
        help="Overrule the capacity that tables declare, such as 5/10: units a second.",
    ),
]
ScaleTo = Annotated[
    int,
    typer.Option(
        min=0,
        help="Let provisioned capacity grow to so many times what is declared; 0 is no scaling.",
    ),
]
ScaleTarget = Annotated[
    int, typer.Option(min=20, max=90, help="Of what is provisioned, how much to use: percent.")
]
RecoveryDays = Annotated[
    int, typer.Option(min=0, max=35, help="Recover the tables as they were so many days ago.")
]
EncryptionOption = Annotated[
    str,
    typer.Option("--encryption", metavar="aws-owned|aws-managed|ARN", help="The key at rest."),
]
Protection = Annotated[
    bool,
    typer.Option(
        "--deletion-protection/--no-deletion-protection", help="Whether DeleteTable is refused."
    ),
]
Stream = Annotated[StreamView | None, typer.Option("--stream", help="What a stream shows.")]
Kind = Annotated[TableKind, typer.Option("--table-class", help="How items are stored.")]
Tag = Annotated[
    list[str] | None, typer.Option("--tag", metavar="KEY=VALUE", help="A tag of every table.")
]
AlarmOption = Annotated[
    bool,
    typer.Option(
        "--alarms/--no-alarms",
        help="Watch throttling, latency, refused requests and provisioned capacity.",
    ),
]
Latency = Annotated[
    int, typer.Option(min=1, help="The latency of one request in a hundred that is alarming.")
]


def _cloudformation(tables: Sequence[Table], deployment: Deployment) -> str:
    """Write a CloudFormation template, in JSON.

    The stack has the tables with their indexes, time to live, encryption, recovery and protection;
    auto scaling where capacity is provisioned; and alarms, told to the topic in its parameter
    AlarmTopicArn.
    """
    from singletable.infrastructure import render_cloudformation

    return render_cloudformation(tables, deployment)


def _terraform(tables: Sequence[Table], deployment: Deployment) -> str:
    """Write Terraform configuration, for version 6.37 or later of the provider hashicorp/aws.

    It has the tables with their indexes, time to live, encryption, recovery and protection; auto
    scaling where capacity is provisioned; and alarms, told to the topic in the variable
    alarm_topic_arn.
    """
    from singletable.infrastructure import render_terraform

    return render_terraform(tables, deployment)


def _cdk(tables: Sequence[Table], deployment: Deployment) -> str:
    """Write a Python module for the AWS CDK, which has the construct Tables.

    It makes the tables with their indexes, time to live, encryption, recovery and protection; auto
    scaling where capacity is provisioned; and alarms, told to the alarm_topic it is given. Run the
    module itself to synthesize a stack of it.
    """
    from singletable.infrastructure import render_cdk

    return render_cdk(tables, deployment)


def _add(name: str, write: Callable[[Sequence[Table], Deployment], str]) -> None:
    """Offer a command that writes tables in one language; all take the same options."""

    def command(
        app: App,
        output: Output = None,
        name: NameOption = None,
        capacity: Capacity = None,
        scale_to: ScaleTo = 10,
        scale_target: ScaleTarget = 70,
        recovery_days: RecoveryDays = 35,
        encryption: EncryptionOption = "aws-owned",
        deletion_protection: Protection = True,
        stream: Stream = None,
        table_class: Kind = TableKind.STANDARD,
        tag: Tag = None,
        alarms: AlarmOption = True,
        latency_ms: Latency = 100,
    ) -> None:
        from singletable.cli.load import load_tables
        from singletable.infrastructure import AlarmThresholds, Deployment, Scaling

        deployment = Deployment(
            names=pairs("--name", name or ()),
            capacity=_capacity(capacity),
            scaling=Scaling(scale_to, scale_target) if scale_to else None,
            recovery_days=recovery_days or None,
            deletion_protection=deletion_protection,
            encryption=encryption_key(encryption),
            stream=None if stream is None else stream.value,
            table_class=table_class.value,
            tags=pairs("--tag", tag or ()),
            alarms=AlarmThresholds(latency_ms=latency_ms) if alarms else None,
        )
        give(write(load_tables(app), deployment), output)

    command.__doc__ = write.__doc__
    app.command(name)(command)


_add("cloudformation", _cloudformation)
_add("terraform", _terraform)
_add("cdk", _cdk)


def _capacity(written: str | None) -> Provisioned | Literal["on-demand"] | None:
    from singletable.schema import Provisioned

    if written is None:
        return None
    if written == "on-demand":
        return "on-demand"
    read, _, write = written.partition("/")
    if read.isdecimal() and write.isdecimal() and int(read) and int(write):
        return Provisioned(int(read), int(write))
    raise typer.BadParameter(
        f"{written!r} is neither 'on-demand' nor units to read and to write, such as 5/10.",
        param_hint="'--capacity'",
    )
