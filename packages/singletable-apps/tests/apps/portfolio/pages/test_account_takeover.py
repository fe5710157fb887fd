"""Owners cannot take over accounts, and a session alone is not enough to grant control."""

from __future__ import annotations

from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.portfolio.support.harness import PASSWORD, PUBLIC
from tests.apps.support.html import text_in


def _link(app: PagesApp, to: str) -> str:
    text = next(email.text for email in reversed(app.world.mailbox.emails) if email.to == to)
    return text.partition(PUBLIC)[2].split()[0]


def test_own_address_changes_with_the_link(app: PagesApp, ben: Browser) -> None:
    page = ben.get("account")
    new = "benedict@example.org"
    assert new in ben.flash(ben.submit(page, "/account/details", email=new))
    assert "about to change" in app.world.mailbox.emails[-1].subject
    assert app.world.mailbox.emails[-1].to == "ben@example.org"
    answer = ben.submit(ben.open(_link(app, new)), "/email")
    assert ben.flash(answer) == "Your e-mail address was changed."
    assert new in ben.get("account").text


def test_owner_who_changes_an_address_cannot_take_over_the_account(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    people = app.world.service.accounts.list_accounts(app.world.owner())
    number = next(str(each.user_id) for each in people if each.name == "Ben")
    person = app.urls.admin("people", number)
    ada.flash(ada.submit(ada.open(person), number, email="eve@example.org"))
    old = _link(app, "ben@example.org")
    ada.follow(ada.submit(ada.open(_link(app, "eve@example.org")), "/email"))
    app.world.clock.advance(hours=1)
    visitor = app.browser()
    visitor.submit(visitor.get("forgot"), "/forgot", who="eve@example.org")
    assert "can’t be reset" in app.world.mailbox.emails[-1].subject
    assert "Is this your e-mail address?" in text_in(ben.get("account", "email").text)
    visitor.follow(visitor.submit(visitor.open(old), "/email/old", answer="keep"))
    assert app.world.service.accounts.get_user(number).email == "ben@example.org"


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
