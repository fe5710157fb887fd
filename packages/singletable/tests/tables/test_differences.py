"""Differences between a table and its declaration are reported."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable import (
    Binary,
    Engine,
    Index,
    LocalIndex,
    Number,
    Provisioned,
    Table,
)
from singletable.tables import (
    ChangeKind,
    Difference,
    TableSettings,
    compare_table,
    create_table,
    describe_table,
)
from tools.testing.designs.table_shapes import ALL

ONE = Index("one", pk="a", sk="b")
LOCAL = LocalIndex("near", sk="c")
IN_PLACE, ONE_INDEX = ChangeKind.IN_PLACE, ChangeKind.ONE_INDEX_AT_A_TIME
NEW_INDEX, NEW_TABLE = ChangeKind.NEW_INDEX, ChangeKind.NEW_TABLE


@pytest.fixture
def driver() -> Iterator[Engine]:
    with Engine.in_memory() as engine:
        yield engine


def compare(driver: Engine, declared: Table, actual: Table) -> list[Difference]:
    """Create `actual` and compare it with `declared`."""
    create_table(driver, actual, actual.name, TableSettings())
    described = describe_table(driver, actual.name)
    assert described is not None
    return compare_table(declared, described)


@pytest.mark.parametrize("table", ALL, ids=lambda table: table.name)
def test_table_created_as_declared_has_no_differences(driver: Engine, table: Table) -> None:
    assert compare(driver, table, table) == []


@pytest.mark.parametrize(
    ("declared", "actual", "subject", "change"),
    [
        (Table("shop", pk="id"), Table("shop"), "key", NEW_TABLE),
        (Table("shop", sk=None), Table("shop"), "key", NEW_TABLE),
        (Table("shop", pk=Number("PK")), Table("shop"), "key", NEW_TABLE),
        (Table("shop", sk=Binary("SK")), Table("shop", sk=Number("SK")), "key", NEW_TABLE),
        (Table("shop", indexes=[ONE]), Table("shop"), "global index 'one'", ONE_INDEX),
        (Table("shop"), Table("shop", indexes=[ONE]), "global index 'one'", ONE_INDEX),
        (
            Table("shop", indexes=[LOCAL]),
            Table("shop"),
            "local index 'near'",
            NEW_TABLE,
        ),
        (Table("shop"), Table("shop", indexes=[LOCAL]), "local index 'near'", NEW_TABLE),
        (
            Table("shop", indexes=[Index("one", pk=("a", "b"))]),
            Table("shop", indexes=[ONE]),
            "global index 'one' key",
            NEW_INDEX,
        ),
        (
            Table("shop", indexes=[Index("one", pk=("a", "b"))]),
            Table("shop", indexes=[Index("one", pk=("b", "a"))]),
            "global index 'one' key",
            NEW_INDEX,
        ),
        (
            Table("shop", indexes=[Index("one", pk="a", sk=Number("b"))]),
            Table("shop", indexes=[ONE]),
            "global index 'one' key",
            NEW_INDEX,
        ),
        (
            Table("shop", indexes=[Index("one", pk="a", sk="b", projection=["x"])]),
            Table("shop", indexes=[ONE]),
            "global index 'one' projection",
            NEW_INDEX,
        ),
        (
            Table("shop", indexes=[LocalIndex("near", sk="c", projection="KEYS_ONLY")]),
            Table("shop", indexes=[LocalIndex("near", sk="c")]),
            "local index 'near' projection",
            NEW_TABLE,
        ),
        (
            Table("shop", indexes=[Index("near", pk="PK", sk="c")]),
            Table("shop", indexes=[LocalIndex("near", sk="c")]),
            "local index 'near'",
            ONE_INDEX,
        ),
        (Table("shop", capacity=Provisioned(1, 1)), Table("shop"), "billing", IN_PLACE),
        (Table("shop"), Table("shop", capacity=Provisioned(1, 1)), "billing", IN_PLACE),
        (
            Table("shop", capacity=Provisioned(1, 2)),
            Table("shop", capacity=Provisioned(1, 1)),
            "capacity",
            IN_PLACE,
        ),
        (Table("shop", ttl="x"), Table("shop"), "time to live", IN_PLACE),
        (Table("shop"), Table("shop", ttl="x"), "time to live", IN_PLACE),
        (Table("shop", ttl="y"), Table("shop", ttl="x"), "time to live", IN_PLACE),
    ],
)
def test_difference_reports_subject_and_change(
    driver: Engine, declared: Table, actual: Table, subject: str, change: ChangeKind
) -> None:
    (difference,) = compare(driver, declared, actual)
    assert (difference.subject, difference.change) == (subject, change)
    assert difference.declared != difference.actual
    assert difference.advice


def test_difference_formats_as_text(driver: Engine) -> None:
    declared = Table("shop", indexes=[Index("one", pk=("a", Number("b")))])
    (difference,) = compare(driver, declared, Table("shop", indexes=[ONE]))
    assert str(difference) == (
        "global index 'one' key: declared 'a' (string), 'b' (number), but found 'a' (string), "
        "sorted by 'b' (string). This requires a new index. Add one under another name, move "
        "readers to it, then remove this one."
    )


# Indexes of on-demand tables have no capacity; the billing mode is reported for the table.
def test_index_capacity_is_compared_if_provisioned(driver: Engine) -> None:
    declared = Table("shop", indexes=[ONE], capacity=Provisioned(2, 2))
    actual = Table("shop", indexes=[ONE], capacity=Provisioned(1, 2))
    subjects = [difference.subject for difference in compare(driver, declared, actual)]
    assert subjects == ["global index 'one' capacity", "capacity"]
    other = Table("other", indexes=[ONE])
    assert [difference.subject for difference in compare(driver, declared, other)] == ["billing"]


def test_describe_missing_table_returns_none(driver: Engine) -> None:
    assert describe_table(driver, "nowhere") is None
