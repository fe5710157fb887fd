"""The policy: statements for tables, for each of their indexes, and for the key that encrypts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from singletable.errors import DeclarationError
from singletable.infrastructure.iam.conditions import conditions_of
from singletable.infrastructure.iam.owner import Owner
from singletable.infrastructure.iam.patterns import partition_patterns
from singletable.infrastructure.iam.use import SCAN, Use
from singletable.infrastructure.names import Names, in_capitals
from singletable.schema import Table

Statement: TypeAlias = dict[str, object]


@dataclass(frozen=True, slots=True)
class Place:
    """Where the tables are; a star is anywhere."""

    region: str = "*"
    account: str = "*"
    partition: str = "aws"

    def table(self, name: str) -> str:
        """The ARN of a table."""
        return f"arn:{self.partition}:dynamodb:{self.region}:{self.account}:table/{name}"


ANYWHERE = Place()


def policy_of(
    uses: Iterable[Use],
    *,
    place: Place = ANYWHERE,
    names: Mapping[str, str] | None = None,
    owner: Owner | None = None,
    key_arn: str | None = None,
) -> dict[str, object]:
    """The policy that allows these uses; `names` gives tables other names than declared."""
    given = list(uses)
    if not given:
        raise DeclarationError("A policy allows something, and no use of any entity is given.")
    sids = Names(in_capitals)
    statements: list[Statement] = []
    for (table, index), patterns in _by_resource(given, owner).items():
        name = (names or {}).get(table.name, table.name)
        arn = place.table(name)
        resource = arn if index is None else f"{arn}/index/{index}"
        what = f"{name} items" if index is None else f"{name} {index}"
        statements += _statements(what, resource, patterns, sids)
    if key_arn is not None:
        statements.append(_key(key_arn, place, given))
    return {"Version": "2012-10-17", "Statement": statements}


_Patterns: TypeAlias = frozenset[tuple[str, ...]]


def _by_resource(
    uses: Iterable[Use], owner: Owner | None
) -> dict[tuple[Table, str | None], dict[str, set[tuple[str, ...]]]]:
    """For each table or index, and for each action on it, the partition keys that are reached."""
    found: dict[tuple[Table, str | None], dict[str, set[tuple[str, ...]]]] = {}
    for use in uses:
        variables = {} if owner is None else owner.variables(use.access)
        reached = found.setdefault((use.table, use.index), {}).setdefault(use.action, set())
        reached.add(partition_patterns(use.access, variables))
    return found


def _statements(
    what: str, resource: str, patterns: Mapping[str, set[tuple[str, ...]]], sids: Names
) -> list[Statement]:
    """Actions that reach the same partition keys share their statements."""
    together: dict[_Patterns | None, list[str]] = {}
    for action, reached in patterns.items():
        # A scan has no leading key, and a condition on it would refuse every one.
        together.setdefault(None if action == SCAN else frozenset(reached), []).append(action)
    statements: list[Statement] = []
    for keys, actions in together.items():
        conditions = [None] if keys is None else conditions_of(keys)
        for condition in conditions:
            number = len(statements) + 1
            statement: Statement = {
                "Sid": sids(what if number == 1 else f"{what} {number}"),
                "Effect": "Allow",
                "Action": [f"dynamodb:{action}" for action in actions],
                "Resource": resource,
            }
            if condition is not None:
                statement["Condition"] = condition
            statements.append(statement)
    return statements


def _key(arn: str, place: Place, uses: Iterable[Use]) -> Statement:
    """DynamoDB uses the key of an encrypted table in the name of whoever asks."""
    actions = ["kms:Decrypt", "kms:DescribeKey"]
    if any(use.action not in ("GetItem", "BatchGetItem", "Query", SCAN) for use in uses):
        actions += ["kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*"]
    return {
        "Sid": "KeyOfTheTables",
        "Effect": "Allow",
        "Action": actions,
        "Resource": arn,
        "Condition": {"StringLike": {"kms:ViaService": f"dynamodb.{place.region}.amazonaws.com"}},
    }
