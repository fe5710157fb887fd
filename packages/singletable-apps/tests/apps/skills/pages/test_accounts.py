"""Register, sign in, and one's own account, on pages."""

from __future__ import annotations

from dataclasses import replace

from tests.apps.skills.pages.client import PagesApp
from tests.apps.skills.support.world import PASSWORD, PUBLIC


def test_visitor_registers_and_signs_in(app: PagesApp) -> None:
    visitor = app.browser()
    assert "Register" in visitor.get().text
    page = visitor.get("register")
    answer = visitor.submit(page, "register", username="zoe", name="Zoe Park", password=PASSWORD)
    assert answer.headers["location"] == "/skills/people/zoe"
    assert visitor.get("account").status_code == 200
    other = app.browser()
    again = other.submit(other.get("sign-in"), "sign-in", who="ZOE", password=PASSWORD)
    assert again.headers["location"] == "/skills/start"


def test_visitor_confirms_the_address_of_the_registration(app: PagesApp) -> None:
    app.state = replace(app.state, service=app.world.open(confirm_addresses=True))
    visitor, new = app.browser(), {"username": "zoe", "name": "Zoe Park", "password": PASSWORD}
    page = visitor.get("register")
    answer = visitor.submit(page, "register", **new, email="zoe@example.org")
    assert "link to zoe@example.org. Open it" in visitor.flash(answer)
    assert app.world.user("zoe").email == ""
    link = app.world.mailbox.emails[-1].text.partition(PUBLIC)[2].split()[0]
    assert visitor.submit(visitor.open(link), "/email").status_code == 303
    assert app.world.user("zoe").email == "zoe@example.org"


def test_too_many_registrations_with_one_address_are_asked_to_wait(app: PagesApp) -> None:
    app.state = replace(app.state, service=app.world.open(confirm_addresses=True))
    for number in range(6):
        visitor = app.browser()
        new = {"username": f"zoe{number}", "name": "Zoe Park", "password": PASSWORD}
        answer = visitor.submit(visitor.get("register"), "register", **new, email="zoe@ex.org")
    assert answer.status_code == 429
    assert "Too many attempts. Try again in 1 second." in answer.text


def test_first_account_is_announced_as_the_administrator() -> None:
    app = PagesApp(is_empty=True)
    visitor = app.browser()
    assert "needs the set-up code" in visitor.get().text
    page = visitor.get("register")
    assert "Your account will be the administrator" in page.text
    new = {"username": "zoe", "name": "Zoe Park", "password": PASSWORD}
    refused = visitor.submit(page, "register", **new)
    assert (refused.status_code, "no owner yet" in refused.text) == (422, True)
    code = app.world.service.accounts.setup_code() or ""
    answer = visitor.submit(page, "register", **new, setup_code=code)
    assert answer.headers["location"] == "/skills/admin"
    assert "You are the administrator" in visitor.flash(answer)
    assert "administrator" not in app.browser().get("register").text
    for part in ("people", "catalog", "search", "matrix", "gaps", "teams", "projects", "roles"):
        assert visitor.get(part).status_code == 200
    app.world.check_calls()


def test_invalid_registration_is_shown_again(app: PagesApp) -> None:
    visitor = app.browser()
    page = visitor.get("register")
    answer = visitor.submit(page, "register", username="ada", name="Ada", password=PASSWORD)
    assert answer.status_code == 422
    assert "Someone has this username already" in answer.text
