"""People sign in with an identity provider: to a connected, an invited or a new account."""

from __future__ import annotations

import time
from collections.abc import Generator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx2
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from singletable import connect
from singletable_apps.shared.accounts import AccountRole, Registration
from singletable_apps.shared.frame import Opening
from singletable_apps.shared.web import Settings
from singletable_apps.shared.web.oidc import (
    OIDC_CLIENT_SECRET,
    InvalidOidcUrl,
    Provider,
    ProviderFailed,
    Visit,
    parse_oidc_url,
)
from tests.apps.shared.test_frame_accounts import PASSWORD, TEA, TeaService
from tests.apps.support.browser import Browser
from tests.apps.support.identity_provider import (
    CLIENT,
    SECRET,
    IdentityProvider,
    identity_provider,
)
from tests.apps.support.mailbox import read_outbox

MAE = {"sub": "7", "name": "Mae Jemison", "email": "mae@example.org", "email_verified": True}
EXPIRED = 1_700_000_000


@pytest.fixture(scope="module")
def running() -> Generator[IdentityProvider]:
    with identity_provider() as provider:
        yield provider


@pytest.fixture
def provider(running: IdentityProvider) -> IdentityProvider:
    running.changes, running.signs_with, running.metadata = {}, None, {}
    return running


@pytest.fixture
def service(tmp_path: Path) -> Generator[TeaService]:
    opening = Opening(connect("memory:"), tmp_path, "https://tea.example")
    with TEA.open(opening) as service:
        service.accounts.register("root", "Root", PASSWORD)
        yield service


@pytest.fixture
def browser(service: TeaService, provider: IdentityProvider) -> Browser:
    settings = Settings(provider=Provider("Acme", provider.url, CLIENT, SECRET))
    app = TEA.make_app(service, settings, limited=False)
    client = TestClient(app, base_url="https://tea.example")
    return Browser(client, lambda: None, service.context.urls.page)


def go(browser: Browser, query: str = "") -> str:
    """Return the URL of the provider to which the browser is sent."""
    response = browser.http.get(f"/tea/sign-in/provider{query}", follow_redirects=False)
    assert response.status_code == 303, response.text
    return response.headers["location"]


def visit(
    browser: Browser, provider: IdentityProvider, query: str = "", **claims: Any
) -> httpx2.Response:
    """Sign in at the provider and come back."""
    back = provider.sign_in(go(browser, query), **{**MAE, **claims})
    return browser.http.get("/tea/sign-in/provider/back", params=back, follow_redirects=False)


def test_stranger_gets_an_account_and_signs_in_to_it_again(
    browser: Browser, service: TeaService, provider: IdentityProvider
) -> None:
    assert "Sign in with Acme" in browser.get("sign-in").text
    came = visit(browser, provider, "?next=/tea/account", preferred_username="Mae J@acme")
    assert came.headers["location"] == "/tea/account"
    assert "Mae Jemison" in browser.get("account").text
    [mae] = [user for user in service.accounts.read_people(9, None).items if user.email]
    assert (mae.username, mae.email) == ("Mae-J", "mae@example.org")
    browser.post("/tea/sign-out")
    visit(browser, provider, name="Mae, renamed", email="new@example.org")
    assert "Mae Jemison" in browser.get("account").text
    assert len(service.accounts.read_people(9, None).items) == 2


@pytest.mark.parametrize(
    ("setting", "found"),
    [
        (Registration.APPROVAL, "An administrator has to approve your account first"),
        (Registration.CLOSED, "Registration is closed"),
    ],
)
def test_new_accounts_follow_the_setting_of_registration(
    browser: Browser,
    service: TeaService,
    provider: IdentityProvider,
    setting: Registration,
    found: str,
) -> None:
    root = service.accounts.get_user("root")
    service.accounts.set_registration(root, setting)
    came = visit(browser, provider)
    page = came if came.status_code == 422 else browser.follow(came)
    assert found in page.text
    people = service.accounts.read_people(9, None).items
    assert [user.role for user in people if user is not root and user.username != "root"] == (
        [AccountRole.WAITING] if setting is Registration.APPROVAL else []
    )


