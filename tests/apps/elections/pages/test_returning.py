"""After signing in one is back where one was, whatever the election there is called."""

from __future__ import annotations

import pytest

from singletable_apps.elections.pages.urls import url
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.elections.world import PASSWORD

NAMES = ("A#B", "Tea/Coffee?", "100 % & more", "Größe;ß=1")


@pytest.mark.parametrize("name", NAMES)
def test_sign_in_returns_to_the_page_for_any_name(app: PagesApp, ada: Browser, name: str) -> None:
    app.world.service.lifecycle.create(app.user("Ada"), name)
    person = app.browser()
    page = person.open(url("e", name, "candidates") + "?from=a%23b")
    answer = person.submit(page, who="Ada", password=PASSWORD)
    assert answer.headers["location"] == url("e", name, "candidates") + "?from=a%23b"
    back = person.follow(answer)
    assert back.status_code == 200
    assert back.text.count('aria-current="page"') == 2  # in the header, and among the tabs
