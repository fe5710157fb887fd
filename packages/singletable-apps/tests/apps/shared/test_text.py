"""Fields are checked together, and each error names its field."""

from __future__ import annotations

import pytest

from singletable_apps.shared.text import InputChecks, is_link
from tools.testing.cases import every


@every("url", ["/about", "https://example.org/a?b=c#d", "http://[::1]/x"])
def test_links_of_the_web_and_of_this_site_are_accepted(url: str) -> None:
    assert is_link(url)


@every(
    "url",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\nscript:alert(1)",
        "data:text/html,x",
        "//evil.example",
        "/\\evil.example",
        "https://",
        "https://a b",
        'https://a"b',
        "http://[::1",
        "mailto:a@b.c",
        "about",
        "x" * 3000,
        "",
    ],
)
def test_other_links_are_rejected(url: str) -> None:
    assert not is_link(url)


def test_all_errors_are_reported_at_once() -> None:
    checks = InputChecks()
    assert checks.line("title", "  a   b ", longest=3) == "a b"
    assert checks.text("bio", " a \n\n", longest=10) == "a"
    checks.line("name", " ", longest=5, required=True)
    checks.line("invisible", "\u200b\u3164\u2800", longest=5, required=True)
    assert checks.line("heart", "❤", longest=5, required=True) == "❤"
    checks.line("headline", "x" * 6, longest=5)
    checks.text("about", "a\x00b", longest=5)
    assert checks.source("markdown", "\r\n\tx \r\n", most_bytes=9) == "\tx "
    checks.source("text", "é" * 5, most_bytes=9, required=True)
    checks.link("link", "ftp://example.org")
    checks.email("email", "ada")
    assert checks.email("copy", " Ada@example.org ") == "Ada@example.org"
    checks.reject("email", "a second error is not shown")
    with pytest.raises(KeyError) as raised:
        checks.raise_errors(KeyError)
    assert raised.value.args[0] == {
        "name": "Please fill this in.",
        "invisible": "Please fill this in.",
        "headline": "Use at most 5 characters; there are 6 now.",
        "about": "Remove the invisible character U+0000, or type this again.",
        "text": "Use at most 9 bytes; there are 10 now.",
        "link": "Enter a link such as https://example.org/page.",
        "email": "Enter an e-mail address such as ada@example.org.",
    }
