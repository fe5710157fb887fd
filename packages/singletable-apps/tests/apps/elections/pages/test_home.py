"""The home page: a welcome for visitors, a dashboard for users."""

from __future__ import annotations

from datetime import timedelta

from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.methods import METHOD
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.html import text_in

ODD = "Tea / coffee? #1 🍵"
ODD_ADDRESS = "/elections/e/Tea%20%2F%20coffee%3F%20%231%20%F0%9F%8D%B5"


def test_visitors_see_a_welcome_page_with_a_picture(app: PagesApp) -> None:
    page = app.browser().get()
    assert page.status_code == 200
    assert "<svg" in page.text
    for link in ("/elections/register", "/elections/sign-in", "/elections/check"):
        assert f'href="{link}"' in page.text
    assert "style=" not in page.text


# The picture once showed an instant runoff, though the Schulze method decides.
def test_welcome_page_shows_the_method_that_decides(app: PagesApp) -> None:
    text = text_in(app.browser().get().text)
    assert METHOD.title in text
    assert "Garden to Museum" in text
    assert "Round 1" not in text
    counting = app.browser().get("counting")
    assert counting.status_code == 200
    assert METHOD.url in counting.text


def test_user_without_access_sees_only_that_approval_is_pending(
    app: PagesApp, ada: Browser
) -> None:
    app.world.launch(app.user("Ada"), "Board")
    page = app.register("Zoe", Role.NO_ACCESS).get()
    assert "Waiting for approval" in page.text
    for hidden in ("Board", "/elections/all", "/elections/people", "All elections</a>"):
        assert hidden not in page.text.partition("<header")[2].replace("<span>Elections</span>", "")


# It once was under "Open now" for people who had voted somewhere else.
def test_election_that_opens_later_is_not_under_open_now(app: PagesApp, ada: Browser) -> None:
    owner = app.user("Ada")
    app.world.launch(owner, "Open already")
    app.vote("Ada", "Open already", "Red")
    tomorrow = app.world.clock() + timedelta(days=1)
    app.world.launch(owner, "Opens later", terms=ElectionSettings(no_voting_before=tomorrow))
    text = ada.read()
    open_now = text.partition("Open now")[2].partition("Coming up")
    assert "Open already" in open_now[0]
    assert "Opens later" not in open_now[0]
    assert "Opens later Voting opens" in open_now[2]


def test_empty_dashboard_says_what_to_do(app: PagesApp, ada: Browser) -> None:
    text = ada.read()
    for words in ("No election needs your vote", "No elections yet", "New election"):
        assert words in text


def test_open_election_comes_first_until_the_ballot_is_cast(app: PagesApp, ada: Browser) -> None:
    owner = app.user("Ada")
    app.world.launch(owner, ODD)
    page = ada.get()
    assert "One election needs your vote." in page.text
    assert f'href="{ODD_ADDRESS}/ballot"' in page.text
    app.world.service.voting.cast(owner, ODD, [("Red", 1)], key="1")
    text = ada.read()
    assert "need your vote" not in text
    assert "You voted; you can still change your ballot" in text


def test_only_eligible_voters_see_that_their_vote_is_needed(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    app.world.launch(app.user("Ada"), "Board", voters=["Ada"])
    app.world.launch(app.user("Ada"), "Lunch")
    assert "One election needs your vote." in ben.get().text
    assert "Two elections need your vote." in ada.get().text
    olga = app.register("Olga", Role.OBSERVER)
    for page in (olga.get().text, olga.get("all").text):
        assert "needs your vote" not in page
        assert "/elections/new" not in page
        assert 'href="/elections/people"' not in page


def test_ballot_with_several_questions_is_shown_once(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    lifecycle, owner = app.world.service.lifecycle, app.user("Ada")
    lifecycle.create(owner, "Chair")
    lifecycle.add_question(owner, "Chair", "Budget")
    lifecycle.edit(owner, "Chair", {"ballot_name": "Meeting"})
    for name in ("Chair", "Budget"):
        lifecycle.set_candidates(owner, name, ["Red", "Green"])
    lifecycle.launch(owner, "Chair", allow_edit=True)
    for answered, next_one in (("Chair", "Budget"), ("Budget", "")):
        assert "One election needs your vote." in ben.get().text
        app.vote("Ben", answered, "Red")
        text = ben.get().text
        assert (f"/elections/e/{next_one}/ballot" in text) == bool(next_one)
        assert text.count("Meeting") == 1
    assert "Open now Meeting You voted" in ben.read()
    assert "Meeting Open until you close it · 2 questions" in ada.read()
    lifecycle.close(owner, "Chair")
    text = ben.read()
    assert "Recently closed Meeting 2 questions · by Ada" in text
    assert "Elections 1 People 2" in text
    assert "1 election, 2 people." in ben.read("all")


def test_own_elections_show_the_next_step(app: PagesApp, ada: Browser) -> None:
    world, owner = app.world, app.user("Ada")
    soon = world.clock.now + timedelta(days=1)
    world.service.lifecycle.create(owner, "Empty")
    world.service.lifecycle.create(owner, "Ready")
    world.service.lifecycle.set_candidates(owner, "Ready", ["A", "B"])
    world.launch(owner, "Editable")
    world.launch(owner, "Fixed", allow_edit=False)
    world.launch(owner, "Coming", terms=ElectionSettings(no_voting_before=soon))
    world.launch(owner, "Ending", terms=ElectionSettings(no_voting_after=soon), allow_edit=False)
    world.launch(owner, "Done")
    world.service.lifecycle.close(owner, "Done")
    text = ada.read().partition("Your elections")[2]
    for words in (
        "Empty Needs at least two candidates · 0 candidates",
        "Ready Ready to launch · 2 candidates",
        "Editable Open until you close it · 3 candidates Open Who voted",
        "Fixed Open until you close it",
        "Coming Opens 2 January 2026, 12:00 UTC",
        "Ending Closes 2 January 2026",
        "Done Results are in · 3 candidates Closed Results",
    ):
        assert words in text
    world.clock.advance(days=2)
    assert "Ending Voting has ended" in text_in(app.sign_in("Ada").get().text)


def test_recently_closed_elections_are_listed_newest_first(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    owner = app.user("Ada")
    for name in ("Zebra", "Aardvark"):
        app.world.launch(owner, name)
        app.world.service.lifecycle.close(owner, name)
    text = ben.read().partition("Recently closed")[2]
    assert text.index("Aardvark") < text.index("Zebra")
    assert "Elections 2 People 2" in text
