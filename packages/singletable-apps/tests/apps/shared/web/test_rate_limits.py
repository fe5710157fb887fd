"""Rate limits per client, and the address of a client."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fastapi import Response

from singletable_apps.shared.rate_limits import MovingWindow
from singletable_apps.shared.web import (
    TOO_MANY_REQUESTS,
    Problem,
    RateLimit,
    Settings,
    add_rate_limit_headers,
    client_network,
)
from singletable_apps.shared.web.clients import address_from_scope


@pytest.fixture
def wait(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Replace the clock, and return a function that moves it forward."""
    now = [1_800_000_000.0]

    def advance(seconds: float) -> None:
        now[0] += seconds

    monkeypatch.setattr("time.time", lambda: now[0])
    return advance


def test_rate_limit_uses_a_moving_window(wait: Callable[[float], None]) -> None:
    limit = RateLimit("all", quota=2, seconds=60)
    assert limit.hit("ada") == {"RateLimit-Policy": '"all";q=2;w=60', "RateLimit": '"all";r=1;t=60'}
    wait(20)
    assert limit.hit("ada")["RateLimit"] == '"all";r=0;t=40'
    wait(10)
    with pytest.raises(Problem) as rejected:
        limit.hit("ada")
    assert rejected.value.type is TOO_MANY_REQUESTS
    assert rejected.value.headers["Retry-After"] == "30"
    assert rejected.value.headers["RateLimit"] == '"all";r=0;t=30'
    assert limit.hit("bob")["RateLimit"] == '"all";r=1;t=60'
    wait(30.5)
    limit.hit("ada")
    with pytest.raises(Problem):
        limit.hit("ada")


def test_check_does_not_count(wait: Callable[[float], None]) -> None:
    limit = RateLimit("guess", quota=1, seconds=60)
    for _ in range(3):
        assert limit.check("192.0.2.1")["RateLimit"].startswith('"guess";r=1')
    limit.hit("192.0.2.1")
    with pytest.raises(Problem) as rejected:
        limit.check("192.0.2.1")
    assert rejected.value.status == 429
    wait(61)
    limit.check("192.0.2.1")


# Requests from ever new addresses would fill the memory.
def test_unused_keys_are_removed_from_memory() -> None:
    window = MovingWindow(5, 60)
    for number in range(49):
        assert window.take(f"192.0.2.{number}", 0) == 0
    for number in range(49):
        assert window.take("198.51.100.7", 61 + 61 * number) == 0
    assert len(window) == 1


def test_moving_window_tells_how_long_to_wait() -> None:
    window = MovingWindow(2, 10)
    assert [window.take("ada", now) for now in (0, 4, 5, 9.5, 10, 13, 14)] == [
        0,
        0,
        5,
        0.5,
        0,
        1,
        0,
    ]
    assert window.remaining("ada", 15) == (0, 5)
    assert window.remaining("bob", 15) == (2, 10)


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
def test_invalid_settings_are_rejected(proxies: tuple[str, ...], origins: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"has host bits set|does not appear|Expected an origin"):
        Settings(proxies=proxies, trusted_origins=origins)


def test_response_has_the_headers_of_all_limits(wait: Callable[[float], None]) -> None:
    response = Response()
    for name in ("address", "user"):
        add_rate_limit_headers(response, RateLimit(name, quota=3, seconds=60).hit("ada"))
    assert response.headers.getlist("ratelimit") == ['"address";r=2;t=60', '"user";r=2;t=60']


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("192.0.2.1", None, "192.0.2.1"),
        # X-Forwarded-For of a client that is not a proxy is ignored.
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
def test_forwarded_addresses_are_trusted_from_proxies_only(
    peer: str | None, forwarded: str | None, address: str
) -> None:
    headers = [] if forwarded is None else [(b"x-forwarded-for", forwarded.encode())]
    scope = {"type": "http", "client": (peer, 1) if peer else None, "headers": headers}
    assert address_from_scope(scope, ("10.0.0.0/8", "::1/128")) == address


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("unknown", "unknown"),
    ],
)
def test_ipv6_clients_are_counted_by_network(address: str, network: str) -> None:
    assert client_network(address) == network
