"""Find every violation in a request, in the order in which AWS lists them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import cache
from itertools import islice
from typing import Literal, assert_never, cast

from msgspec import Struct

from dynamodb_engine.engine.constraints.compiled import compile_test
from dynamodb_engine.engine.constraints.echo import echo_java
from dynamodb_engine.engine.constraints.types import (
    MAX_INTEGER,
    MAX_NAME_LENGTH,
    MIN_INTEGER,
    Choice,
    Constraint,
    CustomChoice,
    Integer,
    List,
    Map,
    Member,
    Plain,
    Structure,
    TableMap,
    TableName,
    Text,
    is_table_name,
)
from dynamodb_engine.operations.arn import find_arn_error, is_name, parse_dynamodb_arn

# A message lists ten violations; this many are enough to find the ones that AWS lists first.
MAX_INVALID = 1000
NOT_NULL = "Member must not be null"
_compile_test = cache(compile_test)
PATTERN = "Member must satisfy regular expression pattern: [a-zA-Z0-9_.-]+"


class Stage(Enum):
    """Which of AWS's checks finds a violation; each operation passes them in its own order."""

    TYPE = "the value is not of the member's Python type; AWS would not have parsed the request"
    MISSING = "a required member is missing, and AWS has a message for it"
    NULL = "a required member is missing"
    LIMIT = "a length, a range, or a pattern that is part of the service's model"
    NAME_LENGTH = "a table's name is too short or too long for a control-plane call"
    NAME = "a table's name has an invalid character, or its ARN an invalid part"
    CHOICE = "a word is not one of those allowed"
    NEWER_CHOICE = "as CHOICE, found by a newer check that names neither value nor member"
    MAP = "a map violates a constraint on all its keys or all its values"
    EMPTY = "a structure that needs one of its members has none"
    CUSTOM = "a word is not one of those allowed, and AWS has a message for it"


@dataclass(frozen=True, slots=True)
class MemberPath:
    """The path to a member, as AWS's newer checks spell it and as the legacy ones do."""

    newer: str = ""
    legacy: str = ""

    def field(self, name: str) -> MemberPath:
        """Return the path to a field of this structure."""
        return self._append(name, name[0].lower() + name[1:])

    def entry(self, key: str | int) -> MemberPath:
        """Return the path to an element of this list or map; lists count from 1."""
        return self._append(f"{key}.member", f"{key}.member")

    def _append(self, newer: str, legacy: str) -> MemberPath:
        if not self.newer:
            return MemberPath(newer, legacy)
        return MemberPath(f"{self.newer}.{newer}", f"{self.legacy}.{legacy}")


@dataclass(frozen=True, slots=True)
class Violation:
    """A violated constraint: the constraint in AWS's usual form, or AWS's whole message."""

    stage: Stage
    path: MemberPath
    value: object = None
    constraint: str = ""
    message: str = ""
    echo: Literal["java", "json"] = "java"


def find_violations(constraint: Constraint, value: object, path: MemberPath) -> Iterator[Violation]:
    """Return the violations in a value; one of another type is not checked any further."""
    match constraint:
        case Text() | TableName() | Choice() | CustomChoice():
            if isinstance(value, str):
                return _in_string(constraint, value, path)
            return _wrong_type(path, "a string", value)
        case Integer():
            if not isinstance(value, int) or isinstance(value, bool):
                return _wrong_type(path, "an integer", value)
            if not MIN_INTEGER <= value <= MAX_INTEGER:
                return _wrong_type(path, "an integer of 64 bits", value)
            return _in_number(constraint, value, path)
        case Plain():
            is_valid = isinstance(value, constraint.types)
            return iter(()) if is_valid else _wrong_type(path, constraint.name, value)
        case List():
            if isinstance(value, list):
                return _in_list(constraint, cast("list[object]", value), path)
            return _wrong_type(path, "a list", value)
        case Map() | TableMap():
            if isinstance(value, dict):
                return _in_map(constraint, cast("dict[object, object]", value), path)
            return _wrong_type(path, "a map", value)
        case Structure():
            if isinstance(value, constraint.type):
                return _in_structure(constraint, value, path)
            return _wrong_type(path, f"of type {constraint.type.__name__}", value)
        case _:
            assert_never(constraint)