def test_taken_names_get_a_number(
    browser: Browser, service: TeaService, provider: IdentityProvider
) -> None:
    service.accounts.register("mae", "Another Mae", PASSWORD)
    visit(browser, provider)
    assert service.accounts.get_user("mae2").name == "Mae Jemison"


def test_invited_person_needs_no_password(
    browser: Browser, service: TeaService, provider: IdentityProvider
) -> None:
    root = service.accounts.get_user("root")
    service.accounts.invite(root, "mae", "Mae", "MAE@example.org", AccountRole.ADMIN)
    assert visit(browser, provider).status_code == 303
    assert "Administrator" in browser.get("account").text


def test_administrator_gets_no_control_of_an_account_without_a_password(
    browser: Browser, service: TeaService, provider: IdentityProvider
) -> None:
    accounts, root = service.accounts, service.accounts.get_user("root")
    accounts.invite(root, "mae", "Mae", "mae@example.org")
    assert visit(browser, provider).status_code == 303
    browser.post("/tea/sign-out")
    browser.submit(browser.get("sign-in"), "/sign-in", who="root", password=PASSWORD)
    page = browser.get("people", "mae")
    assert "Send another link" not in page.text
    browser.submit(page, "/people/mae", name="Mae", email="root@elsewhere.example")
    assert browser.post("/tea/people/mae/invite").status_code == 422
    assert accounts.get_user("mae").email == "mae@example.org"
    sent = {each.to: each.subject for each in reversed(read_outbox(service))}
    assert sent["mae@example.org"] == "Your e-mail address is about to change"
    assert sent["root@elsewhere.example"] == "Confirm your e-mail address"


# An address may belong to someone else at the provider by now.
def test_account_that_was_used_is_not_connected_to_another_identity(
    browser: Browser, service: TeaService, provider: IdentityProvider
) -> None:
    service.accounts.invite(service.accounts.get_user("root"), "mae", "Mae", "mae@example.org")
    visit(browser, provider)
    browser.post("/tea/sign-out")
    refused = visit(browser, provider, sub="8")
    assert (refused.status_code, "There is an account" in refused.text) == (422, True)


# Someone may have registered with an unconfirmed address that is not theirs.
def test_account_with_a_password_is_connected_only_by_its_owner(
    browser: Browser, service: TeaService, provider: IdentityProvider
) -> None:
    service.accounts.register("mae", "Mae", PASSWORD, "mae@example.org")
    refused = visit(browser, provider)
    assert refused.status_code == 422
    assert "There is an account with the address mae@example.org already" in refused.text
    browser.submit(browser.get("sign-in"), "/sign-in", who="mae", password=PASSWORD)
    asked = browser.follow(visit(browser, provider))
    assert "as mae@example.org can then sign in here as Mae" in asked.text
    assert "Connected" in browser.flash(browser.submit(asked, "/account/provider"))
    browser.post("/tea/sign-out")
    visit(browser, provider)
    assert "Disconnect…" in browser.get("account").text
    # The provider did not say when Mae entered a password, so that this site asks for it.
    asked = browser.get("account", "provider", "disconnect")
    assert browser.submit(asked, "/disconnect").status_code == 422
    browser.submit(asked, "/disconnect", current_password=PASSWORD)
    browser.post("/tea/sign-out")
    assert visit(browser, provider).status_code == 422


def test_signing_in_again_there_counts_as_the_password(
    browser: Browser, provider: IdentityProvider
) -> None:
    visit(browser, provider)
    asked = browser.get("account", "delete")
    assert "Sign in again with Acme" in asked.text
    assert "prompt=login" in go(browser, "?again=true")
    visit(browser, provider, "?again=true", auth_time=int(time.time()))
    deleted = browser.submit(browser.get("account", "delete"), "/delete")
    assert "deleted" in browser.flash(deleted)
    # The connection is deleted too: the next visit creates another account.
    assert visit(browser, provider).status_code == 303


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"nonce": "another"}, "for another visit"),
        ({"aud": "another"}, "cannot be trusted"),
        ({"iss": "https://another.example"}, "cannot be trusted"),
        ({"exp": EXPIRED}, "cannot be trusted"),
        ({"sub": None}, "cannot be trusted"),
        ({"aud": [CLIENT, "another"], "azp": "another"}, "for another site"),
        ({"aud": [CLIENT, "another"]}, "for another site"),
        ({"sub": ""}, "without a person"),
        ({"sub": "7" * 256}, "without a person"),
        ({"sub": "\ud800"}, "without a person"),
        ({"exp": float("inf")}, "cannot be trusted"),
        ({"iat": float("nan")}, "cannot be trusted"),
        ({"nonce": "\ud800"}, "for another visit"),
    ],
    ids=str,
)
def test_wrong_tokens_are_refused(
    browser: Browser, provider: IdentityProvider, changes: dict[str, Any], reason: str
) -> None:
    provider.changes = changes
    refused = visit(browser, provider)
    assert (refused.status_code, reason in refused.text) == (503, True)
    assert "Sign in with Acme" in browser.get("account").text


