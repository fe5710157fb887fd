"""Whoever asks reaches only what is theirs: a field of the partition key is held to a variable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from singletable.errors import DeclarationError, InvalidValue
from singletable.infrastructure.iam.use import Use
from singletable.schema import Access
from singletable.schema.key_template import Repeated, Value
from singletable.schema.resolved_key import Column, FieldColumn, TextColumn

_PROBE = "Probe"


@dataclass(frozen=True, slots=True)
class Owner:
    """Fields by name, or by entity and name (`Skill.person`), and the variable each equals.

    `Owner({"user": "${aws:PrincipalTag/user}"})`. IAM allows no `#` and no `$` in the value of a
    tag, so that one cannot be made to reach into another's partition.
    """

    fields: Mapping[str, str]

    def variables(self, access: Access) -> dict[str, str]:
        """The variables that stand in this key's partition key, by field."""
        found: dict[str, str] = {}
        for field, column in _fields(access):
            variable = self.fields.get(f"{access.owner}.{field}", self.fields.get(field))
            if variable is not None:
                _check_form(access, field, column)
                found[field] = variable
        return found


def within_owner(uses: Iterable[Use], owner: Owner) -> tuple[list[Use], list[str]]:
    """The uses that can be held to the owner, and the keys that were left out as they cannot."""
    kept: list[Use] = []
    left_out: dict[str, None] = {}
    for use in uses:
        if owner.variables(use.access) and use.has_keys:
            kept.append(use)
        elif use.access.name == "key" and use.access.index is None:
            raise DeclarationError(_not_theirs(use, owner))
        else:
            left_out[str(use.access)] = None
    _check_all_used(owner, kept)
    return kept, list(left_out)


def _fields(access: Access) -> Iterable[tuple[str, Column]]:
    for column in access.pk:
        match column:
            case FieldColumn(field=field):
                yield field, column
            case TextColumn(template=template):
                for segment in template.segments:
                    if isinstance(segment, Value | Repeated):
                        value = segment.value if isinstance(segment, Repeated) else segment
                        yield value.field, column


def _check_form(access: Access, field: str, column: Column) -> None:
    """A variable stands in the policy as it is, so the field must stand in the key as it is."""
    match column:
        case FieldColumn(attribute=attribute):
            plain = attribute.type == "S"
        case TextColumn(template=template):
            value = next(one for one in template.values if one.field == field)
            try:
                plain = value.form.write(_PROBE) == _PROBE
            except InvalidValue:
                plain = False
    if not plain:
        raise DeclarationError(
            f"{access}: {field} does not stand in the partition key as a plain text, so it cannot "
            "be held to a variable of IAM. Choose a field of type str, without casefold()."
        )


def _not_theirs(use: Use, owner: Owner) -> str:
    if not use.has_keys:
        return (
            f"{use.action} reads everybody's items, and cannot be held to an owner. Leave it out."
        )
    entity = use.access.owner
    return (
        f"The partition key of {entity} has none of the owner's fields "
        f"({', '.join(owner.fields)}), so everybody's {entity} would be reached. Say which of its "
        f"fields is the owner's ({entity}.FIELD=VARIABLE), or leave {entity} out of this policy."
    )


def _check_all_used(owner: Owner, kept: Iterable[Use]) -> None:
    used = {name for use in kept for name in _names(use.access)}
    for name in owner.fields:
        if name not in used:
            raise DeclarationError(
                f"No partition key has a field {name!r} that could be held to an owner."
            )


def _names(access: Access) -> Iterable[str]:
    for field, _ in _fields(access):
        yield field
        yield f"{access.owner}.{field}"
