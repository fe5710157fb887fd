"""The rules of the operations that DynamoDB has no name for, in our own words."""

from __future__ import annotations

from singletable.engine.constraints.rules.rule import Rule
from singletable.engine.constraints.shape import Member, Number, Struct, TableName, required
from singletable.engine.constraints.wording import OURS
from singletable.operations import ReadChanges, SweepExpired

TABLE = Member("table_name", TableName(least=3))
LIMIT = required("limit", Number(1, 1000))

CHANGES = (
    Rule(Struct(ReadChanges, (Member("after", Number(0)), TABLE, LIMIT)), OURS, falls_back=False),
    Rule(Struct(SweepExpired, (TABLE, LIMIT)), OURS, falls_back=False),
)
