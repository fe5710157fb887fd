"""Sessions as their owner sees them."""

from __future__ import annotations

import pytest

from singletable_apps.shared.pages import describe_browser


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        ("Mozilla/5.0 (X11; Linux x86_64) Gecko Firefox/130.0", "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/130 Safari/537 Edg/130", "Edge on Windows"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 14) Version/17 Safari/605", "Safari on a Mac"),
        ("Mozilla/5.0 (iPhone; CPU like Mac OS X) CriOS/130 Safari", "Chrome on an iPhone"),
        ("curl/8.5", "curl"),
        ("testclient", "testclient"),
        ("", "A browser"),
    ],
)
def test_browser_is_described_in_words(user_agent: str, name: str) -> None:
    assert describe_browser(user_agent) == name
