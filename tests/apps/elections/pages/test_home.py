"""The first page is what waits for who looks at it."""

from __future__ import annotations

from datetime import timedelta

from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.html import text_in

ODD = "Tea / coffee? #1 🍵"
ODD_ADDRESS = "/elections/e/Tea%20%2F%20coffee%3F%20%231%20%F0%9F%8D%B5"


def test_strangers_are_told_what_this_is_with_a_picture(app: PagesApp) -> None:
    page = app.browser().get()
    assert page.status_code == 200
    assert "<svg" in page.text
    said = text_in(page.text)
    assert "Museum wins" in said
    for words in ("Elections people can check", "Register", "Sign in", "Your ballot was counted"):
        assert words in said
    assert "style=" not in page.text


def test_user_without_access_sees_only_that_approval_is_pending(
    app: PagesApp, ada: Browser
) -> None:
    app.world.launch(app.user("Ada"), "Board")
    page = app.register("Zoe", Role.NO_ACCESS).get()
    assert "Awaiting approval" in page.text
    for hidden in ("Board", "/elections/all", "/elections/people", "Elections</a>"):
        assert hidden not in page.text.partition("<header")[2].replace("<span>Elections</span>", "")


def test_an_empty_place_says_what_to_do(app: PagesApp, ada: Browser) -> None:
    said = text_in(ada.get().text)
    for words in ("Nothing waits for your vote", "None yet", "New election", "No results yet"):
        assert words in said


def test_open_election_comes_first_until_the_ballot_is_cast(app: PagesApp, ada: Browser) -> None:
    owner = app.user("Ada")
    app.world.launch(owner, ODD)
    page = ada.get()
    assert "One election waits for your vote." in page.text
    assert f'href="{ODD_ADDRESS}/ballot"' in page.text
    app.world.service.voting.cast(owner, ODD, [("Red", 1)], key="1")
    said = text_in(ada.get().text)
    assert "You have voted wherever you can at the moment." in said
    assert "You have voted; your ballot can still be changed" in said


def test_who_may_not_vote_is_asked_for_nothing(app: PagesApp, ada: Browser, ben: Browser) -> None:
    app.world.launch(app.user("Ada"), "Board", voters=["Ada"])
    app.world.launch(app.user("Ada"), "Lunch")
    assert "wait for your vote" not in ben.get().text
    assert "One election waits for your vote." in ben.get().text
    assert "Two elections wait for your vote." in ada.get().text
    observer = app.register("Olga", Role.OBSERVER).get()
    assert "ask an administrator for the role of a voter" in observer.text
    assert "/elections/new" not in observer.text


def test_ones_own_elections_say_what_is_next(app: PagesApp, ada: Browser) -> None:
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
    said = text_in(ada.get().text).partition("Your elections")[2]
    for words in (
        "Empty It needs at least two candidates · 0 candidates In setup Add candidates",
        "Ready Ready to be launched · 2 candidates In setup Launch…",
        "Editable Candidates and voters can still change · 3 candidates Open Who voted",
        "Fixed Open until you close it",
        "Coming Voting has not begun: 2 January 2026, 12:00 UTC",
        "Ending Closes by itself: 2 January 2026",
        "Done Counted and signed · 3 candidates Closed Result",
    ):
        assert words in said
    world.clock.advance(days=2)
    assert "Ending Voting has ended" in text_in(app.sign_in("Ada").get().text)


def test_what_has_closed_is_there_for_everybody_the_last_first(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    owner = app.user("Ada")
    for name in ("Zebra", "Aardvark"):
        app.world.launch(owner, name)
        app.world.service.lifecycle.close(owner, name)
    said = text_in(ben.get().text).partition("Recently closed")[2]
    assert said.index("Aardvark") < said.index("Zebra")
    assert "Elections 2 People 2" in said
