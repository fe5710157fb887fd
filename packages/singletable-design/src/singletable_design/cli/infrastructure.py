"""`singletable infrastructure`: write CloudFormation, Terraform, CDK, dashboards and policies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli.options import (
    StreamView,
    TableApp,
    TableClass,
    TableNames,
    parse_capacity,
    parse_encryption,
    parse_pairs,
    parse_table_names,
)
from singletable.errors import DeclarationError

if TYPE_CHECKING:
    from singletable.patterns import Pattern
    from singletable.schema import Table
    from singletable_design.infrastructure import Deployment, PlannedLoad
    from singletable_design.planning import Plan

# The limit of a managed policy; white space does not count.
MAX_POLICY_LENGTH = 6144

app = typer.Typer(
    help="Write the tables that an app declares as infrastructure code for AWS.",
    no_args_is_help=True,
    add_completion=False,
)

Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write to this file instead of standard output."
    ),
]
Capacity = Annotated[
    str | None,
    typer.Option(
        metavar="on-demand|READ/WRITE",
        help="Override the declared capacity, for example with 5/10 units per second.",
    ),
]
MaxScale = Annotated[
    int,
    typer.Option(
        min=0,
        help="Scale provisioned capacity up to this multiple of the declared units; 0 disables "
        "auto scaling.",
    ),
]
TargetUtilization = Annotated[
    int, typer.Option(min=20, max=90, help="The target utilization of auto scaling, in percent.")
]
RecoveryDays = Annotated[
    int, typer.Option(min=0, max=35, help="Days of point-in-time recovery; 0 disables it.")
]
Encryption = Annotated[
    str,
    typer.Option(
        "--encryption", metavar="aws-owned|aws-managed|ARN", help="The encryption key of tables."
    ),
]
DeletionProtection = Annotated[
    bool,
    typer.Option(
        "--deletion-protection/--no-deletion-protection", help="Whether DeleteTable is rejected."
    ),
]
Stream = Annotated[
    StreamView | None, typer.Option("--stream", help="Enable a stream with this view type.")
]
Class = Annotated[TableClass, typer.Option("--table-class", help="The table class.")]
Tags = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="KEY=VALUE", help="Tag every table. Repeat it for several tags."),
]
Alarms = Annotated[
    bool,
    typer.Option(
        "--alarms/--no-alarms",
        help="Create alarms for throttling, latency, rejected requests and provisioned capacity.",
    ),
]
LatencyAlarm = Annotated[
    int,
    typer.Option(
        "--latency-alarm-ms", min=1, help="The p99 latency that raises an alarm, in milliseconds."
    ),
]
PeakFactor = Annotated[
    float,
    typer.Option(
        "--peak-factor", min=1, help="How many times the planned units, or calls, raise an alarm."
    ),
]


_CONTENT = (
    "the tables with their indexes, TTL, encryption, point-in-time recovery and deletion "
    "protection, auto scaling of provisioned capacity, and alarms, which notify"
)
# What each command writes.
_LANGUAGES = {
    "cloudformation": "Write a CloudFormation template in JSON.\n\n"
    f"It has {_CONTENT} the topic in the parameter AlarmTopicArn.",
    "terraform": "Write Terraform configuration for version 6.37 or later of the provider "
    "hashicorp/aws.\n\n"
    f"It has {_CONTENT} the topic in the variable alarm_topic_arn.",
    "cdk": "Write a Python module for the AWS CDK with a construct named Tables.\n\n"
    f"The construct creates {_CONTENT} its alarm_topic. Run the module to synthesize a stack.",
}


def _add_command(language: str, text: str) -> None:
    """Add a command that renders tables in one language; all have the same options."""

    def command(
        app: TableApp,
        output: Output = None,
        table_names: TableNames = None,
        capacity: Capacity = None,
        max_scale: MaxScale = 10,
        target_utilization: TargetUtilization = 70,
        recovery_days: RecoveryDays = 35,
        encryption: Encryption = "aws-owned",
        deletion_protection: DeletionProtection = True,
        stream: Stream = None,
        table_class: Class = TableClass.STANDARD,
        tags: Tags = None,
        alarms: Alarms = True,
        latency_alarm_ms: LatencyAlarm = 100,
        plan: Annotated[
            bool,
            typer.Option(
                "--plan",
                help="Derive thresholds of alarms, a dashboard and a monthly budget from the rates "
                "of the module's access patterns.",
            ),
        ] = False,
        peak_factor: PeakFactor = 2,
        max_throughput: Annotated[
            float | None,
            typer.Option(
                help="Limit tables on demand to this many times the planned peak. DynamoDB "
                "throttles what exceeds it. By default, they are not limited."
            ),
        ] = None,
        region: Annotated[
            str, typer.Option(help="The region with the prices for the budget of --plan.")
        ] = "us-east-1",
        prices: Annotated[
            Path | None,
            typer.Option(metavar="FILE", help="Use the prices in this file for the budget."),
        ] = None,
    ) -> None:
        from singletable.cli.app_loader import load_tables
        from singletable.cli.output import write_output
        from singletable.prices import load_prices
        from singletable_design import infrastructure
        from singletable_design.infrastructure import (
            AlarmThresholds,
            Deployment,
            Scaling,
            planned_cost,
        )

        deployment = Deployment(
            names=parse_table_names(table_names),
            capacity=parse_capacity(capacity),
            scaling=Scaling(max_scale, target_utilization) if max_scale else None,
            recovery_days=recovery_days or None,
            deletion_protection=deletion_protection,
            encryption=parse_encryption(encryption),
            stream=None if stream is None else stream.value,
            table_class=table_class.value,
            tags=parse_pairs("--tag", tags),
            alarms=AlarmThresholds(latency_ms=latency_alarm_ms, peak_factor=peak_factor)
            if alarms
            else None,
        )
        tables = load_tables(app)
        if max_throughput is not None and not plan:
            raise typer.BadParameter(
                "It is a multiple of the planned peak: add --plan.", param_hint="'--max-throughput'"
            )
        if plan:
            planned = _load_plan(app)
            cost = planned_cost(planned, tables, deployment, load_prices(prices).region(region))
            load = _planned_load(planned, cost)
            deployment = replace(deployment, planned=load, max_throughput=max_throughput)
        render = getattr(infrastructure, f"render_{language}")
        write_output(render(tables, deployment), output, overwrite=True)

    app.command(language, help=text)(command)


def _load_plan(app: str) -> Plan:
    """Return the plan of the access patterns in a module."""
    from singletable.cli.app_loader import load_catalogs
    from singletable_design.planning import create_plan

    _, catalogs = load_catalogs(app.partition(":")[0])
    plan = create_plan(catalogs)
    if all(pattern.rate is None for pattern in plan.patterns):
        raise DeclarationError(
            f"No access pattern of {app} has a rate, so there is nothing to plan with. Declare how "
            "often patterns are called, such as rate=per_second(20)."
        )
    return plan


def _planned_load(plan: Plan, cost: float | None = None) -> PlannedLoad:
    from singletable_design.infrastructure import planned_load
    from singletable_design.planning import hot_keys, workload_of

    keys = hot_keys(workload_of(plan.catalogs))
    return planned_load(plan, hot_keys=keys, monthly_cost=cost)


def _planned_deployment(
    app: str, table_names: list[str] | None, latency_alarm_ms: int, peak_factor: float
) -> Deployment:
    from singletable_design.infrastructure import AlarmThresholds, Deployment

    return Deployment(
        names=parse_table_names(table_names),
        alarms=AlarmThresholds(latency_ms=latency_alarm_ms, peak_factor=peak_factor),
        planned=_planned_load(_load_plan(app)),
    )


@app.command()
def prometheus(
    app: TableApp,
    output: Output = None,
    table_names: TableNames = None,
    latency_alarm_ms: LatencyAlarm = 100,
    peak_factor: PeakFactor = 2,
    job: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Use only metrics that have this job. By default, all."),
    ] = None,
) -> None:
    """Write alerting rules for Prometheus, from the rates of an app's access patterns.

    They use the metrics of PrometheusObserver and of the endpoint: calls and units above the plan,
    errors, retries, latency, and calls that no pattern declares.
    """
    from singletable.cli.app_loader import load_tables
    from singletable.cli.output import write_output
    from singletable_design.infrastructure import render_prometheus

    deployment = _planned_deployment(app, table_names, latency_alarm_ms, peak_factor)
    write_output(render_prometheus(load_tables(app), deployment, job=job), output, overwrite=True)


@app.command()
def grafana(
    app: TableApp,
    output: Output = None,
    table_names: TableNames = None,
    latency_alarm_ms: LatencyAlarm = 100,
    docs_url: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Link to the documentation of the access patterns at this address."
        ),
    ] = None,
) -> None:
    """Write a Grafana dashboard, with the rates of an app's access patterns as lines.

    It shows the metrics of PrometheusObserver and of the endpoint. Import it and choose the
    Prometheus data source.
    """
    from singletable.cli.app_loader import load_tables
    from singletable.cli.output import write_output
    from singletable_design.infrastructure import render_grafana

    if docs_url is not None and not docs_url.startswith(("https://", "http://", "/")):
        raise typer.BadParameter(
            f"Expected a URL such as https://example.com/shop, got {docs_url!r}.",
            param_hint="'--docs-url'",
        )
    deployment = _planned_deployment(app, table_names, latency_alarm_ms, peak_factor=2)
    text = render_grafana(load_tables(app), deployment, docs_url=docs_url)
    write_output(text, output, overwrite=True)


@app.command()
def iam(
    app: TableApp,
    output: Output = None,
    table_names: TableNames = None,
    patterns: Annotated[
        bool, typer.Option("--patterns", help="Allow only what the module's access patterns do.")
    ] = False,
    entity: Annotated[
        list[str] | None,
        typer.Option(help="Allow only this entity. Repeat it for several. By default, all."),
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Allow only GetItem, BatchGetItem and Query.")
    ] = False,
    action: Annotated[
        list[str] | None,
        typer.Option(help="Allow only this action, such as Query. Repeat it for several."),
    ] = None,
    allow_scan: Annotated[
        bool, typer.Option("--allow-scan", help="Allow Scan too, which reads the whole table.")
    ] = False,
    owner: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=VARIABLE",
            help="Restrict a field of partition keys, such as the tenant, to an IAM variable or a "
            "value: org='${aws:PrincipalTag/org}', Skill.person=ada.",
        ),
    ] = None,
    region: Annotated[str, typer.Option(help="The region of the tables; * is any.")] = "*",
    account: Annotated[str, typer.Option(help="The account of the tables; * is any.")] = "*",
    aws_partition: Annotated[
        str, typer.Option("--aws-partition", help="aws, aws-cn or aws-us-gov.")
    ] = "aws",
    kms_key_arn: Annotated[
        str | None,
        typer.Option("--kms-key-arn", metavar="ARN", help="Your KMS key that encrypts the tables."),
    ] = None,
) -> None:
    """Write a least-privilege IAM policy for an app.

    It allows the actions of a store on the app's tables and on the indexes that its entities use,
    and only for partition keys that begin as theirs do. With --patterns it allows what the
    module's access patterns do. Patterns that cannot be restricted to an owner are omitted and
    reported.
    """
    from singletable.cli.app_loader import load_tables
    from singletable.cli.output import write_output
    from singletable.tables import resolve_table_names
    from singletable_design.infrastructure.iam import (
        READS,
        WRITES,
        ArnScope,
        Owner,
        create_policy,
        grants_for_entities,
        grants_for_patterns,
        restrict_to_owner,
    )

    if read_only and action:
        raise typer.BadParameter("Use --read-only or --action, not both.", param_hint="'--action'")
    if patterns and (entity or action or read_only or allow_scan):
        raise typer.BadParameter(
            "--patterns cannot be combined with --entity, --action, --read-only or --allow-scan.",
            param_hint="'--patterns'",
        )
    tables = load_tables(app)
    names = parse_table_names(table_names)
    resolve_table_names(tables, names)
    if patterns:
        grants = grants_for_patterns(_load_patterns(app))
    else:
        actions = action or (READS if read_only else (*READS, *WRITES))
        actions = (*actions, "Scan") if allow_scan else actions
        grants = grants_for_entities(_select_entities(tables, entity), actions)
    restriction = Owner(parse_pairs("--owner", owner, "FIELD=VARIABLE")) if owner else None
    omitted: list[str] = []
    if restriction is not None:
        grants, omitted = restrict_to_owner(grants, restriction)
    scope = ArnScope(region, account, aws_partition)
    policy = create_policy(grants, scope=scope, names=names, owner=restriction, key_arn=kms_key_arn)
    write_output(json.dumps(policy, indent=2) + "\n", output, overwrite=True)
    if omitted:
        typer.echo(
            "singletable: Omitted, because the partition key has none of the owner's fields: "
            f"{', '.join(omitted)}.",
            err=True,
        )
    length = len(json.dumps(policy, separators=(",", ":")))
    if length > MAX_POLICY_LENGTH:
        typer.echo(
            f"singletable: The policy has {length} characters, but IAM allows "
            f"{MAX_POLICY_LENGTH} in a managed policy. Write several with --entity.",
            err=True,
        )


def _select_entities(tables: Sequence[Table], names: Sequence[str] | None) -> list[type]:
    entities = {entity.__name__: entity for table in tables for entity in table.entities}
    if not entities:
        raise DeclarationError(
            "The tables have no entities. Name the module that declares the entities."
        )
    for name in names or ():
        if name not in entities:
            raise DeclarationError(
                f"There is no entity {name}. The entities are {', '.join(entities)}."
            )
    return [entities[name] for name in names or entities]


def _load_patterns(app: str) -> list[Pattern]:
    from singletable.cli.app_loader import load_module
    from singletable.patterns import find_catalogs

    module = load_module(app.partition(":")[0])
    patterns = [pattern for catalog in find_catalogs(module) for pattern in catalog]
    if not patterns:
        raise DeclarationError(
            f"The module {module.__name__} has no access patterns. Name the module that creates a "
            "PatternCatalog(…), or omit --patterns."
        )
    return patterns


for language, text in _LANGUAGES.items():
    _add_command(language, text)
