"""Compare two schemas: what has changed, what each change needs, and which steps make it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

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
    IndexSchema,
    KeySchema,
    Schema,
    TableSchema,
    UniqueSchema,
)

NO_MIGRATION, BACKFILL = SchemaChangeKind.NO_MIGRATION, SchemaChangeKind.BACKFILL
INDEX, NEW_TABLE = SchemaChangeKind.INDEX, SchemaChangeKind.NEW_TABLE
REWRITE, DANGEROUS = SchemaChangeKind.REWRITE, SchemaChangeKind.DANGEROUS

TWO_WRITERS = (
    "Programs of the old version do not maintain it, so deploy the new version everywhere before "
    "you run the migration, and read it only afterwards."
)
_LOCAL = "DynamoDB creates local indexes only together with their table."


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
        if old is None:
            changes.append(_added_table(name, after.tables[name]))
        elif new is None:
            changes.append(_removed_table(name, old))
        else:
            changes += _compare_tables(before, after, name, name)
    if not changes and before != after:
        advice = "Only names and types in Python differ; items are stored as before."
        changes.append(SchemaChange("", "declaration", "other names", "new", NO_MIGRATION, advice))
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


def _added_table(name: str, table: TableSchema) -> SchemaChange:
    advice = "The table is created; there are no items to copy."
    steps = (PlannedStep("CreateTable", name),)
    return SchemaChange(name, "table", "none", describe_key(table), NEW_TABLE, advice, steps)


def _removed_table(name: str, table: TableSchema) -> SchemaChange:
    advice = (
        "The table and its items stay until you delete them: programs of the old version still "
        "use it. When none is left, delete it with DropTable(…) in a later migration."
    )
    return SchemaChange(name, "table", describe_key(table), "removed", DANGEROUS, advice)


def _renamed_table(before: Schema, after: Schema, old: str, new: str) -> Changes:
    advice = (
        "This looks like a new name for the same table. DynamoDB cannot rename a table, so the "
        "items are copied to a new one while the old one stays in use."
    )
    steps = PlannedStep("CreateTable", new), PlannedStep("Copy", new)
    yield SchemaChange(new, "table name", repr(old), repr(new), NEW_TABLE, advice, steps)
    for change in _compare_tables(before, after, old, new):
        # Items are written as they are declared now, whatever has changed.
        if change.kind in (NO_MIGRATION, DANGEROUS):
            yield replace(change, steps=())
        else:
            advice = "The copy to the new table makes this change, too."
            yield replace(change, kind=NEW_TABLE, advice=advice, steps=(), needs_edit=False)


def _compare_tables(before: Schema, after: Schema, old: str, new: str) -> Changes:
    was, is_ = before.tables[old], after.tables[new]
    yield from _compare_key_attributes(new, was, is_)
    yield from _compare_indexes(new, was.indexes, is_.indexes)
    if was.ttl != is_.ttl:
        advice = "DynamoDB changes it in place: turn it on or off with UpdateTimeToLive."
        ttl = was.ttl or "none", is_.ttl or "none"
        yield SchemaChange(new, "time to live", *ttl, NO_MIGRATION, advice)
    names = renamed_entities(was, is_)
    for name, entity in is_.entities.items():
        known = was.entities.get(names.get(name, name))
        if known is None:
            advice = "Older programs do not know its items, and do not return them."
            key = describe_templates(entity.key)
            yield SchemaChange(new, f"entity {name}", "none", key, NO_MIGRATION, advice)
            continue
        if name in names:
            advice = "Stored items do not have the name of their class."
            kinds = repr(names[name]), repr(name)
            yield SchemaChange(new, f"entity {name}", *kinds, NO_MIGRATION, advice)
        pair = EntityPair(new, name, known, entity, before.classes, after.classes)
        yield from _compare_entities(pair)
    for name, entity in was.entities.items():
        if name not in is_.entities and name not in names.values():
            yield _removed_entity(new, name, entity)


def _compare_key_attributes(name: str, was: TableSchema, is_: TableSchema) -> Changes:
    if (was.pk, was.sk) != (is_.pk, is_.sk):
        advice = (
            "DynamoDB cannot change the key of a table. Declare the table under a new name, or "
            "copy it to another address: the items are copied while the old table stays in use."
        )
        steps = PlannedStep("CreateTable", name), PlannedStep("Copy", name)
        keys = describe_key(was), describe_key(is_)
        yield SchemaChange(name, "key", *keys, NEW_TABLE, advice, steps)


def _compare_indexes(
    table: str, was: Mapping[str, IndexSchema], is_: Mapping[str, IndexSchema]
) -> Changes:
    for name in sorted(was.keys() | is_.keys()):
        old, new = was.get(name), is_.get(name)
        if old == new:
            continue
        texts = _describe_index(old), _describe_index(new)
        change = SchemaChange(table, f"index {name!r}", *texts, INDEX, "")
        local = (new or old or IndexSchema(())).local
        if old is None and not local:
            advice = "DynamoDB adds it in place and fills it with the items that have its keys."
            yield replace(change, advice=advice, steps=(PlannedStep("AddIndex", table, name),))
        elif new is None and local:
            advice = "A local index cannot be removed from its table. It stays, unused."
            yield replace(change, kind=NO_MIGRATION, advice=advice)
        elif new is None:
            advice = (
                "Programs of the old version still query it. When none is left, the migration "
                "removes it; until then every write pays for it."
            )
            yield replace(change, advice=advice, steps=(PlannedStep("DropIndex", table, name),))
        elif local:
            advice = f"{_LOCAL} Declare the table under a new name, or use a global index."
            steps = PlannedStep("CreateTable", table), PlannedStep("Copy", table)
            yield replace(change, kind=NEW_TABLE, advice=advice, steps=steps)
        else:
            advice = (
                "DynamoDB cannot change an index. Declare the new one under another name, move "
                "your queries to it, and remove this one in a later migration."
            )
            yield replace(change, advice=advice, needs_edit=True)


# Entities


def _removed_entity(table: str, name: str, entity: EntitySchema) -> SchemaChange:
    advice = (
        "Its items stay in the table, and their unique values stay reserved. Nothing reads them "
        "any more. To delete them, call store.delete() for each before you remove the entity."
    )
    key = describe_templates(entity.key)
    return SchemaChange(table, f"entity {name}", key, "removed", DANGEROUS, advice)


def _compare_entities(pair: EntityPair) -> Changes:
    yield from _compare_tags(pair)
    yield from _compare_versions(pair)
    yield from compare_fields(pair)
    yield from _compare_primary_keys(pair)
    yield from _compare_index_keys(pair)
    yield from _compare_uniques(pair)
    yield from _compare_counts(pair)


def _compare_tags(pair: EntityPair) -> Changes:
    was, is_ = pair.before.type_tag, pair.after.type_tag
    if was == is_:
        return
    texts = _describe_tag(was), _describe_tag(is_)
    change = SchemaChange(pair.table, f"{pair.name} type tag", *texts, REWRITE, "")
    if was is None:
        advice = (
            "Existing items have no type tag, so the new declaration does not find them. Without a "
            "tag, old and new items cannot be told apart. Keep the key as the only mark, or copy "
            "the items to a new table."
        )
        yield replace(change, advice=advice, needs_edit=True)
        return
    advice = "The new declaration finds only items with its own tag, so all items are rewritten."
    yield replace(change, advice=advice, steps=(PlannedStep("Rewrite", pair.name),))


def _compare_versions(pair: EntityPair) -> Changes:
    before, after = pair.before, pair.after
    old, new = before.schema_version or 1, after.schema_version or 1
    change = SchemaChange(
        pair.table, f"{pair.name} schema version", str(old), str(new), NO_MIGRATION, ""
    )
    if new < old or (before.schema_version and not after.schema_version):
        advice = f"Items with version {old} are stored already, and could not be read any more."
        yield replace(change, kind=REWRITE, advice=advice, needs_edit=True)
    elif before.schema_version and before.version_attribute != after.version_attribute:
        attributes = str(before.version_attribute), str(after.version_attribute)
        advice = "Existing items have their version in the old attribute. Keep its name."
        change = replace(change, before=attributes[0], after=attributes[1], kind=REWRITE)
        yield replace(change, advice=advice, needs_edit=True)
    elif new > old:
        advice = (
            f"Items of version {old} are upgraded when they are read, and a backfill upgrades all "
            f"of them. Declare write_version={old} until all programs know version {new}."
        )
        yield replace(change, advice=advice, steps=pair.backfill())
    if before.write_version != after.write_version and new == old:
        advice = "Programs that do not know the version cannot read new items."
        written = str(before.write_version or old), str(after.write_version or new)
        subject = f"{pair.name} written version"
        yield SchemaChange(pair.table, subject, *written, NO_MIGRATION, advice)
    if after.oldest_version > before.oldest_version:
        advice = (
            f"Items before version {after.oldest_version} cannot be read any more. Run "
            f"Backfill({pair.name}) while their upgrades are declared; then the migration records "
            "that there are none."
        )
        oldest = str(before.oldest_version), str(after.oldest_version)
        subject = f"{pair.name} oldest version"
        yield SchemaChange(pair.table, subject, *oldest, DANGEROUS, advice)


def _compare_primary_keys(pair: EntityPair) -> Changes:
    if pair.before.key.keys() != pair.after.key.keys():
        return  # the key of the table has changed, which is reported
    if _same_keys(pair, pair.before.key, pair.after.key):
        return
    texts = describe_templates(pair.before.key), describe_templates(pair.after.key)
    change = SchemaChange(pair.table, f"{pair.name} key", *texts, REWRITE, "")
    if may_match(pair.before.key, pair.after.key):
        advice = (
            "The key of an item cannot be changed, so all items would be rewritten. But old and "
            "new keys can have the same shape, so a migration in place cannot tell old items from "
            "new ones. Change a fixed text of the key as well, or copy the items to a new table."
        )
        yield replace(change, advice=advice, needs_edit=True)
        return
    advice = (
        "The key of an item cannot be changed, so each item is replaced by one with the new key, "
        "in one transaction. Programs of the old version find only the old keys. Copy to a new "
        "table if both must work at the same time."
    )
    yield replace(change, advice=advice, steps=(PlannedStep("Rewrite", pair.name),))


def _compare_index_keys(pair: EntityPair) -> Changes:
    # schema.lock sorts attributes by name; their order in a key is that of the index.
    was = {
        (one.index, frozenset(one.key)): (name, one) for name, one in pair.before.indexes.items()
    }
    is_ = {(one.index, frozenset(one.key)): (name, one) for name, one in pair.after.indexes.items()}
    for place, (name, key) in is_.items():
        texts = "none", _describe_index_key(key.key, key.when)
        subject = f"{pair.name}.{name} in index {key.index!r}"
        change = SchemaChange(pair.table, subject, *texts, BACKFILL, "", pair.backfill())
        if place not in was:
            advice = f"Existing items get the key by a backfill. {TWO_WRITERS}"
            yield replace(change, advice=advice)
            continue
        _, old = was[place]
        if old.when != key.when or not _same_keys(pair, old.key, key.key):
            before = _describe_index_key(old.key, old.when)
            advice = (
                "Existing items have the old key until a backfill writes the new one; meanwhile "
                f"queries find a part of the items. {TWO_WRITERS}"
            )
            yield replace(change, before=before, advice=advice)
    for place, (name, key) in was.items():
        if place not in is_:
            advice = "Existing items stay in the index until they are written without its keys."
            text = _describe_index_key(key.key, key.when)
            subject = f"{pair.name}.{name} in index {key.index!r}"
            yield SchemaChange(pair.table, subject, text, "removed", NO_MIGRATION, advice)


def _same_keys(pair: EntityPair, old: KeySchema, new: KeySchema) -> bool:
    before = KeyFields(pair.before.fields, pair.old_classes, {})
    after = KeyFields(pair.after.fields, pair.new_classes, renamed_fields(pair))
    return writes_same_keys(old, before, new, after)


def _compare_uniques(pair: EntityPair) -> Changes:
    was = dict(pair.before.uniques)
    for name, unique in pair.after.uniques.items():
        # A constraint may have another name in Python; its markers are what counts.
        old = was.pop(name, None) or _take(was, unique)
        if old is not None and _same_markers(pair, old, unique):
            continue
        subject = f"{pair.name}.{name}"
        steps = (PlannedStep("AddUnique", pair.name, name),)
        text = _describe_unique(unique)
        change = SchemaChange(pair.table, subject, "none", text, BACKFILL, "", steps)
        if old is None:
            advice = (
                "Existing values are not reserved until the migration writes their markers. It "
                f"reads all items first and reports values that several items have. {TWO_WRITERS}"
            )
            yield replace(change, advice=advice)
            continue
        change = replace(change, before=_describe_unique(old))
        if _is_weaker(old, unique):
            advice = (
                "Values that were rejected are accepted from now on, and items that differ in "
                "nothing but that cannot be kept apart again later. Markers of the old constraint "
                "stay and reserve nothing."
            )
            yield replace(change, kind=DANGEROUS, advice=advice)
        else:
            advice = (
                "The migration writes the markers of existing values again. Programs of the old "
                f"version check only the old markers. {TWO_WRITERS}"
            )
            yield replace(change, advice=advice)
    for name, unique in was.items():
        advice = (
            "Nothing keeps the values unique any more, and code that relies on it finds two items "
            "where it expects one. The markers stay in the table and reserve nothing."
        )
        text = _describe_unique(unique)
        subject = f"{pair.name}.{name}"
        yield SchemaChange(pair.table, subject, text, "removed", DANGEROUS, advice)


def _take(uniques: dict[str, UniqueSchema], unique: UniqueSchema) -> UniqueSchema | None:
    name = next((name for name, one in uniques.items() if one.key == unique.key), None)
    return None if name is None else uniques.pop(name)


def _same_markers(pair: EntityPair, old: UniqueSchema, new: UniqueSchema) -> bool:
    same = (old.include, old.keep_released) == (new.include, new.keep_released)
    return same and _same_keys(pair, old.key, new.key)


def _is_weaker(old: UniqueSchema, new: UniqueSchema) -> bool:
    """Return whether the new constraint accepts items that the old one rejects."""
    plain = {field.removeprefix("casefold(").rstrip(")") for field in new.fields}
    more = plain > {field.removeprefix("casefold(").rstrip(")") for field in old.fields}
    cased = any(f"casefold({field})" in old.fields for field in new.fields)
    return more or cased or (old.keep_released and not new.keep_released)


def _compare_counts(pair: EntityPair) -> Changes:
    for name, count in pair.after.counts.items():
        old = pair.before.counts.get(name)
        if old == count:
            continue
        before = "none" if old is None else f"counted in {old.entity}.{old.field}"
        after = f"counted in {count.entity}.{count.field}"
        advice = f"Existing items are not counted until the migration adds them. {TWO_WRITERS}"
        steps = (PlannedStep("AddCount", pair.name, name),)
        subject = f"{pair.name}.{name}"
        yield SchemaChange(pair.table, subject, before, after, BACKFILL, advice, steps)
    for name, count in pair.before.counts.items():
        if name not in pair.after.counts:
            advice = "The number is no longer updated. Remove its field, too, or set it yourself."
            texts = f"counted in {count.entity}.{count.field}", "removed"
            yield SchemaChange(pair.table, f"{pair.name}.{name}", *texts, NO_MIGRATION, advice)
    for name, number in pair.after.sequences.items():
        if pair.before.sequences.get(name) != number and name in pair.before.fields:
            advice = (
                f"Numbers are taken from {number.entity}.{number.field}, which must be at least "
                "the highest existing number, or new items collide with existing ones. Set it with "
                f"Backfill({number.entity}, transform=…)."
            )
            texts = "no sequence", f"numbered by {number.entity}.{number.field}"
            steps = (PlannedStep("Backfill", number.entity),)
            subject = f"{pair.name}.{name}"
            yield SchemaChange(pair.table, subject, *texts, DANGEROUS, advice, steps)


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
    kept = "; released values stay reserved" if unique.keep_released else ""
    included = f"; includes {', '.join(unique.include)}" if unique.include else ""
    key = describe_templates(unique.key)
    return f"{', '.join(unique.fields)} unique ({key}{included}{kept})"


def _describe_tag(tag: tuple[str, str] | None) -> str:
    return "none" if tag is None else f"{tag[0]} = {tag[1]!r}"