# Claims are what another organization wrote, and browsers send what they like.
ODD: tuple[Any, ...] = (
    "",
    "\ud800",
    "x" * 5_000,
    "\0",
    -1,
    10**15,
    10**400,
    1.5,
    True,
    None,
    [],
    [1],
    {"a": 1},
)
CLAIMS = ("auth_time", "name", "email", "preferred_username", "email_verified", "azp", "nbf", "sub")


@given(st.dictionaries(st.sampled_from(CLAIMS), st.sampled_from(ODD), max_size=4))
@example({"auth_time": 10**15})
def test_no_claim_makes_an_error(changes: dict[str, Any]) -> None:
    provider = Provider("Acme", "https://login.example", CLIENT, SECRET)
    now = int(time.time())
    claims = {"iss": provider.issuer, "aud": CLIENT, "iat": now, "exp": now + 60, "nonce": "n"}
    key = ec.generate_private_key(ec.SECP256R1())
    token = jwt.encode({**claims, **MAE, **changes}, key, "ES256")
    keys: Any = SimpleNamespace(
        get_signing_key_from_jwt=lambda _: SimpleNamespace(key=key.public_key())
    )
    provider._known = (time.monotonic(), {}, keys)
    visit = Visit("", "n", "", "", None)
    try:
        found = provider._identity(provider._claims(token, visit))
    except ProviderFailed as error:
        str(error).encode()
        return
    for text in (found.subject, found.name, found.username, found.email):
        assert len(text.encode()) <= 4 * 400


@pytest.mark.parametrize("claim", ["name", "email", "preferred_username", "auth_time"])
def test_callback_answers_odd_claims(
    browser: Browser, provider: IdentityProvider, claim: str
) -> None:
    for odd in ODD[1:8:2]:
        provider.changes = {claim: odd}
        assert visit(browser, provider, sub=repr(odd)[:50]).status_code < 500
        browser.post("/tea/sign-out")


