"""An administrator who changes a user's e-mail address cannot take over the account."""

from __future__ import annotations

import pytest

from singletable_apps.elections.roles import Role
from singletable_apps.elections.service.people import set_email
from singletable_apps.shared.accounts.entities import EmailChange
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.elections.world import PASSWORD

THEIRS = "mallory@example.net"
OLD = "Your e-mail address is about to change"
OFF = "Your password can’t be reset"
RESET = "Reset your password"


@pytest.fixture
def mallory(app: PagesApp, ada: Browser, ben: Browser) -> Browser:
    """Return an administrator, who wants to read Ben's secret ballot."""
    return app.register("Mallory", Role.ADMIN)


def _change_address(app: PagesApp) -> None:
    mallory = app.sign_in("Mallory")
    page = mallory.get("people", "Ben")
    assert "link" in mallory.flash(mallory.submit(page, "/people/Ben", email=THEIRS))


def _request_reset(app: PagesApp, who: str = "Ben") -> str:
    """Request a reset, and return the subject of the e-mail that was sent."""
    app.world.clock.advance(hours=1)
    browser = app.browser()
    browser.submit(browser.get("forgot"), who=who)
    return app.emails()[0].subject


def _subjects(app: PagesApp, address: str) -> list[str]:
    return [email.subject for email in app.emails() if email.to == address]


def test_administrator_cannot_take_over_an_account(app: PagesApp, mallory: Browser) -> None:
    assert _request_reset(app) == RESET
    pending = app.link(RESET)
    mallory = app.sign_in("Mallory")
    _change_address(app)
    # Until the new address is confirmed, nothing changes, and the old one knows.
    assert app.user("Ben").email == "ben@example.org"
    assert OLD in _subjects(app, "ben@example.org")
    app.confirm_email()
    assert app.user("Ben").email == THEIRS
    assert "Your e-mail address was changed" in _subjects(app, "ben@example.org")
    # Earlier links are void, and there are no new ones.
    reset = mallory.submit(mallory.open(pending), password="orchard violet engine")
    assert reset.status_code == 422
    assert _request_reset(app) == OFF
    assert _request_reset(app, THEIRS) == OFF
    # A second change must not make the first address of the administrator the old one.
    mallory = app.sign_in("Mallory")
    mallory.submit(mallory.get("people", "Ben"), "/people/Ben", email="m2@example.net")
    link = app.link(OLD)
    app.confirm_email()
    assert mallory.open(link).status_code == 422
    assert _request_reset(app) == OFF
    # Ben signs in as always, which does not mean that he has looked at his address.
    ben = app.sign_in("Ben")
    assert _request_reset(app) == OFF
    assert "/elections/account/email" in ben.get("account").text
    asked = ben.get("account", "email")
    assert "Mallory changed" in asked.text
    assert ben.submit(asked, current_password="a wrong password").status_code == 422
    assert ben.submit(asked, current_password=PASSWORD, email=THEIRS).status_code == 422
    assert ben.submit(asked, current_password=PASSWORD).status_code == 303
    assert _request_reset(app) == RESET


def test_own_change_of_address_is_accepted(app: PagesApp, mallory: Browser) -> None:
    _change_address(app)
    old = app.link(OLD)
    app.confirm_email()
    ben = app.sign_in("Ben")
    ben.submit(ben.get("account"), "/details", email="ben@example.com")
    app.confirm_email()
    assert app.user("Ben").email == "ben@example.com"
    assert "Is this your" not in ben.get("account", "email").text
    assert ben.open(old).status_code == 422
    assert _request_reset(app) == RESET


@pytest.mark.parametrize("is_confirmed", [False, True])
@pytest.mark.parametrize(("answer", "address"), [("keep", "ben@example.org"), ("accept", THEIRS)])
def test_owner_of_the_old_address_decides(
    app: PagesApp, mallory: Browser, *, is_confirmed: bool, answer: str, address: str
) -> None:
    _change_address(app)
    confirm, link = app.link("Confirm your e-mail address"), app.link(OLD)
    if is_confirmed:
        app.confirm_email()
    ben = app.browser()
    # Opening the link decides nothing.
    assert ben.open(link).status_code == ben.open(link).status_code == 200
    assert ben.submit(ben.open(link), answer=answer).status_code == 303
    if not is_confirmed and answer == "accept":
        app.confirm_email()
    assert app.user("Ben").email == address
    assert ben.open(link).status_code == 422
    assert ben.open(confirm).status_code == 422
    assert _request_reset(app) == RESET


