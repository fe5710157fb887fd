"""Admin keys, codes and votes stay private, whatever a client sends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from singletable_apps.polls.entities import Protection, ResultsVisibility
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.sample import SAMPLE_BROWSER
from singletable_apps.polls.service import open_polls
from singletable_apps.polls.tokens import Secret
from tests.apps.polls.pages.client import (
    OPTIONS,
    SECRET,
    Server,
    Visitor,
    faults_in,
    id_in,
    ranks,
)

CODES = PollDraft(
    "Where to?", OPTIONS, protection=Protection.CODES, results=ResultsVisibility.AFTER_VOTING
)


def wide(text: str) -> str:
    """As keyboards for Chinese and Japanese write letters and digits."""
    return "".join(chr(ord(one) + 0xFEE0) for one in text)


@pytest.mark.parametrize(
    "page",
    ["made", *(f"manage{part}" for part in ("", "/edit", "/codes", "/codes/sheet", "/codes.csv"))],
)
def test_pages_with_keys_or_codes_are_not_cached(server: Server, page: str) -> None:
    managed, chair = server.poll(CODES, codes=2), server.new_visitor()
    chair.look(f"/polls/p/{managed.poll.id}/manage?key={managed.admin_key}")
    shown = chair.look(f"/polls/p/{managed.poll.id}/{page}")
    assert (shown.status_code, shown.headers["Cache-Control"]) == (200, "no-store")


# The next voter at the same screen goes back, and is not to see it.
def test_pages_with_a_vote_are_not_cached(server: Server, ada: Visitor) -> None:
    managed = server.poll(CODES, codes=1)
    at, code = f"/polls/p/{managed.poll.id}", SECRET.voting_code(managed.poll.id, 0)
    # The empty form has the key that proves the vote later.
    pages = [ada.look(at), ada.look(f"{at}?code={code}")]
    pages += [ada.rank(managed.poll.id, code, Lake="1")]
    pages += [ada.follow(ada.vote(managed.poll.id, "Lake", code=code))]
    pages += [ada.look(at), ada.look(f"{at}?change=yes")]
    server.polls.lifecycle.close(managed.poll.id, managed.admin_key)
    pages += [ada.look(at)]
    assert [page.headers["Cache-Control"] for page in pages] == ["no-store"] * 7


def test_full_width_code_is_accepted(server: Server, ada: Visitor) -> None:
    managed = server.poll(CODES, codes=1)
    code = wide(SECRET.voting_code(managed.poll.id, 0))
    assert "your vote was counted" in ada.follow(ada.vote(managed.poll.id, "Lake", code=code)).text
    assert "You have voted" in ada.look(f"/polls/p/{managed.poll.id}").text


@pytest.mark.parametrize("typed", ["{}", "https://polls.example/polls/p/x/manage?key={}", " {}?"])
def test_admin_key_is_accepted_in_any_spelling(server: Server, ada: Visitor, typed: str) -> None:
    managed = server.poll()
    for key in (managed.admin_key, managed.admin_key.lower(), wide(managed.admin_key)):
        at = f"/polls/p/{managed.poll.id}/manage"
        page = ada.follow(ada.post(f"{at}/key", {"key": typed.format(key)}))
        assert page.status_code == 200


@pytest.mark.parametrize("typed", ["http://[", "//[::1?key=", "?key=", "&=?", "\u2100//x?y"])
def test_invalid_admin_link_is_rejected(server: Server, ada: Visitor, typed: str) -> None:
    managed = server.poll()
    answer = ada.post(f"/polls/p/{managed.poll.id}/manage/key", {"key": typed})
    assert answer.status_code == 403
    assert "Enter the admin link" in answer.text


# A cookie can be made up as well as a form: it must not be a way around the limit of guesses.
@pytest.mark.parametrize("number", [0, 1, 2])
def test_forged_cookie_does_not_reveal_valid_codes(
    server: Server, ada: Visitor, number: int
) -> None:
    managed = server.poll(CODES, codes=2)
    at = f"/polls/p/{managed.poll.id}"
    server.new_visitor().vote(managed.poll.id, "Lake", code=SECRET.voting_code(managed.poll.id, 0))
    cookie = f"{SECRET.voting_code(managed.poll.id, number)}.{'0' * 32}"
    ada.browser.cookies.set("polls_code", cookie, path=at)
    paper = ada.look(at)
    assert "You have voted" not in paper.text
    assert "Vote to see the results" in ada.look(f"{at}/results").text
    answer = ada.send(paper, managed.poll.id, **ranks(Lake="1"), sure="yes")
    assert faults_in(answer)["code"].startswith("Enter your voting code.")
    assert server.votes(managed) == 1


# To look for the admin link again, or to wait, would be in vain.
@pytest.mark.parametrize("page", ["", "/manage", "/manage/edit", "/made", "/manage?key=x"])
def test_wrong_secret_is_explained(server: Server, ada: Visitor, page: str) -> None:
    managed = server.poll()
    other = open_polls(server.polls.context.store.driver, Secret(b"another!" * 4))
    server.site = replace(server.site, polls=other)
    answer = ada.look(f"/polls/p/{managed.poll.id}{page}")
    assert (answer.status_code, "Retry-After" in answer.headers) == (503, False)
    assert "Wrong server secret" in answer.text


# Whose cookie is that of the sample could put anything on everybody's first page.
def test_sample_browser_cannot_be_impersonated(server: Server, ada: Visitor) -> None:
    sample = server.polls.lifecycle.create(PollDraft("A sample", OPTIONS), SAMPLE_BROWSER)
    ada.browser.cookies.set("polls_browser", SAMPLE_BROWSER)
    assert ada.look(f"/polls/p/{sample.poll.id}/manage").status_code == 403
    made = ada.send(ada.look("/polls/new"), "/new", title="Buy pills", candidates=["a", "b"])
    assert server.polls.context.get_poll(id_in(made)).title == "Buy pills"
    home = server.new_visitor().look("/polls").text
    assert "A sample" in home
    assert "Buy pills" not in home
