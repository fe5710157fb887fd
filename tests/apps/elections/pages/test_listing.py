"""Elections are listed and made on pages."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from singletable_apps.elections.entities import Publication
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.elections.world import ballot
from tests.apps.support.html import field_errors, missing_in


def test_an_empty_list_says_what_to_do(ada: Browser) -> None:
    assert missing_in(ada.get("all"), ["No elections yet", "/elections/new"]) == []
    assert missing_in(ada.get("all", query="?whose=mine"), ["None is yours yet"]) == []


def test_a_list_says_where_each_stands_and_what_part_one_has(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    owner = app.user("Ada")
    app.world.launch(owner, "Tea", terms=ElectionSettings(secret_ballot=True))
    app.world.launch(owner, "Coffee", voters=["Ada"])
    app.world.service.lifecycle.create(owner, "Water")
    app.world.service.voting.cast(app.user("Ada"), "Coffee", ballot("Red"), "once")
    page = ben.get("all").text
    coffee, tea, water = page.split('<li class="election">')[1:]
    assert ("You voted" in coffee, "Your vote is asked for" in coffee) == (False, False)
    assert ("Secret ballot" in tea, "Your vote is asked for" in tea) == (True, True)
    assert ("In preparation" in water, "by Ada" in water) == (True, True)
    assert "You voted" in ada.get("all").text
    assert missing_in(ben.get("all", query="?whose=mine"), ["None is yours yet"]) == []
    assert ada.get("all", query="?whose=mine").text.count('<li class="election">') == 3


def test_a_long_list_has_pages(app: PagesApp, ada: Browser) -> None:
    for number in range(27):
        app.world.service.lifecycle.create(app.user("Ada"), f"Election {number:02}")
    for query in ("", "?whose=mine"):
        first = ada.get("all", query=query)
        address = first.text.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0]
        second = ada.open(address.replace("&amp;", "&"))
        counts = [page.text.count('<li class="election">') for page in (first, second)]
        assert counts == [25, 2]
        assert "First page" in second.text


def test_an_election_is_made_with_everything_settled(app: PagesApp, ada: Browser) -> None:
    ada.http.cookies.set("zone", "Europe/Vienna")
    page = ada.get("new")
    assert (
        missing_in(page, ["Open ballot", "Secret ballot", "A ranking can give its voter away"])
        == []
    )
    answer = ada.submit(
        page,
        name="  Best   tea ",
        ballot="secret",
        publication="anonymous",
        no_voting_before="2026-07-01T10:00",
        no_voting_after="2026-12-01T10:00",
    )
    assert "is there" in ada.follow(answer).text
    made = app.election("Best tea")
    assert (made.secret_ballot, made.publication) == (True, Publication.ANONYMOUS)
    assert made.no_voting_before == datetime(2026, 7, 1, 8, tzinfo=UTC)
    assert made.no_voting_after == datetime(2026, 12, 1, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("kind", "published"), [("open", Publication.CONFIRMATIONS), ("secret", Publication.TOTALS)]
)
def test_what_is_published_suits_the_ballot_unless_chosen(
    app: PagesApp, ada: Browser, kind: str, published: Publication
) -> None:
    ada.submit(ada.get("new"), name="Tea", ballot=kind)
    assert app.election("Tea").publication is published


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "TEA"}, "name"),
        ({"name": "a" * 201}, "name"),
        ({"name": "a\u200bb"}, "name"),
        ({"name": ".."}, "name"),
        ({"ballot": None}, "ballot"),
        ({"ballot": "raised hands"}, "ballot"),
        ({"publication": "all"}, "publication"),
        ({"no_voting_before": "tomorrow"}, "no_voting_before"),
        (
            {"no_voting_before": "2026-02-02T00:00", "no_voting_after": "2026-02-01T00:00"},
            "no_voting_after",
        ),
    ],
)
def test_what_is_wrong_stands_beside_its_field_and_nothing_typed_is_lost(
    app: PagesApp, ada: Browser, typed: dict[str, str | None], field: str
) -> None:
    app.world.service.lifecycle.create(app.user("Ada"), "Tea")
    before = app.world.event_count
    answer = ada.submit(ada.get("new"), **{"name": "Wine & more", **typed})
    assert answer.status_code == 422
    assert list(field_errors(answer)) == [field]
    if typed.get("name", "Wine & more") == "Wine & more":
        assert "Wine &amp; more" in answer.text
    assert app.world.event_count == before


@pytest.mark.parametrize("role", [Role.OBSERVER, Role.VOTER])
def test_who_may_not_make_elections_is_told_so(app: PagesApp, ada: Browser, role: Role) -> None:
    looker = app.register("Carol", role)
    assert "/elections/new" not in looker.get("all").text
    assert looker.get("new").status_code == 403
    assert looker.post("/elections/new", {"name": "Tea"}).status_code == 403


def test_strangers_are_asked_to_sign_in_and_those_without_access_see_nothing(
    app: PagesApp, ada: Browser
) -> None:
    stranger = app.browser()
    led = stranger.get("all")
    assert led.url.path == "/elections/sign-in"
    assert app.register("Eve", Role.NO_ACCESS).get("all").status_code == 403
