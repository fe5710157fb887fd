"""Measure PynamoDB: how often per second it reads and writes the item."""

# PynamoDB is installed in an environment of its own, so type checkers do not find it.
# mypy: disable-error-code="import-not-found, misc, no-any-unimported, no-untyped-call"
# mypy: disable-error-code="no-any-return"
# pyright: basic, reportMissingImports=false

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pynamodb.attributes import (
    Attribute,
    BooleanAttribute,
    ListAttribute,
    MapAttribute,
    NumberAttribute,
    UnicodeAttribute,
)
from pynamodb.constants import STRING
from pynamodb.models import Model

from benchmarks.programs.ballot_item import ObjectMapper


class DatetimeAttribute(Attribute[datetime]):
    """A datetime that ends in Z; PynamoDB's own attribute cannot read that."""

    attr_type = STRING

    def serialize(self, value: datetime) -> str:
        """Return the datetime as text."""
        return f"{value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"

    def deserialize(self, value: str) -> datetime:
        """Return the datetime of a text."""
        return datetime.fromisoformat(value)


class Booth(MapAttribute):
    """The place where a ballot was cast."""

    street = UnicodeAttribute()
    floor = NumberAttribute()


class Ballot(Model):
    """The item as a model."""

    class Meta:
        """The table; no request is sent."""

        table_name = "ballots"
        region = "us-east-1"

    pk = UnicodeAttribute(hash_key=True, attr_name="PK")
    sk = UnicodeAttribute(range_key=True, attr_name="SK")
    entity_type = UnicodeAttribute()
    election = UnicodeAttribute()
    voter = UnicodeAttribute()
    confirmation = UnicodeAttribute()
    ward = UnicodeAttribute()
    rank = NumberAttribute()
    weight = NumberAttribute()
    when_cast = DatetimeAttribute()
    choices: Any = ListAttribute(of=UnicodeAttribute)
    booth = Booth()
    counted = BooleanAttribute()


MAPPER = ObjectMapper("PynamoDB", Ballot.from_raw_data, lambda ballot: ballot.serialize()).checked()

if __name__ == "__main__":
    MAPPER.measure_and_print()