def test_change_that_fails_does_not_stop_resets(app: PagesApp, mallory: Browser) -> None:
    _change_address(app)
    link = app.link("Confirm your e-mail address")
    set_email(app.world.service.context, app.user("Ada"), THEIRS)
    assert mallory.submit(mallory.open(link)).status_code == 422
    assert _request_reset(app) == RESET


# Otherwise anyone could send advertisements from this server.
def test_unconfirmed_address_gets_no_text_of_users(app: PagesApp, mallory: Browser) -> None:
    _change_address(app)
    [email] = [email for email in app.emails() if email.to == THEIRS]
    assert not any(name in email.text for name in ("Ben", "Mallory"))


@pytest.mark.parametrize("change", ["password", "role", "address"])
def test_links_are_void_once_the_account_changes(
    app: PagesApp, ada: Browser, ben: Browser, change: str
) -> None:
    _request_reset(app)
    ben = app.sign_in("Ben")
    ben.submit(ben.get("account"), "/details", email="new@example.org")
    links = [app.link(RESET), app.link("Confirm your e-mail address")]
    people = app.world.service.people
    if change == "password":
        new = {"current": PASSWORD, "new": "orchard violet engine"}
        assert ben.submit(ben.get("account"), "/password", **new).status_code == 303
    elif change == "role":
        people.change_role(app.user("Ada"), "Ben", Role.VOTER)
    else:
        set_email(app.world.service.context, app.user("Ben"), "other@example.org")
    reset = ben.submit(ben.open(links[0]), password="nine purple lanterns")
    assert (reset.status_code, ben.open(links[1]).status_code) == (422, 422)


# A session at a forgotten browser is not enough.
def test_sensitive_actions_ask_for_the_password_after_some_minutes(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    ada = app.sign_in("Ada")
    forms = {
        ("account", "/details"): {"email": "new@example.org"},
        ("people", "Ben", "/people/Ben"): {"email": "new@example.org"},
        ("people", "Ben", "/role"): {"role": "ADMIN"},
        ("people", "Ben", "owner", "/owner"): {},
        ("people", "Ben", "remove", "/remove"): {},
    }
    for (*page, action), fields in forms.items():
        field = "role_password" if action == "/role" else "current_password"
        app.world.clock.advance(hours=1)
        for entered in ("", "a wrong password"):
            answer = ada.submit(ada.get(*page), action, **fields, **{field: entered})
            assert (answer.status_code, f"f-{field}-error" in answer.text) == (422, True), page
    assert app.user("Ben").role is Role.USER
    # The other changes of a profile need nothing, and the right password is enough.
    assert ada.submit(ada.get("account"), "/details", name="Countess").status_code == 303
    app.world.clock.advance(minutes=30)
    ben = app.sign_in("Ben")
    app.world.clock.advance(minutes=6)
    asked = ben.get("account", "delete")
    assert ben.submit(asked, current_password=PASSWORD).status_code == 303
    assert app.world.service.context.read.find_user("Ben") is None


# The links are sent to one address. Someone who can write the table cannot use them for another.
@pytest.mark.parametrize(("page", "field"), [("email", "new_email"), ("email/old", "old_email")])
def test_links_work_only_for_the_address_they_were_sent_to(
    app: PagesApp, mallory: Browser, page: str, field: str
) -> None:
    _change_address(app)
    links = {"email": "Confirm your e-mail address", "email/old": OLD}
    link = app.link(links[page])
    assert mallory.open(link).status_code == 200
    attribute = getattr(EmailChange, field)
    store = app.world.service.context.store
    store.update(EmailChange.key(app.user("Ben").user_id), attribute.set("evil@example.net"))
    assert mallory.open(link).status_code == 422
