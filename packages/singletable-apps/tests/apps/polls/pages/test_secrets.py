"""Admin keys, codes and votes stay private, whatever a client sends."""

from __future__ import annotations

import re
from dataclasses import replace

from singletable_apps.polls.entities import Protection, ResultsVisibility
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.sample import SAMPLE_BROWSER
from singletable_apps.polls.service import Voter, open_polls
from singletable_apps.polls.tokens import Secret
from tests.apps.polls.pages.client import (
    OPTIONS,
    Server,
    Visitor,
    faults_in,
    id_in,
    ranks,
)
from tests.apps.polls.support.harness import changed
from tests.apps.support.html import text_in

CODES = changed(
    PollDraft("Where to?", OPTIONS),
    protection=Protection.CODES,
    results=ResultsVisibility.AFTER_VOTING,
)


def wide(text: str) -> str:
    """Return the text in full-width characters, as Chinese and Japanese keyboards write it."""
    return "".join(chr(ord(one) + 0xFEE0) for one in text)


def test_pages_with_keys_or_codes_are_not_cached(server: Server) -> None:
    poll = server.poll(CODES, codes=2)
    organizer = poll.organizer()
    for page in ("made", "manage", "manage/codes", "manage/codes/sheet", "manage/codes.csv"):
        shown = organizer.get(f"{poll.at}/{page}")
        assert (shown.status_code, shown.headers["Cache-Control"]) == (200, "no-store")


# The next voter at the same screen may go back in the history.
def test_pages_with_a_vote_are_not_cached(server: Server, ada: Visitor) -> None:
    poll = server.poll(CODES, codes=1)
    at, code = poll.at, poll.code()
    # The empty form has the key that proves the vote later.
    pages = [ada.get(at), ada.get(f"{at}?code={code}")]
    pages += [ada.rank(poll.id, code, Lake="1")]
    pages += [ada.follow(ada.vote(poll.id, "Lake", code=code))]
    pages += [ada.get(at), ada.get(f"{at}?change=yes")]
    poll.close()
    pages += [ada.get(at)]
    assert [page.headers["Cache-Control"] for page in pages] == ["no-store"] * 7


def test_full_width_code_is_accepted(server: Server, ada: Visitor) -> None:
    poll = server.poll(CODES, codes=1)
    voted = ada.vote(poll.id, "Lake", code=wide(poll.code()))
    assert "your vote was counted" in ada.follow(voted).text
    assert "You have voted" in ada.get(poll.at).text


# A cookie can be forged: it must not be a way around the limit of guesses.
def test_forged_cookie_does_not_reveal_valid_codes(server: Server, ada: Visitor) -> None:
    poll = server.poll(CODES, codes=2)
    server.new_visitor().vote(poll.id, "Lake", code=poll.code())
    # A code that was used, one that was not, and one that was not issued.
    for number in range(3):
        cookie = f"{poll.code(number)}.{'0' * 32}"
        ada.browser.cookies.set("polls_code", cookie, path=poll.at)
        ballot = ada.get(poll.at)
        assert "You have voted" not in ballot.text
        assert "Results are shown when the poll closes" in ada.get(f"{poll.at}/results").text
        answer = ada.send(ballot, poll.id, **ranks(Lake="1"), sure="yes")
        assert faults_in(answer)["code"].startswith("Enter your voting code.")
    assert poll.votes == 1


# Another admin link would not help, nor a retry.
def test_wrong_secret_is_explained(server: Server, ada: Visitor) -> None:
    poll = server.poll()
    other = open_polls(server.polls.context.store.driver, Secret(b"another!" * 4))
    server.state = replace(server.state, service=other)
    for page in ("", "/manage", "/manage?key=x"):
        answer = ada.get(f"{poll.at}{page}")
        assert (answer.status_code, "Retry-After" in answer.headers) == (503, False)
        assert "Wrong server secret" in answer.text


# With the cookie of the sample, anyone could put polls on everybody's first page.
def test_sample_browser_cannot_be_impersonated(server: Server, ada: Visitor) -> None:
    sample = server.polls.lifecycle.create(PollDraft("A sample", OPTIONS), SAMPLE_BROWSER)
    ada.browser.cookies.set("polls_browser", SAMPLE_BROWSER)
    assert ada.get(f"/polls/p/{sample.poll.id}/manage").status_code == 403
    made = ada.send(ada.get("/polls/new"), "/new", title="Buy pills", candidates=["a", "b"])
    assert server.polls.context.get_poll(id_in(made)).title == "Buy pills"
    home = server.new_visitor().get("/polls").text
    assert "A sample" in home
    assert "Buy pills" not in home


