"""`singletable infrastructure`: write the tables as CloudFormation or Terraform, or a policy."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli.options import TableApp, parse_pairs, table_names
from singletable.errors import DeclarationError

if TYPE_CHECKING:
    from singletable.patterns import Pattern
    from singletable.schema import Table
    from singletable_design.infrastructure import PlannedLoad

# The limit of a managed policy; white space does not count.
MAX_POLICY_LENGTH = 6144


class Format(Enum):
    """The format of the output."""

    CLOUDFORMATION = "cloudformation"
    TERRAFORM = "terraform"
    IAM = "iam"


def infrastructure(
    ctx: typer.Context,
    app: TableApp,
    format_: Annotated[
        Format,
        typer.Option(
            "--format", help="A CloudFormation template, Terraform configuration, or an IAM policy."
        ),
    ] = Format.CLOUDFORMATION,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write to this file instead of standard output."
        ),
    ] = None,
    plan: Annotated[
        bool,
        typer.Option(
            "--plan",
            help="Derive the thresholds of alarms from the rates of the module's access patterns.",
        ),
    ] = False,
    patterns: Annotated[
        bool, typer.Option("--patterns", help="Allow only what the module's access patterns do.")
    ] = False,
    entity: Annotated[
        list[str] | None,
        typer.Option(help="Allow only this entity. Repeat it for several. By default, all."),
    ] = None,
    owner: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=VARIABLE",
            help="Restrict a field of partition keys, such as the tenant, to an IAM variable or a "
            "value: org='${aws:PrincipalTag/org}', Skill.person=ada.",
        ),
    ] = None,
) -> None:
    """Write the tables that an app declares as infrastructure code, or its IAM policy.

    The code has the tables with their indexes, TTL, encryption, point-in-time recovery and deletion
    protection, auto scaling of provisioned capacity, and alarms, which notify the topic in the
    parameter AlarmTopicArn (CloudFormation) or the variable alarm_topic_arn (Terraform, for version
    6.37 or later of the provider hashicorp/aws). Deployment(…) in Python has all settings.

    The policy allows the actions of a store on the app's tables and on the indexes that its
    entities use, and only for partition keys that begin as theirs do. --patterns, --entity
    and --owner restrict it further. Patterns that cannot be restricted to an owner are
    omitted and reported.
    """
    of_policy = {"--patterns": patterns, "--entity": entity, "--owner": owner}
    names = table_names(ctx)
    if format_ is Format.IAM:
        _check_unused({"--plan": plan}, "--format cloudformation or terraform")
        text = _policy(app, names, entity, owner, patterns=patterns)
    else:
        _check_unused(of_policy, "--format iam")
        text = _tables(app, format_, names, planned=plan)
    from singletable.cli.output import write_output

    write_output(text, output, overwrite=True)


def _check_unused(options: Mapping[str, object], needed: str) -> None:
    for option, value in options.items():
        if value:
            raise typer.BadParameter(f"It is for {needed}.", param_hint=repr(option))


def _tables(app: str, format_: Format, names: Mapping[str, str], *, planned: bool) -> str:
    from singletable.cli.app_loader import load_tables
    from singletable_design.infrastructure import (
        Deployment,
        render_cloudformation,
        render_terraform,
    )

    tables = load_tables(app)
    deployment = Deployment(names=names, planned=_load_plan(app) if planned else None)
    render = render_terraform if format_ is Format.TERRAFORM else render_cloudformation
    return render(tables, deployment)


def _load_plan(app: str) -> PlannedLoad:
    """Return the planned load of the access patterns in a module."""
    from singletable.cli.app_loader import load_catalogs
    from singletable_design.infrastructure import planned_load
    from singletable_design.planning import create_plan

    _, catalogs = load_catalogs(app.partition(":")[0])
    plan = create_plan(catalogs)
    if all(pattern.rate is None for pattern in plan.patterns):
        raise DeclarationError(
            f"No access pattern of {app} has a rate, so there is nothing to plan with. Declare how "
            "often patterns are called, such as rate=per_second(20)."
        )
    return planned_load(plan)


def _policy(
    app: str,
    names: Mapping[str, str],
    entity: Sequence[str] | None,
    owner: Sequence[str] | None,
    *,
    patterns: bool,
) -> str:
    from singletable.cli.app_loader import load_tables
    from singletable.tables import resolve_table_names
    from singletable_design.infrastructure.iam import (
        READS,
        WRITES,
        Owner,
        create_policy,
        grants_for_entities,
        grants_for_patterns,
        restrict_to_owner,
    )

    if patterns and entity:
        raise typer.BadParameter("It cannot be combined with --entity.", param_hint="'--patterns'")
    tables = load_tables(app)
    resolve_table_names(tables, names)
    if patterns:
        grants = grants_for_patterns(_load_patterns(app))
    else:
        grants = grants_for_entities(_select_entities(tables, entity), (*READS, *WRITES))
    restriction = Owner(parse_pairs("--owner", owner, "FIELD=VARIABLE")) if owner else None
    omitted: list[str] = []
    if restriction is not None:
        grants, omitted = restrict_to_owner(grants, restriction)
    policy = create_policy(grants, names=names, owner=restriction)
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
    return json.dumps(policy, indent=2) + "\n"


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
