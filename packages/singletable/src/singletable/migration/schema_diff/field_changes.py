"""Compare the fields of an entity: which changes existing items and older programs survive."""

from __future__ import annotations

import re
from dataclasses import replace

from singletable.migration.schema_diff.change_kinds import (
    Changes,
    EntityPair,
    SchemaChange,
    SchemaChangeKind,
)
from singletable.migration.schema_diff.snapshot import FieldSchema
from singletable.migration.schema_diff.type_comparison import Classes, can_read
from singletable.schema import TimeFormat

NO_MIGRATION, BACKFILL = SchemaChangeKind.NO_MIGRATION, SchemaChangeKind.BACKFILL
DANGEROUS = SchemaChangeKind.DANGEROUS

_OLD_PROGRAMS = "Deploy programs that can read both before any program writes the new form."
_EPOCHS = ("EPOCH_SECONDS", "EPOCH_MILLISECONDS")


def compare_fields(pair: EntityPair) -> Changes:
    """Yield the changes of an entity's fields; renamed fields are recognized."""
    before, after = pair.before.fields, pair.after.fields
    names = renamed_fields(pair)
    for name in after:
        if name in before:
            yield from _compare_field(pair, name, name)
        elif name not in names:
            yield from _added(pair, name, after[name])
        elif _is_same(pair, names[name], name):
            yield from _renamed(pair, names[name], name)
        else:
            yield from _maybe_renamed(pair, names[name], name)
    for name, field in before.items():
        if name not in after and name not in names.values():
            yield from _removed(pair, name, field)


def renamed_fields(pair: EntityPair) -> dict[str, str]:
    """Return the old names of fields that have a new name, by the new name; likely ones too."""
    before, after = pair.before.fields, pair.after.fields
    removed = {name: field for name, field in before.items() if name not in after}
    added = {name: field for name, field in after.items() if name not in before}
    names = {new: old for new in added for old in removed if _is_same(pair, old, new)}
    if not names and (likely := _likely_rename(removed, added)):
        names[likely[1]] = likely[0]
    return names


def describe_field(name: str, field: FieldSchema) -> str:
    """Return the type of a field and how it is stored, in a few words."""
    text = f"{field.type} | None" if field.optional else field.type
    details = [] if field.attribute in (None, name) else [f"attribute {field.attribute!r}"]
    details += ["in the key only"] if field.key_only else []
    details += [f"default {field.default}"] if field.default not in (None, "None") else []
    details += [one for one in (field.role, field.time_format, field.codec) if one]
    return f"{text} ({', '.join(details)})" if details else text


def _attribute(name: str, field: FieldSchema) -> str:
    return field.attribute or name


def _is_same(pair: EntityPair, old: str, new: str) -> bool:
    """Return whether a new field reads the attribute of an old one."""
    before, after = pair.before.fields[old], pair.after.fields[new]
    stored = _attribute(old, before)
    return stored == _attribute(new, after)


def _likely_rename(
    removed: dict[str, FieldSchema], added: dict[str, FieldSchema]
) -> tuple[str, str] | None:
    """Return the one removed and the one added field if nothing but their names differs."""
    if len(removed) != 1 or len(added) != 1:
        return None
    (old, before), (new, after) = *removed.items(), *added.items()
    same = _kept_by_a_rename(before) == _kept_by_a_rename(after)
    return (old, new) if same else None


def _kept_by_a_rename(field: FieldSchema) -> tuple[str, str, bool, str | None]:
    return field.type, field.stored, field.optional, field.role


def _change(
    pair: EntityPair, name: str, before: str, after: str, kind: SchemaChangeKind, advice: str
) -> SchemaChange:
    return SchemaChange(pair.table, f"{pair.name}.{name}", before, after, kind, advice)


def _renamed(pair: EntityPair, old: str, new: str) -> Changes:
    before, after = pair.before.fields[old], pair.after.fields[new]
    if _attribute(old, before) == _attribute(new, after):
        advice = "Only the name in Python changed; the attribute is the same."
        yield _change(pair, new, repr(old), repr(new), NO_MIGRATION, advice)
    yield from _compare_field(pair, old, new)