def _wrong_type(path: MemberPath, expected: str, value: object) -> Iterator[Violation]:
    message = f"{path.newer} must be {expected}, but is of Python's type {type(value).__name__}"
    yield Violation(Stage.TYPE, path, value, message=message)


def _in_list(constraint: List, value: list[object], path: MemberPath) -> Iterator[Violation]:
    yield from _in_length(constraint, value, path)
    yield from _in_elements(constraint, enumerate(value[: constraint.maximum], 1), path)


def _in_elements(
    constraint: List | Map | TableMap,
    elements: Iterable[tuple[str | int, object]],
    path: MemberPath,
) -> Iterator[Violation]:
    """Yield the violations in the first MAX_INVALID invalid elements."""
    is_valid = _compile_test(constraint.element)
    member = Member("", constraint.element, required=True)
    invalid = 0
    for key, element in elements:
        with suppress(TypeError, AttributeError, KeyError):
            if is_valid(element):
                continue
        yield from _in_member(member, element, path.entry(key))
        invalid += 1
        if invalid == MAX_INVALID:
            return


def _in_map(
    constraint: Map | TableMap, value: dict[object, object], path: MemberPath
) -> Iterator[Violation]:
    for key in islice(value, constraint.maximum):
        if not isinstance(key, str):
            yield from _wrong_type(path.entry(echo_java(key)), "named by a string", key)
            return
    entries = cast("dict[str, object]", value)
    if isinstance(constraint, Map):
        yield from _in_length(constraint, value, path)
    else:
        yield from _in_table_map(constraint, entries, path)
    walked = islice(entries.items(), constraint.maximum)
    if isinstance(constraint, TableMap) and constraint.request_bounds is not None:
        maximum = constraint.request_bounds[1]
        yield from _in_elements(constraint, ((k, _cut(each, maximum)) for k, each in walked), path)
    else:
        yield from _in_elements(constraint, walked, path)


def _cut(value: object, maximum: int) -> object:
    return cast("list[object]", value)[:maximum] if isinstance(value, list) else value


def _in_table_map(
    constraint: TableMap, value: dict[str, object], path: MemberPath
) -> Iterator[Violation]:
    if not value:
        yield Violation(Stage.LIMIT, path, value, _min_length(1))
    if len(value) > constraint.maximum:
        yield Violation(Stage.LIMIT, path, value, _max_length(constraint.maximum))
        value = dict(islice(value.items(), constraint.maximum))
    if not all(is_table_name(name, 3) for name in value):
        keys = (
            f"Map keys must satisfy constraint: [{_max_length(255)}, {_min_length(3)}, {PATTERN}]"
        )
        yield Violation(Stage.MAP, path, value, keys, echo=constraint.echo)
    if constraint.request_bounds is None:
        return
    minimum, maximum = constraint.request_bounds
    sizes = {name: len(each) for name, each in value.items() if isinstance(each, list)}  # pyright: ignore[reportUnknownArgumentType]
    if any(size < minimum for size in sizes.values()):
        bounds = f"[{_max_length(maximum)}, {_min_length(minimum)}]"
        values = f"Map value must satisfy constraint: {bounds}"
        yield Violation(Stage.MAP, path, value, values, echo=constraint.echo)
    for name, size in sizes.items():
        if size > maximum:
            yield Violation(Stage.LIMIT, path.entry(name), value[name], _max_length(maximum))


def _in_structure(constraint: Structure, value: Struct, path: MemberPath) -> Iterator[Violation]:
    names = dict(zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True))
    values = [getattr(value, member.field) for member in constraint.members]
    if constraint.empty_message and all(each is None for each in values):
        yield Violation(Stage.EMPTY, path, value, message=constraint.empty_message)
    for member, each in zip(constraint.members, values, strict=True):
        yield from _in_member(member, each, path.field(names[member.field]))


