"""Parse invalid expressions and return the error message."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from dynamodb_engine.errors import ValidationError
from dynamodb_engine.expressions import Placeholders
from dynamodb_engine.values import AttributeValue

Parse = Callable[[str, Placeholders], object]

NAMES = {"#a": "a", "#also_a": "a", "#b": "b", "#status": "status"}
VALUES: Mapping[str, AttributeValue] = {
    ":n": {"N": "1"},
    ":n2": {"N": "2"},
    ":s": {"S": "a"},
    ":s2": {"S": "b"},
    ":b": {"B": "AQ=="},
    ":bool": {"BOOL": True},
    ":null": {"NULL": True},
    ":l": {"L": []},
    ":m": {"M": {}},
    ":ss": {"SS": ["x"]},
    ":ns": {"NS": ["1"]},
    ":type": {"S": "SS"},
}


def parse_error(parse: Parse, text: str) -> str:
    """Return the message of the error that `parse` raises for the text."""
    with pytest.raises(ValidationError) as error:
        parse(text, Placeholders(NAMES, VALUES))
    return error.value.message
