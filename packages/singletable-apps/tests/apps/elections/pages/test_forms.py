"""All forms: wrong values have an error beside their field, and nobody overwrites a change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import pytest

from singletable_apps.elections.entities import Publication
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.elections.service.people import set_email
from tests.apps.elections.pages.client import Browser, PagesApp
from tests.apps.support.elections.world import PASSWORD
from tests.apps.support.html import field_errors, forms_in, has_conflict, missing_in

NEW_PASSWORD = "another lantern, another river"
OPENS = datetime(2026, 7, 1, 8, tzinfo=UTC)
ZOE = {"name": "Zoe", "email": "zoe@example.org", "password": PASSWORD}
Fields = Mapping[str, str | None]


@pytest.fixture(scope="module")
def full() -> PagesApp:
    """Create elections of Ada in several states. Rejected forms change nothing."""
    app = PagesApp.create()
    app.register("Ada")
    app.register("Ben")
    app.register("Carol", Role.VOTER)
    ada, lifecycle = app.user("Ada"), app.world.service.lifecycle
    lifecycle.create(ada, "Tea", ElectionSettings(secret_ballot=True, no_voting_before=OPENS))
    lifecycle.set_candidates(ada, "Tea", ["Assam", "Ceylon"])
    lifecycle.set_voters(ada, "Tea", ["Ada"])
    lifecycle.create(ada, "Water")
    app.world.launch(ada, "Open")
    return app


# The page, the end of the form's action, what is entered, and the fields with errors.
REJECTED: list[tuple[str, str, Fields, str]] = [
    ("sign-in", "", {"who": "", "password": ""}, "who password"),
    ("forgot", "", {"who": ""}, "who"),
    ("register", "", {**ZOE, "name": "ADA"}, "name"),
    ("register", "", {**ZOE, "email": "nowhere"}, "email"),
    ("register", "", {**ZOE, "password": "short"}, "password"),
    # All errors at once.
    ("register", "", {"name": "", "email": "x", "password": "short"}, "name email password"),
    ("register", "", {"name": "a", "email": "ada@example.org", "password": ""}, "email password"),
    ("account", "/details", {"name": "BEN"}, "name"),
    ("account", "/details", {"email": "nowhere"}, "email"),
    ("account", "/password", {"current": "not it", "new": NEW_PASSWORD}, "current"),
    ("account", "/password", {"current": PASSWORD, "new": "short"}, "new"),
    ("people/Ben", "/people/Ben", {"name": "Ada"}, "name"),
    ("people/Ben", "/people/Ben", {"email": "x"}, "email"),
    ("people/Ben", "/role", {"role": "KING"}, "role"),
    ("new", "", {"name": "TEA"}, "name"),
    ("new", "", {"name": "Wine & more", "ballot": None}, "ballot"),
    ("new", "", {"name": "Wine", "publication": "all"}, "publication"),
    ("new", "", {"name": "Wine", "no_voting_before": "tomorrow"}, "no_voting_before"),
    # It could never be launched.
    ("new", "", {"name": "Wine", "no_voting_after": "2020-01-01T00:00"}, "no_voting_after"),
    ("e/Tea/settings", "", {"name": "Water"}, "name"),
    ("e/Tea/settings", "", {"publication": "usually"}, "publication"),
    ("e/Tea/settings", "", {"no_voting_after": "2026-06-30T00:00"}, "no_voting_after"),
    ("e/Tea/candidates", "", {"candidates": "Assam\nASSAM"}, "candidates"),
    ("e/Open/candidates", "", {"candidates": "Red"}, "candidates"),
    ("e/Tea/method", "", {"method": "lottery"}, "method"),
    ("e/Tea/method", "", {"quorum": "half"}, "quorum"),
    ("e/Tea/method", "", {"method": "meek stv", "seats": "0"}, "seats"),
    ("e/Tea/voters/list", "", {"who": "listed", "chosen": None, "voters": " \n "}, "voters"),
    ("e/Tea/voters/list", "", {"who": "listed", "voters": "Ada\nNobody"}, "voters"),
    ("e/Tea/voters/list", "", {"who": None, "voters": "Ada"}, "who"),
    ("e/Tea/launch", "", {}, "how"),
    ("e/Tea/owner", "", {"owner": ""}, "owner"),
    ("e/Tea/owner", "", {"owner": "Carol"}, "owner"),
]
SECRET, TEXT = {"password", "current", "new"}, {"name", "email", "candidates", "voters"}


@pytest.mark.parametrize(("path", "ending", "fields", "errors"), REJECTED)
def test_wrong_value_has_an_error_beside_its_field_and_is_kept(
    full: PagesApp, path: str, ending: str, fields: Fields, errors: str
) -> None:
    is_public = path in ("sign-in", "forgot", "register")
    browser = full.browser(None if is_public else full.user("Ada"))
    before = full.world.event_count
    response = browser.submit(browser.get(*path.split("/")), ending, **fields)
    assert response.status_code == 422
    assert [*field_errors(response)] == errors.split()
    assert full.world.event_count == before
    [form] = [form for form in forms_in(response) if form.action.endswith(ending)]
    for name, value in fields.items():
        if name in SECRET:
            assert form.fields[name] == [""]
        elif name in TEXT and value:
            assert form.fields[name][0].strip() == value.strip()


Change = Callable[[PagesApp], object]


def _change_email(name: str) -> Change:
    return lambda app: set_email(app.world.service.context, app.user(name), "new@example.net")


def _set_candidates(name: str) -> Change:
    new = ["Red", "Green", "Black"]
    return lambda app: app.world.service.lifecycle.set_candidates(app.user("Ada"), name, new)


def _set_voters(app: PagesApp) -> object:
    return app.world.service.lifecycle.set_voters(app.user("Ada"), "Tea", ["Ada"])


def _set_publication(app: PagesApp) -> object:
    edit = {"publication": Publication.ANONYMOUS}
    return app.world.service.lifecycle.edit(app.user("Ada"), "Tea", edit)


# Who submits which form, what they enter, what somebody else changes meanwhile, and what is shown:
# the new values of the other, and what was entered.
CONFLICTS: list[tuple[str, str, str, Fields, Change, list[str]]] = [
    (
        *("Ada", "account", "/details", {"name": "Countess"}, _change_email("Ada")),
        ["new@example.net", 'value="Countess"'],
    ),
    ("Ben", "account/delete", "", {}, _change_email("Ben"), []),
    (
        *("Ada", "people/Ben", "/people/Ben", {"name": "Benjamin"}, _change_email("Ben")),
        ["new@example.net", 'value="Benjamin"'],
    ),
    ("Ada", "people/Ben", "/role", {"role": "VOTER"}, _change_email("Ben"), []),
    ("Ada", "people/Ben/owner", "", {}, _change_email("Ben"), []),
    ("Ada", "people/Ben/remove", "", {}, _change_email("Ben"), []),
    (
        *("Ada", "e/Tea/settings", "", {"name": "Best tea"}, _set_publication),
        ["All ballots without names", 'value="Best tea"'],
    ),
    (
        *("Ada", "e/Tea/candidates", "", {"candidates": "Darjeeling"}, _set_candidates("Tea")),
        ["Red, Green, Black", "Darjeeling"],
    ),
    ("Ada", "e/Tea/voters/list", "", {"who": "listed", "voters": "Ben"}, _set_voters, ["Ben"]),
    ("Ada", "e/Tea/owner", "", {"owner": "Ben"}, _set_candidates("Tea"), []),
    ("Ada", "e/Tea/launch", "", {"how": "fixed"}, _set_candidates("Tea"), []),
    ("Ada", "e/Tea/delete", "", {}, _set_candidates("Tea"), []),
    ("Ada", "e/Open/fix", "", {}, _set_candidates("Open"), []),
    ("Ada", "e/Open/finalize", "", {}, _set_candidates("Open"), []),
]


@pytest.mark.parametrize(
    ("who", "path", "ending", "fields", "change", "shown"),
    CONFLICTS,
    ids=[row[1] + row[2] for row in CONFLICTS],
)
def test_form_must_be_submitted_again_after_a_change_of_another(
    app: PagesApp,
    ada: Browser,
    ben: Browser,
    who: str,
    path: str,
    ending: str,
    fields: Fields,
    change: Change,
    shown: list[str],
) -> None:
    app.world.service.lifecycle.create(app.user("Ada"), "Tea")
    app.world.service.lifecycle.set_candidates(app.user("Ada"), "Tea", ["Assam", "Ceylon"])
    app.world.launch(app.user("Ada"), "Open")
    browser = {"Ada": ada, "Ben": ben}[who]
    page = browser.get(*path.split("/"))
    change(app)
    before = app.world.event_count
    response = browser.submit(page, ending, **fields)
    assert response.status_code == 412
    assert has_conflict(response)
    assert missing_in(response, shown) == []
    assert app.world.event_count == before
    assert browser.submit(response, ending).status_code == 303
    assert app.world.event_count > before


def test_form_without_revision_is_a_conflict(app: PagesApp, ada: Browser) -> None:
    app.world.service.lifecycle.create(app.user("Ada"), "Tea")
    assert ada.submit(ada.get("e", "Tea", "settings"), revision=None).status_code == 412
