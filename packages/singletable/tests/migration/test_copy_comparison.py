"""Every kind of fault in the target of a copy is found; concurrent writes are not faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest

from dynamodb_engine.operations import BatchWriteItem, DeleteItem, Operation, PutItem
from dynamodb_engine.steps import run
from dynamodb_engine.testing import InterruptedDriver
from singletable import Store, Table
from singletable.migration import Copy, unchanged
from singletable.migration.copy_comparison import CopyComparison
from singletable.migration.derivation import Derivation, Source, Unit
from singletable.migration.environment import migration_context
from singletable.migration.verification import Verification, VerifySettings
from singletable.schema import ItemKey, model_of
from tests.designs.site import Likes, Name, OldLike, OldUser, Setting, likes, users
from tests.migration.site import Site, memory_site

R = TypeVar("R")


@pytest.fixture
def site() -> Iterator[Site]:
    for site in memory_site():
        site.fill()
        site.carry_over()
        yield site


def compare(
    site: Site,
    *,
    repair: bool = False,
    confirm_deletion: Callable[[int], bool] = lambda count: True,
) -> Verification:
    report = Verification("copy")
    CopyComparison(
        site.env,
        site.derivation(),
        report,
        VerifySettings(repair=repair, confirm_deletion=confirm_deletion),
    ).compare()
    return report


def found(report: Verification) -> list[tuple[str, str]]:
    return sorted((fault.kind, str(fault)) for fault in report.faults)


def test_equal_tables_have_no_faults(site: Site) -> None:
    report = compare(site)
    assert report.ok
    assert report.faults == []
    assert report.sources == {"each(OldUser)": 20, "merge(OldLike)": 20}
    counts = {"User": 20, "User.by_email": 20, "Name": 20, "Likes": 5}
    assert report.expected == report.stored == counts
    assert (report.suspects, site.clock.slept) == (0, [])


def delete(pk: str, sk: str) -> Callable[[Site], object]:
    key = {"PK": {"S": pk}, "SK": {"S": sk}}
    return lambda site: site.engine.execute(DeleteItem("entities", key))  # type: ignore[arg-type]


def plant_difference(site: Site) -> None:
    name = site.store.get(Name.key("u3"))
    assert name is not None
    name.name = "Changed"
    site.store.put(name)


FAULTS: dict[str, tuple[Callable[[Site], object], str, str]] = {
    "missing": (
        delete("USER#u1", "NAME"),
        "missing",
        "PK=USER#u1 SK=NAME: is missing. It is derived from username=u1",
    ),
    "missing merged": (
        delete("POST#p1", "LIKES"),
        "missing",
        "PK=POST#p1 SK=LIKES: is missing. It is derived from post=p1",
    ),
    "different": (plant_difference, "different", "differs in name. It is derived from username=u3"),
    "different merged": (
        lambda site: site.store.put(Likes(post="p2", visitors=[])),
        "different",
        "PK=POST#p2 SK=LIKES: differs in visitors. It is derived from post=p2",
    ),
    "extra": (
        lambda site: site.store.put(Name(username="ghost", name="G")),
        "extra",
        "PK=USER#ghost SK=NAME: is derived from no old item",
    ),
    "failed": (
        lambda site: site.store.put(OldUser(username="new", name="N")),
        "failed",
        "username=new: ValueError: has no e-mail address",
    ),
    "missing group": (
        lambda site: site.engine.execute(
            PutItem("likes", {"post": {"S": "p"}, "visitor": {"S": "v"}})
        ),
        "missing",
        "PK=POST#p SK=LIKES",
    ),
    "collision": (
        lambda site: site.store.put(OldUser(username="U4", name="", email="4@x.org")),
        "collision",
        "PK=USER#u4 SK=PROFILE: is derived from two old items:",
    ),
}


@pytest.mark.parametrize("name", ["u4", "U4"])
def test_collision_that_ends_meanwhile_is_not_reported(site: Site, name: str) -> None:
    FAULTS["collision"][0](site)
    site.clock.on_sleep = lambda: site.store.delete(OldUser.key(name))
    assert not any(kind == "collision" for kind, _ in found(compare(site)))


@pytest.mark.parametrize("name", FAULTS)
def test_each_kind_of_fault_is_found(site: Site, name: str) -> None:
    plant, kind, text = FAULTS[name]
    plant(site)
    report = compare(site)
    assert not report.ok
    assert any(fault == kind and text in line for fault, line in found(report)), found(report)
    if name not in ("collision", "failed"):
        assert len(report.faults) == 1, found(report)


@pytest.mark.parametrize("batch", [50_000, 1])
def test_repair_carries_over_and_deletes(
    site: Site, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable.migration.copy_comparison.EXTRAS", batch)
    site.store.put(Name(username="ghost 2", name="G"))
    for name in ("missing", "different", "extra", "different merged"):
        FAULTS[name][0](site)
    asked: list[int] = []

    def confirm(count: int) -> bool:
        asked.append(count)
        return True

    report = compare(site, repair=True, confirm_deletion=confirm)
    assert (report.ok, report.repaired, asked) == (True, 5, [2] if batch > 1 else [1, 1])
    assert compare(site).faults == []


def test_only_items_that_are_extra_after_the_confirmation_are_counted(site: Site) -> None:
    site.store.put_many([Name(username=name, name=name) for name in ("ghost", "late")])

    def confirm(count: int) -> bool:
        assert count == 2
        site.store.put(OldUser(username="late", name="late", email="late@x.org"))
        site.carry_over()
        return True

    report = compare(site, repair=True, confirm_deletion=confirm)
    assert (report.ok, report.repaired, len(report.faults)) == (True, 1, 1)
    assert "ghost" in str(report.faults[0])
    assert site.store.get(Name.key("late")) is not None


# The source is deleted before each request in turn; the last one is after all of them.
@pytest.mark.parametrize("request_number", range(12))
def test_a_repair_that_writes_nothing_is_not_counted(site: Site, request_number: int) -> None:
    FAULTS["different"][0](site)
    put = InterruptedDriver(site.env.driver, BatchWriteItem)
    delete = InterruptedDriver(
        put, before=lambda: site.store.delete(OldUser.key("u3")), first=request_number
    )
    site.env.segments, site.env.page_size = 1, None
    site.env.driver = delete
    site.env.__post_init__()
    report = compare(site, repair=True, confirm_deletion=lambda count: False)
    different = [fault for fault in report.faults if fault.kind == "different"]
    # The target is written by the repair, and nothing else is.
    assert report.repaired == len(different) == put.count


def test_a_repair_that_is_undone_at_once_is_not_counted(site: Site) -> None:
    FAULTS["different"][0](site)
    site.env.driver = InterruptedDriver(
        site.env.driver, BatchWriteItem, after=lambda: plant_difference(site)
    )
    site.env.__post_init__()
    report = compare(site, repair=True)
    assert (report.ok, report.repaired, len(report.faults)) == (False, 0, 1)


def test_repair_deletes_nothing_without_confirmation_or_while_rules_fail(site: Site) -> None:
    FAULTS["extra"][0](site)
    report = compare(site, repair=True, confirm_deletion=lambda count: False)
    assert (report.ok, report.repaired) == (False, 0)
    FAULTS["failed"][0](site)
    report = compare(site, repair=True)
    assert (report.ok, report.repaired) == (False, 0)
    assert "not deleted" in report.notes[0]
    assert site.store.get(Name.key("ghost")) is not None


def test_entities_that_were_in_the_target_before_are_left_alone(site: Site) -> None:
    site.store.put(Setting(name="theme"))
    report = compare(site, repair=True)
    assert (report.ok, report.faults) == (True, [])
    assert report.notes == ["Setting: 1 stored, but no rule derives this kind of item. Left alone."]


def test_items_that_may_have_expired_are_not_compared(site: Site) -> None:
    past = {"N": str(int(site.clock.now) - 1)}
    item = {"PK": {"S": "USER#z"}, "SK": {"S": "NAME"}, "name": {"S": "Z"}, "expires": past}
    site.engine.execute(PutItem("entities", item))  # type: ignore[arg-type]
    assert compare(site).faults == []


def test_many_faults_are_counted(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("copy_comparison", "verification"):
        monkeypatch.setattr(f"singletable.migration.{module}.MAX_FAULTS", 3)
    monkeypatch.setattr("singletable.migration.copy_comparison.BATCH", 4)
    for number in range(10):
        delete(f"USER#u{number}", "NAME")(site)
    report = compare(site)
    assert (len(report.faults), report.more, report.unchecked) == (3, 1, 6)


class LiveWriter:
    """Writes to the source at each n-th request, and carries the change over before the next."""

    def __init__(self, site: Site, every: int) -> None:
        self.site = site
        self.every = every
        self.requests = self.writes = 0
        self.derivation = site.derivation()
        self.driver = site.env.driver
        self.waiting: list[tuple[Unit, Source]] = []

    def execute(self, operation: Operation[R], /) -> R:
        output = self.driver.execute(operation)
        self.requests += 1
        if self.requests % self.every == 0:
            self.carry_over()
            self.write()
        return output

    def write(self) -> None:
        """Change, create or delete a user and a like."""
        self.writes += 1
        user = OldUser(
            username=f"u{self.writes % 25}",
            name=f"Name {self.writes}",
            email=f"{self.writes % 25}@x.org",
        )
        like = OldLike(post="p1", visitor=f"v{self.writes % 7}")
        keys: list[ItemKey[Any]] = [OldUser.key(user.username), OldLike.key("p1", like.visitor)]
        for table, entity, key in ((users, user, keys[0]), (likes, like, keys[1])):
            before: object = self.site.store.get(key)
            old = [] if before is None else [model_of(type(before)).item(vars(before))]
            unit = self.derivation.unit_of(table, model_of(type(entity)).item(vars(entity)))
            assert unit is not None
            if self.writes % 4 == 0:
                self.site.store.delete(key)
            else:
                self.site.store.put(entity)
            self.waiting.append((unit, old if table is users else []))

    def carry_over(self) -> None:
        """Copy the changes, as the migration does a little later."""
        units = {unit: [source] for unit, source in self.waiting}
        run(self.driver, self.derivation.carry_over(units))
        self.waiting.clear()


@pytest.mark.parametrize("every", [1, 2, 3])
def test_concurrent_writes_are_not_faults(site: Site, every: int) -> None:
    site.env.segments = 1
    writer = LiveWriter(site, every)
    site.env.driver = writer
    site.env.__post_init__()
    site.clock.on_sleep = writer.carry_over
    report = compare(site)
    assert writer.writes > 5
    assert found(report) == []
    assert report.suspects > 0


def test_a_sample_finds_faults_and_is_repeatable(site: Site) -> None:
    for number in range(20):
        delete(f"USER#u{number}", "NAME")(site)

    def sample(size: int, seed: int) -> Verification:
        report = Verification("copy")
        CopyComparison(site.env, site.derivation(), report, VerifySettings()).compare_sample(
            size, seed
        )
        return report

    assert {fault.kind for fault in sample(6, 1).faults} == {"missing"}
    assert found(sample(6, 1)) == found(sample(6, 1))
    assert len(sample(1000, 1).faults) == 20


def test_unchanged_items_are_compared_in_canonical_form(site: Site) -> None:
    old = Table("old-copy", pk="id", sk=None)
    new = Table("new-copy", pk="id", sk=None)
    copy = Copy(new, unchanged(old))
    site.env.context = migration_context({old: "source", new: "target"}, {}, site.clock)
    store = Store(site.engine)
    for table in (old, new):
        store.admin.create_table(table)
    tags, other = {"SS": ["a", "b"]}, {"SS": ["b", "a"]}
    site.engine.execute(PutItem("old-copy", {"id": {"S": "1"}, "t": tags}))  # type: ignore[dict-item]
    site.engine.execute(PutItem("new-copy", {"id": {"S": "1"}, "t": other}))  # type: ignore[dict-item]
    report = Verification("copy")
    moment = site.env.context.clock()
    derivation = Derivation(copy.rules, new, site.env.context, moment)
    CopyComparison(site.env, derivation, report, VerifySettings()).compare()
    assert report.ok
    site.engine.execute(PutItem("new-copy", {"id": {"S": "2"}}))
    report = Verification("copy")
    CopyComparison(site.env, derivation, report, VerifySettings()).compare()
    assert [fault.kind for fault in report.faults] == ["extra"]
