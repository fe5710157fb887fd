"""Check a pattern when it is declared, and a catalog as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from singletable.errors import DeclarationError, InvalidValue
from singletable.patterns.expected_load import Distribution, FieldValues, ItemCount, check_item_size
from singletable.patterns.pattern import Pattern, check_entity
from singletable.patterns.requests import planned_requests
from singletable.schema import (
    Collection,
    Index,
    Model,
    ResolvedKey,
    Selection,
    Table,
    may_share_partition,
    model_of,
)
from singletable.schema.fields import declared_entity
from singletable.store import EntityAccess
from singletable.store.collection_query import check_required_members


def check_name(where: str, name: str) -> None:
    """Raise unless `name` is one word, which can be typed in a command or a metrics query."""
    if not isinstance(name, str) or not name or len(name.split()) != 1 or name != name.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
        raise DeclarationError(f"{where}: expected a name of one word, such as 'AP7' or 'shop'.")


def check_code(where: str, code: str) -> None:
    """Raise if `code` is a function: the decorator was not called."""
    if callable(code):
        name = getattr(code, "__name__", "…")
        raise DeclarationError(
            f"{where} expects the code of the pattern: write "
            f'@….read_function("AP7") above def {name}(…).'
        )


def check_collection(where: str, collection: type[Collection] | None) -> None:
    """Raise unless `collection` is a Collection class, or None."""
    if collection is not None and not (
        isinstance(collection, type) and issubclass(collection, Collection)  # pyright: ignore[reportUnnecessaryIsInstance]
    ):
        raise DeclarationError(
            f"{where}: collection={collection!r}: expected a Collection class, which lists the "
            "entities in the partition."
        )


def check_members(where: str, selection: Selection[Any], collection: type[Collection]) -> None:
    """Raise if the partition never contains one of the collection's entities.

    A range of it must contain the required ones.
    """
    access = selection.access
    for entity in collection.entities():
        if not may_share_partition(access, model_of(entity)):
            raise DeclarationError(
                f"{where} reads the collection {collection.__name__} by {access}, but such a "
                f"partition contains no {entity.__name__}. Query a partition that they share, or "
                f"remove {entity.__name__} from {collection.__name__}."
            )
    try:
        check_required_members(collection, selection)
    except InvalidValue as error:
        raise DeclarationError(f"{where}: {error}") from None


def check_tables(where: str, tables: Sequence[Table]) -> None:
    """Raise unless there is at least one table, and nothing else."""
    if not tables:
        raise DeclarationError(f"{where} has no table. Pass the tables that its patterns use.")
    for table in tables:
        if not isinstance(table, Table):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise DeclarationError(f"{where}: expected tables after the name, but got {table!r}.")


def check_sizes(where: str, tables: Sequence[Table], sizes: Mapping[type, int]) -> dict[type, int]:
    """Return the item sizes by entity; raise unless each entity is in one of `tables`."""
    checked: dict[type, int] = {}
    for entity, size in sizes.items():
        check_entity(f"{where}: sizes", entity)
        entity = declared_entity(entity)
        check_item_size(f"{where}: sizes of {entity.__name__}", size)
        check_table(f"{where}: sizes", tables, entity)
        checked[entity] = size
    return checked


def check_counts(
    where: str, tables: Sequence[Table], counts: Mapping[type, int | ItemCount]
) -> dict[type, ItemCount]:
    """Return the number of items by entity; raise unless each entity is in one of `tables`."""
    checked: dict[type, ItemCount] = {}
    for entity, count in counts.items():
        check_entity(f"{where}: counts", entity)
        entity = declared_entity(entity)
        check_table(f"{where}: counts", tables, entity)
        checked[entity] = count if isinstance(count, ItemCount) else ItemCount(count)
        optional = _optional_names(model_of(entity))
        for name in checked[entity].shares:
            if name not in optional:
                raise DeclarationError(
                    f"{where}: counts of {entity.__name__}: shares has {name!r}, but the keys in "
                    "indexes, and the unique values and counts that are optional, are "
                    f"{', '.join(optional) or 'none'}."
                )
    return checked


def _optional_names(model: Model) -> list[str]:
    """Return the names of what only a share of the items may have."""
    fields = {
        one.name: one.fields for kind in (model.uniques, model.counts) for one in kind.values()
    }
    return [*model.indexes, *(name for name in fields if model.is_optional(fields[name]))]


def check_values(
    where: str, tables: Sequence[Table], values: Iterable[FieldValues]
) -> dict[tuple[type, str], Distribution]:
    """Return the distributions by entity and field; raise unless the entities are in `tables`."""
    checked: dict[tuple[type, str], Distribution] = {}
    models = [model_of(entity) for table in tables for entity in table.entities]
    for one in values:
        if not isinstance(one, FieldValues):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise DeclarationError(
                f"{where}: values has {one!r}: expected uniform(Skill.name, 200) or "
                "zipf(Skill.name, 200)."
            )
        # Entities that inherit a field share it.
        owners = [model for model in models if model.fields.get(one.path.field) is one.path.root]
        if not owners:
            raise DeclarationError(
                f"{where}: values has {one.path!r}, which is not a field of an entity in "
                f"{', '.join(map(repr, tables))}."
            )
        checked.update({(model.entity, one.path.field): one.distribution for model in owners})
    return checked


def check_unused(where: str, tables: Sequence[Table], unused: Mapping[Index, str]) -> None:
    """Raise if `unused` lists an index that no table has."""
    indexes = [index for table in tables for index in table.indexes]
    for index in unused:
        if index not in indexes:
            raise DeclarationError(
                f"{where}: unused has {index!r}, but the tables have "
                f"{', '.join(map(repr, indexes)) or 'no indexes'}. Remove it."
            )


def check_effect(where: str, effect: EntityAccess) -> None:
    """Raise unless `effect` was made by a function such as creates()."""
    if not isinstance(effect, EntityAccess):  # pyright: ignore[reportUnnecessaryIsInstance]
        name = getattr(effect, "__name__", "Ballot")
        raise DeclarationError(
            f"{where}: {effect!r} does not declare a write. Use creates({name}), puts({name}), "
            f"updates({name}, …), upserts({name}, …), modifies({name}), deletes({name}), "
            f"checks({name}), loads({name}) or clears({name})."
        )


def check_consistent(where: str, access: ResolvedKey) -> None:
    """Raise if `access` is a key of a global index, which has no consistent reads."""
    if access.index is not None and not access.index.local:
        raise DeclarationError(
            f"{where} is consistent and uses {access}, which is in the global index "
            f"{access.index.name!r}. Reads of a global index are always eventually consistent. "
            "Leave out consistent=True, or use the primary key."
        )


def check_hydrate(
    where: str, sample: object, collection: type[Collection] | None, hydrate: bool | None
) -> None:
    """Raise if a pattern that queries no items of one entity is to hydrate them."""
    if hydrate and (collection is not None or not isinstance(sample, Selection)):
        raise DeclarationError(
            f"{where}: hydrate=True is for patterns that query items of one entity: "
            "Ballot.by_voter, Ballot.key.partition."
        )


def check_table(where: str, tables: Iterable[Table], entity: type) -> None:
    """Raise unless the entity is in one of the catalog's tables."""
    catalog_tables = list(tables)
    model = model_of(entity)
    if model.table not in catalog_tables:
        raise DeclarationError(
            f"{where} uses {model.name}, which is in {model.table!r}, but the catalog has "
            f"{', '.join(map(repr, catalog_tables))}. Add the table to the catalog."
        )


