"""Names of tables: the characters they may have, and the ARNs that may stand for them."""

from __future__ import annotations

import re

from singletable.operations.arn import parse_arn

# Where a table may be named by its ARN, the name inside is looked up like any other.
PARTITIONS = ("aws", "aws-cn", "aws-us-gov", "aws-iso", "aws-iso-b", "aws-iso-e", "aws-iso-f")
LONGEST_NAME = 255

_NAME = re.compile(r"[a-zA-Z0-9_.-]+")


def has_name_characters(name: str) -> bool:
    """Whether `name` is made of the characters that names of tables and indexes may have."""
    return _NAME.fullmatch(name) is not None


def names_a_table(name: str, least: int) -> bool:
    """Whether `name` is the name of a table, of at least so many characters, or its ARN."""
    if is_arn(name):
        return arn_fault(name) is None
    return least <= len(name) <= LONGEST_NAME and has_name_characters(name)


def arn_fault(name: str) -> str | None:
    """What is wrong with an ARN; None if nothing is, or if `name` is not one of DynamoDB's."""
    arn = parse_arn(name)
    if arn is None or not is_arn(name):
        return None
    if arn.partition not in PARTITIONS:
        return f"Invalid AWS partition in '{name}'"
    kind, _, table = arn.resource.partition("/")
    if kind != "table" or not has_name_characters(table):
        return f"Invalid resource type in '{name}'"
    return None


def is_arn(name: str) -> bool:
    """Whether `name` is an ARN of DynamoDB's, right or wrong."""
    arn = parse_arn(name)
    return arn is not None and arn.service == "dynamodb" and bool(arn.resource)
