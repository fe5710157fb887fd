"""What a service believes: cookies over TLS only, links that lead back, proxies that are named."""

from __future__ import annotations

import signal
from contextlib import ExitStack

import pytest

from singletable_apps.shared.serve import (
    ListenError,
    ListenOptions,
    http_url,
    listen,
    open_listener,
    resolve_public_url,
)

URL = "http://127.0.0.1:8000"


def test_on_this_machine_there_is_no_tls() -> None:
    with listen(ListenOptions("127.0.0.1", 0)) as (listener, url, public):
        assert url == public.url == f"http://127.0.0.1:{listener.getsockname()[1]}"
    assert not public.secure_cookies
    assert public.settings().proxies == ()
    assert public.settings().trusted_origins == (url,)


# Also while apps are still being opened, or one is told where they are: whatever is open is closed.
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_what_is_within_and_the_rest_goes_on(sent: signal.Signals) -> None:
    before = signal.getsignal(signal.SIGTERM)
    seen: list[str] = []
    with ExitStack() as stack:
        # A shell starts background jobs with SIGINT ignored, and Python then installs no handler.
        stack.callback(
            signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler)
        )
        stack.callback(seen.append, "goes on")
        listener, _, _ = stack.enter_context(listen(ListenOptions("127.0.0.1", 0)))
        stack.callback(seen.append, "closed")
        signal.raise_signal(sent)
        seen.append("not reached")
    assert seen == ["closed", "goes on"]
    assert listener.fileno() == -1
    assert signal.getsignal(signal.SIGTERM) is before


def test_behind_a_proxy_people_come_over_tls() -> None:
    public = resolve_public_url("https://vote.example.org/", ("127.0.0.1", "10.0.0.0/8"), URL)
    assert public.url == "https://vote.example.org"
    assert public.secure_cookies
    web = public.settings(body_limit=7, uploads={"/polls": 8})
    assert web.trusted_origins == ("https://vote.example.org",)
    assert web.proxies == ("127.0.0.1", "10.0.0.0/8")
    assert (web.body_limit, web.uploads) == (7, {"/polls": 8})


@pytest.mark.parametrize(
    ("public", "proxies", "why"),
    [
        ("vote.example.org", (), "but got 'vote.example.org'"),
        ("https://vote.example.org/elections", (), "--public expects a URL"),
        ("https://ada@example.org", (), "--public expects a URL"),
        ("https://{token}", (), "--public expects a URL"),
        ("ftp://vote.example.org", (), "--public expects a URL"),
        (None, ("everybody",), "--proxy expects a network"),
        (None, ("10.0.0.1/8",), "--proxy expects a network"),
    ],
)
def test_what_nobody_could_come_by_is_refused(
    public: str | None, proxies: tuple[str, ...], why: str
) -> None:
    with pytest.raises(ListenError, match=why):
        resolve_public_url(public, proxies, URL)


@pytest.mark.parametrize(
    ("host", "url"), [("127.0.0.1", "http://127.0.0.1:80"), ("::1", "http://[::1]:80")]
)
def test_an_address_of_either_kind_is_written_as_browsers_take_it(host: str, url: str) -> None:
    assert http_url(host, 80) == url


# Addresses of this network are for examples, and no machine has one.
def test_an_address_of_another_machine_is_refused() -> None:
    with pytest.raises(ListenError, match=r"Cannot listen on 203\.0\.113\.1 port 0: "):
        open_listener(ListenOptions("203.0.113.1", 0))
