"""Who may do what: every route of the API and the pages, for an election and an account of others.

Ballots are secret. The caller `voter` has voted, `chair` owns the election, `helper` manages it
beside them, and `waiting` has an account without access. The account of others has the name of the
election, and has voted, too.
"""

from __future__ import annotations

from typing import Any

import pytest

from singletable import connect
from singletable_apps.elections.entities import (
    Electorate,
    Publication,
    RollNumber,
    RollVoter,
    votes,
)
from singletable_apps.elections.poll_book import LinkVoter
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.roll import RollLine
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.elections.urls import API
from tests.apps.elections.pages.client import PagesApp
from tests.apps.support.access import (
    SAFE,
    AccessCheck,
    AccessTests,
    Table,
    altered,
    entries,
    refusals,
)
from tests.apps.support.elections.scenario import make_image
from tests.apps.support.elections.world import PASSWORD, World, ballot

ROLES = {
    "waiting": Role.NO_ACCESS,
    "observer": Role.OBSERVER,
    "voter": Role.VOTER,
    "member": Role.USER,
    "chair": Role.USER,
    "helper": Role.USER,
    "admin": Role.ADMIN,
    "auditor": Role.AUDITOR,
}
ADMINS = "admin auditor owner"
MANAGERS = "chair helper"
MEMBERS = f"member {MANAGERS} {ADMINS}"
VIEWERS = f"observer voter {MEMBERS}"
PEOPLE = f"waiting {VIEWERS}"
EVERYONE = f"nobody {PEOPLE}"
TABLE: Table = {
    "GET /": frozenset(EVERYONE.split()),
    **entries(
        API,
        {
            EVERYONE: """
                GET /checker.py, GET /docs, GET /keys, GET /openapi.json, GET /problems,
                GET /version, POST /register, POST /email/confirm, POST /sign-in,
                POST /sign-out""",
            VIEWERS: """
                GET /me, GET /elections, GET /elections/{name}, GET /elections/{name}/candidates,
                GET /elections/{name}/texts,
                GET /elections/{name}/voters, GET /elections/{name}/who-voted,
                GET /elections/{name}/eligibility/{voter},
                GET /elections/{name}/tally, GET /elections/{name}/ballots,
                GET /elections/{name}/export, GET /elections/{name}/publication""",
            "voter": """
                GET /elections/{name}/ballot, POST /elections/{name}/ballot,
                DELETE /elections/{name}/ballot""",
            MEMBERS: "GET /user-names, POST /elections",
            "chair": "PUT /elections/{name}/managers",
            MANAGERS: """
                PATCH /elections/{name}, PUT /elections/{name}/candidates,
                PATCH /elections/{name}/candidates/{candidate}, PUT /elections/{name}/texts,
                POST /elections/{name}/copy, POST /elections/{name}/questions,
                PUT /elections/{name}/voters, POST /elections/{name}/launch,
                GET /elections/{name}/roll, PUT /elections/{name}/roll, POST /elections/{name}/roll,
                PATCH /elections/{name}/roll/{number:int},
                DELETE /elections/{name}/roll/{number:int},
                POST /elections/{name}/roll/{number:int}/link,
                POST /elections/{name}/roll/invitations,
                POST /elections/{name}/roll/reminders,
                POST /elections/{name}/fix, POST /elections/{name}/finalize""",
            f"chair {ADMINS}": "PUT /elections/{name}/owner, DELETE /elections/{name}",
            ADMINS: """
                GET /users, GET /users/{name}, PATCH /users/{name}, DELETE /users/{name},
                PUT /users/{name}/role""",
            "auditor owner": """
                GET /events, GET /query""",
            # It is somebody else's ballot and password, the token is wrong, no such problem.
            "": """
                GET /elections/{name}/ballots/{voter}, PUT /users/{name}/password, POST /refresh,
                GET /problems/{name}""",
        },
    ),
    **entries(
        "/elections",
        {
            EVERYONE: """
                GET , GET /check, POST /check, GET /counting, GET /email,
                POST /email, GET /email/old, POST /email/old, GET /forgot, POST /forgot,
                GET /forgot/sent, GET /register, POST /register, GET /register/confirm,
                POST /register/confirm, GET /register/sent, GET /reset, POST /reset, GET /sign-in,
                POST /sign-in, POST /sign-out, GET /v, POST /v, GET /v/{code},
                GET /v/{code}/ballot, POST /v/{code}/ballot, GET /v/{code}/ballot/withdraw,
                POST /v/{code}/ballot/withdraw, GET /v/{code}/receipt, GET /v/{code}/receipt.json,
                GET /v/{code}/tally, GET /v/{code}/tally/now, GET /v/{code}/tally/events,
                GET /v/{code}/tally/rankings, GET /v/{code}/tally/ballots,
                GET /v/{code}/tally/ballots/{form}, GET /v/{code}/tally/result.json,
                GET /v/{code}/published, GET /v/{code}/published/publication.json,
                GET /unsubscribe/{token}, POST /unsubscribe/{token},
                GET /r/{election_id}, GET /r/{election_id}/picture.png,
                GET /pictures/{picture}, GET /r/{election_id}/embed, GET /sandbox, POST /sandbox""",
            PEOPLE: """
                GET /account, POST /account/details, GET /account/email, POST /account/email,
                POST /account/password, GET /account/delete,
                POST /account/delete, POST /account/sessions/{session}/end,
                GET /account/tokens/new, POST /account/tokens/new,
                POST /account/tokens/{digest}/revoke,
                POST /account/sessions/others/end""",
            VIEWERS: """
                GET /all, GET /e/{name}, GET /e/{name}/method, GET /e/{name}/candidates,
                GET /e/{name}/voters,
                GET /e/{name}/voted, GET /e/{name}/ballot, POST /e/{name}/ballot,
                GET /e/{name}/ballot/withdraw, GET /e/{name}/receipt, GET /e/{name}/tally,
                GET /e/{name}/tally/now, GET /e/{name}/tally/events, GET /e/{name}/tally/rankings,
                GET /e/{name}/tally/ballots, GET /e/{name}/tally/ballots/{form},
                GET /e/{name}/tally/result.json, GET /e/{name}/published,
                GET /e/{name}/published/publication.json, GET /e/{name}/protocol""",
            "voter": """POST /e/{name}/ballot/withdraw, GET /e/{name}/receipt.json,
                POST /e/{name}/receipt/email""",
            MEMBERS: "GET /new, POST /new",
            "chair": "GET /e/{name}/managers, POST /e/{name}/managers",
            MANAGERS: """
                POST /e/{name}/candidates, GET /e/{name}/candidates/edit,
                POST /e/{name}/candidates/edit, POST /e/{name}/method, GET /e/{name}/review,
                POST /e/{name}/review, GET /e/{name}/copy, POST /e/{name}/copy,
                GET /e/{name}/questions, POST /e/{name}/questions, GET /e/{name}/notes,
                POST /e/{name}/notes,
                GET /e/{name}/voters/list,
                POST /e/{name}/voters/list, POST /e/{name}/settings, GET /e/{name}/launch,
                GET /e/{name}/roll, POST /e/{name}/roll, POST /e/{name}/roll/save,
                GET /e/{name}/roll/invite, POST /e/{name}/roll/invite, GET /e/{name}/roll/remind,
                POST /e/{name}/roll/remind, GET /e/{name}/roll/emails/{purpose},
                POST /e/{name}/roll/emails/{purpose}, GET /e/{name}/roll/{number:int},
                POST /e/{name}/roll/{number:int}, GET /e/{name}/roll/{number:int}/link,
                POST /e/{name}/roll/{number:int}/link, GET /e/{name}/roll/{number:int}/remove,
                POST /e/{name}/roll/{number:int}/remove, GET /e/{name}/roll/cards,
                POST /e/{name}/launch, GET /e/{name}/fix, POST /e/{name}/fix,
                GET /e/{name}/finalize, POST /e/{name}/finalize, GET /e/{name}/public,
                POST /e/{name}/public""",
            f"{MANAGERS} {ADMINS}": "GET /e/{name}/settings",
            f"chair {ADMINS}": """
                GET /e/{name}/owner, POST /e/{name}/owner,
                GET /e/{name}/delete, POST /e/{name}/delete""",
            ADMINS: """
                GET /people, POST /people, GET /people/{who}, POST /people/{who},
                POST /people/{who}/role, GET /people/{who}/remove, POST /people/{who}/remove""",
            "auditor owner": """
                GET /audit, GET /audit/tables/{table},
                GET /audit/query""",
            "owner": "GET /people/{name}/owner, POST /people/{name}/owner",
        },
    ),
}
# Those without a ballot get 404, unless they may not vote at all.
REFUSALS = {
    **refusals(
        API,
        {
            f"404 observer {MEMBERS}": """
                GET /elections/{name}/ballot""",
            f"404 {MEMBERS}": "DELETE /elections/{name}/ballot",
            "404": "GET /problems/{name}",
            "401": "POST /refresh",
        },
    ),
    **refusals(
        "/elections",
        {
            f"404 observer {MEMBERS}": "GET /e/{name}/receipt.json, POST /e/{name}/receipt/email",
            f"404 {MEMBERS}": "POST /e/{name}/ballot/withdraw",
        },
    ),
}
BODIES: dict[str, dict[str, Any]] = {
    f"POST {API}/elections": {"name": "Lunch"},
    f"PATCH {API}/elections/{{name}}": {"name": "Coffee"},
    f"PUT {API}/elections/{{name}}/candidates": {"candidate_names": ["Red", "Pink"]},
    f"PUT {API}/elections/{{name}}/voters": {"voter_names": ["voter"]},
    f"PATCH {API}/elections/{{name}}/candidates/{{candidate}}": {"statement": "Warm"},
    f"PUT {API}/elections/{{name}}/texts": {"question": "Which?"},
    f"POST {API}/elections/{{name}}/copy": {"name": "Lunch"},
    f"POST {API}/elections/{{name}}/questions": {"name": "Snacks"},
    f"PUT {API}/elections/{{name}}/managers": {"managers": ["member"]},
    f"PUT {API}/elections/{{name}}/owner": {"owner": "member"},
    f"PUT {API}/elections/{{name}}/roll": {"people": [{"name": "Eve", "email": "eve@x.example"}]},
    f"POST {API}/elections/{{name}}/roll": {"people": [{"name": "Eve", "group": "A"}]},
    f"PATCH {API}/elections/{{name}}/roll/{{number:int}}": {"group": "A"},
    "POST /elections/e/{name}/candidates/edit": {"name": ("", "Red"), "picture": ("", b"")},
    "POST /elections/sandbox": {"ballots": ("", "1: A > B"), "file": ("", b"")},
    "POST /elections/e/{name}/roll": {"people": ("", "Eve"), "file": ("", b"")},
    f"POST {API}/elections/{{name}}/launch": {"allow_edit": True},
    f"POST {API}/elections/{{name}}/ballot": {"rankings": [{"candidate_name": "Red", "rank": 1}]},
    f"GET {API}/elections/{{name}}/export": {"format": "csv"},
    f"PATCH {API}/users/{{name}}": {"name": "Coffee"},
    f"PUT {API}/users/{{name}}/role": {"role": "OBSERVER"},
    f"PUT {API}/users/{{name}}/password": {"current": PASSWORD, "new": "orchard violet engine"},
    f"POST {API}/refresh": {"refresh_token": "x"},
    f"POST {API}/sign-out": {"refresh_token": "x"},
}