def _in_member(member: Member, value: object, path: MemberPath) -> Iterator[Violation]:
    if value is not None:
        yield from find_violations(member.constraint, value, path)
    elif member.missing_message:
        yield Violation(Stage.MISSING, path, message=member.missing_message)
    elif member.required:
        yield Violation(Stage.NULL, path, constraint=NOT_NULL)


def _in_string(
    constraint: Text | TableName | Choice | CustomChoice, value: str, path: MemberPath
) -> Iterator[Violation]:
    match constraint:
        case Text():
            return _in_text(constraint, value, path)
        case TableName():
            return _in_table_name(constraint, value, path)
        case Choice() | CustomChoice():
            return _in_choice(constraint, value, path)
        case _:
            assert_never(constraint)


def _in_text(constraint: Text, value: str, path: MemberPath) -> Iterator[Violation]:
    mismatch = constraint.pattern and not is_name(value)
    if mismatch and constraint.pattern == "first":
        yield Violation(Stage.LIMIT, path, value, PATTERN)
    yield from _in_length(constraint, value, path)
    if mismatch and constraint.pattern == "last":
        yield Violation(Stage.LIMIT, path, value, PATTERN)


def _in_table_name(constraint: TableName, value: str, path: MemberPath) -> Iterator[Violation]:
    if parse_dynamodb_arn(value) is not None:
        if message := find_arn_error(value):
            yield Violation(Stage.NAME, path, value, message=message)
        return
    if not value and constraint.minimum == 1:
        # AWS's newer model of a name is that of an ARN, which has no pattern to violate.
        yield Violation(Stage.LIMIT, path, value, _min_length(1))
        return
    # Control-plane calls report a name of invalid length before everything else, but invalid
    # characters together with everything else.
    has_valid_length = constraint.minimum <= len(value) <= MAX_NAME_LENGTH
    stage = Stage.NAME if has_valid_length else Stage.NAME_LENGTH
    if len(value) < constraint.minimum:
        yield Violation(stage, path, value, _min_length(constraint.minimum))
    if len(value) > MAX_NAME_LENGTH:
        yield Violation(stage, path, value, _max_length(MAX_NAME_LENGTH))
    if not is_name(value):
        yield Violation(stage, path, value, PATTERN)


def _in_choice(
    constraint: Choice | CustomChoice, value: str, path: MemberPath
) -> Iterator[Violation]:
    if value in constraint.words:
        return
    if isinstance(constraint, CustomChoice):
        yield Violation(Stage.CUSTOM, path, value, message=constraint.message)
    elif constraint.newer_words:
        message = f"Failed to satisfy constraint: {_one_of(constraint.newer_words)}"
        yield Violation(Stage.NEWER_CHOICE, path, value, _one_of(constraint.words), message)
    else:
        yield Violation(Stage.CHOICE, path, value, _one_of(constraint.words))


def _in_number(constraint: Integer, value: int, path: MemberPath) -> Iterator[Violation]:
    if value < constraint.minimum:
        text = f"Member must have value greater than or equal to {constraint.minimum}"
        yield Violation(Stage.LIMIT, path, value, text)
    if constraint.maximum is not None and value > constraint.maximum:
        text = f"Member must have value less than or equal to {constraint.maximum}"
        yield Violation(Stage.LIMIT, path, value, text)


def _in_length(
    constraint: Text | List | Map, value: Sized, path: MemberPath
) -> Iterator[Violation]:
    if len(value) < constraint.minimum:
        yield Violation(Stage.LIMIT, path, value, _min_length(constraint.minimum))
    if constraint.maximum is not None and len(value) > constraint.maximum:
        yield Violation(Stage.LIMIT, path, value, _max_length(constraint.maximum))


def _min_length(minimum: int) -> str:
    return f"Member must have length greater than or equal to {minimum}"


def _max_length(maximum: int) -> str:
    return f"Member must have length less than or equal to {maximum}"


def _one_of(words: Iterable[str]) -> str:
    return f"Member must satisfy enum value set: [{', '.join(words)}]"
