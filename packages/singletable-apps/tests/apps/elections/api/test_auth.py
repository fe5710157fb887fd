"""Joining, signing in and out, cookies that rotate, and the way back to a lost password."""

from __future__ import annotations

from http.cookies import SimpleCookie

import httpx2
import pytest

from singletable_apps.elections.entities import Sync
from singletable_apps.elections.rebuild import rebuild
from singletable_apps.shared.web import RateLimit
from tests.apps.elections.api.client import COOKIE, Api, make_api, type_of
from tests.apps.support.elections.world import PASSWORD
from tests.apps.support.mailbox import read_outbox

OTHER = "several other words, also long"


@pytest.fixture
def api() -> Api:
    return make_api("Ada", "Ben")


def cookie(response: httpx2.Response, name: str = COOKIE) -> str:
    return response.headers["Set-Cookie"].partition(f"{name}=")[2].partition(";")[0]


def sign_in(api: Api, who: str, password: str = PASSWORD) -> httpx2.Response:
    return api.anonymous().post("/sign-in", {"name_or_email": who, "password": password})


def test_registration_signs_in_and_the_first_user_is_owner() -> None:
    api = make_api()
    sent = {"name": " Ada  L. ", "email": "ada@example.org", "password": PASSWORD}
    code = api.elections.people.setup_code()
    response = api.anonymous().post("/register", {**sent, "setup_code": code})
    assert response.status_code == 201
    assert response.json()["user"]["name"] == "Ada L."
    assert response.json()["user"]["role"] == "OWNER"
    assert response.json()["expires_in"] == 600


def test_password_guesses_are_rate_limited(api: Api) -> None:
    responses = [sign_in(api, "Ben", f"guess number {number}") for number in range(7)]
    assert type_of(responses[-1]) == "429 too-many-requests"
    assert responses[-1].headers["Retry-After"] == "1"


# Everything of a cookie matters: a script must not read it, nor another site or host send it.
def test_refresh_cookie_is_host_only_and_http_only(api: Api) -> None:
    kept = SimpleCookie(sign_in(api, "Ben").headers.get_list("Set-Cookie")[0])[COOKIE]
    assert (kept["path"], kept["domain"], kept["samesite"]) == ("/", "", "strict")
    assert kept["secure"]
    assert kept["httponly"]
    assert int(kept["max-age"]) == 30 * 24 * 3600


def test_refresh_cookie_has_a_plain_name_without_tls() -> None:
    api = make_api("Ada", secure=False)
    response = sign_in(api, "Ada")
    kept = SimpleCookie(response.headers["Set-Cookie"])["elections_refresh"]
    assert not kept["secure"]
    renewed = api.anonymous().ask(
        "POST", "/refresh", headers={"Cookie": f"elections_refresh={kept.value}"}
    )
    assert renewed.status_code == 200


def test_refresh_cookie_works_once_and_is_replaced(api: Api) -> None:
    first = cookie(sign_in(api, "Ben"))
    response = renew(api, first)
    assert response.status_code == 200
    assert cookie(response) != first
    person = api.anonymous()
    person.token = response.json()["access_token"]
    assert person.get("/me").json()["name"] == "Ben"


def test_sign_out_deletes_the_cookie_and_the_session(api: Api) -> None:
    ben = api.clients["Ben"]
    kept = ben.client.cookies[COOKIE]
    response = ben.post("/sign-out")
    assert response.status_code == 204
    assert "Max-Age=0" in response.headers["Set-Cookie"]
    assert type_of(renew(api, kept)) == "401 not-signed-in"
    # The thief of a token must not stay in until it expires.
    assert type_of(ben.get("/me")) == "401 not-signed-in"
    assert ben.post("/sign-out").status_code == 204


def test_rebuild_answers_unavailable(api: Api) -> None:
    ben = api.clients["Ben"]
    responses: list[httpx2.Response] = []

    def look(done: int, _total: int) -> None:
        if done == 1:
            responses.append(ben.get("/me"))
            responses.append(sign_in(api, "Ben"))
            responses.append(ben.post("/refresh"))
            responses.append(ben.post("/elections", {"name": "Tea"}))
            assert ben.get("/version").json() == {"version": 1, "rebuilding": True}

    context = api.elections.context
    rebuild(context.store, context.keys.ballot_key, look)
    assert [type_of(response) for response in responses] == ["503 try-later"] * 4
    assert {response.headers["Retry-After"] for response in responses} == {"10"}
    assert ben.get("/me").status_code == 200
    assert ben.post("/refresh").status_code == 200


# Someone who can write the table has changed its position in the log.
def test_changes_are_refused_while_the_table_contradicts_the_log(api: Api) -> None:
    ben, context = api.clients["Ben"], api.elections.context
    context.store.update(Sync.key(), Sync.last_hash.set("0"))
    refused = ben.post("/elections", {"name": "Tea"})
    assert type_of(refused) == "503 try-later"
    assert "does not match its event log" in refused.json()["detail"]
    rebuild(context.store, context.keys.ballot_key)
    assert ben.post("/elections", {"name": "Tea"}).status_code == 201


def test_rate_limits_apply_per_address_and_per_user() -> None:
    limits = {"sign_in": RateLimit("sign-in", 2, 60), "signed_in": RateLimit("signed-in", 3, 60)}
    api = make_api("Ada", limits=limits)
    responses = [sign_in(api, "Ada") for _ in range(3)]
    assert [response.status_code for response in responses] == [200, 200, 429]
    assert 0 < int(responses[-1].headers["Retry-After"]) <= 60
    asked = [api.clients["Ada"].get("/me") for _ in range(4)]
    assert [response.status_code for response in asked] == [200, 200, 200, 429]
    assert asked[0].headers["RateLimit-Policy"] == '"signed-in";q=3;w=60'


def token_in(text: str) -> str:
    """Return the token of the link in an e-mail."""
    return text.partition("?token=")[2].split()[0]


def renew(api: Api, token: str) -> httpx2.Response:
    return api.anonymous().ask("POST", "/refresh", headers={"Cookie": f"{COOKIE}={token}"})


def test_email_token_changes_the_address_once(api: Api) -> None:
    ben = api.clients["Ben"]
    assert (
        ben.patch("/users/Ben", {"email": "ben@example.com"}).json()["email"] != "ben@example.com"
    )
    emails = read_outbox(api.elections)
    text = next(each.text for each in emails if each.to == "ben@example.com")
    token = {"token": token_in(text)}
    assert api.anonymous().post("/email/confirm", token).status_code == 204
    assert ben.get("/me").json()["email"] == "ben@example.com"
    assert type_of(api.anonymous().post("/email/confirm", token)) == "401 not-signed-in"
