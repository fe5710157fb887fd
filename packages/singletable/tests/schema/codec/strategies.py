"""The supported types, with Hypothesis strategies for their values."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import Enum, IntEnum, IntFlag, StrEnum
from typing import Annotated, Any, Literal, NewType, NotRequired, Required, TypeAlias, TypedDict
from uuid import UUID

from hypothesis import strategies as st

from singletable import codec
from singletable.schema.codec import Json, TimeFormat


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 10


class Right(IntFlag):
    READ = 1
    WRITE = 2


class Shade(StrEnum):
    DARK = "dark"
    LIGHT = "light"


@dataclass(frozen=True)
class Ranking:
    name: str
    rank: int = 0
    color: Color | None = None


@dataclass(slots=True, kw_only=True)
class Profile:
    born: Annotated[date, "no matter what"]
    seen: Annotated[datetime, TimeFormat.EPOCH_MILLISECONDS]
    tags: set[str] = field(default_factory=lambda: {"new"})
    rankings: list[Ranking] = field(default_factory=list[Ranking])


@dataclass
class Tree:
    label: str
    children: list[Tree] = field(default_factory=list["Tree"])
    twin: Tree | None = None


class Address(TypedDict):
    street: str
    zip: NotRequired[str | None]
    tags: Required[set[str]]


class Part(TypedDict, total=False):
    label: Required[str]
    parts: list[Part]
    address: Address


@dataclass(frozen=True)
class Card:
    digits: str
    kind: Literal["card"] = "card"


@dataclass(frozen=True)
class Transfer:
    kind: Literal["transfer", "wire"]
    iban: str | None = None


class Cash(TypedDict):
    kind: Literal["cash"]
    paid: Decimal


@dataclass(frozen=True, order=True)
class Point:
    x: int
    y: int


POINT: Any = codec(
    encode=lambda point: f"{point.x:d}/{point.y:d}",
    decode=lambda text: Point(*map(int, text.split("/"))),
    stored_as=str,
)
Email = NewType("Email", str)
Scores: TypeAlias = dict[str, int]

texts = st.text(max_size=8)
# The numbers that DynamoDB can store: 38 digits, from 1E-130 up to 1E+126.
wholes = st.integers(-(10**38) + 1, 10**38 - 1) | st.sampled_from([10**125, -(10**125), 0])
decimals = st.tuples(st.integers(-(10**12), 10**12), st.integers(-118, 110)).map(
    lambda parts: Decimal(f"{parts[0]}E{parts[1]}")
)
floats = st.floats(-1e125, 1e125).filter(lambda number: number == 0 or abs(number) > 1e-129)
binaries = st.binary(max_size=8)
zones = st.just(UTC) | st.integers(-840, 840).map(lambda m: timezone(timedelta(minutes=m)))
days = st.dates()


def datetimes(finest: int = 1) -> st.SearchStrategy[datetime]:
    """Return datetimes whose microseconds are a multiple of `finest`."""
    whole = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=zones)
    return whole.map(lambda m: m.replace(microsecond=m.microsecond // finest * finest))


def lists(member: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(member, max_size=4)


def sets(member: st.SearchStrategy[Any]) -> st.SearchStrategy[set[Any]]:
    return st.sets(member, max_size=4)


rankings = st.builds(Ranking, texts, wholes, st.none() | st.sampled_from(Color))
profiles = st.builds(
    Profile, born=days, seen=datetimes(1000), tags=sets(texts), rankings=lists(rankings)
)
trees = st.recursive(
    st.builds(Tree, texts),
    lambda inner: st.builds(Tree, texts, lists(inner), st.none() | inner),
    max_leaves=6,
)
anything: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | texts
    | wholes
    | decimals
    | st.booleans()
    | binaries
    | st.sets(texts, min_size=1, max_size=3)
    | st.sets(wholes, min_size=1, max_size=3)
    | st.sets(binaries, min_size=1, max_size=3),
    lambda inner: lists(inner) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)

durations = st.timedeltas()
addresses = st.fixed_dictionaries(
    {"street": texts, "tags": sets(texts)}, optional={"zip": st.none() | texts}
)
parts: st.SearchStrategy[Any] = st.recursive(
    st.fixed_dictionaries({"label": texts}, optional={"address": addresses}),
    lambda inner: st.fixed_dictionaries({"label": texts}, optional={"parts": lists(inner)}),
    max_leaves=4,
)
payments = (
    st.builds(Card, texts)
    | st.builds(Transfer, st.sampled_from(["transfer", "wire"]), st.none() | texts)
    | st.fixed_dictionaries({"kind": st.just("cash"), "paid": decimals})
)
points = st.builds(Point, st.integers(-99, 99), st.integers(-99, 99))
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | texts
    | wholes
    | st.booleans()
    | binaries
    | floats.filter(lambda number: abs(number) < 1e15),
    lambda inner: lists(inner) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)

# Types, each with values that round-trip.
TYPES: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "text": (str, texts),
    "whole": (int, wholes),
    "decimal": (Decimal, decimals),
    "float": (float, floats),
    "bool": (bool, st.booleans()),
    "bytes": (bytes, binaries),
    "datetime": (datetime, datetimes()),
    **{
        form.name.lower(): (Annotated[datetime, form], datetimes(finest))
        for form, finest in (
            (TimeFormat.MILLISECONDS, 1_000),
            (TimeFormat.SECONDS, 1_000_000),
            (TimeFormat.EPOCH_SECONDS, 1_000_000),
            (TimeFormat.EPOCH_MILLISECONDS, 1_000),
        )
    },
    "day": (date, days),
    "identifier": (UUID, st.uuids()),
    "enumeration": (Color, st.sampled_from(Color)),
    "number_enumeration": (Level, st.sampled_from(Level)),
    "flags": (Right, st.integers(0, 3).map(Right)),
    "text_enumeration": (Shade, st.sampled_from(Shade)),
    "literal": (Literal["a", "b"], st.sampled_from(["a", "b"])),
    "number_literal": (Literal[1, 20], st.sampled_from([1, 20])),
    "optional": (str | None, st.none() | texts),
    "optional_literal": (Literal["a", None], st.sampled_from(["a", None])),
    "list": (list[str], lists(texts)),
    "list_of_optional": (list[int | None], lists(st.none() | wholes)),
    "tuple": (tuple[int, ...], lists(wholes).map(tuple)),
    "map": (dict[str, bool], st.dictionaries(texts, st.booleans(), max_size=4)),
    "map_of_sets": (dict[str, set[int]], st.dictionaries(texts, sets(wholes), max_size=3)),
    "text_set": (set[str], sets(texts)),
    "whole_set": (set[int], sets(wholes)),
    "decimal_set": (frozenset[Decimal], sets(decimals).map(frozenset)),
    "binary_set": (set[bytes], sets(binaries)),
    "enumeration_set": (set[Color], sets(st.sampled_from(Color))),
    "level_set": (frozenset[Level], sets(st.sampled_from(Level)).map(frozenset)),
    "identifier_set": (set[UUID], sets(st.uuids())),
    "day_set": (set[date], sets(days)),
    "moment_set": (set[datetime], sets(datetimes())),
    "record": (Ranking, rankings),
    "records": (list[Ranking], lists(rankings)),
    "optional_record": (Ranking | None, st.none() | rankings),
    "nested_record": (Profile, profiles),
    "recursive_record": (Tree, trees),
    "new_type": (Email, texts),
    "alias": (Scores, st.dictionaries(texts, wholes, max_size=4)),
    "annotated": (Annotated[list[Email], "of people"], lists(texts)),
    "anything": (Any, anything),
    "object": (object, anything),
    "duration": (timedelta, durations),
    "duration_set": (set[timedelta], sets(durations)),
    "typed_dict": (Address, addresses),
    "recursive_typed_dict": (Part, parts),
    "union": (int | str | list[bool], wholes | texts | lists(st.booleans())),
    "optional_union": (bytes | float | None, st.none() | binaries | floats),
    "literal_union": (Literal["a"] | Literal["b"] | int, st.sampled_from(["a", "b"]) | wholes),
    "tagged_union": (Card | Transfer | Cash, payments),
    "tagged_or_text": (
        list[Card | Transfer | str | None],
        lists(st.none() | texts | payments.filter(lambda one: not isinstance(one, dict))),
    ),
    "custom": (Annotated[Point, POINT], points),
    "optional_custom": (Annotated[Point | None, POINT], st.none() | points),
    "custom_list": (list[Annotated[Point, POINT]], lists(points)),
    "custom_set": (frozenset[Annotated[Point, POINT]], sets(points).map(frozenset)),
    "custom_or_number": (Annotated[Point, POINT] | int, points | wholes),
    "json": (Annotated[Any, Json()], json_values),
    "json_map": (
        Annotated[dict[str, Any], Json()],
        st.dictionaries(texts, json_values, max_size=3),
    ),
    "loose_map": (dict[str, Any], st.dictionaries(texts, anything, max_size=4)),
}
