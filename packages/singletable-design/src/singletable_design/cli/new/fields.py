"""Fields of a new entity as the command line has them: title:str, status:open|done, due:date?."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass

from singletable.errors import InvalidValue
from singletable.patterns import Rate, per_day, per_hour, per_minute, per_second
from singletable.schema.fields import Role
from singletable.schema.source import quoted
from singletable_design.introspection.names import RESERVED, snake_case

TYPES = (
    "str", "int", "bool", "float", "Decimal", "date", "datetime", "UUID", "bytes", "list[str]",
    "set[str]", "dict[str, str]",
)  # fmt: skip
# Types that name a role: the store sets the value, or DynamoDB deletes the item at that time.
_ROLES: dict[str, Role] = {one: one for one in ("created", "updated", "expires", "version")}
_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*/\s*(s|sec|second|m|min|minute|h|hour|d|day)")


@dataclass(frozen=True, slots=True)
class NewField:
    """A field; `attribute` is its stored name, and `encoding` how keys of several parts have it."""

    name: str
    type: str = "str"
    choices: tuple[str, ...] = ()
    optional: bool = False
    role: Role | None = None
    attribute: str = ""
    arguments: tuple[str, ...] = ()
    encoding: str = ""

    @property
    def is_set_by_store(self) -> bool:
        """Whether the constructor does not accept a value."""
        return self.role in ("created", "updated", "version")

    @property
    def in_key(self) -> str:
        """The source of the field in a key of several parts."""
        encoding = self.encoding or ("padded({}, 10, 2)" if self.type == "Decimal" else "{}")
        return encoding.format(self.name)

    def declare(self) -> tuple[str, tuple[str, ...]]:
        """Return the beginning of the declaration, and the arguments."""
        type_ = f"Literal[{', '.join(map(quoted, self.choices))}]" if self.choices else self.type
        renamed = self.attribute not in ("", self.name)
        name = (f"name={quoted(self.attribute)}",) if renamed else ()
        default = ("default=None",) if self.optional else ()
        begin = f"{self.name}: Attr[{type_}{' | None' if self.optional else ''}]"
        return f"{begin} = {self.role or 'attr'}(", (*name, *self.arguments, *default)


def parse_field(text: str) -> NewField:
    """Return the field that is written as NAME:TYPE; raise InvalidValue with what is expected."""
    name, colon, kind = (part.strip() for part in text.partition(":"))
    if not re.fullmatch("[a-z][a-z0-9_]*", name):
        raise InvalidValue(
            f"{name!r} is not a name for a field: expected lower case letters, digits and "
            f"underscores, such as {snake_case(name) if name else 'title'}."
        )
    if keyword.iskeyword(name) or name == "self" or name in RESERVED:
        raise InvalidValue(
            f"A field cannot be named {name!r}, which the class already uses. Choose another "
            f"name, such as {name}_value."
        )
    optional = kind.endswith("?")
    kind = kind.removesuffix("?").strip() if colon else "str"
    if "|" in kind:
        choices = tuple(one.strip() for one in kind.split("|"))
        is_text = all(one.isprintable() and 0 < len(one) <= 100 for one in choices)
        if is_text and len(set(choices)) == len(choices):
            return NewField(name, choices=choices, optional=optional)
        raise InvalidValue(
            f"{text!r}: expected several different values of up to 100 printable characters, such "
            f"as {name}:open|done."
        )
    if name in _ROLES and kind != name:
        raise InvalidValue(
            f"{text!r}: the store sets a field of the type {name}. Write {name}:{name}, or choose "
            f"another name, such as {name}_value."
        )
    if role := _ROLES.get(kind):
        if optional and role != "expires":
            raise InvalidValue(f"{text}: a field that the store sets always has a value.")
        type_ = "int" if role == "version" else "datetime"
        return NewField(name, type_, optional=optional, role=role)
    known = {one.lower().replace(" ", ""): one for one in TYPES}
    plain = kind.lower().replace(" ", "")
    if plain not in known:
        raise InvalidValue(
            f"{text!r}: {kind!r} is not a type for a field. Write NAME:TYPE with one of "
            f"{', '.join(TYPES)}, with choices such as open|done, or with {', '.join(_ROLES)}. A "
            "question mark makes it optional: due:date?."
        )
    return NewField(name, known[plain], optional=optional)


def parse_rate(text: str) -> Rate:
    """Return the rate that is written as 20/s, 5/min, 100/h or 3/day."""
    match = _RATE.fullmatch(text.strip())
    if match is None:
        raise InvalidValue(f"{text!r} is not a rate. Write it as 20/s, 5/min, 100/h or 3/day.")
    rates = {"s": per_second, "m": per_minute, "h": per_hour, "d": per_day}
    return rates[match[2][0]](float(match[1]))
