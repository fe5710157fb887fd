"""Users edit their profile, and delete their account."""

from __future__ import annotations

import re

import pytest

from singletable_apps.elections.roles import Role
from singletable_apps.shared.accounts import NotSignedIn, Scope
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.html import forms_in, text_in


def test_voters_cannot_edit_their_profile(app: PagesApp, ada: Browser) -> None:
    voter = app.register("Vera", Role.VOTER)
    page = voter.get("account")
    assert not [form for form in forms_in(page) if form.action.endswith("/details")]
    assert "ask an administrator" in page.text
    fields = {"name": "X", "email": "x@example.org", "revision": str(app.user("Vera").revision)}
    assert voter.post("/elections/account/details", fields).status_code == 403


def test_account_shows_the_role_in_words(app: PagesApp, ada: Browser) -> None:
    assert "Owner – Full control; there is only one" in ada.get("account").text
    assert "OWNER" not in ada.get("account").text


def test_account_is_deleted_after_confirmation(app: PagesApp, ada: Browser, ben: Browser) -> None:
    page = ben.get("account", "delete")
    text = text_in(page.text)
    assert "Deleted" in text
    assert "Kept" in text
    assert "data-confirm-body" in page.text
    assert ben.flash(ben.submit(page))
    assert app.world.service.context.read.find_user("Ben") is None
    assert app.browser().get("account").url.path == "/elections/sign-in"


def test_account_says_why_it_cannot_be_deleted(app: PagesApp, ada: Browser, ben: Browser) -> None:
    delete_link = 'href="/elections/account/delete"'
    assert delete_link not in ada.get("account").text  # the owner of the site
    assert ada.get("account", "delete").status_code == 409
    assert delete_link in ben.get("account").text
    app.world.service.lifecycle.create(app.user("Ben"), "Board")
    assert delete_link not in ben.get("account").text
    revision = str(app.user("Ben").revision)
    assert ben.post("/elections/account/delete", {"revision": revision}).status_code == 409


def test_access_token_is_shown_once_listed_and_revoked(app: PagesApp, ada: Browser) -> None:
    page = ada.get("account", "tokens", "new")
    refused = ada.submit(page, name="", scopes="read")
    assert refused.status_code == 422
    created = ada.submit(page, name="<Backup>", scopes="read")
    (token,) = re.findall(r">(pat_[^<]+)</code>", created.text)
    assert created.headers["cache-control"] == "no-store"
    assert app.world.service.auth.authenticate(token, Scope.READ).name == "Ada"
    account = ada.get("account")
    assert "<bdi>&lt;Backup&gt;</bdi>" in account.text
    assert token not in account.text
    assert ada.flash(ada.submit(account, "/revoke")) == "The token no longer works."
    with pytest.raises(NotSignedIn):
        app.world.service.auth.authenticate(token, Scope.READ)


def test_access_token_needs_the_password_again_after_a_while(app: PagesApp, ada: Browser) -> None:
    app.world.clock.advance(minutes=6)
    page = ada.get("account", "tokens", "new")
    fields = {"name": "Backup", "scopes": "read"}
    assert "Your password" in text_in(ada.submit(page, **fields).text)
    ada.submit(page, **fields, current_password="lantern copper river")
    auth = app.world.service.auth
    assert len(auth.tokens.list(auth.account_of(app.user("Ada")))) == 1
