"""An entity in the making: its items, and the fields that are known of it so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from singletable.drafting.drafted import DraftField, FieldPart
from singletable.drafting.kinds import Records
from singletable.drafting.names import free, snake
from singletable.schema import Table
from singletable.values import AttributeValue, Item

Form: TypeAlias = Literal["plain", "padded", "casefold"]


@dataclass
class Making:
    """An entity in the making."""

    table: Table
    items: Sequence[Item]
    tag: str | None
    records: Records
    # What values in the keys are called, if somebody has said so.
    called: Mapping[tuple[str, int], str] = field(default_factory=dict[tuple[str, int], str])
    fields: dict[str, DraftField] = field(default_factory=dict[str, DraftField])
    # The value of each field in each item; None where it has none.
    held: dict[str, list[AttributeValue | None]] = field(
        default_factory=dict[str, "list[AttributeValue | None]"]
    )
    notes: list[str] = field(default_factory=list[str])

    def add(self, made: DraftField, held: Sequence[AttributeValue | None]) -> DraftField:
        """A field more, under a name that is free."""
        made = replace(made, name=free(made.name, self.fields))
        self.fields[made.name] = made
        self.held[made.name] = list(held)
        return made

    def column(self, attribute: str) -> list[AttributeValue | None]:
        """The values of an attribute, item by item."""
        return [item.get(attribute) for item in self.items]

    def by_attribute(self, attribute: str) -> DraftField | None:
        """The field that an attribute is stored as."""
        return next(
            (one for one in self.fields.values() if one.stored and one.attribute == attribute), None
        )

    def telling(
        self, texts: Sequence[str | None], label: str, called: str | None = None
    ) -> FieldPart | None:
        """The field that says what stands in one place of the keys, if there is one.

        One that is called so comes first, then those that have the word before it in their name.
        """
        if called in self.fields:
            part = self._part(called, texts)
            if part is not None:
                return part
        found: list[tuple[bool, int, FieldPart]] = []
        for place, (name, known) in enumerate(self.fields.items()):
            part = None if known.role is not None else self._part(name, texts)
            if part is not None:
                unlike = not label or snake(label) not in name
                found.append((unlike, place, part))
        return min(found, key=lambda one: one[:2])[2] if found else None

    def _part(self, name: str, texts: Sequence[str | None]) -> FieldPart | None:
        """The field as a part of the key, if it is written so in every item."""
        kind, forms = self.fields[name].kind.text, set[tuple[Form, int]]()
        for text, held in zip(texts, self.held[name], strict=True):
            if text is None:
                continue
            form = None if held is None else _form(kind, held, text)
            if form is None:
                return None
            forms.add(form)
        if len(forms) == 2 and all(how in ("plain", "casefold") for how, _ in forms):
            return FieldPart(name, "casefold")
        if len(forms) != 1:
            return None
        ((how, width),) = forms
        # Only a zero before one of the numbers proves that others have one.
        padded = any(text.startswith("0") for text in texts if text)
        return FieldPart(name, how, width) if how != "padded" or padded else None


def _form(kind: str, held: AttributeValue, text: str) -> tuple[Form, int] | None:
    """How a value of the type would be written in a key to give the text."""
    if "S" in held:
        if held["S"] == text:
            return ("plain", 0)
        return ("casefold", 0) if kind == "str" and held["S"].casefold() == text else None
    if "BOOL" in held:
        return ("plain", 0) if text == ("true" if held["BOOL"] else "false") else None
    if "N" in held and kind == "int" and text.isascii() and text.isdigit():
        if int(text) != int(held["N"]):
            return None
        # As wide as singletable itself writes a number.
        return ("plain", 0) if len(text) == WIDE else ("padded", len(text))
    return None


WIDE = 20
