"""Parse Amazon Resource Names, which requests accept in place of table names."""

from __future__ import annotations

from typing import NamedTuple


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


def table_name(name_or_arn: str) -> str:
    """Return the name of a table given by name or by ARN; return anything else unchanged."""
    arn = parse_arn(name_or_arn)
    return (arn and arn.table) or name_or_arn
