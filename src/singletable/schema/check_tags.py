"""What must hold of the type tags in a table: by them an item finds its entity."""

from __future__ import annotations

from collections.abc import Sequence

from singletable.errors import DeclarationError
from singletable.schema.column import Column, TextColumn
from singletable.schema.model import Model
from singletable.schema.template import Fixed
from singletable.schema.warning import warn


def check_tags(model: Model, others: Sequence[Model]) -> None:
    """No two entities have one tag, and no key or field takes its place."""
    if model.tag is not None:
        _check_tag(model, *model.tag)
    for other in others:
        if model.tag is not None and model.tag == other.tag:
            raise DeclarationError(
                f"{model.name} and {other.name} have the same type tag {model.tag}: an item of one "
                "would be read as the other. Give each its own."
            )
        for tagged, plain in ((model, other), (other, model)):
            _warn_of_fields(tagged, plain)


def _check_tag(model: Model, name: str, text: str) -> None:
    if not name or not text:
        raise DeclarationError(
            f"{model.name}: type_tag=({name!r}, {text!r}) needs the name of an attribute and a "
            "text, such as ('entity_type', 'BALLOT')."
        )
    for access in (model.key, *model.indexes.values()):
        for column in access.columns:
            if column.attribute.name == name and not _always(column, text):
                raise DeclarationError(
                    f"{access}: {name!r} is a key attribute, and the type tag of {model.name}. "
                    "Give the tag an attribute of its own, or let the key be its text."
                )
    for attribute in model.table.all_key_attributes():
        if attribute.name == name and attribute.type != "S":
            raise DeclarationError(
                f"{model.name}: the type tag is a text, but {name!r} is a key attribute of type "
                f"{attribute.type}, and DynamoDB would refuse the item. Name another attribute."
            )


def _always(column: Column, text: str) -> bool:
    """Whether the column holds just this text, in every item."""
    return isinstance(column, TextColumn) and column.template.segments == (Fixed(text),)


def _warn_of_fields(tagged: Model, plain: Model) -> None:
    if tagged.tag is None or (plain.tag is not None and plain.tag[0] == tagged.tag[0]):
        return
    for field in plain.fields.values():
        if field.stored and field.attribute == tagged.tag[0]:
            warn(
                f"{field} is stored as {field.attribute!r}, which is the type tag of "
                f"{tagged.name}: with the value {tagged.tag[1]!r} an item would be read as one. "
                "Give the field another name at rest: attr(name=…)."
            )