@given(
    st.dictionaries(st.sampled_from(["code", "state", "error", "iss"]), st.text(max_size=9)),
    st.text(
        st.characters(min_codepoint=33, max_codepoint=126, exclude_characters=';,"'), max_size=60
    ),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
def test_callback_answers_odd_requests(
    browser: Browser, query: dict[str, str], cookie: str
) -> None:
    headers = {"Cookie": f"__Host-oidc_visit={cookie}"}
    answer = browser.http.get("/tea/sign-in/provider/back", params=query, headers=headers)
    assert answer.status_code in (400, 422)


# Both were sealed for one purpose, and had no type.
def test_cookies_of_a_visit_do_not_replace_each_other(
    browser: Browser, service: TeaService, provider: IdentityProvider
) -> None:
    service.accounts.register("ada", "Ada", PASSWORD)
    browser.submit(browser.get("sign-in"), "/sign-in", who="ada", password=PASSWORD)
    go(browser)
    stored = {each.name: each.value or "" for each in browser.http.cookies.jar}
    cookies = "; ".join(f"{name}={value}" for name, value in stored.items())
    swapped = cookies.replace("oidc_visit", "oidc_identity")
    assert "oidc_identity" in swapped
    browser.http.cookies.clear()
    for path in ("/tea/account/provider", "/tea/sign-in/provider/back?code=1&state=1"):
        answer = browser.http.get(path, headers={"Cookie": swapped}, follow_redirects=False)
        assert answer.status_code < 500


def sign_in_as(browser: Browser, name: str) -> None:
    browser.post("/tea/sign-out")
    browser.submit(browser.get("sign-in"), "/sign-in", who=name, password=PASSWORD)


# Somebody else may sign in with the same browser before the question is answered, or the provider.
@pytest.mark.parametrize("changes_at", ["question", "provider"])
def test_identity_is_connected_only_with_the_account_that_asked(
    browser: Browser, service: TeaService, provider: IdentityProvider, changes_at: str
) -> None:
    for name in ("priya", "tomasz"):
        service.accounts.register(name, name.title(), PASSWORD)
    sign_in_as(browser, "priya")
    back = provider.sign_in(go(browser), **MAE)
    if changes_at == "provider":
        sign_in_as(browser, "tomasz")
    came = browser.http.get("/tea/sign-in/provider/back", params=back, follow_redirects=False)
    if changes_at == "question":
        assert came.headers["location"] == "/tea/account/provider"
        sign_in_as(browser, "tomasz")
    else:
        assert came.status_code == 422
    asked = browser.http.get("/tea/account/provider", follow_redirects=False)
    assert "can then sign in here as" not in asked.text
    browser.post("/tea/account/provider")
    for name in ("priya", "tomasz"):
        subject = service.accounts.get_user(name).user_id
        assert not service.accounts.identities.is_connected(subject)


def test_token_with_another_signature_is_refused(
    browser: Browser, provider: IdentityProvider
) -> None:
    provider.signs_with = ec.generate_private_key(ec.SECP256R1())
    assert visit(browser, provider).status_code == 503


def test_unverified_address_is_not_used(
    browser: Browser, service: TeaService, provider: IdentityProvider
) -> None:
    root = service.accounts.get_user("root")
    service.accounts.invite(root, "mae", "Mae", "mae@example.org")
    visit(browser, provider, email_verified=False, preferred_username="mae")
    assert service.accounts.get_user("mae2").email == ""


def test_only_the_browser_that_left_may_come_back(
    browser: Browser, provider: IdentityProvider
) -> None:
    back = provider.sign_in(go(browser), **MAE)
    path = "/tea/sign-in/provider/back"
    for wrong in ({**back, "state": "another"}, {"error": "access_denied", "state": back["state"]}):
        assert browser.http.get(path, params=wrong).status_code == 422
    browser.http.cookies.clear()
    assert browser.http.get(path, params=back).status_code == 422
    assert browser.get("account").url.path == "/tea/sign-in"


@pytest.mark.parametrize(
    "metadata", [{"issuer": "https://another.example"}, {"token_endpoint": None}], ids=str
)
def test_provider_that_describes_itself_wrongly_is_refused(
    browser: Browser, provider: IdentityProvider, metadata: dict[str, Any]
) -> None:
    provider.metadata = metadata
    response = browser.http.get("/tea/sign-in/provider", headers={"Accept": "text/html"})
    assert (response.status_code, "Acme" in response.text) == (503, True)


def test_site_without_a_provider_has_passwords_only(service: TeaService) -> None:
    client = TestClient(TEA.make_app(service, limited=False), base_url="https://tea.example")
    assert "Sign in with " not in client.get("/tea/sign-in").text
    assert client.get("/tea/sign-in/provider", follow_redirects=False).status_code == 404


@pytest.mark.parametrize(
    "url",
    ["http://me@login.example", "https://login.example", "https://me:s@login.example", "login"],
)
def test_url_of_a_provider_is_checked(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OIDC_CLIENT_SECRET, SECRET)
    with pytest.raises(InvalidOidcUrl, match="--oidc expects https://CLIENT@login"):
        parse_oidc_url(url)


def test_url_names_the_client_and_the_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(OIDC_CLIENT_SECRET, raising=False)
    url = "https://tea%20client@login.example:8443/realms/a/?name=Acme"
    with pytest.raises(InvalidOidcUrl, match="OIDC_CLIENT_SECRET"):
        parse_oidc_url(url)
    monkeypatch.setenv(OIDC_CLIENT_SECRET, SECRET)
    found = parse_oidc_url(url)
    assert (found.name, found.issuer) == ("Acme", "https://login.example:8443/realms/a")
    assert (found.client, SECRET in repr(found)) == (CLIENT, False)
