"""What templates are made of."""

from __future__ import annotations

from typing import TypeAlias

Json: TypeAlias = "str | int | bool | list[Json] | dict[str, Json]"
Properties: TypeAlias = dict[str, Json]


def ref(name: str) -> Properties:
    """What a resource or a parameter of the template stands for."""
    return {"Ref": name}
