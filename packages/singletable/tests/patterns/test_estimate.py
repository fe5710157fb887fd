"""Estimates of capacity units, by DynamoDB's rules: 4 KB reads, 1 KB writes, entries of indexes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import (
    Attr,
    Collection,
    Count,
    Entity,
    Index,
    ItemCount,
    Key,
    PatternCatalog,
    Selection,
    Shards,
    Table,
    Unique,
    attr,
    checks,
    clears,
    creates,
    deletes,
    loads,
    padded,
    puts,
    sequence,
    updates,
    upserts,
)
from singletable.errors import DeclarationError
from singletable.patterns import Estimate, Pattern, estimate
from singletable.patterns.expected_load import Expectations
from singletable.store import EntityAccess
from tools.testing.cases import every

by_state = Index("by_state", pk="GSI1PK", sk="GSI1SK")
by_owner = Index("by_owner", pk="GSI2PK", sk="GSI2SK", projection=["rank"])
tasks = Table("tasks", indexes=[by_state, by_owner])


class Project(Entity, table=tasks):
    name: Attr[str] = attr()
    open_tasks: Attr[int] = attr(default=0)
    about: Attr[str] = attr(default="")

    key = Key(pk=("PROJECT", name), sk="PROJECT")


class Task(Entity, table=tasks):
    project: Attr[str] = attr()
    number: Attr[int] = attr()
    state: Attr[Literal["open", "done"]] = attr(default="open")
    owner: Attr[str] = attr()
    rank: Attr[int] = attr(default=0)
    text: Attr[str] = attr(default="")

    key = Key(pk=("PROJECT", project), sk=("TASK", padded(number, 6)))
    waiting = Key(pk="OPEN", sk=padded(number, 6)).on(by_state, when=state == "open")
    owned = Key(pk=("OWNER", owner), sk=padded(number, 6)).on(by_owner)


class Account(Entity, table=tasks):
    name: Attr[str] = attr()
    email: Attr[str] = attr()

    key = Key(pk=("ACCOUNT", name), sk="ACCOUNT")
    one_email = Unique(email)


class Note(Entity, table=tasks):
    project: Attr[str] = attr()
    text: Attr[str] = attr()

    key = Key(pk=("NOTES", project), sk=("NOTE", text))
    counted = Count(Project, Project.open_tasks, key=(project,))


class Click(Entity, table=tasks):
    page: Attr[str] = attr()
    number: Attr[int] = attr()

    key = Key(pk=("CLICKS", page, Shards(4, by=number)), sk=padded(number, 6))


class ProjectPage(Collection):
    project: Project
    tasks: list[Task]


def catalog(**arguments: object) -> PatternCatalog:
    return PatternCatalog("tasks", tasks, **arguments)  # type: ignore[arg-type]


def write(
    *effects: EntityAccess, counts: dict[type, ItemCount] | None = None, **expected: object
) -> Estimate:
    pattern = catalog().write("W", "A write", *effects, **expected)  # type: ignore[arg-type]
    return estimate(pattern, {}, counts)


def units(of: Estimate) -> dict[str, float]:
    """Return the typical units by place: read, table, and each index."""
    total: dict[str, float] = {}
    for part in of.parts:
        place = "read" if part.kind == "read" else part.index.name if part.index else "table"
        if part.units:
            total[place] = total.get(place, 0) + part.units
    return total


READ_UNITS: list[tuple[str, Any, Expectations, float]] = [
    ("a get of 1 byte", Task.key, {"size": 1}, 0.5),
    ("a consistent get of 1 byte", Task.key, {"size": 1, "consistent": True}, 1),
    ("a get of 4 KB", Task.key, {"size": 4096, "consistent": True}, 1),
    ("a get of more than 4 KB", Task.key, {"size": 4097, "consistent": True}, 2),
    ("a get of 10 blocks", Task.key, {"size": 40_000}, 5),
    ("a get of a missing item costs one block", Task.key, {"items": 0, "size": 40_000}, 0.5),
    ("each of ten items is rounded", Task.key, {"items": 10, "size": 100}, 5),
    ("an empty query", Task.key.partition, {"items": 0, "size": 100}, 0.5),
    ("the sum of a query is rounded", Task.key.partition, {"items": 40, "size": 100}, 0.5),
    ("a sum of two blocks", Task.key.partition, {"items": 41, "size": 100}, 1),
    ("a sum of many blocks", Task.key.partition, {"items": 1000, "size": 4096}, 500),
    ("filtered items", Task.key.partition, {"items": 1, "scanned": 400, "size": 1024}, 50),
    ("each of four shards is rounded", Click.key.partition, {"items": 8, "size": 100}, 2),
    # An empty shard costs as much as one with one item.
    ("shards of large items", Click.key.partition, {"items": 40, "size": 4096}, 20),
    # 40 of 300 bytes are 10 in a shard on average, but 14 or more need a second block.
    ("shards by chance", Click.key.partition, {"items": 40, "size": 300}, 2.2),
    ("many by chance", Click.key.partition, {"items": 4_000, "size": 300}, 147.48),
]


@every(("case", "selector", "expected", "units"), READ_UNITS)
def test_read_is_charged_by_blocks_of_4_kb(
    case: str, selector: Any, expected: Expectations, units: float
) -> None:
    pattern = catalog().read("R", case, selector, **expected)
    assert estimate(pattern).typical_read == pytest.approx(units, abs=0.05)


def test_each_shard_may_have_all_items_of_a_limit() -> None:
    pattern = catalog().read("R", "Clicks", Click.key.partition, items=40, size=4096)
    assert estimate(pattern).read == 4 * 40 / 2


def test_index_is_charged_by_the_size_of_its_entries_and_hydrating_by_each_item() -> None:
    whole = catalog().read("A", "Owned", Task.owned, items=20, size=20_000, hydrate=False)
    assert estimate(whole).typical_read < 20 * 20_000 / 4096 / 2
    hydrated = catalog().read("B", "Owned", Task.owned, items=20, size=20_000)
    query, get = estimate(hydrated).parts
    assert get.units == 20 * 5 / 2
    assert query.units == estimate(whole).typical_read


def test_query_with_the_value_of_its_shard_reads_one_shard() -> None:
    made = catalog()

    @made.read_function("R", items=1, size=100)
    def clicks_at(page: str, number: int) -> Selection[Click]:
        """Clicks with a number."""
        return Click.key.partition(page).eq(number)

    assert estimate(clicks_at).typical_read == 0.5


def test_collection_has_the_average_size_of_its_entities() -> None:
    pattern = catalog().read(
        "R", "A project", Project.key.partition, collection=ProjectPage, items=101
    )
    sizes = {Project: 40_000, Task: 400}
    counts = {Project: ItemCount(1), Task: ItemCount(99)}
    average = (40_000 + 99 * 400) / 100
    part = estimate(pattern, sizes, counts)
    assert part.typical_read == -(-101 * average // 4096) / 2
    assert part.read == -(-101 * 40_000 // 4096) / 2


def test_scan_reads_all_counted_items() -> None:
    pattern = catalog().scan("X", "All tasks", Task, reason="a report")
    counts = {Task: ItemCount(1000), Project: ItemCount(24)}
    assert estimate(pattern, {Task: 1024, Project: 1024}, counts).typical_read == 256 / 2


# An item of 3,000 bytes: 3 units in the table and in the full index, 1 in the small one.
LARGE = {"size": 3000}
EVERYWHERE: dict[str, float] = {"table": 3, "by_state": 3, "by_owner": 1}
WRITE_UNITS: list[tuple[str, list[EntityAccess], dict[str, Any], dict[str, float]]] = [
    ("create", [creates(Task)], LARGE, EVERYWHERE),
    ("delete", [deletes(Task)], LARGE, EVERYWHERE),
    ("put", [puts(Task)], LARGE, EVERYWHERE),
    ("not in the small index", [updates(Task, Task.text)], LARGE, {"table": 3, "by_state": 3}),
    ("in both, in no key", [updates(Task, Task.rank)], LARGE, EVERYWHERE),
    # The old entry is deleted, and a new one written.
    ("key of the small index", [updates(Task, Task.owner)], LARGE, {**EVERYWHERE, "by_owner": 2}),
    # The entry appears or disappears.
    ("condition of the index", [updates(Task, Task.state)], LARGE, {"table": 3, "by_state": 3}),
    ("any field, but no key", [updates(Task)], LARGE, EVERYWHERE),
    # A transaction doubles the table and not the indexes.
    ("both", [creates(Task), checks(Project)], {}, {"table": 4, "by_state": 1, "by_owner": 1}),
    ("with a unique value", [creates(Account)], {}, {"table": 4}),
    ("with a counter", [creates(Note)], {}, {"table": 4}),
    # There is no create_many or update_many, but put_many and delete_many.
    ("several creates", [creates(Click)], {"items": 3}, {"table": 6}),
    ("several updates", [updates(Project, Project.about)], {"items": 3}, {"table": 6}),
    ("several puts", [puts(Click)], {"items": 3}, {"table": 3}),
    ("several deletes", [deletes(Click)], {"items": 3}, {"table": 3}),
    # A batch cannot keep the count of a project.
    ("several with a count", [puts(Project)], {"items": 3}, {"read": 3, "table": 6}),
    # A transaction of several items writes their counter once.
    ("several that are counted", [creates(Note)], {"items": 3}, {"table": 3 * 2 + 2}),
    # A bulk load reads items that are not there yet; those with a counter go into transactions.
    ("load", [loads(Click)], {"items": 5, "size": 40_000}, {"read": 5, "table": 5 * 40}),
    ("load in transactions", [loads(Project)], {"items": 5}, {"read": 5, "table": 10}),
    # An upsert reads the item for index keys of other fields.
    ("upsert", [upserts(Project, Project.about)], {}, {"table": 1}),
]


@every(("case", "effects", "expected", "charged"), WRITE_UNITS)
def test_write_is_charged_for_items_and_entries_that_change(
    case: str, effects: list[EntityAccess], expected: dict[str, Any], charged: dict[str, float]
) -> None:
    assert units(write(*effects, **{"size": 100, **expected})) == charged


def test_upsert_reads_the_item_for_index_keys_of_other_fields() -> None:
    assert units(write(upserts(Task, Task.text), size=100))["read"] == 1


def test_update_of_any_field_may_move_its_entries() -> None:
    made = write(updates(Task), size=3000)
    most = {part.index.name: part.most for part in made.parts if part.index}
    assert most == {"by_state": 3, "by_owner": 2}


def test_entry_of_a_sparse_index_is_charged_for_the_items_in_it() -> None:
    counts: dict[type, ItemCount] = {Task: ItemCount(1000, shares={"waiting": 0.1})}
    text = write(updates(Task, Task.text), size=3000, counts=counts)
    assert units(text) == {"table": 3, "by_state": pytest.approx(0.3)}
    assert units(write(deletes(Task), size=500, counts=counts))["by_state"] == pytest.approx(0.1)


def test_new_item_is_in_a_sparse_index_if_its_defaults_are() -> None:
    counts: dict[type, ItemCount] = {Task: ItemCount(1000, shares={"waiting": 0.1})}
    assert units(write(creates(Task), size=500, counts=counts))["by_state"] == 1
    assert units(write(updates(Task, Task.state), size=500, counts=counts))["by_state"] == 1


payments = Table("payments")


class Month(Entity, table=payments):
    name: Attr[str] = attr()
    payments: Attr[int] = attr(default=0)

    key = Key(pk=("MONTH", name), sk="MONTH")


class Payment(Entity, table=payments):
    number: Attr[str] = attr()
    note: Attr[str] = attr(default="")
    external: Attr[str | None] = attr(default=None)
    reverses: Attr[str | None] = attr(default=None)
    month: Attr[str | None] = attr(default=None)

    key = Key(pk=("PAYMENT", number), sk="PAYMENT")
    one_external = Unique(external)
    one_reversal = Unique(reverses)
    counted = Count(Month, Month.payments, key=(month,))


SHARES = {"one_external": 0.5, "one_reversal": 0.2, "counted": 0.1}


@pytest.mark.parametrize(
    ("effects", "shares", "expected"),
    [
        # An item, two markers and a counter.
        ([creates(Payment)], {}, {"table": 2 * 4}),
        # A transaction, unless all three values are absent: 1 − 0.5 × 0.8 × 0.9.
        ([creates(Payment)], SHARES, {"table": 1.64 + 2 * 0.5 + 2 * 0.2 + 2 * 0.1}),
        ([creates(Payment)], dict.fromkeys(SHARES, 0.0), {"table": 1}),
        ([deletes(Payment)], SHARES, {"table": 1.64 + 2 * 0.5 + 2 * 0.2 + 2 * 0.1, "read": 1}),
        # The month is written in any case, and with the payment if that is in it.
        ([creates(Payment), checks(Month)], SHARES, {"table": 2 + 2 + 2 * 0.5 + 2 * 0.2}),
        # A put reads the markers of unchanged values.
        ([puts(Payment)], SHARES, {"table": 1, "read": 1 + 0.5 + 0.2}),
        # The new value is certain, but half of the items have no old one.
        ([updates(Payment, Payment.external)], SHARES, {"table": 2 + 2 + 2 * 0.5, "read": 2}),
        ([updates(Payment, Payment.month)], SHARES, {"table": 2 + 2 + 2 * 0.1, "read": 2}),
    ],
)
def test_optional_values_are_charged_for_the_items_that_have_them(
    effects: list[EntityAccess], shares: dict[str, float], expected: dict[str, float]
) -> None:
    pattern = PatternCatalog("payments", payments).write("W", "A write", *effects)
    made = estimate(pattern, {}, {Payment: ItemCount(1000, shares=shares)})
    assert units(made) == pytest.approx(expected)
    # The most is that of a call with all values.
    assert made.write == estimate(pattern).write


@pytest.mark.parametrize("name", ["external", "one_name", "key"])
def test_shares_of_what_every_item_has_are_rejected(name: str) -> None:
    people = Table("people")

    class Person(Entity, table=people):
        external: Attr[str] = attr()

        key = Key(pk=("PERSON", external), sk="PERSON")
        one_name = Unique(external)

    with pytest.raises(DeclarationError, match=f"shares has '{name}', .* optional, are none"):
        PatternCatalog("p", people, counts={Person: ItemCount(9, shares={name: 0.5})})


def test_update_that_may_write_a_marker_typically_writes_one_item() -> None:
    made = write(updates(Account), size=1000)
    assert units(made)["table"] == 1
    assert made.write > made.typical_write


def test_number_of_a_sequence_is_taken_before_and_without_a_transaction() -> None:
    table = Table("numbers")

    class Parent(Entity, table=table):
        name: Attr[str] = attr()
        last: Attr[int] = attr(default=0)

        key = Key(pk=("PARENT", name), sk="PARENT")

    class Child(Entity, table=table):
        parent: Attr[str] = attr()
        number: Attr[int] = sequence(Parent.last, key=(parent,))

        key = Key(pk=("PARENT", parent), sk=("CHILD", padded(number, 6)))

    pattern = PatternCatalog("numbers", table).write("W", "A child", creates(Child), size=100)
    assert estimate(pattern).typical_write == 2


def test_deleting_a_partition_reads_and_deletes_the_items_of_all_its_entities() -> None:
    counts: dict[type, ItemCount] = {Project: ItemCount(1), Task: ItemCount(99)}
    pattern = catalog().write("W", "Clear", clears(Project), items=100)
    made = estimate(pattern, {Project: 40_000, Task: 1024}, counts)
    # Forty blocks for one project, one for each of the tasks, and two entries of each task.
    assert units(made) == {
        "read": -(-(40_000 + 99 * 1024) // 4096),
        "table": pytest.approx(40 + 99),
        "by_state": pytest.approx(99),
        "by_owner": pytest.approx(99),
    }


def test_every_part_says_how_it_was_computed() -> None:
    for part in write(creates(Task), checks(Project), items=3, size=1500).parts:
        assert "bytes rounded up" in part.how


EFFECTS = [
    creates(Task),
    puts(Task),
    updates(Task),
    updates(Task, Task.owner),
    updates(Task, Task.state),
    upserts(Task, Task.rank),
    deletes(Task),
    creates(Account),
    updates(Account, Account.email),
    puts(Account),
    deletes(Account),
    creates(Note),
    deletes(Note),
    creates(Click),
    clears(Project),
]
READS = [
    Task.key,
    Task.key.partition,
    Task.waiting,
    Task.owned,
    Account.one_email,
    Click.key.partition,
]
SIZES = st.integers(1, 400 * 1024)
ITEMS = st.integers(0, 3000)


CHOICES = st.sampled_from([*READS, *EFFECTS])


def declare(chosen: object, items: int, size: int) -> Pattern:
    expected: Expectations = {"items": items, "size": size}
    if isinstance(chosen, EntityAccess):
        return catalog().write("W", "A write", chosen, **expected)
    selector = cast("Callable[..., Selection[Any]]", chosen)
    return catalog().read("R", "A read", selector, **expected)


@given(CHOICES, ITEMS, SIZES)
def test_typical_units_are_between_zero_and_the_maximum(
    chosen: object, items: int, size: int
) -> None:
    for part in estimate(declare(chosen, items, size)).parts:
        assert 0 <= part.units <= part.most


SMALL_SIZES = st.integers(1, 200 * 1024)


@given(CHOICES, ITEMS, ITEMS, SMALL_SIZES, SMALL_SIZES)
def test_more_or_larger_items_never_cost_fewer_units(
    chosen: object, items: int, more: int, size: int, larger: int
) -> None:
    small = estimate(declare(chosen, items, size))
    for large in (declare(chosen, items + more, size), declare(chosen, items, size + larger)):
        for less, greater in zip(small.parts, estimate(large).parts, strict=True):
            assert less.units <= greater.units
            assert less.most <= greater.most


def test_size_of_a_pattern_is_not_that_of_a_counter() -> None:
    pattern = catalog().write("W", "A long note", creates(Note), size=8_000)
    assert units(estimate(pattern, {Project: 300})) == {"table": 8 * 2 + 2}


def test_put_moves_entries_between_random_shards() -> None:
    spread = Index("spread", pk="GSI1PK", sk="GSI1SK")
    keys = Index("keys", pk="GSI2PK", sk="GSI2SK", projection="KEYS_ONLY")
    table = Table("events", indexes=[spread, keys])

    class Event(Entity, table=table):
        name: Attr[str] = attr()
        text: Attr[str] = attr(default="")

        key = Key(pk=("EVENT", name), sk="EVENT")
        recent = Key(pk=("RECENT", Shards(4)), sk=name).on(spread)
        listed = Key(pk=("LISTED", Shards(4)), sk=name).on(keys)

    pattern = PatternCatalog("events", table).write("W", "Replace", puts(Event), size=100)
    assert units(estimate(pattern)) == {"table": 1, "spread": 1.75, "keys": 1.5}


def test_query_reads_the_items_of_entities_with_longer_keys() -> None:
    made = Table("nested")

    class Folder(Entity, table=made):
        owner: Attr[str] = attr()
        folder: Attr[str] = attr()
        key = Key(pk=("OWNER", owner), sk=("FOLDER", folder))

    class File(Entity, table=made):
        owner: Attr[str] = attr()
        folder: Attr[str] = attr()
        file: Attr[str] = attr()
        key = Key(pk=("OWNER", owner), sk=("FOLDER", folder, "FILE", file))

    patterns = PatternCatalog("nested", made)
    folders = patterns.read("A", "Folders", Folder.key.partition, items=10)

    files = patterns.lookup("B", "Files of a folder", File, File.owner, File.folder, items=9)
    sizes = {Folder: 1024, File: 1024}
    counts = {Folder: ItemCount(100), File: ItemCount(900)}
    assert estimate(folders, sizes, counts).typical_read == 100 / 4 / 2
    assert "90 of them are of other entities" in estimate(folders, sizes, counts).parts[0].how
    assert estimate(files, sizes, counts).typical_read == 1.5
    assert estimate(folders, sizes).typical_read == 1.5  # the numbers of items are not known


def test_deleted_partition_counts_unless_the_counter_is_deleted_in_the_transaction() -> None:
    table = Table("teams")

    class Team(Entity, table=table):
        name: Attr[str] = attr()
        members: Attr[int] = attr(default=0)

        key = Key(pk=("TEAM", name), sk="TEAM")

    class Member(Entity, table=table):
        team: Attr[str] = attr()
        name: Attr[str] = attr()
        badges: Attr[int] = attr(default=0)

        key = Key(pk=("TEAM", team), sk=("MEMBER", name))
        counted = Count(Team, Team.members, key=(team,))

    class Badge(Entity, table=table):
        team: Attr[str] = attr()
        member: Attr[str] = attr()
        name: Attr[str] = attr()

        key = Key(pk=("TEAM", team), sk=("BADGE", member, name))
        counted = Count(Member, Member.badges, key=(team, member))

    catalog = PatternCatalog("teams", table)
    pattern = catalog.write("W", "Delete a team", clears(Team), items=7, size=100)
    counts = {Team: ItemCount(1), Member: ItemCount(3), Badge: ItemCount(3)}
    # A batch deletes the team, and transactions the others; they count in the team only.
    assert units(estimate(pattern, {}, counts)) == {"read": 1, "table": 1 + 3 * 2 + 3 * 2 + 2}
