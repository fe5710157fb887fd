"""A dry run calls the rules for all items, reports what would fail, and writes nothing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from singletable import Attr, Entity, Index, Key, Table, attr, version
from singletable.cli.migration_view import dry_run_lines, print_results
from singletable.migration import Backfill, Copy, Migration, Rewrite, each, leave_out, unchanged
from singletable.migration.rehearsal import DryRun, dry_run
from singletable.migration.trial import StepTrial
from singletable.operations import Operation, PutItem
from singletable.operations.registry import OPERATIONS
from singletable.testing import InterruptedDriver
from tests.designs.site import Name, OldLike, OldUser, User, entities, users
from tests.migration.site import Site, memory_site


@pytest.fixture
def site() -> Iterator[Site]:
    for site in memory_site():
        site.fill()
        yield site


def writes(operation: Operation[object]) -> bool:
    return OPERATIONS[type(operation)].writes


def try_copy(site: Site, copy: Copy | None = None, limit: int | None = None) -> StepTrial:
    migration = Migration(copy or site.copy, name="0001_copy")
    driver = InterruptedDriver(site.engine, writes)
    result: DryRun = dry_run(migration, driver, limit=limit, page_size=7)
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


def test_a_limit_applies_to_each_table(site: Site) -> None:
    assert try_copy(site, limit=5).items == 10


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