def _maybe_renamed(pair: EntityPair, old: str, new: str) -> Changes:
    if _is_upgraded(pair):
        yield _unreadable(pair, new, repr(old), repr(new), "", "")
        return
    stored = _attribute(old, pair.before.fields[old])
    required = pair.after.fields[new].required
    advice = (
        f"This looks like a rename. Existing items have the attribute {stored!r}, which the new "
        f"field does not read. If it is one, {_rename(pair, new, stored)}: then both are read, and "
        "a backfill renames the attribute in all items. "
    )
    if required:
        advice += "Otherwise give the new field a default: existing items have no value for it."
    else:
        advice += (
            f"Otherwise the migration records that the values of {old} are no longer read; "
            "the attribute stays in the items."
        )
    change = _change(pair, new, repr(old), repr(new), BACKFILL if required else DANGEROUS, advice)
    yield replace(change, needs_edit=required, steps=())


def _rename(pair: EntityPair, name: str, stored: str) -> str:
    """Return how to declare the old name of an attribute."""
    version = pair.before.schema_version or 1
    return (
        f"write schema_version={version + 1} and "
        f"{pair.name}.renamed(from_={version}, {name}={stored!r})"
    )


def _removed(pair: EntityPair, name: str, field: FieldSchema) -> Changes:
    described = describe_field(name, field)
    kind = NO_MIGRATION
    advice = "The attribute stays in existing items and is not read any more."
    if field.required:
        kind = DANGEROUS
        advice = (
            "Programs of the old version cannot read items that are written without it. Give the "
            "old declaration a default first and deploy it everywhere; then remove the field."
        )
    yield _change(pair, name, described, "removed", kind, advice)


def _added(pair: EntityPair, name: str, field: FieldSchema) -> Changes:
    described = describe_field(name, field)
    if not field.required:
        advice = "Existing items are read with the default. Older programs keep the attribute."
        if field.role == "version":
            advice = "Existing items have version 0 until they are written."
        yield _change(pair, name, "no such field", described, NO_MIGRATION, advice)
        return
    yield _unreadable(pair, name, "no such field", described, "have no value for it", "")


def _unreadable(
    pair: EntityPair, name: str, before: str, after: str, problem: str, declare: str
) -> SchemaChange:
    """Return a change after which existing items cannot be read, unless they are upgraded."""
    if _is_upgraded(pair):
        advice = (
            f"Items are upgraded from version {pair.before.schema_version or 1} when they are "
            "read. A backfill stores all of them in the new form."
        )
        change = _change(pair, name, before, after, NO_MIGRATION, advice)
        return replace(change, steps=pair.backfill())
    remedy = declare or (
        "Declare it with a default or as T | None; fill it with Backfill(…, transform=…); then "
        "make it required. Or increase schema_version and write an upgrade"
    )
    advice = f"Existing items {problem}, so the new declaration cannot read them. {remedy}."
    change = _change(pair, name, before, after, BACKFILL, advice)
    return replace(change, needs_edit=True, steps=pair.backfill())


def _is_upgraded(pair: EntityPair) -> bool:
    return (pair.after.schema_version or 1) > (pair.before.schema_version or 1)


# A field in both schemas


def _compare_field(pair: EntityPair, old: str, new: str) -> Changes:
    before, after = pair.before.fields[old], pair.after.fields[new]
    texts = describe_field(old, before), describe_field(new, after)
    stored = _attribute(old, before)
    if stored != _attribute(new, after) and not (before.key_only or after.key_only):
        yield _moved(pair, new, stored, _attribute(new, after))
    if before.key_only and not after.key_only:
        if after.required:
            yield _unreadable(pair, new, *texts, "have it in their key only", "")
    elif (before.stored, before.codec) != (after.stored, after.codec):
        yield _stored_differently(pair, new, *texts, before, after)
    elif before.time_format != after.time_format:
        yield _time_format(pair, new, before, after)
    else:
        yield from _compare_types(pair, new, *texts, before, after)
    yield from _compare_absence(pair, new, before, after)
    if before.role != after.role and "sequence" not in (before.role, after.role):
        advice = "The store maintains the field by its role from the next write of an item."
        roles = before.role or "no role", after.role or "no role"
        yield _change(pair, f"{new} role", *roles, NO_MIGRATION, advice)


