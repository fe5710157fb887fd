"""`singletable infrastructure iam`: the least that an app must be allowed to do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from singletable.cli.table import App, NameOption
from singletable.cli.written import give, pairs
from singletable.errors import DeclarationError

if TYPE_CHECKING:
    from singletable.patterns import Pattern
    from singletable.schema import Table

# What IAM counts of a managed policy: every character that is no white space.
LONGEST = 6144


def iam(
    app: App,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to this file."),
    ] = None,
    name: NameOption = None,
    patterns: Annotated[
        bool,
        typer.Option(
            "--patterns", help="Allow what the module's access patterns do, and nothing else."
        ),
    ] = False,
    entity: Annotated[
        list[str] | None,
        typer.Option(help="Allow this entity alone; may be given again. Without it, all."),
    ] = None,
    read_only: Annotated[
        bool, typer.Option("--read-only", help="Allow GetItem, BatchGetItem and Query alone.")
    ] = False,
    action: Annotated[
        list[str] | None,
        typer.Option(help="Allow this action alone, such as Query; may be given again."),
    ] = None,
    scan: Annotated[
        bool, typer.Option("--scan", help="Allow Scan too, which reads everything in the table.")
    ] = False,
    owner: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=VARIABLE",
            help="Hold a field of partition keys to a variable of IAM, such as "
            "Skill.person='${aws:PrincipalTag/user}'.",
        ),
    ] = None,
    region: Annotated[str, typer.Option(help="The region of the tables; * is any.")] = "*",
    account: Annotated[str, typer.Option(help="The account of the tables; * is any.")] = "*",
    partition: Annotated[str, typer.Option(help="aws, aws-cn or aws-us-gov.")] = "aws",
    key_arn: Annotated[
        str | None,
        typer.Option("--key-arn", metavar="ARN", help="The key of your own that encrypts them."),
    ] = None,
) -> None:
    """Write the policy of IAM that an app needs, and no more.

    It allows the actions of a store on the app's tables and, one by one, on the indexes that its
    entities have keys on; and only for partition keys that begin as theirs do. With --patterns it
    is what the access patterns of the module do. What is left out because it cannot be held to an
    owner is told beside it.
    """
    from singletable.cli.load import load_tables
    from singletable.infrastructure import resolve_table_names
    from singletable.infrastructure.iam import (
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
        raise typer.BadParameter("Give --read-only or actions, not both.", param_hint="'--action'")
    if patterns and (entity or action or read_only or scan):
        raise typer.BadParameter(
            "Patterns say themselves which entities and actions they need.",
            param_hint="'--patterns'",
        )
    tables = load_tables(app)
    names = pairs("--name", name or ())
    resolve_table_names(tables, names)
    actions = action or (READS if read_only else (*READS, *WRITES))
    grants = (
        grants_for_patterns(_patterns(app))
        if patterns
        else grants_for_entities(_entities(tables, entity), (*actions, "Scan") if scan else actions)
    )
    held = Owner(pairs("--owner", owner)) if owner else None
    left_out: list[str] = []
    if held is not None:
        grants, left_out = restrict_to_owner(grants, held)
    policy = create_policy(
        grants, scope=ArnScope(region, account, partition), names=names, owner=held, key_arn=key_arn
    )
    give(json.dumps(policy, indent=2) + "\n", output)
    _tell(left_out, len(json.dumps(policy, separators=(",", ":"))))


def _entities(tables: Sequence[Table], wanted: Sequence[str] | None) -> list[type]:
    found = {entity.__name__: entity for table in tables for entity in table.entities}
    if not found:
        raise DeclarationError(
            "The tables have no entities, so nothing is known of their items. Name the module that "
            "declares entities."
        )
    for name in wanted or ():
        if name not in found:
            raise DeclarationError(f"There is no entity {name} (there are: {', '.join(found)}).")
    return [found[name] for name in wanted or found]


def _patterns(app: str) -> list[Pattern]:
    from singletable.cli.load import load_module
    from singletable.patterns import find_catalogs

    module = load_module(app.partition(":")[0])
    found = [pattern for catalog in find_catalogs(module) for pattern in catalog]
    if not found:
        raise DeclarationError(
            f"The module {module.__name__} has no access patterns. Name the module that makes a "
            "PatternCatalog(…), or leave --patterns out."
        )
    return found


def _tell(left_out: Sequence[str], size: int) -> None:
    if left_out:
        typer.echo(
            f"singletable: left out, for its partition key has none of the owner's fields: "
            f"{', '.join(left_out)}.",
            err=True,
        )
    if size > LONGEST:
        typer.echo(
            f"singletable: the policy has {size} characters, and IAM allows {LONGEST} in a managed "
            "one. Write several, for some entities each (--entity).",
            err=True,
        )
