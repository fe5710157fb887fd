"""The policy: statements for tables, for each of their indexes, and for the key that encrypts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from singletable.errors import DeclarationError
from singletable.infrastructure.iam.conditions import conditions_of
from singletable.infrastructure.iam.owner import Owner
from singletable.infrastructure.iam.patterns import partition_patterns
from singletable.infrastructure.iam.use import WRITES, Use
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
    for (table, part), patterns in _by_resource(given, owner).items():
        name = (names or {}).get(table.name, table.name)
        what = f"{name} {part.removeprefix('/index/') or 'items'}"
        statements += _statements(what, place.table(name) + part, patterns, sids)
    if key_arn is not None:
        statements.append(_key(key_arn, place, given))
    return {"Version": "2012-10-17", "Statement": statements}


# For each action on a table or an index, the partition keys that are reached; None if IAM is not
# told them, so that a condition on them would refuse every request.
_Reached: TypeAlias = dict[str, set[tuple[str, ...]] | None]


def _by_resource(uses: Iterable[Use], owner: Owner | None) -> dict[tuple[Table, str], _Reached]:
    found: dict[tuple[Table, str], _Reached] = {}
    for use in uses:
        reached = found.setdefault((use.table, use.part), {})
        if not use.has_keys:
            reached[use.action] = None
            continue
        variables = {} if owner is None else owner.variables(use.access)
        keys = reached.setdefault(use.action, set())
        if keys is not None:
            keys.add(partition_patterns(use.access, variables))
    return found


def _statements(what: str, resource: str, reached: _Reached, sids: Names) -> list[Statement]:
    """Actions that reach the same partition keys share their statements."""
    together: dict[frozenset[tuple[str, ...]] | None, list[str]] = {}
    for action, keys in reached.items():
        together.setdefault(None if keys is None else frozenset(keys), []).append(action)
    statements: list[Statement] = []
    for shared, actions in together.items():
        conditions = [None] if shared is None else conditions_of(shared)
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
    if any(use.action in WRITES for use in uses):
        actions += ["kms:Encrypt", "kms:GenerateDataKey*", "kms:ReEncrypt*"]
    return {
        "Sid": "KeyOfTheTables",
        "Effect": "Allow",
        "Action": actions,
        "Resource": arn,
        "Condition": {"StringLike": {"kms:ViaService": f"dynamodb.{place.region}.amazonaws.com"}},
    }