def _moved(pair: EntityPair, name: str, stored: str, attribute: str) -> SchemaChange:
    problem = f"have the value in the attribute {stored!r}"
    declare = f"To read both attributes, {_rename(pair, name, stored)}"
    return _unreadable(pair, name, repr(stored), repr(attribute), problem, declare)


def _stored_differently(
    pair: EntityPair, name: str, was: str, is_: str, before: FieldSchema, after: FieldSchema
) -> SchemaChange:
    if before.codec == after.codec and set(before.stored.split("|")) < set(after.stored.split("|")):
        return _change(pair, name, was, is_, NO_MIGRATION, _wider())
    declare = "Increase schema_version and write an upgrade that converts the value"
    stored = before.codec or before.stored
    return _unreadable(pair, name, was, is_, f"store it as {stored}", declare)


def _time_format(
    pair: EntityPair, name: str, before: FieldSchema, after: FieldSchema
) -> SchemaChange:
    formats = before.time_format or "MICROSECONDS", after.time_format or "MICROSECONDS"
    if any(one in _EPOCHS for one in formats):
        problem = f"store it in {formats[0].lower().replace('_', ' ')}"
        declare = "Keep the format, or increase schema_version and write an upgrade"
        return _unreadable(pair, name, *formats, problem, declare)
    advice = "All of these formats are read. A backfill writes all items in the new one."
    if len(TimeFormat[formats[1]].value) < len(TimeFormat[formats[0]].value):  # of the examples
        advice += " Finer times are rejected: round them in its transform."
    change = _change(pair, name, *formats, NO_MIGRATION, advice)
    return replace(change, steps=pair.backfill())


def _compare_types(
    pair: EntityPair, name: str, was: str, is_: str, before: FieldSchema, after: FieldSchema
) -> Changes:
    old, new = pair.old_classes, pair.new_classes
    reads_old = can_read(after.type, new, before.type, old)
    reads_new = can_read(before.type, old, after.type, new)
    if reads_old and reads_new:
        return
    if was == is_:
        was, is_ = _describe_classes(before.type, old), _describe_classes(after.type, new)
    if reads_old:
        yield _change(pair, name, was, is_, NO_MIGRATION, _wider())
        return
    if _is_upgraded(pair):
        advice = "Old values are converted when they are read. A backfill converts all items."
        change = _change(pair, name, was, is_, NO_MIGRATION, advice)
        yield replace(change, steps=pair.backfill())
        return
    advice = (
        "Existing items may have values that the new type cannot read. A backfill reads all items "
        "and reports those. Give new members of a class a default. Convert other values before, "
        "while both types can be read."
    )
    change = _change(pair, name, was, is_, DANGEROUS, advice)
    yield replace(change, steps=pair.backfill())


def _describe_classes(text: str, classes: Classes) -> str:
    """Return the members of the classes in a type, and in their members."""
    names = [name for name in classes if re.search(rf"\b{re.escape(name)}\b", text)]
    for name in names:
        members = " ".join(classes[name].members.values())
        names += [one for one in classes if one in members and one not in names]
    texts: list[str] = []
    for name in names:
        joined = ", ".join(
            f"{key}: {value}" for key, value in sorted(classes[name].members.items())
        )
        texts.append(f"{name}({joined})")
    return "; ".join(texts)


def _wider() -> str:
    return (
        "Existing values are read as before, but older programs cannot read new ones. "
        f"{_OLD_PROGRAMS}"
    )


def _compare_absence(
    pair: EntityPair, name: str, before: FieldSchema, after: FieldSchema
) -> Changes:
    if before.key_only or after.key_only:
        return
    if after.required and not before.required:
        if _is_upgraded(pair):
            return
        advice = (
            "Items without a value cannot be read any more. A backfill reads all items and reports "
            "those without it. Fill them before, while the field has a default."
        )
        change = _change(pair, name, "may be absent", "required", DANGEROUS, advice)
        yield replace(change, steps=pair.backfill())
    elif before.required and not after.required:
        advice = f"Older programs cannot read items without a value. {_OLD_PROGRAMS}"
        yield _change(pair, name, "required", "may be absent", NO_MIGRATION, advice)
    elif before.default != after.default and not after.required:
        advice = "Items without the attribute are read with the new default from now on."
        defaults = f"default {before.default}", f"default {after.default}"
        yield _change(pair, name, *defaults, NO_MIGRATION, advice)