@pytest.fixture
def world() -> World:
    """Create an open election with secret ballots, and people of every role."""
    world = World(connect("memory:"))
    service = world.service
    owner, *_ = world.register("owner", "Tea", "Mary", "Sam", *ROLES)
    for name, role in {"Tea": Role.VOTER, **ROLES}.items():
        service.people.change_role(owner, name, role)
    terms = ElectionSettings(secret_ballot=True, publication=Publication.CONFIRMATIONS)
    user = service.context.read.get_user
    world.launch(user("chair"), "Tea", voters=["Tea", "voter", "Sam"], terms=terms)
    service.lifecycle.set_managers(user("chair"), "Tea", ["helper@example.org"])
    for name in ("Tea", "voter", "Sam"):
        service.voting.cast(user(name), "Tea", ballot("Red"), "a key")
    world.launch(owner, "Public")
    service.lifecycle.share_result(owner, "Public", is_public=True)
    service.lifecycle.close(owner, "Public")
    service.lifecycle.create(owner, "Club", ElectionSettings(electorate=Electorate.ROLL))
    service.lifecycle.set_candidates(owner, "Club", ["Red", "Green"])
    service.lifecycle.edit_candidate(owner, "Club", "Red", picture=make_image())
    service.rolls.save(owner, "Club", [RollLine(1, "Eve", "eve@example.org")], replaces=True)
    service.lifecycle.launch(owner, "Club", allow_edit=True)
    eve = LinkVoter(service.context.read.get_election("Club").election_id, RollVoter("1", "Eve"))
    service.voting.cast(eve, "Club", ballot("Red"), "a key")
    return world


