"""Who asks too often waits, and nobody waits for another."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fastapi import APIRouter, Depends, Response
from fastapi.testclient import TestClient

from singletable_apps.shared.web import (
    Problem,
    RateLimit,
    Settings,
    add_rate_limit_headers,
    client_network,
    rate_limited,
    rate_limits,
)
from singletable_apps.shared.web.clients import address_from_scope
from tests.apps.shared.web.notes import make_notes


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """A clock that stands until it is told to go on."""
    now = [1_800_000_000.0]

    def go_on(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr("time.time", lambda: now[0])
    return go_on


def asked(settings: Settings, address: str, *more: APIRouter) -> TestClient:
    return TestClient(make_notes(settings=settings, more=more), client=(address, 1))


def test_the_window_moves(wait: Callable[[float], None]) -> None:
    limit = RateLimit("all", quota=2, seconds=60)
    asking = asked(Settings(limit=limit), "192.0.2.1")
    first = asking.get("/api/notes")
    assert first.headers["ratelimit-policy"] == '"all";q=2;w=60'
    assert first.headers["ratelimit"] == '"all";r=1;t=60'
    wait(20)
    assert asking.get("/api/nothing").headers["ratelimit"] == '"all";r=0;t=40'
    wait(10)
    refused = asking.get("/api/notes")
    assert refused.status_code == 429
    assert refused.json()["type"] == "/api/problems/too-many-requests"
    assert refused.headers["retry-after"] == "30"
    assert refused.headers["ratelimit"] == '"all";r=0;t=30'
    wait(30.5)
    assert asking.get("/api/notes").status_code == 200
    assert asking.get("/api/notes").status_code == 429


def test_each_address_has_its_own_quota(wait: Callable[[float], None]) -> None:
    settings = Settings(limit=RateLimit("all", quota=1, seconds=60))
    one, other = asked(settings, "192.0.2.1"), asked(settings, "192.0.2.2")
    assert [one.get("/api/notes").status_code, one.get("/api/notes").status_code] == [200, 429]
    assert other.get("/api/notes").status_code == 200


def test_a_quota_can_be_looked_at_without_using_it(wait: Callable[[float], None]) -> None:
    limit = RateLimit("guess", quota=1, seconds=60)
    for _ in range(3):
        assert limit.check("192.0.2.1")["RateLimit"].startswith('"guess";r=1')
    limit.hit("192.0.2.1")
    with pytest.raises(Problem) as refused:
        limit.check("192.0.2.1")
    assert refused.value.status == 429
    wait(61)
    limit.check("192.0.2.1")


# The library does not: whoever asks from ever new addresses would fill the memory.
def test_who_has_not_asked_for_long_is_forgotten(
    wait: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_limits, "_SWEEP_SIZE", 50)
    limit = RateLimit("all", quota=5, seconds=60)
    for number in range(49):
        limit.hit(f"192.0.2.{number}")
    wait(61)
    limit.hit("192.0.2.1")
    limit._storage.timer.join()
    limit.hit("198.51.100.7")
    assert len(limit._storage.events) == 2
    assert limit.hit("192.0.2.1")["RateLimit"] == '"all";r=3;t=60'


@pytest.mark.parametrize(
    ("proxies", "origins"),
    [
        (("10.0.0.1/8",), ()),
        (("proxy",), ()),
        ((), ("example.org",)),
        ((), ("https://example.org/",)),
        ((), ("",)),
    ],
)
def test_settings_that_make_no_sense_are_refused_at_once(
    proxies: tuple[str, ...], origins: tuple[str, ...]
) -> None:
    with pytest.raises(ValueError, match=r"has host bits set|does not appear|Expected an origin"):
        Settings(proxies=proxies, trusted_origins=origins)


def test_handlers_may_have_limits_of_their_own(wait: Callable[[float], None]) -> None:
    by_address = RateLimit("address", quota=3, seconds=60)
    by_user = RateLimit("user", quota=1, seconds=10)
    router = APIRouter()

    @router.get("/sign-in/{user}", dependencies=[Depends(rate_limited(by_address))])
    def sign_in(user: str, response: Response) -> None:
        add_rate_limit_headers(response, by_user.hit(user))

    asking = asked(Settings(), "2001:db8::1", router)
    answers = [asking.get(f"/api/sign-in/{user}") for user in ("ada", "ada", "bob", "eve")]
    assert [answer.status_code for answer in answers] == [200, 429, 200, 429]
    assert answers[0].headers.get_list("ratelimit") == ['"address";r=2;t=60', '"user";r=0;t=10']
    assert answers[1].headers["retry-after"] == "10"
    assert answers[3].headers["retry-after"] == "60"
    assert asking.get("/api/notes").status_code == 200


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("192.0.2.1", None, "192.0.2.1"),
        # Nobody else's word is taken for where a request comes from.
        ("192.0.2.1", "198.51.100.7", "192.0.2.1"),
        ("10.0.0.1", None, "10.0.0.1"),
        ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("10.0.0.1", "203.0.113.9, 198.51.100.7", "198.51.100.7"),
        ("10.0.0.1", "198.51.100.7, 10.0.0.2", "198.51.100.7"),
        ("10.0.0.1", "10.0.0.3,10.0.0.2", "10.0.0.3"),
        ("10.0.0.1", "rubbish", "10.0.0.1"),
        ("10.0.0.1", "198.51.100.7, rubbish", "10.0.0.1"),
        ("10.0.0.1", ",,", "10.0.0.1"),
        ("::1", "2001:db8::1", "2001:db8::1"),
        ("::ffff:10.0.0.1", "198.51.100.7", "198.51.100.7"),
        (None, "198.51.100.7", "unknown"),
    ],
)
def test_only_proxies_tell_for_whom_they_ask(
    peer: str | None, forwarded: str | None, address: str
) -> None:
    headers = [] if forwarded is None else [(b"x-forwarded-for", forwarded.encode())]
    scope = {"type": "http", "client": (peer, 1) if peer else None, "headers": headers}
    assert address_from_scope(scope, ("10.0.0.0/8", "::1/128")) == address


@pytest.mark.parametrize(
    ("address", "whose"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("unknown", "unknown"),
    ],
)
def test_a_household_is_counted_once(address: str, whose: str) -> None:
    assert client_network(address) == whose
