"""Rejected requests: the status, the problem type and the part of the request that is wrong."""

from __future__ import annotations

import pytest

from singletable_apps.elections.entities import Electorate
from singletable_apps.elections.roles import Role
from singletable_apps.elections.urls import API
from tests.apps.elections.api.client import Api, make_api, type_of
from tests.apps.support.elections.world import PASSWORD

OTHER = "several other words, also long"
BEFORE, AFTER = "2027-01-02T00:00:00Z", "2027-01-03T00:00:00+01:00"
ZOE = {"name": "Zoe", "email": "zoe@example.org", "password": PASSWORD}
INVALID, TAKEN, STATE = "422 invalid-request", "409 taken", "409 wrong-state"
FORBIDDEN, MISSING, CURSOR = "403 not-allowed", "404 not-found", "400 cursor-refused"
CLOSES = "/no_voting_after"


@pytest.fixture(scope="module")
def api() -> Api:
    """Create people of several roles, and elections in several states."""
    api = make_api("Ada", "Ben")
    for name, role in (("Max", Role.ADMIN), ("Olga", Role.OBSERVER), ("Vera", Role.VOTER)):
        api.register(name, role)
    api.create("Ben", "Tea", ["Assam", "Ceylon"])
    api.create("Ben", "Club", electorate=Electorate.ROLL)
    for name in ("Open", "Closed"):
        api.launch("Ada", name)
    api.close("Ada", "Closed")
    return api