def check_indexes(
    name: str, tables: Iterable[Table], patterns: Iterable[Pattern], unused: Mapping[Index, str]
) -> None:
    """Raise if no pattern reads an index and no reason is given, or if a reason is outdated."""
    read = {request.index for pattern in patterns for request in planned_requests(pattern)}
    problems: list[str] = []
    for table in tables:
        for index in table.indexes:
            if index in read and index in unused:
                problems.append(
                    f"{index!r} of {table!r} is listed as unused ({unused[index]}), but a pattern "
                    "reads it. Remove it from unused=…."
                )
            if index not in read and index not in unused:
                problems.append(
                    f"no pattern reads {index!r} of {table!r}, but every write of an item in it "
                    f"is charged ({_index_contents(table, index)}). Declare the pattern that reads "
                    "it, remove the index, or give a reason: unused={index: 'reason'}."
                )
    if problems:
        raise DeclarationError(
            "\n".join(f"PatternCatalog {name!r}: {problem}" for problem in problems)
        )


def _index_contents(table: Table, index: Index) -> str:
    keys = [
        f"{model.name}.{access.name}"
        for model in map(model_of, table.entities)
        for access in model.indexes.values()
        if access.index is index
    ]
    return f"it contains {', '.join(keys)}" if keys else "no entity has a key in it"
