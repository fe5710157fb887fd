"""The item with PynamoDB: how often a second it is read and written."""

# PynamoDB is installed where this program runs, which is not where it is checked.
# mypy: disable-error-code="import-not-found, misc, no-any-unimported, no-untyped-call"
# mypy: disable-error-code="no-any-return"
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import json
import sys
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

from benchmarks.measuring.rates import rates
from benchmarks.modelling.ballot import WIRE
from benchmarks.modelling.contender import Contender


class Moment(Attribute[datetime]):
    """PynamoDB's own reads only its own form, which has no Z."""

    attr_type = STRING

    def serialize(self, value: datetime) -> str:
        """The moment as text."""
        return f"{value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"

    def deserialize(self, value: str) -> datetime:
        """The moment that the text tells."""
        return datetime.fromisoformat(value)


class Booth(MapAttribute):
    """Where a ballot was cast."""

    street = UnicodeAttribute()
    floor = NumberAttribute()


class Ballot(Model):
    """The item as a model."""

    class Meta:
        """Where it is; nothing is asked there."""

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
    when_cast = Moment()
    choices: Any = ListAttribute(of=UnicodeAttribute)
    booth = Booth()
    counted = BooleanAttribute()


CONTENDER = Contender("PynamoDB", Ballot.from_raw_data, lambda ballot: ballot.serialize()).checked()

if __name__ == "__main__":
    ballot = CONTENDER.read(WIRE)
    acts = [lambda _: CONTENDER.read(WIRE), lambda _: CONTENDER.write(ballot)]
    print(json.dumps(rates(acts, float(sys.argv[1]))))
