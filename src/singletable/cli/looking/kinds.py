"""What an item is: told by a declaration, or guessed from its type tag and its key."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, cast

from singletable.cli.looking.reading import Keys
from singletable.cli.tour.plain import shown
from singletable.errors import DeclarationError, ItemMismatch
from singletable.operations import TableDescription
from singletable.schema import Model, Table, model_of
from singletable.values import AttributeValue, Item, content_of

# Attributes by which many designs tell what an item is.
_TAGS = (
    "entity_type",
    "entityType",
    "entity",
    "_type",
    "_et",
    "__edb_e__",
    "__typename",
    "type",
    "Type",
)
_CONSTANT = re.compile(r"[A-Za-z_][A-Za-z_-]*")


@dataclass(frozen=True, slots=True)
class Seen:
    """What an item is called, what it holds, and what is odd about it."""

    kind: str
    holds: Sequence[tuple[str, str]]
    odd: str = ""


class Kinds(Protocol):
    """Whoever can tell what an item is."""

    def see(self, item: Item) -> Seen:
        """What it is, and what it holds beside its key."""
        ...


class Declared:
    """Items told by the declaration of their table."""

    def __init__(self, table: Table) -> None:
        self._models = [model_of(entity) for entity in table.entities]
        self._keys = {one.name for one in table.all_key_attributes()}

    @classmethod
    def among(cls, tables: Sequence[Table], name: str) -> Declared:
        """By the declared table of this name, or by the only one that there is."""
        same = [table for table in tables if table.name == name] or tables
        if len(same) > 1:
            listed = ", ".join(table.name for table in tables)
            raise DeclarationError(
                f"None of the declared tables ({listed}) is called {name!r}. Say which it is, such "
                "as --app shop.entities:orders."
            )
        return cls(same[0])

    def see(self, item: Item) -> Seen:
        """What it is, with its fields decoded; one that does not fit as it is stored."""
        for model in self._models:
            if model.key.parse(item) is not None and model.matches(item):
                return self._instance(model, item)
        for model in self._models:
            for marker in model.uniques.values():
                if marker.access.parse(item) is not None:
                    return Seen(f"{model.name}.{marker.name}", self._stored(item))
        return Seen("?", self._stored(item), "not of a declared entity")

    def _instance(self, model: Model, item: Item) -> Seen:
        try:
            values = cast("dict[str, object]", vars(model.instance(item)))
        except ItemMismatch as mismatch:
            return Seen(model.name, self._stored(item), str(mismatch))
        told = {*model.key.fields, "_unknown"}
        holds = [
            (name, str(values[name]))
            for name in model.fields
            if name not in told and values.get(name) is not None
        ]
        return Seen(model.name, holds)

    def _stored(self, item: Item) -> list[tuple[str, str]]:
        return [(name, shown(value)) for name, value in item.items() if name not in self._keys]


class Guessed:
    """Items told by their looks."""

    def __init__(self, table: TableDescription) -> None:
        self._keys = Keys.of(table)
        self._hidden = {one.attribute_name for one in table.attribute_definitions}

    def see(self, item: Item) -> Seen:
        """What it seems to be, with its attributes as they are stored."""
        tag = next((name for name in _TAGS if "S" in item.get(name, {})), None)
        hidden = self._hidden if tag is None else {*self._hidden, tag}
        holds = [(name, shown(value)) for name, value in item.items() if name not in hidden]
        return Seen(self._shape(item) if tag is None else item[tag]["S"], holds)

    def _shape(self, item: Item) -> str:
        """What stays the same in keys of its kind."""
        sort = None if self._keys.sk is None else item[self._keys.sk]
        own = "#".join(_constants(sort)) if sort is not None else ""
        return own or "#".join(_constants(item[self._keys.pk])) or "item"


def _constants(value: AttributeValue) -> Iterator[str]:
    """The words of a key that look as if they were in every one of its kind."""
    words = str(content_of(value)).split("#") if "S" in value else []
    for at, word in enumerate(words):
        # A name is a constant if something follows it, or if it is all there is.
        followed = at + 1 < len(words) or len(words) == 1
        if followed and _CONSTANT.fullmatch(word) and word.upper() == word:
            yield word
