"""Register, sign in, and one's own account, on pages."""

from __future__ import annotations

from tests.apps.skills.pages.client import PagesApp
from tests.apps.skills.support.world import PASSWORD


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
    assert answer.headers["location"] == "/skills/start"
    assert "Welcome, Zoe Park!" in visitor.flash(answer)
    assert "administrator" not in app.browser().get("register").text
    assert visitor.get("admin").status_code == 200
    for part in ("people", "catalog", "search", "matrix", "gaps", "teams", "projects", "roles"):
        assert visitor.get(part).status_code == 200
    app.world.check_calls()