# The organizer sees which codes were used: with live results, that would be who voted how.
def test_no_one_sees_results_of_votes_with_codes_before_the_close(server: Server) -> None:
    poll = server.poll(CODES, codes=4)
    organizer, stranger = poll.organizer(), server.new_visitor()
    before = [stranger.get(f"{poll.at}/{page}").content for page in ("picture.png", "embed")]
    voters = [server.new_visitor() for _ in range(3)]
    for number, voter in enumerate(voters):
        voter.vote(poll.id, "Castle", code=poll.code(number))
    api = f"/api/polls/{poll.id}"
    vote_id = server.polls.voting.vote_id(poll.stored, Voter(code=poll.code()))
    pages = ("results", "results/now", "results/events", "picture.png", "embed")
    for visitor in (organizer, voters[0], stranger):
        visitor.browser.headers["Authorization"] = f"Bearer {poll.key}"
        shown = [visitor.get(f"{poll.at}/{page}") for page in pages]
        assert [shown[3].content, shown[4].content] == before
        shown += [visitor.get(f"{api}/results{end}") for end in ("", f"?vote={vote_id}")]
        shown += [visitor.get(f"{api}/export/{kind}") for kind in ("csv", "json")]
        for answer in shown:
            assert not re.search('Castle (leads|wins)|"winner"|"rankings"|1,Castle', answer.text)
    poll.close()
    assert "Castle wins" in stranger.get(f"{poll.at}/results").text


# The rules: test_rules.py.
def test_close_of_a_poll_with_few_codes_is_final_and_shows_no_results(
    server: Server, ada: Visitor
) -> None:
    poll = server.poll(CODES, codes=2)
    reviewed = ada.rank(poll.id, poll.code(), Lake="1")
    organizer = poll.organizer()
    asked = organizer.get(f"{poll.at}/manage/close").text
    assert "Results of fewer than 3 votes are not shown." in text_in(asked)
    poll.close()
    assert "Too few votes to show results" in organizer.get(f"{poll.at}/results").text
    late = ada.send(reviewed, poll.id, sure="yes").text
    assert ("before your vote arrived" in late, "reopen" in late) == (True, False)
    assert "Reopen…" not in organizer.get(f"{poll.at}/manage").text
    reopened = organizer.send(organizer.get(f"{poll.at}/manage/reopen"), "/reopen", closing="day")
    assert reopened.status_code == 409


# The organizer knows who has which code. Whatever a change of one vote changed on a page, in a
# file or in the API would show how that person votes.
def test_organizer_of_a_poll_with_codes_sees_no_difference_between_votes(
    server: Server, ada: Visitor
) -> None:
    poll = server.poll(changed(CODES, write_ins=True), codes=5)
    for number in range(1, 5):
        server.new_visitor().vote(poll.id, "Lake", code=poll.code(number))
    organizer, headers = poll.organizer(), {"Authorization": f"Bearer {poll.key}"}
    paths = (
        *(f"{poll.at}/{one}" for one in ("results", "results/now", "results/events", "embed")),
        *(f"{poll.at}/manage{one}" for one in ("", "/edit", "/codes", "/codes.csv")),
        f"{poll.at}/picture.png",
        *(f"/api/polls/{poll.id}{one}" for one in ("", "/results", "/codes")),
        *(f"/api/polls/{poll.id}/export/{one}" for one in ("json", "csv")),
        f"/api/polls/{poll.id}/vote?code={poll.code()}",
    )

    def look() -> dict[str, tuple[int, str | None, bytes]]:
        server.wait(seconds=2)  # results may be a second old
        pages = {path: organizer.browser.get(path, headers=headers) for path in paths}
        return {
            path: (page.status_code, page.headers.get("ETag"), _without_request(page.content))
            for path, page in pages.items()
        }

    ada.vote(poll.id, "Castle", code=poll.code())
    before, counted = look(), poll.counts
    ada.vote(poll.id, "Museum", code=poll.code())
    assert (len(poll.counts), poll.counts == counted) == (2, False)
    assert look() == before


def _without_request(body: bytes) -> bytes:
    """Return a body without the id of the request, which errors contain."""
    return re.sub(rb'("request":"|[Rr]equest )[0-9a-f]{16}', b"", body)
