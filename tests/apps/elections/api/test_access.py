"""Joining, signing in and out, cookies that rotate, and the way back to a lost password."""

from __future__ import annotations

from http.cookies import SimpleCookie

import httpx2
import pytest

from singletable_apps.elections.api import Limits
from singletable_apps.elections.projection import rebuild
from singletable_apps.elections.roles import Role
from singletable_apps.shared.mail import Outbox
from singletable_apps.shared.web import RateLimit
from tests.apps.elections.api.town import PASSWORD, Town, make_town, type_of

COOKIE = "__Host-elections_refresh"
OTHER = "several other words, also long"


@pytest.fixture
def town() -> Town:
    return make_town("Ada", "Ben")


def cookie(answer: httpx2.Response, name: str = COOKIE) -> str:
    return answer.headers["Set-Cookie"].partition(f"{name}=")[2].partition(";")[0]


def sign_in(town: Town, who: str, password: str = PASSWORD) -> httpx2.Response:
    return town.stranger().post("/sign-in", {"name_or_email": who, "password": password})


def test_who_registers_is_signed_in_and_the_first_is_the_owner() -> None:
    town = make_town()
    sent = {"name": " Ada  L. ", "email": "ada@example.org", "password": PASSWORD}
    answer = town.stranger().post("/register", sent)
    assert answer.status_code == 201
    assert answer.json()["user"]["name"] == "Ada L."
    assert answer.json()["user"]["role"] == "OWNER"
    assert answer.json()["expires_in"] == 600
    assert town.joins("Ben").get("/me").json()["role"] == "USER"


@pytest.mark.parametrize(
    ("sent", "kind", "pointer"),
    [
        ({"name": "ADA"}, "409 taken", "/name"),
        ({"email": "ADA@example.org"}, "409 taken", "/email"),
        ({"name": "a@b"}, "422 invalid-request", "/name"),
        ({"email": "nowhere"}, "422 invalid-request", "/email"),
        ({"password": "short"}, "422 invalid-request", "/password"),
        ({"role": "OWNER"}, "422 invalid-request", "/role"),
    ],
)
def test_a_registration_is_refused_with_the_place(
    town: Town, sent: dict[str, str], kind: str, pointer: str
) -> None:
    whole = {"name": "Cy", "email": "cy@example.org", "password": PASSWORD, **sent}
    answer = town.stranger().post("/register", whole)
    assert type_of(answer) == kind
    assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]


@pytest.mark.parametrize("who", ["Ben", "bEN", "ben@example.org", "  BEN "])
def test_one_signs_in_by_name_or_address_ignoring_case(town: Town, who: str) -> None:
    assert sign_in(town, who).json()["user"]["name"] == "Ben"


@pytest.mark.parametrize("who", ["Ben", "Nobody", "nobody@example.org", "ΐ" * 200])
def test_a_wrong_password_and_nobody_at_all_are_answered_alike(town: Town, who: str) -> None:
    answer = sign_in(town, who, "another password than that")
    assert type_of(answer) == "401 not-signed-in"
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    assert answer.json()["detail"] == "Wrong name or password."


def test_guessing_is_slowed_down(town: Town) -> None:
    answers = [sign_in(town, "Ben", f"guess number {number}") for number in range(7)]
    assert type_of(answers[-1]) == "429 too-many-requests"
    assert answers[-1].headers["Retry-After"] == "1"


# Everything of a cookie matters: a script must not read it, nor another site or host send it.
def test_the_cookie_is_for_this_host_and_no_script(town: Town) -> None:
    kept = SimpleCookie(sign_in(town, "Ben").headers["Set-Cookie"])[COOKIE]
    assert (kept["path"], kept["domain"], kept["samesite"]) == ("/", "", "strict")
    assert kept["secure"]
    assert kept["httponly"]
    assert int(kept["max-age"]) == 30 * 24 * 3600


