"""Fields of a new entity: how they are written on the command line, in source and in tests."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from singletable.errors import InvalidValue
from singletable.patterns import Rate, per_day, per_hour, per_minute, per_second
from singletable.schema.fields import Role
from singletable.schema.source import quoted
from singletable.schema.table import ScalarType
from singletable_design.introspection.names import RESERVED, snake_case


@dataclass(frozen=True, slots=True)
class FieldType:
    """A type that a new field can have.

    `sample` returns the source of the n-th example value. `key` is the type of an index attribute
    that has the field's values, and `in_key` how a key of several values contains it: None if it
    cannot. `size` is the typical size of a value in bytes.
    """

    text: str
    sample: Callable[[int], str]
    size: int
    key: ScalarType | None = None
    in_key: str | None = None


_TYPES = (
    FieldType("str", lambda number: f'"text {number}"', 30, "S", "{}"),
    FieldType("int", str, 4, "N", "{}"),
    FieldType("bool", lambda number: str(number % 2 == 1), 1, None, "{}"),
    FieldType("float", lambda number: f"{number}.5", 8),
    FieldType("Decimal", lambda number: f'Decimal("{number}.5")', 6, "N", "padded({}, 10, 2)"),
    FieldType("date", lambda number: f"date(2026, 1, {number})", 10, "S", "{}"),
    FieldType("datetime", lambda number: f"datetime(2026, 1, {number}, tzinfo=UTC)", 27, "S", "{}"),
    FieldType("UUID", lambda number: f"UUID(int={number})", 36, "S", "{}"),
    FieldType("bytes", lambda number: f'b"{number}"', 100),
    FieldType("list[str]", lambda number: f'["text {number}"]', 100),
    FieldType("set[str]", lambda number: f'{{"text {number}"}}', 100),
    FieldType("dict[str, str]", lambda number: f'{{"text": "{number}"}}', 100),
)
TYPES = {one.text.lower().replace(" ", ""): one for one in _TYPES}

# Types that name a role: the store sets the value, or DynamoDB deletes the item at that time.
_ROLES: dict[str, tuple[Role, str]] = {
    "created": ("created", "datetime"),
    "updated": ("updated", "datetime"),
    "expires": ("expires", "datetime"),
    "version": ("version", "int"),
}
SET_BY_STORE: frozenset[Role] = frozenset({"created", "updated", "version"})


@dataclass(frozen=True, slots=True)
class NewField:
    """A field of a new entity.

    `arguments` are those of its declaration, such as `name="createdAt"`.
    """

    name: str
    type: FieldType
    choices: tuple[str, ...] = ()
    optional: bool = False
    role: Role | None = None
    arguments: tuple[str, ...] = ()

    @property
    def is_set_by_store(self) -> bool:
        """Whether the constructor does not accept a value."""
        return self.role in SET_BY_STORE

    @property
    def in_key(self) -> str | None:
        """The source of the field in a key of several values, or None if it cannot be in one."""
        return None if self.type.in_key is None else self.type.in_key.format(self.name)

    def declare(self) -> tuple[str, tuple[str, ...]]:
        """Return the beginning of the declaration and the arguments."""
        type_ = f"{self.type.text} | None" if self.optional else self.type.text
        default = ("default=None",) if self.optional else ()
        return f"{self.name}: Attr[{type_}] = {self.role or 'attr'}(", self.arguments + default

    def sample(self, number: int) -> str:
        """Return the source of an example value."""
        if self.choices:
            return quoted(self.choices[(number - 1) % len(self.choices)])
        if self.type.text == "str":
            return f'"{self.name.replace("_", "-")}-{number}"'
        return self.type.sample(number)


def parse_field(text: str) -> NewField:
    """Return the field that is written as NAME:TYPE; raise InvalidValue with what is expected."""
    name, colon, kind = (part.strip() for part in text.partition(":"))
    check_field_name(name)
    optional = kind.endswith("?")
    kind = kind.removesuffix("?").strip() if colon else "str"
    if "|" in kind:
        return NewField(
            name, choice_type(parse_choices(name, kind)), parse_choices(name, kind), optional
        )
    if kind in _ROLES:
        role, type_ = _ROLES[kind]
        if optional and role != "expires":
            raise InvalidValue(f"{text}: a field that the store sets always has a value.")
        return NewField(name, TYPES[type_], (), optional, role)
    known = TYPES.get(kind.lower().replace(" ", ""))
    if known is None:
        raise InvalidValue(
            f"{text!r}: {kind!r} is not a type for a field. Write NAME:TYPE with one of "
            f"{', '.join(one.text for one in _TYPES)}, with choices such as open|done, or with "
            f"{', '.join(_ROLES)}. A question mark makes it optional: due:date?."
        )
    return NewField(name, known, (), optional)


def choice_type(choices: Sequence[str]) -> FieldType:
    """Return the type of a field with a few possible values, in keys in the order of `choices`."""
    text = f"Literal[{', '.join(map(quoted, choices))}]"
    longest = max(map(len, choices))
    return FieldType(
        text, lambda number: quoted(choices[number % len(choices)]), longest, "S", "{}"
    )


def parse_choices(name: str, text: str) -> tuple[str, ...]:
    """Return the choices that are written as open|done."""
    choices = tuple(one.strip() for one in text.split("|"))
    if not all(choices) or len(set(choices)) < len(choices):
        raise InvalidValue(
            f"{name}:{text}: expected several different values, such as {name}:open|done."
        )
    if not all(one.isprintable() and len(one) <= 100 for one in choices):
        raise InvalidValue(f"{name}:{text!r}: a value has up to 100 printable characters.")
    return choices


def check_field_name(name: str) -> None:
    """Raise InvalidValue unless a field can have this name."""
    if not re.fullmatch("[a-z][a-z0-9_]*", name):
        likely = snake_case(name) if name else "title"
        raise InvalidValue(
            f"{name!r} is not a name for a field: expected lower case letters, digits and "
            f"underscores, such as {likely}."
        )
    if keyword.iskeyword(name) or name == "self" or name in RESERVED:
        raise InvalidValue(
            f"A field cannot be named {name!r}, which the class already uses. Choose another "
            f"name, such as {name}_value."
        )


_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*/\s*(s|sec|second|m|min|minute|h|hour|d|day)")


def parse_rate(text: str) -> Rate:
    """Return the rate that is written as 20/s, 5/min, 100/h or 3/day."""
    match = _RATE.fullmatch(text.strip())
    if match is None:
        raise InvalidValue(f"{text!r} is not a rate. Write it as 20/s, 5/min, 100/h or 3/day.")
    calls, unit = float(match[1]), match[2][0]
    rates = {"s": per_second, "m": per_minute, "h": per_hour, "d": per_day}
    return rates[unit](calls)
