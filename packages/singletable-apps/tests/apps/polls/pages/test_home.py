"""The start page."""

from __future__ import annotations

from singletable_apps.polls.sample import create_sample
from tests.apps.polls.pages.client import Server, Visitor
from tests.apps.support.html import text_in


def test_home_explains_polls_without_cookies(ada: Visitor) -> None:
    page = ada.get("/polls")
    words = text_in(page.text)
    assert "People rank the options" in words
    assert "Create a poll" in words
    assert "Your polls" not in words
    assert "Sample polls" not in words
    # Reading needs no cookie.
    assert "set-cookie" not in page.headers


def test_home_lists_sample_polls_without_admin_links(server: Server, ada: Visitor) -> None:
    create_sample(server.polls)
    page = ada.get("/polls")
    words = text_in(page.text)
    assert "Sample polls" in words
    assert "Which café for the reading group?" in words
    trial = page.text.partition(">Try one<")[0].rpartition('href="')[2].partition('"')[0]
    assert "Best Programming Language 2024" in text_in(ada.get(trial).text)
    assert "/manage" not in page.text