def test_without_tls_the_cookie_has_a_plain_name() -> None:
    town = make_town("Ada", secure=False)
    answer = sign_in(town, "Ada")
    kept = SimpleCookie(answer.headers["Set-Cookie"])["elections_refresh"]
    assert not kept["secure"]
    renewed = town.stranger().ask(
        "POST", "/refresh", headers={"Cookie": f"elections_refresh={kept.value}"}
    )
    assert renewed.status_code == 200


def test_a_cookie_renews_once_and_is_replaced(town: Town) -> None:
    first = cookie(sign_in(town, "Ben"))
    answer = renew(town, first)
    assert answer.status_code == 200
    assert cookie(answer) != first
    person = town.stranger()
    person.token = answer.json()["access_token"]
    assert person.get("/me").json()["name"] == "Ben"


# Whoever comes with a used one may be a thief, or robbed by one: nobody stays signed in.
def test_a_cookie_that_is_used_again_ends_the_session(town: Town) -> None:
    first = cookie(sign_in(town, "Ben"))
    second = cookie(renew(town, first))
    town.clock.advance(minutes=1)
    assert type_of(renew(town, first)) == "401 not-signed-in"
    assert type_of(renew(town, second)) == "401 not-signed-in"


def test_without_a_cookie_nothing_is_renewed(town: Town) -> None:
    assert type_of(town.stranger().post("/refresh")) == "401 not-signed-in"
    assert type_of(renew(town, "no.token.of.ours")) == "401 not-signed-in"


def test_who_signs_out_has_no_cookie_and_no_session(town: Town) -> None:
    ben = town.people["Ben"]
    kept = ben.browser.cookies[COOKIE]
    answer = ben.post("/sign-out")
    assert answer.status_code == 204
    assert "Max-Age=0" in answer.headers["Set-Cookie"]
    assert type_of(renew(town, kept)) == "401 not-signed-in"
    assert ben.post("/sign-out").status_code == 204


def test_a_page_of_another_site_signs_nobody_out(town: Town) -> None:
    answer = town.people["Ben"].ask("POST", "/sign-out", headers={"Sec-Fetch-Site": "cross-site"})
    assert type_of(answer) == "403 cross-origin"


def test_a_token_ends_after_ten_minutes(town: Town) -> None:
    town.clock.advance(minutes=11)
    assert type_of(town.people["Ben"].get("/me")) == "401 not-signed-in"
    assert town.people["Ben"].post("/refresh").status_code == 200


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer x.y.z", "Basic YTpi"])
def test_whoever_shows_no_good_token_is_not_signed_in(town: Town, header: str) -> None:
    answer = town.stranger().get("/me", headers={"Authorization": header})
    assert type_of(answer) == "401 not-signed-in"


def test_a_lost_password_is_replaced_by_a_letter_that_works_once(town: Town) -> None:
    stranger = town.stranger()
    assert stranger.post("/password-reset", {"name_or_email": "BEN@example.org"}).status_code == 202
    (sent,) = Outbox(town.elections.context.store).newest()
    token = next(line for line in sent.email.text.splitlines() if line.startswith("2."))
    weak = stranger.post("/password-reset/confirm", {"token": token, "password": "short"})
    assert [fault["pointer"] for fault in weak.json()["errors"]] == ["/password"]
    confirm = {"token": token, "password": OTHER}
    assert stranger.post("/password-reset/confirm", confirm).status_code == 200
    assert type_of(stranger.post("/password-reset/confirm", confirm)) == "401 not-signed-in"
    assert sign_in(town, "Ben", OTHER).status_code == 200
    assert type_of(town.people["Ben"].get("/me")) == "401 not-signed-in"


# Who asks for letters must not learn who is here, not by asking often either.
@pytest.mark.parametrize("who", ["Ben", "Nobody", "nobody@example.org", "@", "\u0301"])
def test_a_letter_is_promised_to_everybody(town: Town, who: str) -> None:
    answers = [town.stranger().post("/password-reset", {"name_or_email": who}) for _ in range(6)]
    assert {(answer.status_code, answer.text) for answer in answers} == {(202, "null")}


