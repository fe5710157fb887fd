"""Compare key templates: whether two write the same keys, and whether one matches the other's."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from singletable.migration.schema_diff.snapshot import (
    FieldSchema,
    KeySchema,
    template_fields,
    template_segments,
)
from singletable.migration.schema_diff.type_comparison import Classes


def may_match(one: KeySchema, other: KeySchema) -> bool:
    """Return whether an item could have a key of both templates."""
    return all(_may_be_equal(one[attribute], other[attribute]) for attribute in one)


def _may_be_equal(one: str, other: str) -> bool:
    left, right = template_segments(one), template_segments(other)
    fixed = [pair for pair in zip(left, right, strict=False) if "{" not in "".join(pair)]
    return len(left) == len(right) and all(a == b for a, b in fixed)


@dataclass(frozen=True, slots=True)
class KeyFields:
    """The fields of an entity in one schema, with the names that they have in the other."""

    fields: Mapping[str, FieldSchema]
    classes: Classes
    renamed: Mapping[str, str]

    def written_as(self, name: str) -> str:
        """Return how values of a field are written into keys, which depends on the type."""
        field = self.fields[name]
        known = self.classes.get(field.type)
        type_ = known.members["of"] if known and known.kind == "new type" else field.type
        if type_ == "datetime":
            return f"datetime {field.time_format}"
        # Strings, UUIDs, dates and choices are written as they are.
        return type_ if type_ in ("int", "bool", "timedelta") else "text"


def writes_same_keys(old: KeySchema, before: KeyFields, new: KeySchema, after: KeyFields) -> bool:
    """Return whether both templates write the same key for every existing item."""
    if old.keys() != new.keys():
        return False
    return all(_writes_same(old[name], before, new[name], after) for name in old)


def _writes_same(old: str, before: KeyFields, new: str, after: KeyFields) -> bool:
    left, right = template_segments(old), template_segments(new)
    if len(left) != len(right):
        return False
    return all(
        _same_segment(one, before, other, after) for one, other in zip(left, right, strict=True)
    )


def _same_segment(old: str, before: KeyFields, new: str, after: KeyFields) -> bool:
    if not (old.startswith("{") and new.startswith("{")):
        return old == new
    (was, was_order), (is_, is_order) = _expression(old, before), _expression(new, after)
    forms = (
        [fields.written_as(name) for name in sorted(template_fields(text))]
        for text, fields in ((old, before), (new, after))
    )
    before_forms, after_forms = forms
    return was == is_ and before_forms == after_forms and _extends(was_order, is_order)


def _extends(old: list[object] | None, new: list[object] | None) -> bool:
    """Return whether all values keep their positions, and positions their number of digits."""
    if old is None or new is None:
        return old is new
    same_width = len(str(len(old) - 1)) == len(str(len(new) - 1))
    return new[: len(old)] == old and same_width


def _expression(segment: str, fields: KeyFields) -> tuple[str, list[object] | None]:
    """Return an expression by the names of the other schema, and apart from it the order in it."""
    tree = ast.parse(segment[1:-1], mode="eval")
    order: list[object] | None = None
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = fields.renamed.get(node.id, node.id)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "ordered":
            order = ast.literal_eval(node.args.pop())
    return ast.unparse(tree), order
