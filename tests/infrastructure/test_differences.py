"""How a table stands apart from its declaration, in words and with the way out."""

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
from singletable.infrastructure import (
    Change,
    Difference,
    TableSettings,
    create,
    describe,
    differences,
)
from tests.infrastructure.declarations import ALL

ONE = Index("one", pk="a", sk="b")
LOCAL = LocalIndex("near", sk="c")
IN_PLACE, ONE_AT_A_TIME = Change.IN_PLACE, Change.ONE_INDEX_AT_A_TIME
INDEX_ANEW, TABLE_ANEW = Change.INDEX_ANEW, Change.TABLE_ANEW


@pytest.fixture
def driver() -> Iterator[Engine]:
    with Engine.in_memory() as engine:
        yield engine


def found(
    driver: Engine, declared: Table, there: Table, settings: TableSettings | None = None
) -> list[Difference]:
    """How `there` stands apart from what is declared."""
    create(driver, there, there.name, TableSettings())
    described = describe(driver, there.name)
    assert described is not None
    return differences(declared, described, settings or TableSettings())


@pytest.mark.parametrize("table", ALL, ids=lambda table: table.name)
def test_a_table_that_is_made_as_declared_does_not_differ(driver: Engine, table: Table) -> None:
    assert found(driver, table, table) == []


@pytest.mark.parametrize(
    ("declared", "there", "about", "change"),
    [
        (Table("shop", pk="id"), Table("shop"), "key", TABLE_ANEW),
        (Table("shop", sk=None), Table("shop"), "key", TABLE_ANEW),
        (Table("shop", pk=Number("PK")), Table("shop"), "key", TABLE_ANEW),
        (Table("shop", sk=Binary("SK")), Table("shop", sk=Number("SK")), "key", TABLE_ANEW),
        (Table("shop", indexes=[ONE]), Table("shop"), "global index 'one'", ONE_AT_A_TIME),
        (Table("shop"), Table("shop", indexes=[ONE]), "global index 'one'", ONE_AT_A_TIME),
        (
            Table("shop", indexes=[LOCAL]),
            Table("shop"),
            "local index 'near'",
            TABLE_ANEW,
        ),
        (Table("shop"), Table("shop", indexes=[LOCAL]), "local index 'near'", TABLE_ANEW),
        (
            Table("shop", indexes=[Index("one", pk=("a", "b"))]),
            Table("shop", indexes=[ONE]),
            "global index 'one', its key",
            INDEX_ANEW,
        ),
        (
            Table("shop", indexes=[Index("one", pk=("a", "b"))]),
            Table("shop", indexes=[Index("one", pk=("b", "a"))]),
            "global index 'one', its key",
            INDEX_ANEW,
        ),
        (
            Table("shop", indexes=[Index("one", pk="a", sk=Number("b"))]),
            Table("shop", indexes=[ONE]),
            "global index 'one', its key",
            INDEX_ANEW,
        ),
        (
            Table("shop", indexes=[Index("one", pk="a", sk="b", projection=["x"])]),
            Table("shop", indexes=[ONE]),
            "global index 'one', what it projects",
            INDEX_ANEW,
        ),
        (
            Table("shop", indexes=[LocalIndex("near", sk="c", projection="KEYS_ONLY")]),
            Table("shop", indexes=[LocalIndex("near", sk="c")]),
            "local index 'near', what it projects",
            TABLE_ANEW,
        ),
        (
            Table("shop", indexes=[Index("near", pk="PK", sk="c")]),
            Table("shop", indexes=[LocalIndex("near", sk="c")]),
            "local index 'near'",
            ONE_AT_A_TIME,
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
def test_each_difference_is_told_with_how_it_can_be_changed(
    driver: Engine, declared: Table, there: Table, about: str, change: Change
) -> None:
    (difference,) = found(driver, declared, there)
    assert (difference.about, difference.change) == (about, change)
    assert difference.declared != difference.found
    assert difference.advice


def test_a_difference_reads_as_a_sentence(driver: Engine) -> None:
    declared = Table("shop", indexes=[Index("one", pk=("a", Number("b")))])
    (difference,) = found(driver, declared, Table("shop", indexes=[ONE]))
    assert str(difference) == (
        "global index 'one', its key: declared is 'a' (text), 'b' (number), and there is 'a' "
        "(text), sorted by 'b' (text). This cannot be changed: the index must be removed and made "
        "anew. Add one under another name, let readers move to it, and then remove this one."
    )


# On-demand has no capacity that could differ, and an index is not blamed for its table's billing.
def test_capacity_of_indexes_is_compared_where_there_is_some(driver: Engine) -> None:
    declared = Table("shop", indexes=[ONE], capacity=Provisioned(2, 2))
    there = Table("shop", indexes=[ONE], capacity=Provisioned(1, 2))
    about = [one.about for one in found(driver, declared, there)]
    assert about == ["global index 'one', its capacity", "capacity"]
    other = Table("other", indexes=[ONE])
    assert [one.about for one in found(driver, declared, other)] == ["billing"]


def test_a_table_that_is_not_there_is_none(driver: Engine) -> None:
    assert describe(driver, "nowhere") is None
