"""Compare two schemas: what has changed, what each change needs, and which steps make it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from singletable.migration.schema_diff.change_kinds import (
    Changes,
    EntityPair,
    PlannedStep,
    SchemaChange,
    SchemaChangeKind,
)
from singletable.migration.schema_diff.field_changes import compare_fields, renamed_fields
from singletable.migration.schema_diff.key_comparison import KeyFields, may_match, writes_same_keys
from singletable.migration.schema_diff.snapshot import (
    EntitySchema,
    IndexKeySchema,
    IndexSchema,
    KeySchema,
    Schema,
    TableSchema,
    UniqueSchema,
)

NO_MIGRATION, NEW_TABLE = SchemaChangeKind.NO_MIGRATION, SchemaChangeKind.NEW_TABLE
DANGEROUS = SchemaChangeKind.DANGEROUS


def _read_advice() -> Iterator[tuple[str, tuple[str, list[str]]]]:
    """Yield the changes of advice.md, with the advice and what they need."""
    table = Path(__file__).with_name("advice.md").read_text(encoding="utf-8")
    for row in table.splitlines()[6:]:
        change, needs, advice = row.strip("| ").split(" | ")
        yield change, (advice, needs.split(", "))


_ADVICE = dict(_read_advice())


def _change(
    what: str,
    table: str,
    subject: str,
    before: str,
    after: str,
    *steps: PlannedStep,
    **values: object,
) -> SchemaChange:
    """Return a change with the advice on it, in which `values` are filled in."""
    text, (kind, *edit) = _ADVICE[what]
    needs, advice = SchemaChangeKind[kind], text.format(**values)
    return SchemaChange(table, subject, before, after, needs, advice, steps, bool(edit))


def compare_schemas(before: Schema, after: Schema) -> list[SchemaChange]:
    """Return the changes from one schema to the next, table by table."""
    changes: list[SchemaChange] = []
    renamed = renamed_tables(before, after)
    for new_name, old_name in renamed.items():
        changes += _renamed_table(before, after, old_name, new_name)
    for name in sorted(before.tables.keys() | after.tables.keys()):
        if name in renamed or name in renamed.values():
            continue
        old, new = before.tables.get(name), after.tables.get(name)
        if old is not None and new is not None:
            changes += _compare_tables(before, after, name, name)
        elif new is not None:
            create = PlannedStep("CreateTable", name)
            changes.append(_change("added table", name, "table", "none", describe_key(new), create))
        elif old is not None:
            changes.append(_change("removed table", name, "table", describe_key(old), "removed"))
    if not changes and before != after:
        changes.append(_change("other names", "", "declaration", "other names", "new"))
    return changes


def renamed_tables(before: Schema, after: Schema) -> dict[str, str]:
    """Return the old names of tables that were probably renamed, by their new names."""
    removed = sorted(before.tables.keys() - after.tables.keys())
    names: dict[str, str] = {}
    for new in sorted(after.tables.keys() - before.tables.keys()):
        shared = {
            old: len(_shared_entities(before.tables[old], after.tables[new]))
            for old in removed
            if old not in names.values()
        }
        likeliest = max(shared, key=lambda old: shared[old], default=None)
        if likeliest is not None and shared[likeliest]:
            names[new] = likeliest
    return names


def _shared_entities(before: TableSchema, after: TableSchema) -> set[str]:
    return {*(before.entities.keys() & after.entities.keys()), *renamed_entities(before, after)}


def renamed_entities(before: TableSchema, after: TableSchema) -> dict[str, str]:
    """Return the old names of entities that were probably renamed, by their new names."""
    removed = {name: one for name, one in before.entities.items() if name not in after.entities}
    added = {name: one for name, one in after.entities.items() if name not in before.entities}
    names: dict[str, str] = {}
    for new, entity in added.items():
        same = [old for old, one in removed.items() if _is_renamed(one, entity)]
        if len(same) == 1 and same[0] not in names.values():
            names[new] = same[0]
    return names


def _is_renamed(old: EntitySchema, new: EntitySchema) -> bool:
    return old.fields == new.fields or (old.key == new.key and old.type_tag == new.type_tag)


# Tables and indexes


def _copied(table: str) -> tuple[PlannedStep, PlannedStep]:
    return PlannedStep("CreateTable", table), PlannedStep("Copy", table)


def _renamed_table(before: Schema, after: Schema, old: str, new: str) -> Changes:
    yield _change("renamed table", new, "table name", repr(old), repr(new), *_copied(new))
    for change in _compare_tables(before, after, old, new):
        # Items are written as they are declared now, whatever has changed.
        if change.kind in (NO_MIGRATION, DANGEROUS):
            yield replace(change, steps=())
        else:
            advice = "The copy to the new table makes this change, too."
            yield replace(change, kind=NEW_TABLE, advice=advice, steps=(), needs_edit=False)


def _compare_tables(before: Schema, after: Schema, old: str, new: str) -> Changes:
    was, is_ = before.tables[old], after.tables[new]
    if (was.pk, was.sk) != (is_.pk, is_.sk):
        keys = describe_key(was), describe_key(is_)
        yield _change("key of the table", new, "key", *keys, *_copied(new))
    yield from _compare_indexes(new, was.indexes, is_.indexes)
    if was.ttl != is_.ttl:
        yield _change("time to live", new, "time to live", was.ttl or "none", is_.ttl or "none")
    names = renamed_entities(was, is_)
    for name, entity in is_.entities.items():
        known = was.entities.get(names.get(name, name))
        if known is None:
            key = describe_templates(entity.key)
            yield _change("added entity", new, f"entity {name}", "none", key)
            continue
        if name in names:
            kinds = repr(names[name]), repr(name)
            yield _change("renamed entity", new, f"entity {name}", *kinds)
        pair = EntityPair(new, name, known, entity, before.classes, after.classes)
        yield from _compare_entities(pair)
    for name, entity in was.entities.items():
        if name not in is_.entities and name not in names.values():
            key = describe_templates(entity.key)
            yield _change("removed entity", new, f"entity {name}", key, "removed")


def _compare_indexes(
    table: str, was: Mapping[str, IndexSchema], is_: Mapping[str, IndexSchema]
) -> Changes:
    for name in sorted(was.keys() | is_.keys()):
        old, new = was.get(name), is_.get(name)
        if old == new:
            continue
        where = table, f"index {name!r}", _describe_index(old), _describe_index(new)
        local = (new or old or IndexSchema(())).local
        if new is None and local:
            yield _change("removed local index", *where)
        elif new is None:
            yield _change("removed index", *where, PlannedStep("DropIndex", table, name))
        elif local:
            yield _change("local index", *where, *_copied(table))
        elif old is None:
            yield _change("added index", *where, PlannedStep("AddIndex", table, name))
        else:
            yield _change("index", *where)


# Entities


def _compare_entities(pair: EntityPair) -> Changes:
    was, is_ = pair.before.type_tag, pair.after.type_tag
    if was != is_:
        where = pair.table, f"{pair.name} type tag", _describe_tag(was), _describe_tag(is_)
        if was is None:
            yield _change("added tag", *where)
        else:
            yield _change("tag", *where, PlannedStep("Rewrite", pair.name))
    yield from _compare_versions(pair)
    yield from compare_fields(pair)
    yield from _compare_primary_keys(pair)
    yield from _compare_index_keys(pair)
    yield from _compare_uniques(pair)
    yield from _compare_counts(pair)


def _compare_versions(pair: EntityPair) -> Changes:
    before, after = pair.before, pair.after
    old, new = before.schema_version or 1, after.schema_version or 1
    where = pair.table, f"{pair.name} schema version"
    if new < old or (before.schema_version and not after.schema_version):
        yield _change("lower version", *where, str(old), str(new), old=old)
    elif before.schema_version and before.version_attribute != after.version_attribute:
        attributes = str(before.version_attribute), str(after.version_attribute)
        yield _change("version attribute", *where, *attributes)
    elif new > old:
        versions = str(old), str(new)
        yield _change("higher version", *where, *versions, *pair.backfill(), old=old, new=new)
    if before.write_version != after.write_version and new == old:
        written = str(before.write_version or old), str(after.write_version or new)
        yield _change("written version", pair.table, f"{pair.name} written version", *written)
    if after.oldest_version > before.oldest_version:
        where = pair.table, f"{pair.name} oldest version"
        oldest = str(before.oldest_version), str(after.oldest_version)
        yield _change("oldest version", *where, *oldest, oldest=oldest[1], name=pair.name)


def _compare_primary_keys(pair: EntityPair) -> Changes:
    if pair.before.key.keys() != pair.after.key.keys():
        return  # the key of the table has changed, which is reported
    if _same_keys(pair, pair.before.key, pair.after.key):
        return
    keys = describe_templates(pair.before.key), describe_templates(pair.after.key)
    where = pair.table, f"{pair.name} key", *keys
    rewrite = PlannedStep("Rewrite", pair.name)
    if may_match(pair.before.key, pair.after.key):
        yield _change("key of the same shape", *where)
    else:
        yield _change("key", *where, rewrite)


def _compare_index_keys(pair: EntityPair) -> Changes:
    # schema.lock sorts attributes by name; their order in a key is that of the index.
    was, is_ = (
        {(one.index, frozenset(one.key)): (name, one) for name, one in entity.indexes.items()}
        for entity in (pair.before, pair.after)
    )
    for place, (name, key) in is_.items():
        where = pair.table, f"{pair.name}.{name} in index {key.index!r}"
        text = _describe_index_key(key.key, key.when)
        if place not in was:
            if _is_in_all_items(pair.before, key):
                yield _change("index key of fields", *where, "none", text)
            else:
                yield _change("added index key", *where, "none", text, *pair.backfill())
            continue
        _, old = was[place]
        if old.when != key.when or not _same_keys(pair, old.key, key.key):
            before = _describe_index_key(old.key, old.when)
            yield _change("index key", *where, before, text, *pair.backfill())
    for place, (name, key) in was.items():
        if place not in is_:
            where = pair.table, f"{pair.name}.{name} in index {key.index!r}"
            text = _describe_index_key(key.key, key.when)
            yield _change("removed index key", *where, text, "removed")


def _is_in_all_items(entity: EntitySchema, key: IndexKeySchema) -> bool:
    """Return whether all items have the attributes of a key, because they are required fields."""
    if key.when is not None or entity.schema_version not in (None, entity.oldest_version):
        return False
    fields = entity.fields.items()
    required = {one.attribute or name: f"{{{name}}}" for name, one in fields if one.required}
    return key.key.items() <= required.items()


def _same_keys(pair: EntityPair, old: KeySchema, new: KeySchema) -> bool:
    before = KeyFields(pair.before.fields, pair.old_classes, {})
    after = KeyFields(pair.after.fields, pair.new_classes, renamed_fields(pair))
    return writes_same_keys(old, before, new, after)


def _compare_uniques(pair: EntityPair) -> Changes:
    was = dict(pair.before.uniques)
    for name, unique in pair.after.uniques.items():
        # A constraint may have another name in Python; it is the same if its markers are.
        old = was.pop(name, None) or _take(was, unique)
        if old is not None and _same_markers(pair, old, unique):
            continue
        what = "added unique"
        if old is not None:
            what = "weaker unique" if _is_weaker(old, unique) else "unique"
        texts = "none" if old is None else _describe_unique(old), _describe_unique(unique)
        step = PlannedStep("AddUnique", pair.name, name)
        yield _change(what, pair.table, f"{pair.name}.{name}", *texts, step)
    for name, unique in was.items():
        texts = _describe_unique(unique), "removed"
        yield _change("removed unique", pair.table, f"{pair.name}.{name}", *texts)


def _take(uniques: dict[str, UniqueSchema], unique: UniqueSchema) -> UniqueSchema | None:
    name = next((name for name, one in uniques.items() if one.key == unique.key), None)
    return None if name is None else uniques.pop(name)


def _same_markers(pair: EntityPair, old: UniqueSchema, new: UniqueSchema) -> bool:
    return old.include == new.include and _same_keys(pair, old.key, new.key)


def _is_weaker(old: UniqueSchema, new: UniqueSchema) -> bool:
    """Return whether the new constraint accepts items that the old one rejects."""
    plain = {field.removeprefix("casefold(").rstrip(")") for field in new.fields}
    more = plain > {field.removeprefix("casefold(").rstrip(")") for field in old.fields}
    cased = any(f"casefold({field})" in old.fields for field in new.fields)
    return more or cased


def _compare_counts(pair: EntityPair) -> Changes:
    was, is_ = pair.before.counts, pair.after.counts
    for name in dict.fromkeys([*is_, *was]):
        if was.get(name) == is_.get(name):
            continue
        before, after = (
            f"counted in {one[name].entity}.{one[name].field}" if name in one else None
            for one in (was, is_)
        )
        where = pair.table, f"{pair.name}.{name}"
        if after is None:
            yield _change("removed count", *where, before or "", "removed")
        else:
            step = PlannedStep("AddCount", pair.name, name)
            yield _change("count", *where, before or "none", after, step)
    for name, number in pair.after.sequences.items():
        if pair.before.sequences.get(name) != number and name in pair.before.fields:
            yield _change(
                "sequence",
                pair.table,
                f"{pair.name}.{name}",
                "no sequence",
                f"numbered by {number.entity}.{number.field}",
                PlannedStep("Backfill", number.entity),
                entity=number.entity,
                field=number.field,
            )


# Texts


def describe_key(table: TableSchema) -> str:
    """Return the key attributes of a table as text."""
    return table.pk if table.sk is None else f"{table.pk}, sorted by {table.sk}"


def describe_templates(key: KeySchema) -> str:
    """Return the templates of a key in one line: `USER#{name} / PROFILE`."""
    return " / ".join(key.values())


def _describe_index_key(key: KeySchema, when: str | None) -> str:
    return describe_templates(key) + ("" if when is None else f" if {when}")


def _describe_index(index: IndexSchema | None) -> str:
    if index is None:
        return "none"
    kind = "local" if index.local else "global"
    keys = ", ".join(index.pk) + (f", sorted by {', '.join(index.sk)}" if index.sk else "")
    match index.projection:
        case "ALL":
            projected = "all attributes"
        case "KEYS_ONLY":
            projected = "keys only"
        case some:
            projected = f"keys and {', '.join(some)}"
    return f"{kind}: {keys}; {projected}"


def _describe_unique(unique: UniqueSchema) -> str:
    included = f"; includes {', '.join(unique.include)}" if unique.include else ""
    key = describe_templates(unique.key)
    return f"{', '.join(unique.fields)} unique ({key}{included})"


def _describe_tag(tag: tuple[str, str] | None) -> str:
    return "none" if tag is None else f"{tag[0]} = {tag[1]!r}"
