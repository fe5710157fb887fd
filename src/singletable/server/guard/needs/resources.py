"""Names of resources, each in one spelling: a policy must not be evaded by another."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.operations.arn import parse_arn

# What AWS writes where a request names no resource.
NO_RESOURCE = "*"


@dataclass(frozen=True, slots=True)
class Place:
    """Whose tables they are, and where."""

    region: str
    account: str

    def name(self, given: str) -> str:
        """The name of a table that is given by its name or by its ARN; a stranger's ARN as it is.

        Whoever executes a request looks at the name alone, so no other part may tell two apart.
        """
        arn = parse_arn(given)
        if arn is None:
            return given
        kind, _, name = arn.resource.partition("/")
        ours = (arn.region, arn.account, kind) == (self.region, self.account, "table")
        return name if ours else given

    def table(self, given: str | None) -> str:
        """The ARN of a table that is given by its name or by its ARN."""
        if not given:
            return NO_RESOURCE
        name = self.name(given)
        return name if name.startswith("arn:") else self._table(name)

    def index(self, table: str | None, index: str) -> str:
        """The ARN of an index."""
        return f"{self.table(table)}/index/{index}"

    @property
    def tables(self) -> str:
        """The ARN of all tables."""
        return self._table("*")

    def _table(self, name: str) -> str:
        return f"arn:aws:dynamodb:{self.region}:{self.account}:table/{name}"
