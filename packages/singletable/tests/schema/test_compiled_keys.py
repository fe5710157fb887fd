"""The generated function of a key renders what its columns render, one by one."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from enum import StrEnum
from typing import Any
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from singletable import InvalidValue
from singletable.schema import Attr, Entity, Key, ResolvedKey, Shards, Table, attr, repeated
from singletable.schema import TimeFormat as Format
from singletable.schema.model import model_of
from tests.schema.key_strategies import SKETCHES, Sketch, declare, values_of


class Word(StrEnum):
    """A str that is not exactly a str."""

    A = "a#b"


# Values of the wrong type, too long or too large, or valid in an unusual way.
ODD: st.SearchStrategy[object] = st.sampled_from(
    [
        None,
        "",
        "half \ud800",
        "x" * 600,
        "é" * 1100,
        "x" * 3000,
        Word.A,
        True,
        -1,
        10**19,
        10**40,
        1.5,
        b"",
        [],
        UUID(int=7),
        date(1, 1, 1),
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(2026, 1, 1),
        datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=2))),
        datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    ]
)


def _by_columns(key: ResolvedKey, values: dict[str, object]) -> object:
    """Render each column by itself; return the attributes, or the text of the error."""
    rendered: dict[str, Any] = {}
    if any(values.get(name) is None for name in key.fields):
        return None
    try:
        for column in key.columns:
            rendered[column.attribute.name] = column.value(values)
    except InvalidValue as error:
        return str(error)
    return rendered


def _compiled(key: ResolvedKey, values: dict[str, object]) -> object:
    try:
        return key.attributes(values)
    except InvalidValue as error:
        return str(error)


@given(data=st.data(), sketches=st.lists(SKETCHES, min_size=1, max_size=3))
def test_compiled_key_equals_its_columns(data: st.DataObject, sketches: list[Sketch]) -> None:
    table = Table("random")
    used = []
    # A key is rendered again after each later entity, which may change how its last value is
    # escaped.
    for sketch in sketches:
        model = declare(table, sketch)
        if model is not None:
            used.append((model.key, sketch))
        for key, shape in used:
            values: dict[str, object] = {
                f"f{at}": value for at, value in enumerate(data.draw(values_of(shape)))
            }
            assert _compiled(key, values) == _by_columns(key, values)
            for name in list(values):
                odd = {**values, name: data.draw(ODD)}
                assert _compiled(key, odd) == _by_columns(key, odd)


times = Table("times")


class Moment(Entity, table=times):
    """Times in every format, a repeated value and shards."""

    name: Attr[str] = attr()
    day: Attr[datetime] = attr(time_format=Format.SECONDS)
    milli: Attr[datetime] = attr(time_format=Format.MILLISECONDS)
    epoch: Attr[datetime] = attr(time_format=Format.EPOCH_SECONDS)
    key = Key(pk=("M", name, Shards(8, by=name)), sk=("AT", day, milli, epoch))


times_with_copies = Table("times_with_copies")


class Copied(Entity, table=times_with_copies):
    """A value that is in the key twice."""

    name: Attr[str] = attr()
    key = Key(pk=("M", name), sk=("M", repeated(name)))


@given(
    name=st.text() | ODD,
    when=st.datetimes(timezones=st.timezones()) | st.datetimes(timezones=st.just(UTC)) | ODD,
)
def test_compiled_times_shards_and_copies_equal_their_columns(name: object, when: object) -> None:
    values = {"name": name, "day": when, "milli": when, "epoch": when}
    for entity in (Moment, Copied):
        key = model_of(entity).key
        assert _compiled(key, values) == _by_columns(key, values)
