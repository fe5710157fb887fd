"""An administrator who changes a user's e-mail address cannot take over the account."""

from __future__ import annotations

from singletable_apps.skills.entities import Role
from tests.apps.skills.pages.client import PagesApp
from tests.apps.skills.support.world import PUBLIC

OLD, CONFIRM = "Your e-mail address is about to change", "Confirm your e-mail address"


def _link(app: PagesApp, subject: str) -> str:
    emails = app.world.mailbox.emails
    text = next(email.text for email in reversed(emails) if email.subject == subject)
    return text.partition(PUBLIC)[2].split()[0]


# Only a change that the owner has not accepted stops resets.
def test_notices_say_that_resets_are_off_only_if_they_are(app: PagesApp) -> None:
    ada = app.browser("ada")
    ada.submit(ada.get("people", "bob", "edit"), "/edit", email="bob@example.net")
    visitor = app.browser()
    visitor.submit(visitor.open(_link(app, OLD)), "/email/old", answer="accept")
    ada.submit(ada.open(_link(app, CONFIRM)), "/email")
    ada.submit(ada.get("people", "bob", "edit"), "/edit", email="")
    changed = [
        email
        for email in app.world.mailbox.emails
        if email.subject == "Your e-mail address was changed"
    ]
    assert [email.to[-3:] for email in changed] == ["org", "net", "net"]
    assert not any("Resets by e-mail are off" in email.text for email in changed)


def test_sensitive_actions_ask_for_the_password_after_some_minutes(app: PagesApp) -> None:
    ada = app.browser("ada")
    app.world.clock.advance(minutes=6)
    forms = {
        ("people", "ada", "edit", "/edit"): {"email": "new@example.org"},
        ("people", "bob", "edit", "/edit"): {"email": "new@example.org"},
        ("people", "bob", "delete", "/delete"): {"username": "bob"},
        ("admin", "people", "invite", "/invite"): {
            "username": "eve",
            "name": "Eve",
            "email": "eve@example.org",
            "role": "admin",
        },
    }
    for (*page, action), fields in forms.items():
        app.world.clock.advance(hours=1)
        answer = ada.submit(ada.get(*page), action, **fields, current_password="wrong")
        shown = "f-current_password-error" in answer.text
        assert (answer.status_code, shown) == (422, True), page
    assert app.world.user("bob").role is Role.USER
    assert ada.get("export", format="csv").url.path == "/skills/sign-in"
