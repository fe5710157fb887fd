"""Build policies, and check operations against them."""

from __future__ import annotations

from collections.abc import Mapping

from dynamodb_engine.operations import Operation
from dynamodb_engine.operations.arn import TableArns
from dynamodb_engine.server.guard import Identity
from dynamodb_engine.server.guard.guard import check_permissions
from dynamodb_engine.server.guard.permissions import required_permissions
from dynamodb_engine.server.guard.policy_document import read_policy

ARNS = TableArns("us-west-2", "123456789012")
GAMES = "arn:aws:dynamodb:us-west-2:123456789012:table/GameScores"
CONTEXT = {"aws:username": "ada", "aws:PrincipalTag/team": "red"}
# The partition keys of the tables in the examples of AWS's guide.
KEYS: dict[tuple[str, str | None], tuple[str, ...]] = {
    ("GameScores", None): ("UserId",),
    ("GameScores", "TopScoreDateTimeIndex"): ("TopScoreDateTime",),
    ("GameScores", "ByTeam"): ("Team", "Season"),
    ("Ages", None): ("Age",),
}


def statement(**elements: object) -> dict[str, object]:
    """Return a statement that allows everything, with these elements replaced."""
    return {"Effect": "Allow", "Action": "*", "Resource": "*"} | elements


def policy(*statements: Mapping[str, object]) -> dict[str, object]:
    return {"Version": "2012-10-17", "Statement": [dict(statement) for statement in statements]}


def identity(document: Mapping[str, object]) -> Identity:
    parsed = read_policy(dict(document), CONTEXT)
    return Identity("ada", "AKIAADA", ARNS.account, parsed, CONTEXT)


def check(document: Mapping[str, object], operation: Operation[object]) -> None:
    """Raise AccessDenied unless the policy allows the operation on the tables above."""
    check_permissions(identity(document), required_permissions(operation, ARNS), partition_key)


def partition_key(table: str, index: str | None) -> tuple[str, ...] | None:
    return KEYS.get((table, index))
