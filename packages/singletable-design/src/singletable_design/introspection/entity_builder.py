"""EntityBuilder: collects the fields inferred from the items of one entity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from dynamodb_engine.values import AttributeValue, Item
from singletable.schema import Table
from singletable_design.introspection.field_types import DataclassRegistry
from singletable_design.introspection.names import snake_case, unused_name
from singletable_design.introspection.spec import FieldPart, FieldSpec

Encoding: TypeAlias = Literal["plain", "padded", "casefold"]
# The number of digits that singletable writes unless padded() says otherwise.
NUMBER_WIDTH = 20


@dataclass
class EntityBuilder:
    """Collects the fields of an entity and finds the field that is encoded in a key part."""

    table: Table
    items: Sequence[Item]
    tag: str | None
    records: DataclassRegistry
    # The separators of the key attributes, if they are not `#`.
    separators: Mapping[str, str] = field(default_factory=dict[str, str])
    # Whether all keys are declared with concat().
    concatenated: bool = False
    fields: dict[str, FieldSpec] = field(default_factory=dict[str, FieldSpec])
    # The values of each field, item by item; None where an item has none.
    values: dict[str, list[AttributeValue | None]] = field(
        default_factory=dict[str, "list[AttributeValue | None]"]
    )
    notes: list[str] = field(default_factory=list[str])

    def add(self, spec: FieldSpec, values: Sequence[AttributeValue | None]) -> FieldSpec:
        """Add a field under an unused name."""
        spec = replace(spec, name=unused_name(spec.name, self.fields))
        self.fields[spec.name] = spec
        self.values[spec.name] = list(values)
        return spec

    def attribute_values(self, attribute: str) -> list[AttributeValue | None]:
        """Return the values of an attribute, item by item."""
        return [item.get(attribute) for item in self.items]

    def field_stored_in(self, attribute: str) -> FieldSpec | None:
        """Return the field that is stored in an attribute, or None."""
        return next(
            (one for one in self.fields.values() if one.stored and one.attribute == attribute), None
        )

    def find_key_field(self, texts: Sequence[str | None], label: str) -> FieldPart | None:
        """Return the field with the `texts` of a key part as its values, or None.

        Fields whose name contains the part's `label` are preferred.
        """
        candidates: list[tuple[bool, int, FieldPart]] = []
        for number, (other, spec) in enumerate(self.fields.items()):
            part = None if spec.role is not None else self._part(other, texts)
            if part is not None:
                unlike = not label or snake_case(label) not in other
                candidates.append((unlike, number, part))
        return min(candidates, key=lambda candidate: candidate[:2])[2] if candidates else None

    def _part(self, name: str, texts: Sequence[str | None]) -> FieldPart | None:
        """Return the field as a key part if one encoding produces the text in every item."""
        type_, encodings = self.fields[name].type.text, set[tuple[Encoding, int]]()
        for text, value in zip(texts, self.values[name], strict=True):
            if text is None:
                continue
            encoding = None if value is None else _find_encoding(type_, value, text)
            if encoding is None:
                return None
            encodings.add(encoding)
        if len(encodings) == 2 and all(how in ("plain", "casefold") for how, _ in encodings):
            return FieldPart(name, "casefold")
        if len(encodings) != 1:
            return None
        ((how, width),) = encodings
        # Numbers of equal length are certainly padded only if one of them starts with a zero.
        padded = any(text.startswith("0") for text in texts if text)
        return FieldPart(name, how, width) if how != "padded" or padded else None


def _find_encoding(type_: str, value: AttributeValue, text: str) -> tuple[Encoding, int] | None:
    """Return the encoding, and its width, that turns the value into the text."""
    if "S" in value:
        if value["S"] == text:
            return ("plain", 0)
        return ("casefold", 0) if type_ == "str" and value["S"].casefold() == text else None
    if "BOOL" in value:
        return ("plain", 0) if text == ("true" if value["BOOL"] else "false") else None
    if "N" in value and type_ == "int" and text.isascii() and text.isdigit():
        if int(text) != int(value["N"]):
            return None
        return ("plain", 0) if len(text) == NUMBER_WIDTH else ("padded", len(text))
    return None
