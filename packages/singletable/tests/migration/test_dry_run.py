"""A dry run calls the rules for all items, reports what would fail, and writes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dynamodb_engine.operations import Operation, PutItem, Scan, UpdateItem
from dynamodb_engine.operations.registry import OPERATIONS
from dynamodb_engine.testing import InterruptedDriver
from dynamodb_engine.values import Item
from singletable import Attr, Driver, Engine, Entity, Index, Key, Store, Table, attr, version
from singletable.cli.migration_view import dry_run_lines, print_results
from singletable.errors import DeclarationError, TransformFailed
from singletable.migration import (
    Backfill,
    Copy,
    Migration,
    MigrationRunner,
    Part,
    Rewrite,
    Rule,
    each,
    leave_out,
    merge,
    unchanged,
)
from singletable.migration.derivation import item_key
from singletable.migration.rehearsal import dry_run
from singletable.migration.state import is_state_item
from singletable.migration.trial import DryRun, StepTrial
from tests.designs.site import (
    MERGE,
    SPLIT,
    Age,
    Likes,
    Name,
    OldLike,
    OldUser,
    User,
    entities,
    likes,
    users,
)
from tests.migration.site import Site, memory_site


@pytest.fixture
def site() -> Iterator[Site]:
    for site in memory_site():
        site.fill()
        yield site


def writes(operation: Operation[object]) -> bool:
    return OPERATIONS[type(operation)].writes


def try_copy(site: Site, copy: Copy | None = None, sample: int | None = None) -> StepTrial:
    migration = Migration(copy or site.copy, name="0001_copy")
    driver = InterruptedDriver(site.engine, writes)
    result: DryRun = dry_run(migration, driver, sample=sample, page_size=7)
    assert driver.count == 0
    (trial,) = result.steps
    assert result.ok == (not trial.failed)
    return trial


def test_a_dry_run_counts_and_shows_examples(site: Site) -> None:
    trial = try_copy(site)
    assert trial.items == 40
    assert trial.by_rule == {"each(OldUser)": 20, "merge(OldLike)": 20}
    assert trial.new_items == {"User": 20, "User.by_email": 20, "Name": 20, "Likes": 5}
    first = trial.examples[0]
    assert [one.rule for one in trial.examples].count("each(OldUser)") == 3
    (old,) = first.before
    assert isinstance(old, OldUser)
    assert {type(new) for new in first.after} == {User, Name, dict}


def test_a_sample_has_the_same_share_of_each_table(site: Site) -> None:
    trial = try_copy(site, sample=10)
    assert trial.items == 40
    assert trial.by_rule == {"each(OldUser)": 5, "merge(OldLike)": 5}


def test_failures_are_grouped_by_reason_with_keys(site: Site) -> None:
    for name in ("eve", "mallory"):
        site.store.put(OldUser(username=name, name=name))
    site.store.put(OldUser(username="U4", name="x", email="other@x.org"))
    trial = try_copy(site)
    failed = trial.failures["ValueError: has no e-mail address"]
    assert failed.count == 2
    assert {str(key["username"]["S"]) for key in failed.keys} == {"eve", "mallory"}
    assert trial.collisions.count == 1
    assert "is also derived from username=" in trial.collisions.reasons[0]
    assert trial.failed == 3


def test_items_without_a_rule_are_reported(site: Site) -> None:
    posts = Table("posts", pk="id", sk=None)

    class Draft(Entity, table=posts):
        number: Attr[str] = attr()
        key = Key(pk=("DRAFT", number))

    site.store.admin.create_table(posts)
    site.store.put(Draft(number="1"))
    site.engine.execute(PutItem("posts", {"id": {"S": "POST#7"}}))
    trial = try_copy(site, Copy(entities, each(Draft, lambda draft: None)))
    ((reason, failed),) = trial.failures.items()
    assert "no rule takes this item" in reason
    assert failed.keys == [{"id": {"S": "POST#7"}}]


def test_left_out_items_are_counted(site: Site) -> None:
    trial = try_copy(site, Copy(entities, leave_out(OldUser), leave_out(OldLike)))
    assert trial.by_rule["left out, or markers of unique values"] == 40
    assert trial.new_items == {}


def test_new_items_that_dynamodb_rejects_are_reported(site: Site) -> None:
    # The name is the key of an index, which must not be empty.
    copy = Copy(
        entities,
        each(OldUser, lambda old: Name(username=old.username, name="")),
        leave_out(OldLike),
    )
    trial = try_copy(site, copy)
    ((reason, failed),) = trial.failures.items()
    assert (failed.count, len(failed.keys)) == (20, 10)
    assert "IndexKey: name" in reason


def test_unchanged_items_are_shown_as_they_are(site: Site) -> None:
    copied = Table("copied", pk="username", sk=None)
    trial = try_copy(site, Copy(copied, unchanged(users)))
    assert trial.by_rule == {"unchanged(users)": 20}
    assert trial.new_items == {"(no entity)": 20}


def test_a_rewrite_shows_each_changed_item_once(site: Site) -> None:
    def shout(old: OldUser) -> OldUser:
        return OldUser(username=old.username, name=old.name.upper(), email=old.email)

    result = dry_run(Migration(Rewrite(each(OldUser, shout)), name="0001"), site.engine)
    examples = result.steps[0].examples
    assert [one.rule for one in examples] == ["each(OldUser)"] * 3


# The version changes, too, so the entities before and after do not look equal.
def test_a_backfill_shows_the_attributes_that_change(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    index = Index("GSI1", pk="GSI1PK")
    old_people, people = Table("people"), Table("people", indexes=[index])

    class OldPerson(Entity, table=old_people):
        name: Attr[str] = attr()
        city: Attr[str] = attr(default="Rome")
        kept: Attr[int] = attr(default=1)
        v: Attr[int] = version()
        key = Key(pk=("PERSON", name), sk="PERSON")

    class Person(Entity, table=people, schema_version=("n", 2)):
        name: Attr[str] = attr()
        city: Attr[str] = attr(name="town")
        kept: Attr[int] = attr(default=1)
        v: Attr[int] = version()
        key = Key(pk=("PERSON", name), sk="PERSON")
        by_name = Key(pk=("NAME", name)).on(index)

    Person.renamed(from_=1, city="city")
    site.store.admin.create_table(people)
    site.store.put(OldPerson(name="ada"))
    result = dry_run(Migration(Backfill(Person), name="0001"), site.engine)
    print_results([result], dry_run_lines)
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    (old,) = (line.split() for line in lines if line.startswith("- "))
    (new,) = (line.split() for line in lines if line.startswith("+ "))
    assert {*old} == {"-", "PK=PERSON#ada", "SK=PERSON", "city=Rome", "v=1"}
    assert {*new} == {
        "+",
        "PK=PERSON#ada",
        "SK=PERSON",
        "town=Rome",
        "v=2",
        "n=2",
        "GSI1PK=NAME#ada",
    }


# The way back of a Copy


def join(found: list[User | Name | Age]) -> OldUser | None:
    joined: dict[str, Any] = {}
    for one in found:
        joined |= vars(one)
    fields = {name: joined[name] for name in ("username", "name", "email", "age") if name in joined}
    return OldUser(**fields) if "email" in fields else None


def lose_age(found: list[User | Name | Age]) -> OldUser | None:
    joined = join(found)
    if joined is not None and joined.username == "u1":
        joined.age = 0
    return joined


def refuse(found: list[User | Name | Age]) -> OldUser | None:
    if found[0].username in ("u1", "u2"):
        raise ValueError("cannot be joined")
    return join(found)


def grow(found: list[User | Name | Age]) -> OldUser | None:
    joined = join(found)
    if joined is not None and joined.username == "u1":
        joined.name = "x" * 410_000
    return joined


def separate(found: Likes) -> list[OldLike]:
    return [OldLike(post=found.post, visitor=visitor) for visitor in found.visitors]


def rename_post(found: Likes) -> list[OldLike]:
    return [OldLike(post=found.post.upper(), visitor=visitor) for visitor in found.visitors]


def lose_visitor(found: Likes) -> list[OldLike]:
    return separate(found)[1:]


def join_by(into: Any) -> Rule:
    parts: tuple[Any, ...] = tuple(
        Part(entity, group=lambda one: one.username, read=entity.key)
        for entity in (User, Name, Age)
    )
    return merge(*parts, into=into)


def copy_back(*back: Rule) -> Copy:
    return Copy(entities, SPLIT, MERGE, back=back)


BACK: dict[str, tuple[Rule, ...]] = {
    "complete": (join_by(join), each(Likes, separate)),
    "lossy merge": (join_by(lose_age), each(Likes, separate)),
    "other keys": (join_by(join), each(Likes, rename_post)),
    # Nothing is derived, so the old items stay as they are.
    "left out": (join_by(join), leave_out(Likes)),
    "fewer items": (join_by(join), each(Likes, lose_visitor)),
    "lossy and other keys": (join_by(lose_age), each(Likes, rename_post)),
}
DIFFERENT = {"lossy merge": 1, "other keys": 6, "lossy and other keys": 7}


def fill_small(site: Site) -> None:
    site.store.put_many(
        [OldUser(username=f"u{n}", name=f"N{n}", email=f"{n}@x.org", age=n) for n in range(4)]
    )
    site.store.put_many([OldLike(post=f"p{n % 2}", visitor=f"v{n}") for n in range(6)])


@pytest.fixture
def small_site() -> Iterator[Site]:
    for site in memory_site():
        fill_small(site)
        yield site


def items_of(driver: Driver, *tables: Table) -> dict[str, Item]:
    return {
        f"{table.name} {item_key(table, item)}": item
        for table in tables
        for item in driver.execute(Scan(table.name)).items
        if not is_state_item(item)
    }


def differing(before: dict[str, Item], after: dict[str, Item]) -> set[str]:
    return {key for key in before | after if before.get(key) != after.get(key)}


def predicted(trial: StepTrial) -> set[str]:
    """Return the tables and keys of the examples."""
    found: set[str] = set()
    for example in trial.examples:
        item: Any = (example.before or example.after)[0]
        table = users if "username" in item else likes
        found.add(f"{table.name} {item_key(table, item)}")
    return found


def touch(driver: Driver) -> None:
    """Write every new item, and leave it as it was."""
    for item in items_of(driver, entities).values():
        for update in ("SET touched = :one", "REMOVE touched"):
            values: Item | None = {":one": {"S": "1"}} if ":one" in update else None
            driver.execute(
                UpdateItem(
                    "entities",
                    item_key(entities, item),
                    update_expression=update,
                    expression_attribute_values=values,
                )
            )


def go_back(driver: Driver, copy: Copy) -> None:
    """Run a migration, write every new item after the cut-over, and roll back."""
    runner = MigrationRunner(Migration(copy, name="0001"), driver, sleep=lambda seconds: None)
    runner.run()
    runner.cut_over()
    touch(driver)
    runner.rollback()


def try_back(driver: Driver, copy: Copy, sample: int | None = None) -> tuple[DryRun, StepTrial]:
    watched = InterruptedDriver(driver, writes)
    migration = Migration(copy, name="0001")
    result = dry_run(migration, watched, examples=100, sample=sample, page_size=3)
    assert watched.count == 0
    undo = result.steps[0].undo
    assert undo is not None
    assert undo.step == "Roll back Copy(users, likes -> entities)"
    return result, undo


@pytest.mark.parametrize("name", BACK)
def test_a_dry_run_of_a_copy_predicts_what_a_rollback_leaves(small_site: Site, name: str) -> None:
    engine, copy = small_site.engine, copy_back(*BACK[name])
    before = items_of(engine, users, likes)
    result, undo = try_back(engine, copy)
    assert result.ok
    go_back(engine, copy)
    different = differing(before, items_of(engine, users, likes))
    assert predicted(undo) == different
    expected = DIFFERENT.get(name, 0)
    assert len(different) == expected
    text = f"{expected} would not be as before" if expected else "All would be as before"
    assert undo.notes == [text]


REFUSED: dict[str, tuple[tuple[Rule, ...], str, int]] = {
    "error": ((join_by(refuse), each(Likes, separate)), "ValueError: cannot be joined", 2),
    "no rule": ((join_by(join),), "no rule takes this item", 2),
    "rejected": ((join_by(grow), each(Likes, separate)), "DynamoDB rejects an old item", 1),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_dry_run_of_a_copy_finds_items_that_cannot_go_back(small_site: Site, name: str) -> None:
    back, reason, count = REFUSED[name]
    result, undo = try_back(small_site.engine, copy_back(*back))
    assert (result.ok, result.steps[0].failed, undo.failed) == (False, 0, count)
    ((found, failed),) = undo.failures.items()
    assert (reason in found, failed.count) == (True, count)
    with pytest.raises(Exception, match=r"cannot be joined|no rule takes|size"):
        go_back(small_site.engine, copy_back(*back))


def test_a_dry_run_of_a_copy_finds_new_items_that_become_the_same_old_one(
    small_site: Site,
) -> None:
    same = each(Likes, lambda found: OldLike(post="p", visitor="v"))
    result, undo = try_back(small_site.engine, copy_back(join_by(join), same))
    assert (result.ok, undo.collisions.count) == (False, 1)
    assert "is also derived from PK=POST#" in undo.collisions.reasons[0]
    with pytest.raises(TransformFailed, match="also derived"):
        go_back(small_site.engine, copy_back(join_by(join), same))


def test_the_way_back_of_a_copy_that_fails_is_not_tried(small_site: Site) -> None:
    small_site.store.put(OldUser(username="eve"))
    copy = copy_back(*BACK["complete"])
    (trial,) = dry_run(Migration(copy, name="0001"), small_site.engine).steps
    assert (trial.failed, trial.undo) == (1, None)
    skips = Copy(entities, SPLIT, MERGE, back=copy.back, skip_failures=True)
    assert try_back(small_site.engine, skips)[1].notes == ["All would be as before"]


def test_in_a_sample_only_groups_that_are_complete_are_tried(small_site: Site) -> None:
    copy = copy_back(*BACK["complete"])
    assert "Not tried: in a sample" in try_back(small_site.engine, copy, sample=2)[1].notes[0]
    undo = try_back(small_site.engine, copy, sample=10)[1]
    assert undo.notes == ["All would be as before"]
    # What goes back may be an item that is in the table, but not among the first ones.
    every = sorted(items_of(small_site.engine, users))
    rule = each(Name, lambda new: [OldUser(username=f"u{n}") for n in range(len(every) + 1)])
    one = Copy(entities, SPLIT, leave_out(OldLike), back=[rule, leave_out(User), leave_out(Age)])
    result = dry_run(Migration(one, name="0001"), small_site.engine, sample=1)
    undo = result.steps[0].undo or undo
    assert undo.notes == ["2 would not be as before"]


@pytest.mark.parametrize("has_two", [False, True], ids=["one address", "two addresses"])
def test_the_steps_before_a_copy_change_what_it_reads(small_site: Site, has_two: bool) -> None:
    def shout(old: OldUser) -> OldUser:
        return OldUser(username=old.username, name=old.name.upper(), email=old.email, age=old.age)

    def name_of(found: list[User | Name | Age]) -> OldUser | None:
        joined = join(found)
        if joined is not None:
            joined.name = joined.name.upper()
        return joined

    copy = copy_back(join_by(name_of), each(Likes, separate))
    small_site.store.put(OldUser(username="u0", name="small", email="0@x.org"))
    migration = Migration(
        Rewrite(each(OldUser, shout), back=[each(OldUser, shout)]), copy, name="1"
    )
    with Engine.in_memory() as other:
        target = other if has_two else None
        result = dry_run(migration, small_site.engine, target, examples=100)
        Store(other).admin.create_table(entities)
        plan = dry_run(migration, small_site.engine, target, sample=2000)
    assert [step.items for step in plan.steps] == [4, 10]
    rewrite, copied = result.steps
    assert rewrite.undo is not None
    assert copied.undo is not None
    assert (rewrite.items, copied.items) == (4, 10)
    assert copied.undo.notes == ["All would be as before"]


def test_the_rules_that_go_back_read_the_new_table() -> None:
    with pytest.raises(DeclarationError, match=r"reads <?Table.*users"):
        Copy(entities, SPLIT, back=[each(OldUser, lambda old: None)])
