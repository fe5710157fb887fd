"""Items to and from JSON: strings and mappings of any type go as what they are."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import Any

import pytest

from singletable.values import check_item, item_from_json, item_to_json


class Word(str):
    """A string that knows more, and prints as something else."""

    def __str__(self) -> str:
        return "something else"


class Stage(StrEnum):
    """Words of a program's own."""

    OPEN = "open"


@pytest.mark.parametrize(
    ("item", "kept"),
    [
        ({"pk": {"S": Word("ada")}}, {"pk": {"S": "ada"}}),
        ({Word("pk"): {"SS": ["b", "a"]}}, {"pk": {"SS": ["a", "b"]}}),
        ({Stage.OPEN: {"S": Stage.OPEN}}, {"open": {"S": "open"}}),
        ({"pk": MappingProxyType({"N": "1.0"})}, {"pk": {"N": "1"}}),
        ({"pk": {"M": MappingProxyType({"a": {"S": "b"}})}}, {"pk": {"M": {"a": {"S": "b"}}}}),
    ],
)
def test_what_is_of_a_type_of_its_own_is_kept_as_what_it_is(item: Any, kept: Any) -> None:
    assert item_from_json(item_to_json(check_item(item)[0])) == kept


def test_what_json_has_not_is_an_error() -> None:
    odd: Any = {"pk": {"S": object()}}
    with pytest.raises(TypeError, match="JSON has nothing for Python's type object"):
        item_to_json(odd)
