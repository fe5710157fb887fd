"""An app of a few lines with accounts: people register and sign in, on pages and in the API."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import APIRouter, Response
from fastapi.testclient import TestClient

from singletable import Table, connect
from singletable_apps.shared.accounts import (
    AccountsContext,
    UserFields,
    UsernameAccounts,
    expiring,
    people_index,
)
from singletable_apps.shared.frame import AppSpec, Opening, Urls
from singletable_apps.shared.frame.accounts import USERNAMES, sample_account
from singletable_apps.shared.frame.people_api import username_routers
from singletable_apps.shared.serve import PublicUrl
from tests.apps.support.browser import Browser
from tests.apps.support.mailbox import read_outbox

table = Table("tea", indexes=[people_index])
NAMES = {expiring: "tea_sessions"}
PASSWORD = "lantern copper river"
ADA = {"username": "Ada", "name": "Ada Lovelace", "password": PASSWORD}


class User(UserFields, table=table):
    """A guest."""


class Accounts(UsernameAccounts[User]):
    issuer, entity = "tea", User


class TeaService:
    def __init__(self, context: AccountsContext) -> None:
        self.context = context
        self.accounts = Accounts(context)


@contextmanager
def open_tea(opening: Opening) -> Generator[TeaService]:
    urls = Urls("/tea", opening.public)
    yield TeaService(opening.make_context(urls, table, names=NAMES))


home = APIRouter()


@home.get("")
def show_home() -> Response:
    return Response("Tea is ready.")


TEA = AppSpec[TeaService](
    folder=Path("tea"),
    tagline="Drink tea.",
    about="Tea for guests.",
    description="Tea over HTTP.",
    open=open_tea,
    routers=username_routers(),
    pages=(home,),
    people=USERNAMES,
)


@pytest.fixture
def service(tmp_path: Path) -> Generator[TeaService]:
    with TEA.open(Opening(connect("memory:"), tmp_path)) as service:
        service.accounts.register("root", "Root", PASSWORD)
        yield service


@pytest.fixture
def browser(service: TeaService) -> Browser:
    client = TestClient(TEA.make_app(service, limited=False), base_url="https://tea.example")
    return Browser(client, lambda: None, service.context.urls.page)


def call(browser: Browser, path: str, body: dict[str, str]) -> tuple[int, Any]:
    response = browser.http.post(f"{TEA.api}{path}", json=body)
    return response.status_code, response.json() if response.content else None


def test_person_registers_and_changes_the_password(browser: Browser) -> None:
    page = browser.get("register")
    rejected = browser.submit(page, "/register", username="a!", name="", password="tea")
    assert rejected.status_code == 422
    assert rejected.text.count("field-error") == 3
    assert browser.submit(page, "/register", **ADA).headers["location"] == "/tea"
    account = browser.get("account")
    assert "Ada Lovelace" in account.text
    new = "seven quiet otters swim"
    wrong = browser.submit(account, "/password", current="?", new=new)
    assert (wrong.status_code, "not your current password" in wrong.text) == (422, True)
    changed = browser.submit(account, "/password", current=PASSWORD, new=new)
    assert "Password changed" in browser.flash(changed)


def test_person_signs_out_and_in_with_the_username_in_any_case(browser: Browser) -> None:
    browser.post("/tea/register", ADA)
    assert "signed out" in browser.flash(browser.post("/tea/sign-out"))
    assert browser.get("account").url.path == "/tea/sign-in"
    page = browser.get("sign-in")
    assert browser.submit(page, "/sign-in", who="ada", password="?").status_code == 422
    assert browser.submit(page, "/sign-in", who="no one!", password="?").status_code == 422
    assert browser.submit(page, "/sign-in", who="ADA", password=PASSWORD).status_code == 303
    assert "Your account" in browser.get("account").text


def test_username_is_taken_in_any_case(browser: Browser) -> None:
    assert call(browser, "/register", ADA)[0] == 201
    status, problem = call(browser, "/register", ADA | {"username": "aDA"})
    assert (status, problem["errors"][0]["pointer"]) == (422, "/username")


def test_forgotten_password_is_reset_by_email(browser: Browser, service: TeaService) -> None:
    browser.post("/tea/register", {**ADA, "email": "ada@example.org"})
    browser.post("/tea/forgot", {"who": "ada"})
    [sent] = read_outbox(service)
    link = next(word for word in sent.text.split() if "/reset?" in word)
    reset = browser.submit(browser.open(link), "/reset", password="seven quiet otters swim")
    assert reset.headers["location"] == "/tea"
    assert "Ada Lovelace" in browser.get("account").text


# With a mail server, an address is saved once its owner has opened the link.
def test_address_is_confirmed_if_there_is_a_mail_server(service: TeaService) -> None:
    context = service.context
    confirming = replace(context, confirm_addresses=True)
    accounts = TeaService(confirming).accounts
    assert accounts.register("ada", "Ada", PASSWORD, "ada@example.org", "").email == ""
    [sent] = read_outbox(SimpleNamespace(context=context))
    token = next(word for word in sent.text.split() if "/email?" in word).partition("=")[2]
    accounts.emails.confirm(token)
    user = accounts.find_by_login("ada")
    assert user is not None
    assert user.email == "ada@example.org"


def test_tokens_are_renewed_once_and_end_with_the_session(browser: Browser) -> None:
    assert call(browser, "/register", ADA)[0] == 201
    assert call(browser, "/sign-in", {"username": "ada", "password": "?"})[0] == 401
    _, first = call(browser, "/sign-in", {"username": "ada", "password": PASSWORD})
    status, second = call(browser, "/refresh", {"refresh_token": first["refresh_token"]})
    assert status == 200
    headers = {"Authorization": f"Bearer {second['access_token']}"}
    me = browser.http.get(f"{TEA.api}/me", headers=headers)
    me_now = {"username": "Ada", "name": "Ada Lovelace", "email": "", "role": "user"}
    assert me.json() == me_now
    assert call(browser, "/sign-out", {"refresh_token": second["refresh_token"]})[0] == 200
    assert browser.http.get(f"{TEA.api}/me", headers=headers).status_code == 401


# A whole hall may share an address.
def test_many_people_register_and_sign_in_from_one_address(service: TeaService) -> None:
    client = TestClient(TEA.make_app(service), base_url="https://tea.example")
    for number in range(40):
        new = {"username": f"guest{number}", "name": "Guest", "password": "short"}
        assert client.post(f"{TEA.api}/register", json=new).status_code == 422
        wrong = {"username": f"guest{number}", "password": "?"}
        assert client.post(f"{TEA.api}/sign-in", json=wrong).status_code == 401
    again = {"username": "guest0", "password": "?"}
    tries = [client.post(f"{TEA.api}/sign-in", json=again).status_code for _ in range(6)]
    assert tries[-1] == 429


def test_sample_account_is_found_until_its_password_changes(service: TeaService) -> None:
    assert sample_account(service, "ada", PASSWORD, "Drinks tea") is None
    user = service.accounts.register("ada", "Ada", PASSWORD)
    sample = sample_account(service, "ada", PASSWORD, "Drinks tea")
    assert sample is not None
    assert [entry.url for entry in sample.entries] == ["/tea/sign-in"]
    service.accounts.change_own_password(user, PASSWORD, "seven quiet otters swim")
    assert sample_account(service, "ada", PASSWORD, "Drinks tea") is None


def test_terminal_names_the_command_of_the_package(service: TeaService, tmp_path: Path) -> None:
    app, opening = replace(TEA, outbox=NAMES), Opening(connect("memory:"), tmp_path)
    running = app.run(service, opening, "memory:", PublicUrl("https://tea.example"))
    assert dict(running.locations)["e-mails"].endswith("run: python -m tea outbox")
    assert running.setup_url == ""
