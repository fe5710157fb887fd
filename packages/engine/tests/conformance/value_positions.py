"""Every place where a request carries a value, and how DynamoDB words errors about it there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from dynamodb_engine.operations import Operation
from dynamodb_engine.values import AttributeValue
from dynamodb_engine.wire import read_request
from dynamodb_engine.wire.requests import VERSION
from tests.conformance.errors import ENVELOPE
from tests.conformance.tables import ada

KEY = ada()
FORMS = {
    "enveloped": ENVELOPE + "{}",
    "plain": "{}",
    "older": "{}",
    "named": "ExpressionAttributeValues contains invalid value: {} for key :v",
}


@dataclass(frozen=True)
class ValuePosition:
    """A request that carries a value somewhere, and the form of an error about it."""

    name: str
    form: str
    operation: str
    body: str

    def request(self, table: str, value: AttributeValue) -> Operation[object]:
        """Return the request with this table and value."""
        body = self.body.replace("$table", table)
        body = body.replace("$value", msgspec.json.encode(value).decode())
        return read_request(f"{VERSION}.{self.operation}", body.encode())

    def message(self, newer: str, older: str) -> str:
        """Return the expected message, given the newer and the older wording."""
        return FORMS[self.form].format(older if self.form in ("older", "named") else newer)


_LINES = Path(__file__).with_suffix(".txt").read_text().splitlines()
POSITIONS = [ValuePosition(*line.split(" ", 3)) for line in _LINES if not line.startswith("#")]
BY_NAME = {position.name: position for position in POSITIONS}
