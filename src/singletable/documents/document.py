"""The catalogs of a module as a document with pictures."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType

from singletable.documents.asked import cost_table, pattern_table
from singletable.documents.chart import entity_chart, fields_of
from singletable.documents.markdown import code, plain
from singletable.documents.partitions import Place, partitions_of, places_of
from singletable.documents.picture import caption, picture
from singletable.patterns import PatternCatalog, find_catalogs
from singletable.patterns.estimate import DEFAULT_ITEM_SIZE
from singletable.patterns.pattern import BasePattern
from singletable.schema import Index, Table, model_of

MARK = "Written by singletable docs from the module"
_LEGEND = (
    "In capacity units. `≤`: at most; what is written depends on what was there before. `~`: the "
    f"size of the items was not declared, and is taken to be {DEFAULT_ITEM_SIZE:,} bytes."
)


_HOW = (
    "An eventual read may be a moment behind, and costs half of a consistent one. What is written "
    "together is one transaction. A query that goes past others meets items of other entities too, "
    "leaves them out, and pays for them."
)


def document(module: ModuleType, name: str, prefix: str) -> dict[str, str]:
    """The texts of the files: the document, and its pictures with a prefix to their names."""
    return {f"{name}.md": _text(module, prefix), **_pictures(module, prefix)}


def text_alone(module: ModuleType) -> str:
    """The document without pictures."""
    return _text(module, None)


def _text(module: ModuleType, prefix: str | None) -> str:
    catalogs = find_catalogs(module)
    names = {one.id: found for found, one in vars(module).items() if isinstance(one, BasePattern)}
    parts: list[str] = [f"<!-- {_mark(module)}. -->"]
    for catalog in catalogs:
        parts += _catalogue(catalog, names)
    for table in _tables(catalogs):
        parts += _table(table, prefix, catalogs)
    return "\n\n".join(parts) + "\n"


def _catalogue(catalog: PatternCatalog, names: Mapping[str, str]) -> Iterator[str]:
    yield f"# {plain(catalog.name)}"
    yield "## Access patterns"
    yield pattern_table(catalog, names)
    yield _HOW
    yield "## What they cost"
    yield cost_table(catalog)
    yield _LEGEND


def _table(table: Table, prefix: str | None, catalogs: Sequence[PatternCatalog]) -> Iterator[str]:
    yield f"## Table {plain(table.name)}"
    yield from _facts(table)
    yield entity_chart(table)
    for index in table.indexes:
        for catalog in catalogs:
            if index in catalog.unused:
                reason = plain(catalog.unused[index])
                yield f"No pattern reads {code(index.name)}: {reason}."
    if prefix is not None:
        yield "### What lies together"
        yield "Each box is a partition, with examples of the items in it, in their order."
        for place in places_of(table):
            yield f"{_title(place)}:"
            yield f"![{_alt(place)}]({_file(prefix, place)})"
    for entity in table.entities:
        model = model_of(entity)
        yield f"### {plain(model.name)}"
        if model.tag is not None:
            yield f"{code(model.tag[0])} is {code(model.tag[1])} in each item."
        yield fields_of(model)


def _facts(table: Table) -> Iterator[str]:
    facts = [f"{_projected(index)}" for index in table.indexes]
    if table.ttl is not None:
        facts.append(f"Items expire by {code(table.ttl)}.")
    if table.capacity is not None:
        read, write = table.capacity.read, table.capacity.write
        facts.append(f"{read:,} read and {write:,} write units a second are provisioned.")
    if facts:
        yield "\n".join(f"- {fact}" for fact in facts)


def _projected(index: Index) -> str:
    kind = "local index" if index.local else "global index"
    match index.projection:
        case "ALL":
            holds = "whole items"
        case "KEYS_ONLY":
            holds = "keys alone"
        case some:
            holds = f"keys and {', '.join(map(code, some))}"
    return f"The {kind} {code(index.name)} holds {holds}."


def _pictures(module: ModuleType, prefix: str) -> dict[str, str]:
    return {
        _file(prefix, place): picture(place, partitions_of(place), _mark(module))
        for table in _tables(find_catalogs(module))
        for place in places_of(table)
    }


def _tables(catalogs: Sequence[PatternCatalog]) -> list[Table]:
    return list(dict.fromkeys(table for one in catalogs for table in one.tables))


def _title(place: Place) -> str:
    return "The table" if place.index is None else f"The index {code(place.index.name)}"


def _alt(place: Place) -> str:
    return plain(caption(place, partitions_of(place)))


def _file(prefix: str, place: Place) -> str:
    """The file of a picture: beside the document, by the names of the table and the index."""
    names = [place.table.name, *([] if place.index is None else [place.index.name])]
    return prefix + "-".join(re.sub(r"[^A-Za-z0-9_.]+", "-", name) for name in names) + ".svg"


def _mark(module: ModuleType) -> str:
    return f"{MARK} {module.__name__}"
