"""Item collections: the items of several entities in one partition, read by one query."""

from __future__ import annotations

import sys
from typing import Any, Self, dataclass_transform, get_args, get_origin, get_type_hints

from singletable.errors import DeclarationError, ItemMismatch
from singletable.schema.codec.unions import without_none
from singletable.schema.model import MODELS


@dataclass_transform(kw_only_default=True)
class Collection:
    """The content of a partition, by entity.

    `election: Election` is required, `result: Result | None` is optional, and
    `ballots: list[Ballot]` are all of them, in the order of the sort key.
    """

    _members: dict[str, tuple[type, str]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        frame = sys._getframe(1)
        hints = get_type_hints(cls, localns={**frame.f_globals, **frame.f_locals})
        cls._members = {
            name: _member(cls, name, hint)
            for name, hint in hints.items()
            if not name.startswith("_")
        }
        entities = cls.entities()
        if len(set(entities)) != len(entities) or not entities:
            raise DeclarationError(f"{cls.__name__}: a collection lists each entity once.")

    def __init__(self, **members: Any) -> None:
        self.__dict__.update(members)

    @classmethod
    def entities(cls) -> list[type]:
        """Return the entities of the collection."""
        return [entity for entity, _ in cls._members.values()]

    @classmethod
    def list_entities(cls) -> list[type]:
        """Return the entities of which there may be several items."""
        return [entity for entity, count in cls._members.values() if count == "all"]

    @classmethod
    def required_members(cls) -> dict[str, type]:
        """Return the entities that must occur once, by the names of their members."""
        return {name: entity for name, (entity, count) in cls._members.items() if count == "one"}

    @classmethod
    def of(cls, instances: dict[type, list[object]], where: str = "the partition") -> Self:
        """Return the collection with these instances; raise ItemMismatch if the number is wrong."""
        members: dict[str, object] = {}
        for name, (entity, cardinality) in cls._members.items():
            items = instances[entity]
            if cardinality == "all":
                members[name] = items
                continue
            if len(items) > 1 or (cardinality == "one" and not items):
                raise ItemMismatch(
                    f"expected one {entity.__name__} in {where}, but found {len(items)}.",
                    f"{cls.__name__}.{name}",
                )
            members[name] = items[0] if items else None
        return cls(**members)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        # Only pydantic calls this, so it is installed; the library does not need it.
        from singletable.schema.pydantic_schema import collection_schema_of

        return collection_schema_of(cls, cls._members, handler)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Any:
        from singletable.schema.pydantic_schema import json_schema_of

        return json_schema_of(schema, handler)

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={self.__dict__[name]!r}" for name in self._members)
        return f"{type(self).__name__}({shown})"


def _member(owner: type, name: str, hint: object) -> tuple[type, str]:
    inner = get_args(hint)[0] if get_origin(hint) is list else without_none(hint)
    cardinality = "all" if get_origin(hint) is list else "one" if inner is hint else "optional"
    if not (isinstance(inner, type) and inner in MODELS):
        raise DeclarationError(
            f"{owner.__name__}.{name}: expected an entity, `Entity | None` or `list[Entity]`, but "
            f"got {hint}."
        )
    return inner, cardinality
