"""What must hold of a catalog as a whole, and of each pattern when it is declared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from singletable.errors import DeclarationError
from singletable.patterns.expected import check_size
from singletable.patterns.pattern import Pattern
from singletable.patterns.requests import requests_of
from singletable.schema import Access, Collection, Index, Table, lies_in, model_of
from singletable.schema.fields import entity_behind
from singletable.store import EntityAccess


def check_name(where: str, name: str) -> None:
    """Refuse a name that could not be typed as one word, in a command or a query of metrics."""
    if not isinstance(name, str) or not name or len(name.split()) != 1 or name != name.strip():  # pyright: ignore[reportUnnecessaryIsInstance]
        raise DeclarationError(f"{where}: expected one word for a name, such as 'AP7' or 'shop'.")


def check_code(where: str, code: str) -> None:
    """Refuse a function where the code of its pattern belongs: a decorator that was not called."""
    if callable(code):
        name = getattr(code, "__name__", "…")
        raise DeclarationError(
            f'{where} expects the code of the pattern: write @….reads("AP7") above def {name}(…).'
        )


def check_entity(where: str, entity: type) -> None:
    """Refuse an item, a name, or whatever else is no class."""
    if not isinstance(entity, type):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise DeclarationError(
            f"{where}: expected an entity, the class itself, but got {entity!r}."
        )


def check_collects(where: str, collects: type[Collection] | None) -> None:
    """Refuse what is no collection."""
    if collects is not None and not (
        isinstance(collects, type) and issubclass(collects, Collection)  # pyright: ignore[reportUnnecessaryIsInstance]
    ):
        raise DeclarationError(
            f"{where}: collects={collects!r}: expected a class of Collection, which names what "
            "lies in the partition."
        )


def check_together(where: str, access: Access, collects: type[Collection]) -> None:
    """Refuse a collection of what never lies in the partition that is read."""
    for entity in collects.entities():
        if not lies_in(access, model_of(entity)):
            raise DeclarationError(
                f"{where} collects {collects.__name__} by {access}, and no {entity.__name__} lies "
                "in such a partition. Ask by a key whose partition they share, or take "
                f"{entity.__name__} out of {collects.__name__}."
            )


def check_tables(where: str, tables: Sequence[Table]) -> None:
    """Refuse a catalog of no tables, or of something else."""
    if not tables:
        raise DeclarationError(f"{where} names no table. Name those that its patterns go to.")
    for table in tables:
        if not isinstance(table, Table):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise DeclarationError(f"{where}: expected tables behind the name, but got {table!r}.")


def sizes_of(where: str, tables: Sequence[Table], sizes: Mapping[type, int]) -> dict[type, int]:
    """The usual sizes of entities, each of which is in the catalog's tables."""
    found: dict[type, int] = {}
    for entity, size in sizes.items():
        check_entity(f"{where}: sizes", entity)
        entity = entity_behind(entity)
        check_size(f"{where}: sizes of {entity.__name__}", size)
        check_table(f"{where}: sizes", tables, entity)
        found[entity] = size
    return found


def check_unused(where: str, tables: Sequence[Table], unused: Mapping[Index, str]) -> None:
    """Refuse a reason for an index that is nowhere: it was removed, or is another's."""
    there = [index for table in tables for index in table.indexes]
    for index in unused:
        if index not in there:
            raise DeclarationError(
                f"{where}: unused has {index!r}, and the tables have "
                f"{', '.join(map(repr, there)) or 'no indexes'}. Take it out."
            )


def check_effect(where: str, effect: EntityAccess) -> None:
    """Refuse what says nothing of what is written."""
    if not isinstance(effect, EntityAccess):  # pyright: ignore[reportUnnecessaryIsInstance]
        name = getattr(effect, "__name__", "Ballot")
        raise DeclarationError(
            f"{where}: {effect!r} does not say what is done. Say so: creates({name}), "
            f"puts({name}), updates({name}, …), deletes({name}) or checks({name})."
        )


def check_consistent(where: str, access: Access) -> None:
    """Refuse to read a global index as it stands at the moment: DynamoDB cannot."""
    if access.index is not None and not access.index.local:
        raise DeclarationError(
            f"{where} is consistent and goes by {access}, which is in the global index "
            f"{access.index.name!r}. DynamoDB reads a global index a moment later. Leave out "
            "consistent=True, or ask by the primary key."
        )


def check_table(where: str, tables: Iterable[Table], entity: type) -> None:
    """Refuse a pattern about a table that is not the catalog's."""
    listed = list(tables)
    model = model_of(entity)
    if model.table not in listed:
        raise DeclarationError(
            f"{where} is about {model.name}, which is in {model.table!r}, and the catalog has "
            f"{', '.join(map(repr, listed))}. Give the table to the catalog too."
        )


def check_indexes(
    name: str, tables: Iterable[Table], patterns: Iterable[Pattern], unused: Mapping[Index, str]
) -> None:
    """Refuse an index that no pattern reads, unless a reason is given; and a reason out of date."""
    read = {request.index for pattern in patterns for request in requests_of(pattern)}
    faults: list[str] = []
    for table in tables:
        for index in table.indexes:
            if index in read and index in unused:
                faults.append(
                    f"{index!r} of {table!r} is said to be unused ({unused[index]}), and a pattern "
                    "reads it. Take it out of unused=…."
                )
            if index not in read and index not in unused:
                faults.append(
                    f"{index!r} of {table!r} is read by no pattern, and every write of an item in "
                    f"it is paid for ({_who(table, index)}). Declare the pattern that reads it, "
                    "remove the index, or say why it stays: unused={index: 'reason'}."
                )
    if faults:
        raise DeclarationError("\n".join(f"PatternCatalog {name!r}: {fault}" for fault in faults))


def _who(table: Table, index: Index) -> str:
    keys = [
        f"{model.name}.{access.name}"
        for model in map(model_of, table.entities)
        for access in model.indexes.values()
        if access.index is index
    ]
    return f"it holds {', '.join(keys)}" if keys else "no entity has a key in it"
