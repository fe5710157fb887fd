"""Register and sign in: set-up code, confirmed addresses, and the way back to a page."""

from __future__ import annotations

import httpx2
import pytest

from singletable import connect
from singletable_apps.elections.roles import Role
from tests.apps.elections.api.client import make_api
from tests.apps.elections.pages.client import Browser, PagesApp, url
from tests.apps.support.elections.world import PASSWORD, World
from tests.apps.support.html import field_errors

FINISH, IN_USE = "Finish your registration", "You already have an account"
ZOE = {"name": "Zoe", "email": "zoe@example.org", "password": PASSWORD}


@pytest.fixture
def confirming() -> PagesApp:
    """Return an app with a mail server, where Ada has an account."""
    world = World(connect("memory:"))
    world.service = world.open(confirm_registrations=True)
    world.register("Ada")
    return PagesApp.create(world)


def _register(app: PagesApp, **fields: str) -> httpx2.Response:
    browser = app.browser()
    return browser.submit(browser.get("register"), **{**ZOE, **fields})


def test_answer_does_not_reveal_whether_an_address_has_an_account(confirming: PagesApp) -> None:
    free, taken = _register(confirming), _register(confirming, email="ADA@example.org")
    assert [email.subject for email in confirming.emails()] == [IN_USE, FINISH]
    assert (free.status_code, free.headers["location"]) == (303, "/elections/register/sent")
    assert (taken.status_code, taken.headers["location"]) == (303, "/elections/register/sent")
    assert not {"set-cookie"} & {*free.headers, *taken.headers}
    # User names are public.
    assert set(field_errors(_register(confirming, name="ADA"))) == {"name"}


def test_link_creates_the_account_once(confirming: PagesApp) -> None:
    _register(confirming)
    link, zoe = confirming.link(FINISH), confirming.browser()
    assert "zoe@example.org" in zoe.open(link).text
    assert confirming.world.service.context.read.find_user("Zoe") is None
    page = zoe.open(link)
    assert "Welcome" in zoe.flash(zoe.submit(page, password=PASSWORD))
    assert confirming.user("Zoe").role is Role.NO_ACCESS
    assert confirming.browser().open(link).status_code == 422
    assert confirming.browser().submit(page, password=PASSWORD).status_code == 422


# Zoe would use an account whose password the other knows.
def test_link_is_useless_for_a_registration_of_someone_else(confirming: PagesApp) -> None:
    _register(confirming, name="Visit evil.example", password="orchard violet engine")
    assert "evil.example" not in confirming.emails()[0].text
    zoe = confirming.browser()
    page = zoe.open(confirming.link(FINISH))
    for password in ("", PASSWORD):
        assert set(field_errors(zoe.submit(page, password=password))) == {"password"}
    assert confirming.world.service.context.read.find_user_by_email("zoe@example.org") is None
    # Guessing the password with one link is throttled.
    assert "Too many" in [zoe.submit(page, password="x" * 12) for _ in range(4)][-1].text


def test_name_may_be_taken_before_the_link_is_opened(confirming: PagesApp) -> None:
    _register(confirming)
    page = confirming.browser().open(confirming.link(FINISH))
    confirming.world.service.people.register("zoe", "other@example.org", PASSWORD)
    answer = confirming.browser().submit(page, password=PASSWORD)
    assert (answer.status_code, "is taken" in answer.text) == (422, True)


def test_addresses_are_not_flooded_with_links(confirming: PagesApp) -> None:
    answers = [_register(confirming) for _ in range(8)]
    assert answers[-1].status_code == 429
    assert len(confirming.emails()) < 8


def test_api_answers_the_same_for_every_address() -> None:
    api = make_api("Ada", confirm_registrations=True)
    answers = [
        api.anonymous().post("/register", {**ZOE, "email": address})
        for address in ("zoe@example.org", "ada@example.org")
    ]
    assert [answer.status_code for answer in answers] == [202, 202]
    assert [{*answer.json()} for answer in answers] == [{"email"}, {"email"}]
    assert not any("set-cookie" in answer.headers for answer in answers)


@pytest.mark.parametrize("code", ["", "0123456789abcdef", "ß" * 100])
def test_first_account_without_the_code_is_rejected(code: str) -> None:
    app = PagesApp.create()
    browser = app.browser()
    answer = browser.submit(browser.get("register"), **ZOE, setup_code=code)
    assert set(field_errors(answer)) == {"setup_code"}
    assert app.world.service.people.setup_code() is not None


def test_set_up_link_makes_the_owner_and_works_once() -> None:
    app = PagesApp.create()
    people = app.world.service.people
    code = people.setup_code()
    link = f"/elections/register?code={code}"
    browser = app.browser()
    assert "Welcome" in browser.flash(browser.submit(browser.open(link), **ZOE))
    zoe = app.user("Zoe")
    assert zoe.role is Role.OWNER
    other = app.browser()
    assert "setup_code" not in other.open(link).text
    # A site that is empty again has another code.
    people.remove(zoe, "Zoe")
    assert people.setup_code() not in (None, code)


@pytest.mark.parametrize("name", ["A#B/C?", "100 % & Größe;ß=1"])
def test_sign_in_returns_to_an_election_of_any_name(app: PagesApp, ada: Browser, name: str) -> None:
    app.world.service.lifecycle.create(app.user("Ada"), name)
    browser = app.browser()
    page = browser.open(url("e", name, "candidates") + "?from=a%23b")
    response = browser.submit(page, who="Ada", password=PASSWORD)
    assert response.headers["location"] == url("e", name, "candidates") + "?from=a%23b"
    page = browser.follow(response)
    assert page.status_code == 200
    assert page.text.count('aria-current="page"') == 2  # in the header, and among the tabs


def test_registration_signs_in(app: PagesApp, ada: Browser) -> None:
    browser = app.browser()
    name = "Zoë 🦊 / #1"
    fields = {"name": name, "email": "zoe@example.org", "password": PASSWORD}
    response = browser.submit(browser.get("register"), **fields)
    assert name in browser.flash(response)
    assert f"Signed in as <strong>{name}</strong>" in browser.get().text
    # Neither form is of use to someone who is signed in.
    for form in ("sign-in", "register"):
        assert browser.get(form).url.path == "/elections"
