"""Elections are listed and made on pages."""

from __future__ import annotations

from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import ElectionSettings
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.elections.world import ballot
from tests.apps.support.html import missing_in


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
    assert ("In setup" in water, "by Ada" in water) == (True, True)
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


def test_strangers_are_asked_to_sign_in_and_those_without_access_see_nothing(
    app: PagesApp, ada: Browser
) -> None:
    stranger = app.browser()
    led = stranger.get("all")
    assert led.url.path == "/elections/sign-in"
    assert app.register("Eve", Role.NO_ACCESS).get("all").status_code == 403
