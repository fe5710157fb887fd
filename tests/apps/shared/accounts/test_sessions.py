"""Sessions: each token works once, two tabs share a successor, and a copied token ends it all."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from singletable import Store
from singletable.testing import StoreClock
from singletable_apps.shared.accounts import InvalidSession, Sessions
from tests.apps.shared.stored import stored_text
from tests.apps.shared.together import together

SECRET = b"a secret of thirty-two bytes or more"


@pytest.fixture
def sessions(store: Store) -> Sessions:
    return Sessions(store, secret=SECRET)


def _why(sessions: Sessions, token: str, clock: StoreClock) -> str:
    with pytest.raises(InvalidSession) as refused:
        sessions.rotate(token, clock())
    return refused.value.why


def test_each_token_is_followed_by_another(sessions: Sessions, store_clock: StoreClock) -> None:
    ends = store_clock() + timedelta(days=30)
    token = sessions.begin(7, store_clock(), credentials=3)
    seen = {token}
    for _ in range(5):
        renewed = sessions.rotate(token, store_clock.advance(minutes=10))
        assert (renewed.subject, renewed.credentials, renewed.ends) == (7, 3, ends)
        token = renewed.token
        seen.add(token)
    assert len(seen) == 6


# Nobody knows which of the two is the thief, so neither goes on.
def test_a_token_used_twice_ends_the_session(sessions: Sessions, store_clock: StoreClock) -> None:
    stolen = sessions.begin(7, store_clock())
    following = sessions.rotate(stolen, store_clock()).token
    store_clock.advance(minutes=10)
    assert _why(sessions, stolen, store_clock) == "reused"
    assert _why(sessions, following, store_clock) == "ended"
    assert sessions.list(7) == []


# Two tabs that wake up together send the same token; so does one whose answer was lost.
@pytest.mark.parametrize(("later", "goes_on"), [(0, True), (10, True), (10.000001, False)])
def test_for_ten_seconds_a_token_has_the_same_successor(
    later: float, goes_on: bool, sessions: Sessions, store_clock: StoreClock
) -> None:
    token = sessions.begin(7, store_clock())
    first = sessions.rotate(token, store_clock())
    store_clock.advance(seconds=later)
    if goes_on:
        assert sessions.rotate(token, store_clock()) == first
        assert sessions.rotate(first.token, store_clock()).subject == 7
    else:
        assert _why(sessions, token, store_clock) == "reused"


def test_a_token_from_before_the_last_is_reused_at_once(
    sessions: Sessions, store_clock: StoreClock
) -> None:
    token = sessions.begin(7, store_clock())
    sessions.rotate(sessions.rotate(token, store_clock()).token, store_clock())
    assert _why(sessions, token, store_clock) == "reused"


def test_many_tabs_at_once_get_one_successor(sessions: Sessions, store_clock: StoreClock) -> None:
    token = sessions.begin(7, store_clock())
    renewed, refused = together(12, lambda: sessions.rotate(token, store_clock()), InvalidSession)
    assert (len(renewed), refused) == (12, [])
    assert len(set(renewed)) == 1
    assert sessions.rotate(renewed[0].token, store_clock()).token != renewed[0].token


# The clock of a store and the time that is given may be a little apart: both end a session.
@pytest.mark.parametrize("store_knows", [True, False])
def test_a_session_ends_after_its_lifetime(
    store_knows: bool, store: Store, store_clock: StoreClock
) -> None:
    sessions = Sessions(store, secret=SECRET, lifetime=timedelta(hours=1))
    token = sessions.begin(7, store_clock())
    token = sessions.rotate(token, store_clock() + timedelta(minutes=59)).token
    over = store_clock() + timedelta(hours=1)
    if store_knows:
        store_clock.now = over
    with pytest.raises(InvalidSession) as refused:
        sessions.rotate(token, over)
    assert refused.value.why == ("ended" if store_knows else "expired")


def test_who_signs_out_is_out(sessions: Sessions, store_clock: StoreClock) -> None:
    here, there = sessions.begin(7, store_clock()), sessions.begin(7, store_clock())
    sessions.end(here)
    sessions.end(here)
    sessions.end("no token at all")
    assert _why(sessions, here, store_clock) == "ended"
    assert sessions.rotate(there, store_clock()).subject == 7


def test_all_sessions_of_one_person_end(sessions: Sessions, store_clock: StoreClock) -> None:
    mine = [sessions.begin(7, store_clock()) for _ in range(30)]
    others = sessions.begin(70, store_clock())
    sessions.end_all(7)
    sessions.end_all(7)
    assert {_why(sessions, token, store_clock) for token in mine} == {"ended"}
    assert sessions.rotate(others, store_clock()).subject == 70


def test_a_person_sees_their_sessions_and_ends_one(
    sessions: Sessions, store_clock: StoreClock
) -> None:
    begun = store_clock()
    phone = sessions.begin(7, begun, about="phone")
    sessions.begin(7, store_clock.advance(hours=1), about="laptop")
    sessions.begin(8, store_clock(), about="somebody else's")
    sessions.rotate(phone, store_clock.advance(hours=1))
    first, second = sessions.list(7)
    assert (first.about, first.begun, first.used) == ("phone", begun, begun + timedelta(hours=2))
    assert (second.about, second.used) == ("laptop", begun + timedelta(hours=1))
    sessions.end_one(7, first.id)
    assert [session.about for session in sessions.list(7)] == ["laptop"]
    assert sessions.list(9) == []


# The header is the browser's, and a browser may be anything.
@pytest.mark.parametrize(("about", "shown"), [("", ""), ("x" * 10_000, "x" * 200), ("\ud800", "?")])
def test_whatever_a_browser_says_of_itself_can_be_shown(
    about: str, shown: str, sessions: Sessions, store_clock: StoreClock
) -> None:
    sessions.begin(7, store_clock(), about=about)
    assert [session.about for session in sessions.list(7)] == [shown]


# Whoever reads the table, or a copy of it from a backup, is nobody by that.
def test_nothing_in_the_table_opens_a_session(
    sessions: Sessions, store: Store, store_clock: StoreClock
) -> None:
    token = sessions.begin(7, store_clock())
    seal = token.rpartition(".")[2]
    assert seal not in stored_text(store)
    strange = Sessions(store, secret=b"another secret of thirty-two bytes")
    with pytest.raises(InvalidSession, match="not made by this service"):
        strange.rotate(token, store_clock())
    assert sessions.rotate(token, store_clock()).subject == 7


@pytest.mark.parametrize("driver", ["memory"], indirect=True)
@pytest.mark.parametrize("token", ["", "7", "7.a.0.b", "\ud800", "x" * 1_000_000, "٧.a.0.b"])
def test_what_is_no_token_is_malformed(
    token: str, sessions: Sessions, store_clock: StoreClock
) -> None:
    assert _why(sessions, token, store_clock) == "malformed"


@pytest.mark.parametrize("driver", ["memory"], indirect=True)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 1000), wrong=st.characters())
def test_a_token_with_one_wrong_character_is_refused_and_harms_nobody(
    place: int, wrong: str, sessions: Sessions, store_clock: StoreClock
) -> None:
    token = sessions.begin(7, store_clock())
    place %= len(token)
    altered = token[:place] + wrong + token[place + 1 :]
    if altered != token:
        assert _why(sessions, altered, store_clock) in ("malformed", "forged")
        sessions.end(altered)
    assert sessions.rotate(token, store_clock()).subject == 7