# Who sends which request and body, the answer, and the places of the errors.
REJECTED: list[tuple[str, str, object, str, list[str]]] = [
    ("", "POST /register", {**ZOE, "name": "ADA"}, TAKEN, ["/name"]),
    ("", "POST /register", {**ZOE, "email": "nowhere"}, INVALID, ["/email"]),
    ("", "POST /register", {**ZOE, "password": "short"}, INVALID, ["/password"]),
    ("", "POST /register", {**ZOE, "role": "OWNER"}, INVALID, ["/role"]),
    ("", "POST /refresh", None, "401 not-signed-in", []),
    ("", "POST /email/confirm", {"token": "2.x"}, "401 not-signed-in", ["/token"]),
    ("Ben", "PATCH /users/Ben", {}, INVALID, [""]),
    ("Ben", "PATCH /users/Ben", {"name": None}, INVALID, ["/name"]),
    ("Ben", "PATCH /users/Ben", {"role": "OWNER"}, INVALID, ["/role"]),
    ("Ben", "PATCH /users/Ben", "Ben", INVALID, [""]),
    ("Ben", "PATCH /users/Ben", {"name": "max"}, TAKEN, ["/name"]),
    ("Max", "PUT /users/ben/role", {"role": "ADMIN"}, FORBIDDEN, []),
    ("Max", "PUT /users/ben/role", {"role": "KING"}, INVALID, ["/role"]),
    (
        *("Ben", "PUT /users/ben/password", {"current": "wrong", "new": OTHER}),
        *("401 not-signed-in", ["/current"]),
    ),
    ("Ben", "PUT /users/ben/password", {"current": PASSWORD, "new": "short"}, INVALID, ["/new"]),
    ("Ada", "DELETE /users/Ada", None, STATE, []),
    ("Ada", "DELETE /users/Ben", None, STATE, []),
    ("Ben", "POST /elections", {"name": "TEA"}, TAKEN, ["/name"]),
    ("Ben", "POST /elections", {"name": "a\u200bb"}, INVALID, ["/name"]),
    ("Ben", "POST /elections", {"name": 7}, INVALID, ["/name"]),
    ("Ben", "POST /elections", {"name": "W", "secret_ballot": "yes"}, INVALID, ["/secret_ballot"]),
    ("Ben", "POST /elections", {"name": "W", "publication": "all"}, INVALID, ["/publication"]),
    ("Ben", "POST /elections", {"name": "W", "owner": "Ada"}, INVALID, ["/owner"]),
    *(
        ("Ben", "POST /elections", {"name": "W", "no_voting_after": time}, INVALID, [CLOSES])
        for time in (1893456000, "2027-01-02T00:00:00", "0001-01-01T00:00:00Z")
    ),
    ("Ben", "PATCH /elections/Tea", {}, INVALID, [""]),
    ("Ben", "PATCH /elections/Tea", {"name": None}, INVALID, ["/name"]),
    ("Ben", "PATCH /elections/Tea", {"secret_ballot": None}, INVALID, ["/secret_ballot"]),
    ("Ben", "PATCH /elections/Tea", {"allow_vote": True}, INVALID, ["/allow_vote"]),
    (
        *("Ben", "PATCH /elections/Tea", {"no_voting_before": AFTER, "no_voting_after": BEFORE}),
        *(INVALID, [CLOSES]),
    ),
    # After the launch a name may still change, and a setting may not: then neither does.
    ("Ada", "PATCH /elections/Open", {"name": "W", "secret_ballot": True}, STATE, []),
    ("Ben", "PUT /elections/Tea/owner", {"owner": "nobody"}, INVALID, ["/owner"]),
    ("Ben", "PUT /elections/Tea/owner", {"owner": "Vera"}, STATE, ["/owner"]),
    (
        *("Ben", "PUT /elections/Tea/candidates", {"candidate_names": ["Assam", "assam"]}),
        *(INVALID, ["/candidate_names"]),
    ),
    (
        *("Ben", "PUT /elections/Tea/voters", {"voter_names": ["vera", "Nobody"]}),
        *(INVALID, ["/voter_names"]),
    ),
    ("Ada", "POST /elections/Open/launch", {"allow_edit": True}, STATE, []),
    ("Ben", "POST /elections/Tea/fix", None, STATE, []),
    ("Ben", "POST /elections/Tea/finalize", None, STATE, []),
    *(
        ("Vera", "POST /elections/Open/ballot", {"rankings": rankings}, INVALID, [pointer])
        for rankings, pointer in (
            (None, "/rankings"),
            ([], "/rankings"),
            ([{"candidate_name": "Pink", "rank": 1}], "/rankings"),
            ([{"candidate_name": "Red", "rank": 1}, {"candidate_name": "red"}], "/rankings"),
            ([{"candidate_name": "Red", "rank": 0}], "/rankings/0/rank"),
            ([{"candidate_name": "Red", "rank": "1"}], "/rankings/0/rank"),
            ([{"candidate_name": "Red", "rank": True}], "/rankings/0/rank"),
            ([{"candidate_name": "Red", "voter": "Ben"}], "/rankings/0/voter"),
        )
    ),
    *(
        (who, f"POST {path}/ballot", {"rankings": [{"candidate_name": "Red"}]}, answer, [])
        for who, path, answer in (
            ("Vera", "/elections/Tea", STATE),
            ("Vera", "/elections/None", MISSING),
            ("Olga", "/elections/Open", FORBIDDEN),
        )
    ),
    ("Vera", "DELETE /elections/Open/ballot", None, MISSING, []),
    ("Vera", "GET /elections/Open/ballot", None, MISSING, []),
    ("Vera", "GET /elections/Open/ballots/vera", None, MISSING, []),
    ("Ada", "GET /elections?owner=nobody", None, MISSING, []),
    ("Ada", "GET /elections/Closed/tally?method=dice", None, INVALID, ["method"]),
    ("Ada", "GET /elections/Closed/export?format=doc", None, INVALID, ["format"]),
    ("Ada", "GET /users/nobody", None, MISSING, []),
    ("Ada", "GET /user-names?cursor=made-up", None, CURSOR, ["cursor"]),
    ("Ben", "GET /users/%FF", None, "400 malformed-path", []),
    ("Ben", "GET /users/%F4%8F%BF%BD", None, "400 malformed-path", []),
    *(
        ("Ada", f"GET {path}/{name}", None, INVALID, ["name"])
        for path in ("/users", "/elections")
        for name in ("x" * 201, "%F0%9D%85%A0" * 200, "%CE%90" * 200)
    ),
]


