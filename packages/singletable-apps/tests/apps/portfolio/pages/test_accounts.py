"""What is particular to people of the portfolio: addresses, owners, and what removal keeps."""

from __future__ import annotations

import pytest

from singletable_apps.portfolio.entities import Role
from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.support.html import text_in


def _person(app: PagesApp, browser: Browser, name: str) -> str:
    """Return the URL of a person's page."""
    people = app.world.service.accounts.list_accounts(app.world.owner())
    [user] = [user for user in people if user.name == name]
    return app.urls.admin("people", str(user.user_id))


def test_owner_who_steps_down_goes_to_the_dashboard(app: PagesApp, ada: Browser) -> None:
    app.join("Ben", Role.OWNER)
    page = ada.open(_person(app, ada, "Ada"))
    assert ada.submit(page, "/role", role="author").headers["location"] == "/portfolio/admin"
    page = ada.get("people")
    assert (page.status_code, "Only the owner" in text_in(page.text)) == (403, True)
    assert 'href="/portfolio/admin/people"' not in page.text


@pytest.mark.parametrize("user_id", ["0", "x", "9" * 30, "-1"])
def test_invalid_user_number_is_rejected(app: PagesApp, ada: Browser, user_id: str) -> None:
    assert ada.get("people", user_id).status_code in (404, 422)
