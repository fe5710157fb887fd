"""Policies of one statement, and the identity of whoever has one."""

from __future__ import annotations

from collections.abc import Mapping

from singletable.operations import Operation
from singletable.server.guard import Identity
from singletable.server.guard.decide import check_needs
from singletable.server.guard.needs import Place, needs_of
from singletable.server.guard.policy import read_policy

PLACE = Place("us-west-2", "123456789012")
GAMES = "arn:aws:dynamodb:us-west-2:123456789012:table/GameScores"
CONTEXT = {"aws:username": "ada", "aws:PrincipalTag/team": "red"}
# The tables of the examples in AWS's guide, and their partition keys.
KEYS: dict[tuple[str, str | None], tuple[str, ...]] = {
    ("GameScores", None): ("UserId",),
    ("GameScores", "TopScoreDateTimeIndex"): ("TopScoreDateTime",),
    ("GameScores", "ByTeam"): ("Team", "Season"),
    ("Ages", None): ("Age",),
}


def statement(**elements: object) -> dict[str, object]:
    """A statement that allows everything, but for the elements given."""
    return {"Effect": "Allow", "Action": "*", "Resource": "*"} | elements


def policy(*statements: Mapping[str, object]) -> dict[str, object]:
    return {"Version": "2012-10-17", "Statement": [dict(one) for one in statements]}


def identity(document: Mapping[str, object]) -> Identity:
    read = read_policy(dict(document), CONTEXT)
    return Identity("ada", "AKIAADA", PLACE.account, read, CONTEXT)


def check(document: Mapping[str, object], operation: Operation[object]) -> None:
    """Raise AccessDenied unless the policy allows the operation on the tables above."""
    check_needs(identity(document), needs_of(operation, PLACE), key_schema)


def key_schema(table: str, index: str | None) -> tuple[str, ...] | None:
    return KEYS.get((table, index))
