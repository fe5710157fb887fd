"""Amazon Resource Names (ARNs) of tables, which requests accept in place of table names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from dynamodb_engine.errors import AccessDenied, ValidationError
from dynamodb_engine.values import INVALID

PARTITIONS = ("aws", "aws-cn", "aws-us-gov", "aws-iso", "aws-iso-b", "aws-iso-e", "aws-iso-f")
_NAME = re.compile(r"[a-zA-Z0-9_.-]+")


class Arn(NamedTuple):
    """The parts of an ARN: `arn:partition:service:region:account:resource`."""

    partition: str
    service: str
    region: str
    account: str
    resource: str

    @property
    def table(self) -> str | None:
        """The table that this ARN, or the ARN of its index or stream, names; otherwise None."""
        kind, _, path = self.resource.partition("/")
        if self.service != "dynamodb" or kind != "table":
            return None
        return path.partition("/")[0] or None


def parse_arn(text: str) -> Arn | None:
    """Return the parts of an ARN, or None if `text` is not one."""
    scheme, *parts = text.split(":", 5)
    return Arn(*parts) if scheme == "arn" and len(parts) == len(Arn._fields) else None


def parse_dynamodb_arn(text: str) -> Arn | None:
    """Return the parts of a DynamoDB ARN, valid or not, or None if `text` is not one."""
    arn = parse_arn(text)
    return arn if arn is not None and arn.service == "dynamodb" and arn.resource else None


def is_name(text: str) -> bool:
    """Return whether `text` has only characters allowed in names of tables and indexes."""
    return _NAME.fullmatch(text) is not None


def find_arn_error(text: str) -> str | None:
    """Return AWS's message if the ARN is invalid for every account and region, or None."""
    arn = parse_dynamodb_arn(text)
    if arn is None:
        return None
    if arn.partition not in PARTITIONS:
        return f"Invalid AWS partition in '{text}'"
    kind, _, table = arn.resource.partition("/")
    if kind != "table" or not is_name(table):
        return f"Invalid resource type in '{text}'"
    return None


@dataclass(frozen=True, slots=True)
class TableArns:
    """The names and ARNs of the tables of one account in one region.

    The engine, policies and the access log all resolve names here, so they agree about which table
    a request refers to.
    """

    region: str
    account: str

    def arn(self, table: str) -> str:
        """Return the ARN of a table."""
        return f"arn:aws:dynamodb:{self.region}:{self.account}:table/{table}"

    def resolve(self, name_or_arn: str, action: str) -> str:
        """Return the name of a table given by name or ARN; raise for an ARN from elsewhere.

        Text that is not a DynamoDB ARN is returned unchanged, even if it is not a valid name.
        """
        arn = parse_dynamodb_arn(name_or_arn)
        if arn is None:
            return name_or_arn
        error = find_arn_error(name_or_arn)
        if error is None and arn.region != self.region:
            error = f"Invalid AWS region in '{name_or_arn}'"
        if error is None and arn.partition != "aws":
            error = f"Invalid AWS partition in '{name_or_arn}'"
        if error is not None:
            raise ValidationError(f"1 validation error detected: {error}")
        self._check_account(arn, name_or_arn, action)
        return arn.resource.partition("/")[2]

    def resolve_tagged(self, text: str, action: str) -> str:
        """Return the table name, or the path to a stream, in a tagged resource's ARN.

        AWS's error messages differ from those for ARNs in place of names.
        """
        if not text.startswith("arn:"):
            raise ValidationError(f"{INVALID}ARNs must start with 'arn:': {text}")
        arn = parse_arn(text)
        if arn is None:
            raise ValidationError(f"Invalid TableArn: Invalid ResourceArn provided as input {text}")
        if arn.service != "dynamodb":
            raise ValidationError(f"{INVALID}Provided Arn is not a DynamoDB resource arn: {text}")
        kind, *path = arn.resource.split("/")
        if kind == "table" and len(path) > 1 and path[1] != "stream":
            raise ValidationError(
                f"{INVALID}Invalid resource arn provided, only table or stream is accepted. "
                f"Provided resource arn: {text}"
            )
        self._check_account(arn, text, action)
        is_ours = (arn.partition, arn.region) == ("aws", self.region)
        if kind != "table" or not any(path) or not is_ours:
            raise ValidationError(f"Invalid TableArn: Invalid ResourceArn provided as input {text}")
        return "/".join(path)

    def _check_account(self, arn: Arn, text: str, action: str) -> None:
        if arn.account != self.account:
            raise AccessDenied(
                f"User: arn:aws:iam::{self.account}:root is not authorized to perform: "
                f"{action} on resource: {text}"
            )
