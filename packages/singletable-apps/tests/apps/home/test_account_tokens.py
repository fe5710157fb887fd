"""Access tokens in every app with accounts: they stop working when the session ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi.testclient import TestClient

from singletable_apps.home.app import make_site_app
from singletable_apps.home.apps import find_apps, open_apps
from singletable_apps.shared.apps import RunningApp, ServeOptions
from singletable_apps.shared.serve import PublicUrl

PUBLIC = PublicUrl("https://site.example")
PASSWORD, OTHER = "nine blue horses", "orchard violet engine"
NEW = {"name": "Ada", "email": "ada@example.org", "password": PASSWORD}


@dataclass(frozen=True)
class AccountsApi:
    """The addresses of an app's API for accounts, and what to send."""

    register: tuple[str, dict[str, str]]
    sign_in: tuple[str, dict[str, str]]
    sign_out: str
    me: str


APIS = {
    "/elections": AccountsApi(
        ("/register", NEW), ("/sign-in", {"name_or_email": "Ada"}), "/sign-out", "/me"
    ),
    "/portfolio": AccountsApi(
        ("/auth/setup", {**NEW, "site_title": "Notes"}),
        ("/auth/login", {"email": "ada@example.org"}),
        "/auth/logout",
        "/auth/me",
    ),
    "/skills": AccountsApi(
        ("/register", {**NEW, "username": "ada"}), ("/login", {"username": "ada"}), "/logout", "/me"
    ),
}


@pytest.fixture(scope="module")
def apps(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunningApp, ...]]:
    """Open all apps, as `singletable serve` does."""
    folder = tmp_path_factory.mktemp("site")
    with open_apps(find_apps(), folder, PUBLIC, ServeOptions(address="memory:")) as served:
        yield served


@dataclass
class Accounts:
    """A client of one app, in which Ada has an account."""

    http: TestClient
    path: str
    api: AccountsApi

    def post(self, path: str, body: dict[str, str]) -> dict[str, Any]:
        answer = self.http.post(self.path + path, json=body)
        assert answer.is_success, answer.text
        content: dict[str, Any] = answer.json() if answer.content else {}
        return content.get("data", content)  # type: ignore[no-any-return]

    def sign_in(self) -> dict[str, Any]:
        path, body = self.api.sign_in
        return self.post(path, {**body, "password": PASSWORD})

    def is_signed_in(self, tokens: dict[str, Any]) -> bool:
        sent = {"Authorization": f"Bearer {tokens['access_token']}"}
        return self.http.get(self.path + self.api.me, headers=sent).status_code == 200


@pytest.fixture(scope="module")
def http(apps: tuple[RunningApp, ...]) -> TestClient:
    return TestClient(make_site_app(apps, settings=PUBLIC.settings()), base_url=PUBLIC.url)


@pytest.fixture(scope="module", params=APIS)
def accounts(
    request: pytest.FixtureRequest, apps: tuple[RunningApp, ...], http: TestClient
) -> Accounts:
    [app] = [each for each in apps if each.info.url == request.param]
    code = parse_qs(urlsplit(app.setup_url).query)["code"][0]
    found = Accounts(http, app.api, APIS[request.param])
    path, body = found.api.register
    found.post(path, {**body, "setup_code": code})
    return found


def test_every_app_with_accounts_is_tested(apps: tuple[RunningApp, ...]) -> None:
    assert {app.info.url for app in apps if app.setup_url} == set(APIS)


# The thief of a token must not stay in until it expires.
def test_access_token_stops_working_at_sign_out(accounts: Accounts) -> None:
    kept, other = accounts.sign_in(), accounts.sign_in()
    assert accounts.is_signed_in(kept)
    assert accounts.is_signed_in(other)
    accounts.post(accounts.api.sign_out, {"refresh_token": other.get("refresh_token", "")})
    assert accounts.is_signed_in(kept)
    assert not accounts.is_signed_in(other)