@pytest.mark.parametrize(("who", "request_line", "body", "answer", "places"), REJECTED)
def test_request_is_rejected(
    api: Api, who: str, request_line: str, body: object, answer: str, places: list[str]
) -> None:
    client = api.clients[who] if who else api.anonymous()
    method, _, path = request_line.partition(" ")
    before = api.world.event_count
    headers = {"Idempotency-Key": "k"}
    response = client.ask(method, path, "*", json=body, headers=headers)
    assert type_of(response) == answer
    if answer != MISSING:
        errors = response.json().get("errors", [])
        assert [error.get("pointer", error.get("parameter")) for error in errors] == places
    assert api.world.event_count == before


# Each request with a body that would be accepted.
GUARDED: dict[str, tuple[str, object]] = {
    "PATCH /users/Ben": ("Ben", {"name": "Benjamin"}),
    "PUT /users/Ben/role": ("Ada", {"role": "VOTER"}),
    "DELETE /users/Vera": ("Ada", None),
    "PATCH /elections/Tea": ("Ben", {"name": "Teas"}),
    "DELETE /elections/Tea": ("Ben", None),
    "PUT /elections/Tea/owner": ("Ben", {"owner": "Ada"}),
    "PUT /elections/Tea/managers": ("Ben", {"managers": ["Ada"]}),
    "PUT /elections/Tea/candidates": ("Ben", {"candidate_names": ["Assam"]}),
    "PUT /elections/Tea/texts": ("Ben", {"question": "Which?"}),
    "PATCH /elections/Tea/candidates/Assam": ("Ben", {"statement": "Strong"}),
    "PUT /elections/Tea/voters": ("Ben", {"voter_names": ["Ben"]}),
    "PUT /elections/Tea/roll": ("Ben", {"people": []}),
    "POST /elections/Tea/roll": ("Ben", {"people": []}),
    "PATCH /elections/Club/roll/1": ("Ben", {"group": "A"}),
    "POST /elections/Tea/launch": ("Ben", {"allow_edit": True}),
    "POST /elections/Open/fix": ("Ada", None),
    "POST /elections/Open/finalize": ("Ada", None),
}


def test_every_guarded_route_is_tested(api: Api) -> None:
    paths = api.anonymous().get("/openapi.json").json()["paths"]
    guarded = {
        f"{method.upper()} {path.removeprefix(API)}"
        for path, operations in paths.items()
        for method, operation in operations.items()
        if "if-match" in str(operation.get("parameters"))
    }
    names = dict.fromkeys(("Ben", "Vera", "Tea", "Club", "Open"), "{name}")
    names |= {"Assam": "{candidate}", "1": "{number}"}
    tested = {"/".join(names.get(part, part) for part in line.split("/")) for line in GUARDED}
    assert tested == guarded


@pytest.mark.parametrize("request_line", GUARDED)
def test_change_needs_the_current_etag(api: Api, request_line: str) -> None:
    who, body = GUARDED[request_line]
    method, _, path = request_line.partition(" ")
    before = api.world.event_count
    answers = [api.clients[who].ask(method, path, tag, json=body) for tag in (None, '"1"', "7")]
    assert [type_of(answer) for answer in answers] == [
        "428 precondition-required",
        "412 precondition-failed",
        "422 invalid-request",
    ]
    about = "/".join(path.split("/")[:3])
    assert answers[1].headers["ETag"] == api.clients["Ada"].tag(about)
    assert api.world.event_count == before


@pytest.mark.parametrize("key", [None, "with space", "x" * 201])
def test_ballot_needs_an_idempotency_key(api: Api, key: str | None) -> None:
    headers = {"Idempotency-Key": key} if key is not None else {}
    body = {"rankings": [{"candidate_name": "Red"}]}
    path = "/elections/Open/ballot"
    response = api.clients["Vera"].ask("POST", path, json=body, headers=headers)
    assert type_of(response) == "400 idempotency-key"


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer x.y.z", "Basic YTpi"])
def test_invalid_token_is_rejected(api: Api, header: str) -> None:
    response = api.anonymous().get("/me", headers={"Authorization": header})
    assert type_of(response) == "401 not-signed-in"


def test_cursor_of_another_list_is_rejected(api: Api) -> None:
    ada = api.clients["Ada"]
    cursor = ada.get("/user-names", params={"limit": 1}).json()["next"]
    for path in ("/elections", "/events"):
        assert type_of(ada.get(path, params={"cursor": cursor})) == CURSOR
