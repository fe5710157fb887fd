"""An auditor reads both tables as they are stored; no hash of a password is among it."""

from __future__ import annotations

import json

import pytest

from singletable import InvalidCursor, Item, Table
from singletable_apps.elections.audit import redact_item, redact_password_hash
from singletable_apps.elections.entities import votes
from singletable_apps.elections.errors import InvalidInput, NotFound, NotPermitted
from singletable_apps.elections.events import event_log
from singletable_apps.shared.accounts.entities import expiring
from tests.apps.support.elections.sample import SampleCopy, copy_sample, items


@pytest.fixture
def sample() -> SampleCopy:
    return copy_sample()


def _all(sample: SampleCopy, table: str, size: int) -> list[Item]:
    found: list[Item] = []
    cursor = None
    while True:
        page = sample.elections.audit.raw(sample.user("grace"), table, size, cursor)
        assert len(page.items) <= size
        found += page.items
        cursor = page.cursor
        if cursor is None:
            return found


@pytest.mark.parametrize("table", [votes, event_log], ids=["vote_data", "vote_event_log"])
def test_everything_is_as_it_is_stored_but_for_hashes(sample: SampleCopy, table: Table) -> None:
    shown = _all(sample, table.name, 37)
    assert shown == [redact_item(item) for item in items(sample.store, table)]


# Whoever has a hash can guess at the password as fast as they like.
@pytest.mark.parametrize("table", ["vote_data", "vote_event_log"])
def test_no_hash_of_a_password_leaves_the_service(sample: SampleCopy, table: str) -> None:
    hashes = {user.hash for user in map(sample.user, ("ada", "grace", "radia"))}
    secrets = {part for one in hashes for part in one.split("$")[4:]}
    stored = {"vote_data": votes, "vote_event_log": event_log}[table]
    assert all(secret in json.dumps(list(items(sample.store, stored))) for secret in secrets)
    shown = json.dumps(_all(sample, table, 100))
    assert not [secret for secret in secrets if secret in shown]
    assert "$argon2id$v=19$m=64,t=1,p=1$(hidden)" in shown


# The chain of the log is made of hashes that hide nothing, and an auditor follows it.
def test_the_hashes_of_events_are_shown(sample: SampleCopy) -> None:
    shown = _all(sample, "vote_event_log", 100)
    chain = [(item["previous_hash"]["S"], item["hash"]["S"]) for item in shown]
    assert [previous for previous, _ in chain[1:]] == [own for _, own in chain[:-1]]


@pytest.mark.parametrize(
    ("kept_as", "shown"),
    [
        ("$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA", "$argon2id$v=19$m=19456,t=2,p=1$(hidden)"),
        ("$2b$12$abcdefghijklmnopqrstuv", "(hidden)"),
        ("$argon2id$v=19$secret", "(hidden)"),
        ("secret", "(hidden)"),
        ("", "(hidden)"),
    ],
)
def test_of_a_hash_only_the_way_it_was_made_stays(kept_as: str, shown: str) -> None:
    assert redact_password_hash(kept_as) == shown


@pytest.mark.parametrize("name", ["ada", "grace"])
def test_who_may_view_secrets_reads_them(sample: SampleCopy, name: str) -> None:
    assert sample.elections.audit.raw(sample.user(name), "vote_data", 1).items


@pytest.mark.parametrize("name", ["alan", "barbara", "leslie", "niklaus", "radia"])
def test_nobody_else_does(sample: SampleCopy, name: str) -> None:
    with pytest.raises(NotPermitted, match="VIEW_SECRETS"):
        sample.elections.audit.raw(sample.user(name), "vote_data", 1)
    with pytest.raises(NotPermitted, match="VIEW_SECRETS"):
        sample.elections.audit.relation(sample.user(name), "users", 1)


# Links in letters sign one in, whoever one is: an auditor could become the owner.
@pytest.mark.parametrize("table", [expiring.name, "vote_sessions", "", "users"])
def test_no_other_table_is_shown(sample: SampleCopy, table: str) -> None:
    with pytest.raises(NotFound, match="There are: vote_data, vote_event_log"):
        sample.elections.audit.raw(sample.user("grace"), table, 1)
    assert [one.name for one in sample.elections.audit.tables()] == [
        "vote_data",
        "vote_event_log",
    ]


@pytest.mark.parametrize("size", [0, -1, 1001])
def test_a_page_has_a_size(sample: SampleCopy, size: int) -> None:
    grace = sample.user("grace")
    with pytest.raises(InvalidInput, match="1 to 1,000"):
        sample.elections.audit.raw(grace, "vote_data", size)
    with pytest.raises(InvalidInput, match="1 to 1,000"):
        sample.elections.audit.relation(grace, "users", size)


def test_a_cursor_is_for_its_table(sample: SampleCopy) -> None:
    grace, auditing = sample.user("grace"), sample.elections.audit
    cursor = auditing.raw(grace, "vote_data", 1).cursor
    with pytest.raises(InvalidCursor):
        auditing.raw(grace, "vote_event_log", 1, cursor)
