"""An entity's fields as the module `dataclasses` knows them.

Type checkers are told that an entity is a dataclass; so it is one where others look for it: FastAPI
takes a dataclass for the body of a request, `asdict` gives values by name, and `replace` makes a
new instance as the constructor does, without what the store has set.
"""

from __future__ import annotations

import dataclasses
from typing import Any, Optional

from singletable.schema.attribute import Attr
from singletable.schema.model import MODELS, Model


class DataclassFields:
    """The fields by name, made when somebody asks; a class without a table has none."""

    def __init__(self) -> None:
        self._made: dict[type, dict[str, dataclasses.Field[Any]]] = {}

    def __get__(self, instance: object, owner: type) -> dict[str, dataclasses.Field[Any]]:
        model = MODELS.get(owner)
        if model is None:
            return {}
        if owner not in self._made:
            self._made[owner] = _fields(model)
        return self._made[owner]


def _fields(model: Model) -> dict[str, dataclasses.Field[Any]]:
    said = [(field.name, _type(field), _field(field)) for field in model.fields.values()]
    made = dataclasses.make_dataclass(model.name, said, kw_only=True)
    return {field.name: field for field in dataclasses.fields(made)}


def _type(field: Attr[Any]) -> Any:
    kind: Any = field.annotation
    return Optional[kind] if field.codec().optional else kind  # noqa: UP045 (made at run time)


def _field(field: Attr[Any]) -> Any:
    by_store = field.role in ("version", "created", "updated")
    if field.default is None:
        return dataclasses.field(init=not by_store)
    return dataclasses.field(default_factory=field.default)
