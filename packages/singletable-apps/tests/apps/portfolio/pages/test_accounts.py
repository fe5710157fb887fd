"""Owners invite people, change roles and names, and remove accounts."""

from __future__ import annotations

import pytest

from singletable_apps.portfolio.entities import Role
from singletable_apps.shared.mail import MailNotSent
from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.support.html import field_errors, text_in


def _person(app: PagesApp, browser: Browser, name: str) -> str:
    """Return the URL of a person's page."""
    people = app.world.service.accounts.list_accounts(app.world.owner())
    [user] = [user for user in people if user.name == name]
    return app.urls.admin("people", str(user.user_id))


def test_invited_person_chooses_a_password_and_writes(app: PagesApp, ada: Browser) -> None:
    form = ada.get("people", "invite")
    response = ada.submit(form, name="Ben", email="ben@example.org", role="author")
    assert "ben@example.org" in ada.flash(response)
    assert "Invited" in text_in(ada.get("people").text)
    link = app.world.mailbox.emails[-1].text.partition("https://ada.example")[2].split()[0]
    ben = app.browser()
    assert ben.submit(ben.open(link), password="orchard violet engine").status_code == 303
    assert "Signed in as <strong>Ben</strong>" in ben.get("account").text


def test_invalid_invitation_has_errors_beside_the_fields(app: PagesApp, ada: Browser) -> None:
    form = ada.get("people", "invite")
    response = ada.submit(form, name="", email="nowhere", role="author")
    assert (response.status_code, set(field_errors(response))) == (422, {"name", "email"})
    taken = ada.submit(form, name="Ada", email="ADA@example.org", role="author")
    assert (taken.status_code, set(field_errors(taken))) == (422, {"email"})
    unknown = ada.submit(form, name="Ben", email="ben@example.org", role="admin")
    assert (unknown.status_code, set(field_errors(unknown))) == (422, {"role"})
    assert app.world.mailbox.emails == []


def test_invitation_that_was_not_sent_can_be_repeated(app: PagesApp, ada: Browser) -> None:
    app.world.mailbox.error = MailNotSent("The mail server is gone.", is_temporary=True)
    form = ada.get("people", "invite")
    response = ada.submit(form, name="Ben", email="ben@example.org", role="author")
    assert "could not be sent" in ada.flash(response)
    app.world.mailbox.error = None
    page = ada.open(_person(app, ada, "Ben"))
    assert "a link to choose a password" in ada.flash(ada.submit(page, "/invite"))
    assert len(app.world.mailbox.emails) == 1


def test_role_and_name_are_changed(app: PagesApp, ada: Browser, ben: Browser) -> None:
    url = _person(app, ada, "Ben")
    page = ada.open(url)
    assert ada.flash(ada.submit(page, "/role", role="owner")) == "Ben is now an owner."
    assert ada.flash(ada.submit(page, "/name", name="Benjamin")) == "Benjamin saved."
    assert set(field_errors(ada.submit(page, "/name", name=""))) == {"name"}
    assert ben.get("people").status_code == 200


def test_last_owner_cannot_be_demoted_or_removed(app: PagesApp, ada: Browser) -> None:
    url = _person(app, ada, "Ada")
    assert "The only owner" in ada.open(url).text
    response = ada.post(f"{url}/role", {"role": "author"})
    assert (response.status_code, set(field_errors(response))) == (422, set())
    assert "make someone else an owner first" in response.text.lower()
    assert ada.post(f"{url}/remove").status_code == 422
    assert app.world.owner().role is Role.OWNER


def test_owner_who_steps_down_goes_to_the_dashboard(app: PagesApp, ada: Browser) -> None:
    app.join("Ben", Role.OWNER)
    page = ada.open(_person(app, ada, "Ada"))
    assert ada.submit(page, "/role", role="author").headers["location"] == "/portfolio/admin"
    page = ada.get("people")
    assert (page.status_code, "Only the owner" in text_in(page.text)) == (403, True)
    assert 'href="/portfolio/admin/people"' not in page.text


def test_removed_person_is_signed_out(app: PagesApp, ada: Browser, ben: Browser) -> None:
    url = _person(app, ada, "Ben")
    question = ada.open(f"{url}/remove")
    assert "All posts" in text_in(question.text)
    assert ada.flash(ada.submit(question, "/remove")) == "Ben was removed."
    assert ben.get("account").url.path == "/portfolio/admin/sign-in"
    assert ada.open(url).status_code == 404


@pytest.mark.parametrize("user_id", ["0", "x", "9" * 30, "-1"])
def test_invalid_user_number_is_rejected(app: PagesApp, ada: Browser, user_id: str) -> None:
    assert ada.get("people", user_id).status_code in (404, 422)
