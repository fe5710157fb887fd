"""Rewrite: split, merge and move items within a table, with their markers, while it is in use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from dynamodb_engine.operations import Query, Scan, TransactWriteItems
from dynamodb_engine.operations.registry import OPERATIONS
from dynamodb_engine.testing import InterruptedDriver
from singletable import Attr, Driver, Engine, Entity, Key, Store, Table, Unique, attr, version
from singletable.errors import MigrationError, TransformFailed, VersionConflict
from singletable.migration import (
    Backfill,
    Migration,
    MigrationRunner,
    Part,
    Rewrite,
    each,
    leave_out,
    merge,
    unchanged,
)
from singletable.migration.rehearsal import dry_run, dry_run_down
from singletable.migration.step import Step
from tests.migration.in_place import crash_at_every_request, environment, stored

# The old entities have a declaration of the table of their own, because keys overlap.
old_app = Table("app")
app = Table("app")
short_app = Table("app")


class Account(Entity, table=old_app, type_tag=("type", "account")):
    """The old entity: everything in one item."""

    name: Attr[str] = attr()
    email: Attr[str] = attr()
    bio: Attr[str] = attr(default="")
    revision: Attr[int] = version()
    key = Key(pk=("ACCOUNT", name), sk="ACCOUNT")
    by_email = Unique(email, pk=("EMAIL", email), sk="EMAIL")


class User(Entity, table=app, type_tag=("type", "user")):
    name: Attr[str] = attr()
    email: Attr[str] = attr()
    revision: Attr[int] = version()
    key = Key(pk=("USER", name), sk="USER")
    by_email = Unique(email, pk=("EMAIL", email), sk="EMAIL")


class Profile(Entity, table=app, type_tag=("type", "profile")):
    name: Attr[str] = attr()
    bio: Attr[str] = attr()
    key = Key(pk=("USER", name), sk="PROFILE")


class ShortAccount(Entity, table=short_app, type_tag=("type", "account")):
    """The old entity without its bio, under the same key."""

    name: Attr[str] = attr()
    email: Attr[str] = attr()
    revision: Attr[int] = version()
    key = Key(pk=("ACCOUNT", name), sk="ACCOUNT")
    by_email = Unique(email, pk=("EMAIL", email), sk="EMAIL")


class Setting(Entity, table=app, type_tag=("type", "setting")):
    """An entity that no rule is about."""

    name: Attr[str] = attr()
    key = Key(pk=("SETTING", name), sk="SETTING")


def split(old: Account) -> Iterator[User | Profile]:
    if old.email == "bad":
        raise ValueError("has no address")
    yield User(name=old.name, email=old.email)
    if old.bio:
        yield Profile(name=old.name, bio=old.bio)


def join(found: list[User | Profile]) -> Account | None:
    users = [one for one in found if isinstance(one, User)]
    profiles = [one for one in found if isinstance(one, Profile)]
    if not users:
        return None
    bio = profiles[0].bio if profiles else ""
    return Account(name=users[0].name, email=users[0].email, bio=bio)


STEP = Rewrite(
    each(Account, split),
    back=[
        merge(
            Part(User, group=lambda user: user.name, read=User.key),
            Part(Profile, group=lambda profile: profile.name, read=Profile.key),
            into=join,
        )
    ],
)


def fill(driver: Driver, count: int = 5) -> None:
    store = Store(driver)
    store.admin.create_table(app)
    for n in range(count):
        store.create(Account(name=f"u{n}", email=f"{n}@x.org", bio="b" * (n % 2)))
    store.put(Setting(name="s"))


@pytest.fixture
def engine(engine: Engine) -> Engine:
    fill(engine)
    return engine


def test_items_are_split_with_their_unique_values_and_back(
    driver: Driver,
) -> None:
    fill(driver)
    expected = stored(driver, app)
    store = Store(driver)
    env = environment(driver, app, old_app, segments=2)
    STEP.run(env)
    assert env.state.counts["Rewrite"] == 5
    assert store.find(User.by_email("3@x.org")) == store.get(User.key("u3"))
    assert store.get(Profile.key("u3")) == Profile(name="u3", bio="b")
    assert store.get(Profile.key("u2")) is None
    assert not any(item.get("type") == {"S": "account"} for item in stored(driver, app))
    store.delete(User.key("u4"))
    store.create(User(name="new", email="4@x.org"))
    store.delete(User.key("new"))
    store.create(User(name="u4", email="4@x.org"))
    STEP.undo(env)
    assert stored(driver, app) == expected


def test_running_again_changes_nothing(engine: Engine) -> None:
    env = environment(engine, app, old_app)
    STEP.run(env)
    expected = stored(engine, app)
    STEP.run(env)
    assert env.state.counts["Rewrite"] == 0
    assert stored(engine, app) == expected


def test_concurrent_writes_are_kept(engine: Engine) -> None:
    store = Store(engine)

    def write() -> None:
        store.update(Account.key("u0"), Account.bio.set("changed"))
        store.update(Account.key("u1"), Account.email.set("new@x.org"))
        store.delete(Account.key("u2"))

    STEP.run(
        environment(
            InterruptedDriver(engine, TransactWriteItems, before=write),
            app,
            old_app,
            page_size=None,
        ),
    )
    profile = store.get(Profile.key("u0"))
    assert profile is not None
    assert profile.bio == "changed"
    user = store.find(User.by_email("new@x.org"))
    assert user is not None
    assert user.name == "u1"
    assert store.find(User.by_email("1@x.org")) is None
    assert store.get(User.key("u2")) is None


class Like(Entity, table=app, type_tag=("type", "like")):
    post: Attr[str] = attr()
    visitor: Attr[str] = attr()
    key = Key(pk=("POST", post), sk=("LIKE", visitor))


class Likes(Entity, table=app, type_tag=("type", "likes")):
    post: Attr[str] = attr()
    visitors: Attr[list[str]] = attr()
    key = Key(pk=("POST", post), sk="LIKES")


def collect(found: list[Like]) -> Likes:
    return Likes(post=found[0].post, visitors=sorted(like.visitor for like in found))


def separate(likes: Likes) -> list[Like]:
    return [Like(post=likes.post, visitor=visitor) for visitor in likes.visitors]


LIKES = Rewrite(
    merge(Part(Like, group=lambda like: like.post, read=Like.key.partition), into=collect),
    back=[each(Likes, separate)],
)


def test_groups_are_merged_and_separated_again(engine: Engine) -> None:
    store = Store(engine)
    store.put_many([Like(post=f"p{n % 3}", visitor=f"v{n}") for n in range(12)])
    expected = stored(engine, app)
    env = environment(engine, app, old_app, segments=2)
    LIKES.run(env)
    assert store.get(Likes.key("p1")) == Likes(post="p1", visitors=["v1", "v10", "v4", "v7"])
    assert list(store.query(Like.key.partition("p1"))) == []
    LIKES.undo(env)
    assert stored(engine, app) == expected


def test_a_group_that_changes_concurrently_is_read_again(engine: Engine) -> None:
    store = Store(engine)
    store.put_many([Like(post="p", visitor=f"v{n}") for n in range(3)])

    def write() -> None:
        store.delete(Like.key("p", "v0"))
        store.put(Like(post="p", visitor="w"))

    LIKES.run(
        environment(InterruptedDriver(engine, TransactWriteItems, before=write), app, old_app),
    )
    assert store.get(Likes.key("p")) == Likes(post="p", visitors=["v1", "v2", "w"])


def test_a_group_with_too_many_items_for_a_transaction_is_reported(engine: Engine) -> None:
    store = Store(engine)
    store.put_many([Like(post="p", visitor=f"v{n}") for n in range(100)])
    with pytest.raises(TransformFailed, match=r"takes 101 writes .*at most 100"):
        LIKES.run(environment(engine, app, old_app, page_size=None))
    assert len(list(store.query(Like.key.partition("p")))) == 100


class Renamed(Entity, table=app, type_tag=("type", "member")):
    """A new entity with the key of the old one."""

    name: Attr[str] = attr()
    address: Attr[str] = attr()
    revision: Attr[int] = version()
    key = Key(pk=("ACCOUNT", name), sk="ACCOUNT")


def test_an_item_that_keeps_its_key_gets_a_later_version(engine: Engine) -> None:
    store = Store(engine)
    read = store.get(Account.key("u1"))
    assert read is not None

    def rename(old: Account) -> Renamed:
        return Renamed(name=old.name, address=old.email)

    Rewrite(each(Account, rename)).run(environment(engine, app, old_app))
    renamed = store.get(Renamed.key("u1"))
    assert renamed is not None
    assert (renamed.address, renamed.revision) == ("1@x.org", 2)
    with pytest.raises(VersionConflict):
        store.put(read)
    assert not any("owner_PK" in item for item in stored(engine, app))


def test_none_deletes_an_item_and_its_marker(engine: Engine) -> None:
    Rewrite(each(Account, lambda old: None)).run(environment(engine, app, old_app))
    assert [item["type"]["S"] for item in stored(engine, app)] == ["setting"]


def take_bio(old: Account) -> Iterator[ShortAccount | Profile]:
    yield ShortAccount(name=old.name, email=old.email)
    if old.bio:
        yield Profile(name=old.name, bio=old.bio)


def test_fields_move_to_a_new_entity_while_the_old_one_keeps_its_key(engine: Engine) -> None:
    step = Rewrite(each(Account, take_bio))
    step.run(environment(engine, app, old_app))
    store = Store(engine)
    found = store.get(ShortAccount.key("u1"))
    assert found is not None
    assert found.email == "1@x.org"
    assert store.get(Profile.key("u1")) == Profile(name="u1", bio="b")
    assert store.find(ShortAccount.by_email("1@x.org")) == found
    rewritten = stored(engine, app)
    assert not any("bio" in item for item in rewritten if "revision" in item)
    step.run(environment(engine, app, old_app))
    assert stored(engine, app) == rewritten


def put_bio_back(found: list[ShortAccount | Profile]) -> list[ShortAccount | Profile | Account]:
    users = [one for one in found if isinstance(one, ShortAccount)]
    bios = [one.bio for one in found if isinstance(one, Profile)]
    if not users or not bios:
        return [*found]  # merged already
    return [Account(name=users[0].name, email=users[0].email, bio=bios[0])]


BIOS_BACK = merge(
    Part(ShortAccount, group=lambda account: account.name, read=ShortAccount.key),
    Part(Profile, group=lambda profile: profile.name, read=Profile.key),
    into=put_bio_back,
)


def test_a_merge_may_give_its_result_the_key_of_a_member(engine: Engine) -> None:
    for n in range(5):
        Store(engine).update(Account.key(f"u{n}"), Account.bio.set("b"))
    expected = stored(engine, app)
    step = Rewrite(each(Account, take_bio), back=[BIOS_BACK])
    env = environment(engine, app, old_app, short_app)
    step.run(env)
    for _ in range(2):
        step.undo(env)
        restored = stored(engine, app)
        # The version counts up, for programs that read the item before.
        assert [{**item, "revision": None} for item in restored] == [
            {**item, "revision": None} for item in expected
        ]
    Store(engine).create(Profile(name="nobody", bio="b"))
    step.undo(env)
    assert Store(engine).get(Profile.key("nobody")) is not None


class Entry(Entity, table=app, type_tag=("type", "entry")):
    account: Attr[str] = attr()
    number: Attr[int] = attr()
    amount: Attr[int] = attr()
    revision: Attr[int] = version()
    key = Key(pk=("LEDGER", account), sk=("ENTRY", number))


class Balance(Entity, table=app, type_tag=("type", "balance")):
    account: Attr[str] = attr()
    amount: Attr[int] = attr(default=0)
    revision: Attr[int] = version()
    key = Key(pk=("LEDGER", account), sk="BALANCE")


def add_up(found: list[Entry | Balance]) -> list[Entry | Balance]:
    entries = [one for one in found if isinstance(one, Entry)]
    balances = [one for one in found if isinstance(one, Balance)]
    amount = sum(entry.amount for entry in entries)
    if not balances:
        return [Balance(account=entries[0].account, amount=amount), *entries]
    balances[0].amount = amount
    return [*balances, *entries]


SUMS = Rewrite(
    merge(
        Part(Entry, group=lambda entry: entry.account, read=Entry.key.partition),
        Part(Balance, group=lambda balance: balance.account, read=Balance.key),
        into=add_up,
    ),
    back=[each(Balance, lambda balance: None)],
)


def post(store: Store, account: str, number: int, amount: int) -> None:
    """Add an entry, as a program does that knows the balance."""
    with store.transaction() as tx:
        tx.create(Entry(account=account, number=number, amount=amount))
        tx.upsert(Balance.key(account), Balance.amount.add(amount))


def fill_ledger(engine: Engine) -> None:
    Store(engine).bulk_load(Entry(account=f"a{n % 2}", number=n, amount=10**n) for n in range(6))


@pytest.mark.parametrize("has_balance", [True, False])
def test_sums_are_exact_although_entries_come_in(engine: Engine, has_balance: bool) -> None:
    fill_ledger(engine)
    store = Store(engine)
    number = 5

    def write() -> None:
        nonlocal number
        number += 1
        post(store, f"a{number % 2}", number, 10**number)

    if has_balance:
        write()
    driver = InterruptedDriver(engine, (Query, TransactWriteItems), before=write, times=8)

    env = environment(driver, app)
    SUMS.run(env)
    driver.interrupt()
    assert number >= 12
    write()
    for account in range(2):
        balance = store.get(Balance.key(f"a{account}"))
        assert balance is not None
        expected = sum(10**n for n in range(number + 1) if n % 2 == account)
        assert balance.amount == expected
    # The entries are compared, and not written again.
    assert {one.revision for one in store.admin.scan(Entry)} == {1}
    SUMS.run(env)
    assert env.state.counts["Rewrite"] == 0
    SUMS.undo(env)
    assert list(store.admin.scan(Balance)) == []


@pytest.mark.parametrize(
    "into",
    [
        lambda found: [*found, Balance(account="other")],
        lambda found: [Balance(account="a0", amount=len(found) + 1)],
        lambda found: [Balance(account="a0", amount=sum(one.number for one in found[:1]))],
    ],
    ids=["grows", "counts itself", "raises"],
)
def test_a_merge_that_would_change_its_result_is_reported(engine: Engine, into: Any) -> None:
    post(Store(engine), "a0", 1, 1)
    parts = (
        Part(Entry, group=lambda entry: "a0", read=Entry.key.partition),
        Part(Balance, group=lambda balance: "a0", read=Balance.key),
    )
    with pytest.raises(TransformFailed, match=r"would change when it is merged again.* Part\(…\)"):
        Rewrite(merge(*parts, into=into)).run(environment(engine, app))


def suffix(old: Account) -> Account:
    return Account(name=old.name + "x", email=old.email)


def same_key_twice(old: Account) -> list[Profile]:
    return [Profile(name=old.name, bio="a"), Profile(name=old.name, bio="b")]


def same_email(old: Account) -> User:
    return User(name=old.name, email="same@x.org")


def setting(old: Account) -> Profile:
    return Profile(name="same", bio=old.name)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (suffix, "would be rewritten again. Give the new entity another type tag"),
        (same_key_twice, "two new items have the key PK=USER#u"),
        (same_email, "another User has the same email"),
        (setting, "another item already with the key of its new item: PK=USER#same"),
    ],
    ids=["matches again", "one key", "one value", "exists"],
)
def test_rules_that_cannot_work_are_reported(engine: Engine, function: Any, reason: str) -> None:
    with pytest.raises(TransformFailed, match=reason):
        Rewrite(each(Account, function)).run(environment(engine, app, old_app))


def test_failures_are_listed_and_the_run_continues_there(engine: Engine) -> None:
    store = Store(engine)
    store.create(Account(name="x", email="bad"))
    with pytest.raises(TransformFailed, match=r"PK=ACCOUNT#x SK=ACCOUNT: ValueError: has no"):
        STEP.run(environment(engine, app, old_app))
    store.update(Account.key("x"), Account.email.set("good"))
    STEP.run(environment(engine, app, old_app))
    assert store.find(User.by_email("good")) is not None


def test_rules_of_a_copy_are_rejected(engine: Engine) -> None:
    env = environment(engine, app, old_app)
    with pytest.raises(MigrationError, match="rule of a Copy"):
        Rewrite(leave_out(Account)).run(env)
    with pytest.raises(MigrationError, match="within one table"):
        Rewrite(each(Account, split), unchanged(Table("other"))).run(env)
    assert "no back" in str(Rewrite(each(Account, split)).irreversible)


@pytest.mark.parametrize("step", [STEP, LIKES, SUMS], ids=["split", "merge", "sum"])
def test_a_crash_at_any_request_changes_nothing_in_the_result(step: Rewrite) -> None:
    def fill_all(engine: Engine) -> None:
        fill(engine, 3)
        Store(engine).put_many([Like(post="p", visitor=f"v{n}") for n in range(2)])
        fill_ledger(engine)

    assert crash_at_every_request([app, old_app], fill_all, lambda env: step.run(env)) > 6


def lose_bio(found: list[User | Profile]) -> Account | None:
    account = join(found)
    if account is not None and account.name == "u1":
        account.bio = "lost"
    return account


def refuse(found: list[User | Profile]) -> Account | None:
    if found[0].name in ("u1", "u2"):
        raise ValueError("cannot be joined")
    return join(found)


def step_with(into: Any) -> Rewrite:
    parts = (
        Part(User, group=lambda user: user.name, read=User.key),
        Part(Profile, group=lambda profile: profile.name, read=Profile.key),
    )
    return Rewrite(each(Account, split), back=[merge(*parts, into=into)])


def shout(user: Account) -> None:
    user.email = user.email.upper()


def whisper(user: Account) -> None:
    user.email = user.email.lower()


UNDONE: dict[str, tuple[Step, int]] = {
    "split": (STEP, 0),
    "merge": (LIKES, 0),
    "sum": (SUMS, 0),
    "backfill": (Backfill(Account, shout, down=whisper), 0),
    "lossy split": (step_with(lose_bio), 1),
    "lossy merge": (Rewrite(*LIKES.rules, back=[each(Likes, lambda likes: None)]), 2),
    # With the old and the new markers of its unique e-mail addresses.
    "lossy backfill": (Backfill(Account, shout, down=lambda user: None), 15),
}


@pytest.mark.parametrize("name", UNDONE)
def test_a_dry_run_says_which_items_are_not_as_before_after_the_undo(
    engine: Engine, name: str
) -> None:
    step, expected = UNDONE[name]
    store = Store(engine)
    store.put_many([Like(post="p", visitor=f"v{n}") for n in range(2)])
    fill_ledger(engine)
    before = stored(engine, app)
    (trial,) = dry_run(Migration(step, name="0001"), engine, segments=1).steps
    assert trial.undo is not None
    assert stored(engine, app) == before
    env = environment(engine, app, old_app)
    step.run(env)
    # The undo was tried on another copy than the step.
    assert trial.examples or name in ("merge", "sum", "lossy merge")
    step.undo(env)
    items = [
        {str(one["PK"]) + str(one["SK"]): {**one, "revision": None} for one in found}
        for found in (before, stored(engine, app))
    ]
    different = [key for key in items[0] | items[1] if items[0].get(key) != items[1].get(key)]
    assert len(different) == expected
    text = f"{expected} would not be as before" if expected else "All would be as before"
    assert text in trial.undo.notes
    assert len(trial.undo.examples) == min(expected, 3)
    assert trial.undo.failed == 0


def test_a_dry_run_finds_items_whose_undo_fails(engine: Engine) -> None:
    result = dry_run(Migration(step_with(refuse), name="0001"), engine)
    (trial,) = result.steps
    assert trial.undo is not None
    assert (result.ok, trial.failed) == (False, 0)
    assert trial.undo.failures["ValueError: cannot be joined"].count >= 2


def test_the_undo_of_a_step_that_fails_is_not_tried(engine: Engine) -> None:
    Store(engine).create(Account(name="x", email="bad"))
    (trial,) = dry_run(Migration(STEP, name="0001"), engine).steps
    assert (trial.failed, trial.undo) == (1, None)


def test_a_dry_run_of_the_undo_writes_nothing(engine: Engine) -> None:
    migration = Migration(Backfill(Setting), step_with(refuse), name="0001")
    runner = MigrationRunner(migration, engine)
    runner.run()
    before = engine.execute(Scan("app")).items
    driver = InterruptedDriver(engine, lambda operation: OPERATIONS[type(operation)].writes)
    result = dry_run_down(migration, runner.steps_to_undo(), driver)
    assert [trial.step for trial in result.steps] == [
        "Undo Rewrite(Account)",
        "Undo Backfill(Setting)",
    ]
    assert (result.ok, driver.count) == (False, 0)
    assert engine.execute(Scan("app")).items == before
    assert runner.phase() == "finished"
