"""Sessions: each token works once, two tabs share a successor, and reuse ends the session."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynamodb_engine.testing import LaggingDriver
from singletable import Engine, Store
from singletable.testing import StoreClock
from singletable_apps.shared.accounts import NotSignedIn, Sessions
from singletable_apps.shared.accounts.entities import RecoveryLock
from singletable_apps.shared.expiry import expiring
from tests.apps.support.concurrency import run_concurrently
from tests.apps.support.tables import stored_text

SECRET = b"a secret of thirty-two bytes or more"
REASONS = {
    "ended": "has ended",
    "expired": "has expired",
    "reused": "was used before",
    "malformed": "not a session token",
    "forged": "not issued by this service",
}


@pytest.fixture
def sessions(store: Store) -> Sessions:
    return Sessions(store, secret=SECRET)


def _reason(sessions: Sessions, token: str, clock: StoreClock) -> str:
    with pytest.raises(NotSignedIn) as refused:
        sessions.rotate(token, clock())
    return next(reason for reason, text in REASONS.items() if text in str(refused.value))


def _start(sessions: Sessions, clock: StoreClock, subject: int = 7) -> str:
    return sessions.start(subject, clock())[1]


def test_each_rotation_returns_a_new_token(sessions: Sessions, store_clock: StoreClock) -> None:
    ends = store_clock() + timedelta(days=30)
    _, token = sessions.start(7, store_clock(), credentials=3)
    seen = {token}
    for _ in range(5):
        renewed, token = sessions.rotate(token, store_clock.advance(minutes=10))
        assert (renewed.subject, renewed.credentials, renewed.ends) == (7, 3, ends)
        seen.add(token)
    assert len(seen) == 6


# There is no way to tell the owner from the thief.
def test_token_used_twice_ends_the_session(sessions: Sessions, store_clock: StoreClock) -> None:
    stolen = _start(sessions, store_clock)
    following = sessions.rotate(stolen, store_clock())[1]
    store_clock.advance(minutes=10)
    assert _reason(sessions, stolen, store_clock) == "reused"
    assert _reason(sessions, following, store_clock) == "ended"
    assert sessions.list(7) == []


# Two tabs that wake up together send the same token; so does one whose answer was lost.
@pytest.mark.parametrize(("later", "goes_on"), [(0, True), (10, True), (10.000001, False)])
def test_for_ten_seconds_a_token_has_the_same_successor(
    later: float, goes_on: bool, sessions: Sessions, store_clock: StoreClock
) -> None:
    token = _start(sessions, store_clock)
    first = sessions.rotate(token, store_clock())
    store_clock.advance(seconds=later)
    if goes_on:
        assert sessions.rotate(token, store_clock()) == first
        assert sessions.rotate(first[1], store_clock())[0].subject == 7
    else:
        assert _reason(sessions, token, store_clock) == "reused"


def test_a_token_from_before_the_last_is_reused_at_once(
    sessions: Sessions, store_clock: StoreClock
) -> None:
    token = _start(sessions, store_clock)
    sessions.rotate(sessions.rotate(token, store_clock())[1], store_clock())
    assert _reason(sessions, token, store_clock) == "reused"


def test_many_tabs_at_once_get_one_successor(sessions: Sessions, store_clock: StoreClock) -> None:
    token = _start(sessions, store_clock)
    renewed, refused = run_concurrently(
        12, lambda: sessions.rotate(token, store_clock()), NotSignedIn
    )
    assert (len(renewed), refused) == (12, [])
    assert len({token for _, token in renewed}) == 1
    assert sessions.rotate(renewed[0][1], store_clock())[1] != renewed[0][1]


# The clock of a store and the time that is given may be a little apart: both end a session.
@pytest.mark.parametrize("store_knows", [True, False])
def test_session_ends_after_its_lifetime(
    store_knows: bool, store: Store, store_clock: StoreClock
) -> None:
    sessions = Sessions(store, secret=SECRET, lifetime=timedelta(hours=1))
    token = _start(sessions, store_clock)
    token = sessions.rotate(token, store_clock() + timedelta(minutes=59))[1]
    over = store_clock() + timedelta(hours=1)
    if store_knows:
        store_clock.now = over
    with pytest.raises(NotSignedIn, match="has ended" if store_knows else "has expired"):
        sessions.rotate(token, over)


def test_end_ends_the_session_of_a_token(sessions: Sessions, store_clock: StoreClock) -> None:
    here, there = _start(sessions, store_clock), _start(sessions, store_clock)
    sessions.end(here)
    sessions.end(here)
    sessions.end("no token at all")
    assert _reason(sessions, here, store_clock) == "ended"
    assert sessions.rotate(there, store_clock())[0].subject == 7


def test_end_all_ends_a_session_that_began_a_moment_ago(store_clock: StoreClock) -> None:
    engine = Engine.in_memory()
    Store(engine).admin.create_table(expiring)
    store = Store(LaggingDriver(engine), clock=store_clock)
    sessions = Sessions(store, secret=SECRET)
    token = _start(sessions, store_clock)
    sessions.end_all(7)
    assert _reason(sessions, token, store_clock) == "ended"


def test_end_all_ends_the_sessions_of_one_person(
    sessions: Sessions, store_clock: StoreClock
) -> None:
    mine = [_start(sessions, store_clock) for _ in range(30)]
    others = _start(sessions, store_clock, 70)
    sessions.end_all(7)
    sessions.end_all(7)
    assert {_reason(sessions, token, store_clock) for token in mine} == {"ended"}
    assert sessions.rotate(others, store_clock())[0].subject == 70


def test_nothing_of_a_removed_person_stays(
    sessions: Sessions, store: Store, store_clock: StoreClock
) -> None:
    for subject in (7, 70):
        sessions.start(subject, store_clock())
        store.put(RecoveryLock(subject=subject, change="x", old_email="ada@ex.org", by="Bob"))
    sessions.forget(7)
    assert stored_text(store).count("ada@ex.org") == 1
    assert (sessions.list(7), len(sessions.list(70))) == ([], 1)


def test_sessions_are_listed_and_one_can_be_ended(
    sessions: Sessions, store_clock: StoreClock
) -> None:
    begun = store_clock()
    _, phone = sessions.start(7, begun, about="phone")
    sessions.start(7, store_clock.advance(hours=1), about="laptop")
    sessions.start(8, store_clock(), about="another person's")
    sessions.rotate(phone, store_clock.advance(hours=1))
    first, second = sessions.list(7)
    assert (first.about, first.begun, first.rotated) == ("phone", begun, begun + timedelta(hours=2))
    assert (second.about, second.rotated) == ("laptop", begun + timedelta(hours=1))
    sessions.end_one(7, first.family)
    assert [session.about for session in sessions.list(7)] == ["laptop"]
    assert sessions.list(9) == []


# A User-Agent may contain anything.
@pytest.mark.parametrize(("about", "shown"), [("", ""), ("x" * 10_000, "x" * 200), ("\ud800", "?")])
def test_any_user_agent_can_be_stored(
    about: str, shown: str, sessions: Sessions, store_clock: StoreClock
) -> None:
    sessions.start(7, store_clock(), about=about)
    assert [session.about for session in sessions.list(7)] == [shown]


# The table may leak with a backup.
def test_table_contains_no_usable_token(
    sessions: Sessions, store: Store, store_clock: StoreClock
) -> None:
    token = _start(sessions, store_clock)
    seal = token.rpartition(".")[2]
    assert seal not in stored_text(store)
    strange = Sessions(store, secret=b"another secret of thirty-two bytes")
    with pytest.raises(NotSignedIn, match="not issued by this service"):
        strange.rotate(token, store_clock())
    assert sessions.rotate(token, store_clock())[0].subject == 7


@pytest.mark.parametrize("driver", ["memory"], indirect=True)
@pytest.mark.parametrize("token", ["", "7", "7.a.0.b", "\ud800", "x" * 1_000_000, "٧.a.0.b"])
def test_malformed_tokens_are_rejected(
    token: str, sessions: Sessions, store_clock: StoreClock
) -> None:
    assert _reason(sessions, token, store_clock) == "malformed"


@pytest.mark.parametrize("driver", ["memory"], indirect=True)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 1000), wrong=st.characters())
def test_token_with_one_wrong_character_is_rejected_and_changes_nothing(
    place: int, wrong: str, sessions: Sessions, store_clock: StoreClock
) -> None:
    token = _start(sessions, store_clock)
    place %= len(token)
    altered = token[:place] + wrong + token[place + 1 :]
    if altered != token:
        assert _reason(sessions, altered, store_clock) in ("malformed", "forged")
        sessions.end(altered)
    assert sessions.rotate(token, store_clock())[0].subject == 7
