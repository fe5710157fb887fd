"""How the indexes of a table stand apart from their declaration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from singletable.infrastructure.difference import Change, Difference
from singletable.infrastructure.keys_in_words import key_in_words, projection_in_words
from singletable.operations import CreateTable, TableDescription

_LOCAL_AS_THEY_ARE = (
    "Local indexes are made with their table. A global index (Index) can be added at any time."
)


@dataclass(frozen=True, slots=True)
class _Index:
    local: bool
    key: str
    projection: str
    units: tuple[int, int] | None = None


def index_differences(create: CreateTable, table: TableDescription) -> Iterator[Difference]:
    """What differs, index by index."""
    declared, found = _declared(create), _found(table)
    missing = [name for name in declared if name not in found]
    unexpected = [name for name in found if name not in declared]
    name = table.table_name
    for index in missing:
        yield _missing(name, index, declared[index])
    for index in unexpected:
        yield _unexpected(name, index, found[index])
    for index, wanted in declared.items():
        if index in found:
            yield from _changed(name, index, wanted, found[index])


def _declared(create: CreateTable) -> Mapping[str, _Index]:
    types = create.attribute_definitions
    found: dict[str, _Index] = {}
    for one in create.global_secondary_indexes or ():
        units = one.provisioned_throughput
        found[one.index_name] = _Index(
            False,
            key_in_words(one.key_schema, types),
            projection_in_words(one.projection),
            None if units is None else (units.read_capacity_units, units.write_capacity_units),
        )
    for local in create.local_secondary_indexes or ():
        key = key_in_words(local.key_schema, types)
        found[local.index_name] = _Index(True, key, projection_in_words(local.projection))
    return found


def _found(table: TableDescription) -> Mapping[str, _Index]:
    types = table.attribute_definitions
    found: dict[str, _Index] = {}
    for one in table.global_secondary_indexes or ():
        units = one.provisioned_throughput
        found[one.index_name] = _Index(
            False,
            key_in_words(one.key_schema, types),
            projection_in_words(one.projection),
            (units.read_capacity_units, units.write_capacity_units),
        )
    for local in table.local_secondary_indexes or ():
        key = key_in_words(local.key_schema, types)
        found[local.index_name] = _Index(True, key, projection_in_words(local.projection))
    return found


def _about(name: str, index: _Index) -> str:
    return f"{'local' if index.local else 'global'} index {name!r}"


def _missing(table: str, name: str, index: _Index) -> Difference:
    about, there = _about(name, index), "no such index"
    if index.local:
        return Difference(table, about, index.key, there, Change.TABLE_ANEW, _LOCAL_AS_THEY_ARE)
    advice = "UpdateTable adds it and fills it from the table; then the next one can be added."
    return Difference(table, about, index.key, there, Change.ONE_INDEX_AT_A_TIME, advice)


def _unexpected(table: str, name: str, index: _Index) -> Difference:
    about, declared = _about(name, index), "no such index"
    if index.local:
        advice = "Declare it (LocalIndex), or leave it: it goes with its table alone."
        return Difference(table, about, declared, index.key, Change.TABLE_ANEW, advice)
    advice = "Declare it, or UpdateTable removes it once nobody asks it: it costs with every write."
    return Difference(table, about, declared, index.key, Change.ONE_INDEX_AT_A_TIME, advice)


def _changed(table: str, name: str, wanted: _Index, there: _Index) -> Iterator[Difference]:
    about = _about(name, there)
    if wanted.local != there.local:
        kinds = ("a global index", "a local index")
        change = Change.TABLE_ANEW if wanted.local else Change.ONE_INDEX_AT_A_TIME
        advice = _LOCAL_AS_THEY_ARE if wanted.local else "Give the global index another name."
        declared, found = kinds[wanted.local], kinds[there.local]
        yield Difference(table, about, declared, found, change, advice)
        return
    change = Change.TABLE_ANEW if there.local else Change.INDEX_ANEW
    advice = (
        _LOCAL_AS_THEY_ARE
        if there.local
        else "Add one under another name, let readers move to it, and then remove this one."
    )
    if wanted.key != there.key:
        yield Difference(table, f"{about}, its key", wanted.key, there.key, change, advice)
    if wanted.projection != there.projection:
        about = f"{about}, what it projects"
        yield Difference(table, about, wanted.projection, there.projection, change, advice)
    if wanted.units is not None and wanted.units != there.units and there.units != (0, 0):
        yield _capacity(table, _about(name, there), wanted.units, there.units or (0, 0))


def _capacity(
    table: str, about: str, wanted: tuple[int, int], there: tuple[int, int]
) -> Difference:
    return Difference(
        table,
        f"{about}, its capacity",
        f"{wanted[0]} read and {wanted[1]} write units",
        f"{there[0]} read and {there[1]} write units",
        Change.IN_PLACE,
        "UpdateTable changes it. Under auto scaling it varies, and this is no fault.",
    )
