"""Small forms of owners: questions on the same ballot, managers, notes and pictures."""

from __future__ import annotations

import html

import pytest

from singletable_apps.elections.entities import RollNumber
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.roll import RollLine
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import Browser, PagesApp, ballot_fields
from tests.apps.support.elections.scenario import make_image
from tests.apps.support.html import forms_in, missing_in, text_in

BOARD, BUDGET = "Board", "Budget"


@pytest.fixture
def owner(app: PagesApp, ada: Browser, ben: Browser) -> Browser:
    """Return the owner of an election with a roll, and of a second question on its ballot."""
    service, user = app.world.service, app.user("Ada")
    service.lifecycle.create(user, BOARD, ElectionSettings(secret_ballot=True))
    service.rolls.save(user, BOARD, [RollLine(1, "Cleo")], replaces=True)
    added = ada.submit(ada.get("e", BOARD, "questions"), name=BUDGET)
    assert added.headers["location"].endswith("/e/Budget/settings")
    for name in (BOARD, BUDGET):
        service.lifecycle.set_candidates(user, name, ["Red", "Green"])
    return ada


def _cast(browser: Browser, path: str) -> str:
    page = browser.open(path)
    review = browser.post(path, {**ballot_fields(page), "rank.Red": "1"})
    return browser.submit(review, "/ballot", sure="yes").text


def test_voter_answers_one_question_after_the_other(app: PagesApp, owner: Browser) -> None:
    service = app.world.service
    assert owner.submit(owner.get("e", BOARD, "launch"), how="fixed").status_code == 303
    board, budget = map(app.election, (BOARD, BUDGET))
    voter = app.browser()
    codes = [
        service.rolls.code(each, service.context.book.record(each).roll[RollNumber(1)])
        for each in (board, budget)
    ]
    receipt = _cast(voter, f"/elections/v/{codes[0]}/ballot")
    assert "Question 1 of 2 is in" in receipt
    following = f'href="/elections/v/{codes[1]}/ballot">Next question: Budget'
    assert following in receipt.partition("Your ranking")[0]
    again = voter.get("v", codes[0]).text
    assert "nothing left to do" not in again
    assert following in again.partition("1 of 2 answered")[2]
    assert "Next question" not in _cast(voter, f"/elections/v/{codes[1]}/ballot")
    done = voter.get("v", codes[0]).text
    assert done.count("is-done") == 1  # and the current one
    assert "nothing left to do" in done


def test_people_on_a_roll_are_sent_to_their_personal_link(
    app: PagesApp, owner: Browser, ben: Browser
) -> None:
    owner.submit(owner.get("e", BOARD, "launch"), how="fixed")
    app.world.service.lifecycle.set_managers(app.user("Ada"), BOARD, ["Ben"])
    home = ben.read()
    assert "Vote with your personal link" in home
    assert "Your elections 1 " in home
    assert "vote with your personal link" in ben.read("e", BOARD)
    ballot = ben.read("e", BOARD, "ballot")
    assert "Vote with your personal link" in ballot
    assert "not on" not in ballot


def test_another_question_has_its_own_review_but_no_own_voters(
    app: PagesApp, owner: Browser
) -> None:
    assert "It is launched with “Board”" in owner.read("e", BUDGET, "review")
    assert owner.get("e", BUDGET, "voters").url.path == "/elections/e/Board/voters"
    assert "Kind of ballot" not in owner.read("e", BUDGET, "settings")
    losses = owner.read("e", BOARD, "delete")
    assert "The other questions on its ballot: Budget." in losses
    assert "Budget" not in owner.read().partition("Your elections")[2].partition("Recently")[0]


def test_further_question_goes_on_to_its_counting_and_the_review_shows_all(
    app: PagesApp, owner: Browser
) -> None:
    saved = owner.submit(owner.get("e", BUDGET, "candidates"), candidates="Red\nBlue", go="next")
    assert saved.headers["location"].endswith("/e/Budget/method")
    settings = {"method": "schulze", "seats": "1", "quorum": "50%"}
    review = owner.follow(owner.submit(owner.get("e", BOARD, "method"), **settings, go="next"))
    expected = ["Board Red and Green Schulze", "Budget Red and Blue Schulze", "Voters 1 person"]
    expected += ["at least 50% of the voters (1 of 1)", "Add another question"]
    text = text_in(review.text)
    assert [each for each in expected if each not in text] == []
    app.world.service.lifecycle.launch(app.user("Ada"), BOARD, allow_edit=True)
    assert "It is not reached yet: 0 of the 1 needed have voted." in owner.read("e", BOARD)


@pytest.mark.parametrize(
    ("here", "there"),
    [("voters", "candidates"), ("method", "method"), ("candidates", "candidates")],
)
def test_questions_link_to_the_same_step(owner: Browser, here: str, there: str) -> None:
    assert f'href="/elections/e/Budget/{there}">Budget</a>' in owner.get("e", BOARD, here).text


