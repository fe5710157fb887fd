"""Owners cannot take over accounts, and a session alone is not enough to grant control."""

from __future__ import annotations

from tests.apps.portfolio.pages.client import PagesApp
from tests.apps.portfolio.support.harness import PASSWORD


def test_sensitive_actions_ask_for_the_password_after_some_minutes(app: PagesApp) -> None:
    app.join("Grace")
    owner, accounts = app.world.owner(), app.world.service.accounts
    number = next(
        str(each.user_id) for each in accounts.list_accounts(owner) if each.name == "Grace"
    )
    ada = app.browser(owner)
    app.world.clock.advance(minutes=6)
    forms = {
        ("people", number, "remove", "/remove"): {},
        ("people", "invite", "/invite"): {
            "name": "Eve",
            "email": "eve@example.org",
            "role": "owner",
        },
    }
    for (*page, action), fields in forms.items():
        answer = ada.submit(ada.get(*page), action, **fields, current_password="wrong")
        shown = "f-current_password-error" in answer.text
        assert (answer.status_code, shown) == (422, True), page
    again = ada.get("export")
    assert again.url.path == "/portfolio/admin/sign-in"
    done = ada.submit(again, "/sign-in", who=owner.email, password=PASSWORD)
    assert ada.open(done.headers["location"]).headers["content-type"] == "application/zip"
    app.world.clock.advance(minutes=6)
    asked = ada.get("people", number, "remove")
    assert ada.submit(asked, "/remove", current_password=PASSWORD).status_code == 303