@pytest.fixture
def access(world: World) -> AccessCheck:
    """Return the callers, and strangers whose tokens are not valid."""
    service = world.service

    def token(name: str) -> str:
        return service.auth.start_session(service.context.read.get_user(name), "tests").access

    expired = token("owner")
    world.clock.advance(days=3)
    removed = token("Mary")
    service.people.remove(service.context.read.get_user("owner"), "Mary")
    tokens = {name: token(name) for name in (*ROLES, "owner")}
    club = service.context.read.get_election("Club")
    eve = service.context.book.record(club).roll[RollNumber(1)]
    public = service.context.read.get_election("Public")
    return AccessCheck(
        PagesApp(world),
        TABLE,
        tokens,
        {"expired": expired, "altered": altered(tokens["owner"]), "removed": removed},
        BODIES,
        {
            "name": "Tea",
            "number": "1",
            "election_id": str(public.election_id),
            "candidate": "Red",
            "picture": f"{service.context.book.record(club).pictures['Red'].name}.webp",
            "purpose": "receipt",
            "code": service.rolls.code(club, eve),
            "token": service.rolls.code(club, eve, "unsubscribe"),
            "who": "Tea",
            "voter": "Tea",
            "confirmation": "a" * 52,
            "session": service.auth.sessions(service.context.read.get_user("owner"))[0].family,
            "form": "csv",
            "role": "USER",
            "relation": "users",
            "digest": "x",
            "table": votes.name,
        },
        REFUSALS,
    )


class TestAccess(AccessTests):
    """The tests of the table, for a closed election where results are read."""

    def test_callers_are_served(self, access: AccessCheck) -> None:
        service = access.server.world.service
        user = service.context.read.get_user
        receipt = service.voting.ballot(user("voter"), "Tea", "voter").receipt
        service.lifecycle.close(user("chair"), "Tea")
        access.values = {**access.values, "confirmation": receipt["confirmation"]}
        access.bodies = {route: body for route, body in BODIES.items() if route.startswith(SAFE)}
        assert access.allowed() == []