def test_pages_name_the_whole_ballot_and_say_what_concerns_all_questions(
    app: PagesApp, owner: Browser
) -> None:
    name = {"ballot_name": "Annual meeting", "name": "Third"}
    owner.submit(owner.get("e", BUDGET, "questions"), **name)
    assert "Annual meeting: 3 questions on one ballot" in owner.read("e", BUDGET)
    assert "stay as they are: Board and Third." in owner.read("e", BUDGET, "delete")
    assert "All 3 questions are copied" in owner.read("e", BUDGET, "copy")
    assert "Quorum" in owner.read("e", BOARD, "method")
    assert "Quorum" not in owner.read("e", BUDGET, "method")
    app.world.service.lifecycle.delete(app.user("Ada"), "Third")
    owner.submit(owner.get("e", BOARD, "launch"), how="fixed")
    assert "Lock or close all questions" in owner.read("e", BUDGET)
    assert "data-print" in owner.get("e", BOARD, "roll", "cards").text


def test_managers_page_explains_roles_and_where_they_are_changed(
    app: PagesApp, owner: Browser
) -> None:
    app.world.service.people.change_role(app.user("Ada"), "Ben", Role.VOTER)
    page = owner.submit(owner.get("e", BOARD, "managers"), managers="Ben")
    assert "“Ben” can’t manage elections: their role is voter." in text_in(page.text)
    assert "Votes, and creates elections" in text_in(page.text)
    assert 'on the page <a href="/elections/people">' in page.text


def test_list_and_public_pages_show_one_ballot_by_its_name(app: PagesApp, owner: Browser) -> None:
    lifecycle, ada = app.world.service.lifecycle, app.user("Ada")
    lifecycle.edit(ada, BOARD, {"ballot_name": "Annual meeting", "secret_ballot": False})
    lifecycle.set_voters(ada, BOARD, ["Ada"])
    lifecycle.launch(ada, BOARD, allow_edit=True)
    app.vote("Ada", BOARD, "Red")
    for query in ("", "?q=budget", "?q=annual"):
        listed = owner.get("all", query=query).text
        assert listed.count('<li class="election">') == 1
        assert 'href="/elections/e/Board">Annual meeting</a>' in listed
        assert "2 questions" in listed
        assert 'href="/elections/e/Budget/ballot">Vote' in listed
    lifecycle.share_result(ada, BOARD, is_public=True)
    link = f"/elections/r/{app.election(BUDGET).election_id}"
    assert "<h1>Annual meeting</h1>" in app.browser().open(link).text
    lifecycle.close(ada, BOARD)
    result = app.browser().open(link).text
    assert "<h1>Annual meeting</h1>" in result
    assert "<h2>Budget</h2>" in result


@pytest.mark.parametrize("page", [(), ("check",)])
def test_visitor_finds_the_page_for_codes(app: PagesApp, page: tuple[str, ...]) -> None:
    found = app.browser().get(*page).text.partition("<main")[2].partition("</main>")[0]
    assert 'href="/elections/v"' in found


def test_close_names_the_methods_of_all_questions(app: PagesApp, owner: Browser) -> None:
    app.world.service.lifecycle.edit(app.user("Ada"), BUDGET, {"method": "approval"})
    owner.submit(owner.get("e", BOARD, "launch"), how="fixed")
    assert "Schulze method and Approval" in owner.read("e", BOARD, "finalize")


def test_manager_reads_notes_but_cannot_name_managers(
    app: PagesApp, owner: Browser, ben: Browser
) -> None:
    assert ben.get("e", BOARD, "notes").status_code == 403
    owner.submit(owner.get("e", BOARD, "managers"), managers="ben@example.org\n")
    owner.submit(owner.get("e", BOARD, "notes"), notes="Ask Cleo first.")
    assert missing_in(owner.get("e", BOARD, "settings"), ["Ben", "Ask Cleo first."]) == []
    assert "Ask Cleo first." in ben.read("e", BOARD, "settings")
    assert ben.get("e", BOARD, "managers").status_code == 403
    assert forms_in(owner.get("e", BOARD, "managers"))[0].fields["managers"] == ["Ben"]


def test_picture_is_shown_on_ballot_and_notice_until_it_is_removed(
    app: PagesApp, owner: Browser
) -> None:
    path = f"/elections/e/{BOARD}/candidates/edit?candidate=Red"
    saved = owner.upload(owner.open(path), {"alt": "At sea"}, {"picture": make_image()})
    assert saved.status_code == 303
    app.world.service.lifecycle.share_result(app.user("Ada"), BOARD, is_public=True)
    notice = app.browser().open(f"/elections/r/{app.election(BOARD).election_id}")
    for page in (owner.get("e", BOARD, "review"), owner.get("e", BOARD), notice):
        assert 'alt="At sea"' in page.text
    source = html.unescape(notice.text.partition('src="/elections/pictures/')[2].split('"')[0])
    picture = f"/elections/pictures/{source}"
    assert app.browser().open(picture).headers["content-type"] == "image/webp"
    wrong = owner.upload(owner.open(path), {}, {"picture": b"junk"})
    assert "not an image" in text_in(wrong.text)
    owner.upload(owner.open(path), {"remove_picture": "true"})
    assert app.browser().open(picture).status_code == 404
