"""After signing in one is back where one was, whatever the election there is called."""

from __future__ import annotations

import pytest

from singletable_apps.elections.pages.urls import url
from tests.apps.elections.pages.clicking import Person, Town
from tests.apps.elections.rig.world import PASSWORD

NAMES = ("A#B", "Tea/Coffee?", "100 % & more", "Größe;ß=1")


@pytest.mark.parametrize("name", NAMES)
def test_a_page_of_an_election_of_any_name_leads_back(town: Town, ada: Person, name: str) -> None:
    town.world.service.lifecycle.create(town.user("Ada"), name)
    person = town.person(None)
    page = person.visit(url("e", name, "candidates") + "?from=a%23b")
    answer = person.send(page, who="Ada", password=PASSWORD)
    assert answer.headers["location"] == url("e", name, "candidates") + "?from=a%23b"
    back = person.follow(answer)
    assert back.status_code == 200
    assert back.text.count('aria-current="page"') == 2  # in the header, and among the tabs