def test_a_password_is_changed_by_its_owner_who_knows_it(town: Town) -> None:
    ada, ben = town.people["Ada"], town.people["Ben"]
    wrong = ben.put("/users/ben/password", {"current": "wrong", "new": OTHER}, None)
    assert type_of(wrong) == "401 not-signed-in"
    assert wrong.json()["errors"][0]["pointer"] == "/current"
    weak = ben.put("/users/ben/password", {"current": PASSWORD, "new": "short"}, None)
    assert weak.json()["errors"][0]["pointer"] == "/new"
    change = {"current": PASSWORD, "new": OTHER}
    assert type_of(ada.put("/users/ben/password", change, None)) == "403 not-allowed"
    answer = ben.put("/users/ben/password", change, None)
    assert answer.status_code == 200
    assert type_of(ben.get("/me")) == "401 not-signed-in"
    assert renew(town, cookie(answer)).status_code == 200


def test_one_sees_and_ends_ones_own_sessions(town: Town) -> None:
    ada, ben = town.people["Ada"], town.people["Ben"]
    other = cookie(sign_in(town, "Ben"))
    first = ben.get("/me/sessions", params={"limit": 1}).json()
    second = ben.get("/me/sessions", params={"limit": 1, "cursor": first["next"]}).json()
    assert second["next"] is None
    ids = [page["items"][0]["id"] for page in (first, second)]
    assert len(set(ids)) == 2
    assert other not in str(first)
    for one in ids:
        assert ada.delete(f"/me/sessions/{one}", None).status_code == 204
    assert len(ben.get("/me/sessions").json()["items"]) == 2
    for one in ids:
        assert ben.delete(f"/me/sessions/{one}", None).status_code == 204
    assert ben.get("/me/sessions").json()["items"] == []
    assert type_of(renew(town, other)) == "401 not-signed-in"


def test_who_has_no_access_sees_their_own_activity_and_nothing_else() -> None:
    town = make_town("Ada", newcomer=Role.NO_ACCESS)
    ben = town.joins("Ben")
    assert ben.get("/me/activity").json()["role"] == "NO_ACCESS"
    assert sign_in(town, "Ben").status_code == 200
    assert ben.post("/refresh").status_code == 200
    for path in ("/me", "/users", "/users/Ben", "/users/nobody", "/elections", "/elections/none",
                 "/counts", "/permissions", "/events", "/tables", "/relations"):  # fmt: skip
        assert type_of(ben.get(path)) == "403 not-allowed", path
    assert type_of(ben.post("/elections", {"name": "Tea"})) == "403 not-allowed"


# While the table is built anew nobody is in it: to be told "401" they would all sign in again.
def test_while_the_table_is_built_anew_everybody_is_asked_to_wait(town: Town) -> None:
    ben = town.people["Ben"]
    answers: list[httpx2.Response] = []

    def look(done: int, _total: int) -> None:
        if done == 1:
            answers.append(ben.get("/me"))
            answers.append(sign_in(town, "Ben"))
            answers.append(ben.post("/refresh"))
            answers.append(ben.post("/elections", {"name": "Tea"}))
            assert ben.get("/version").json() == {"version": 1, "rebuilding": True}

    rebuild(town.elections.context.store, look)
    assert [type_of(answer) for answer in answers] == ["503 try-later"] * 4
    assert {answer.headers["Retry-After"] for answer in answers} == {"10"}
    assert ben.get("/me").status_code == 200
    assert ben.post("/refresh").status_code == 200


def test_addresses_and_people_have_quotas() -> None:
    limits = Limits(sign_in=RateLimit("sign-in", 2, 60), signed_in=RateLimit("signed-in", 3, 60))
    town = make_town("Ada", limits=limits)
    answers = [sign_in(town, "Ada") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 60
    asked = [town.people["Ada"].get("/me") for _ in range(4)]
    assert [answer.status_code for answer in asked] == [200, 200, 200, 429]
    assert asked[0].headers["RateLimit-Policy"] == '"signed-in";q=3;w=60'


def renew(town: Town, token: str) -> httpx2.Response:
    return town.stranger().ask("POST", "/refresh", headers={"Cookie": f"{COOKIE}={token}"})
