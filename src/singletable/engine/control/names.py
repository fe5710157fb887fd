"""A table by its name or by its ARN: which of ours is meant, and what is refused before looking."""

from __future__ import annotations

from singletable.engine.settings import Settings
from singletable.errors import AccessDenied, ValidationError
from singletable.operations.arn import Arn, parse_arn


def table_name(given: str, action: str, settings: Settings) -> str:
    """The name of the table that `given` means; an ARN must be of this account and region."""
    arn = parse_arn(given)
    if arn is None:
        return given
    kind, _, name = arn.resource.partition("/")
    for part, right in (
        ("AWS partition", arn.partition.startswith("aws")),
        ("AWS region", arn.region == settings.region),
        ("resource type", kind == "table" and bool(name)),
    ):
        if not right:
            raise ValidationError(f"1 validation error detected: Invalid {part} in '{given}'")
    check_account(arn, given, action, settings)
    return name


def check_account(arn: Arn, given: str, action: str, settings: Settings) -> None:
    """Raise AccessDenied unless the resource belongs to the account."""
    if arn.account != settings.account:
        raise AccessDenied(
            f"User: arn:aws:iam::{settings.account}:root is not authorized to perform: "
            f"dynamodb:{action} on resource: {given}"
        )
