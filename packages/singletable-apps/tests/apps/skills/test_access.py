"""Who may do what: every route of the API and the pages, for the account and entries of Joan."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from singletable_apps.skills.entities import Level, Role
from singletable_apps.skills.entry_rules import KINDS, EntryDraft
from singletable_apps.skills.rules import SkillDraft
from singletable_apps.skills.service.roles import RoleEdit
from singletable_apps.skills.urls import API
from tests.apps.skills.pages.client import PagesApp
from tests.apps.skills.support.world import PASSWORD
from tests.apps.support.access import AccessCheck, AccessTests, altered, entries, refusals

EVERYONE, PEOPLE, MANAGERS = "nobody user manager admin", "user manager admin", "manager admin"
TABLE = {
    **entries(
        API,
        {
            EVERYONE: """
                POST /register, POST /login, POST /logout, POST /email/confirm, GET /openapi.json,
                GET /problems, GET /docs""",
            PEOPLE: """
                GET /me, PUT /password, GET /users,
                GET /users/{username},
                GET /directory, GET /master-skills, GET /skills, GET /master-skills/{skill_id},
                GET /roles, GET /roles/{role_id}, GET /users/{username}/skills,
                GET /users/{username}/skills/{skill}, GET /skills/{skill}/users,
                GET /users/{username}/skills/{skill}/endorsements, GET /search,
                PUT /users/{username}/skills/{skill}/endorsement,
                DELETE /users/{username}/skills/{skill}/endorsement,
                GET /teams, POST /teams, GET /teams/{team_id},
                GET /projects, GET /export, GET /users/{username}/{kind:entries},
                GET /users/{username}/{kind:entries}/{entry_id}""",
            MANAGERS: """
                PUT /users/{username}, POST /roles, PUT /roles/{role_id}, DELETE /roles/{role_id},
                POST /users/{username}/skills, PUT /users/{username}/skills/{skill},
                DELETE /users/{username}/skills/{skill}, PUT /teams/{team_id},
                DELETE /teams/{team_id}""",
            "admin": """
                POST /users, PUT /users/{username}/role, PUT /users/{username}/username,
                PUT /directory, POST /master-skills, PUT /master-skills/{skill_id},
                DELETE /master-skills/{skill_id},
                POST /master-skills/{skill_id}/merge, POST /imports, GET /imports,
                GET /imports/{import_id}, POST /imports/{import_id}/apply,
                POST /imports/{import_id}/undo, DELETE /users/{username}""",
            # Everyone enters their own; the token is wrong; there is no such problem.
            "": """
                POST /users/{username}/{kind:entries},
                PUT /users/{username}/{kind:entries}/{entry_id},
                DELETE /users/{username}/{kind:entries}/{entry_id}, POST /refresh,
                GET /problems/{name}""",
        },
    ),
    **entries(
        "/skills",
        {
            EVERYONE: """
                GET , GET /, GET /sign-in, POST /sign-in, POST /sign-out, GET /forgot, POST /forgot,
                GET /forgot/sent, GET /reset, POST /reset, GET /register, POST /register,
                GET /email, POST /email, GET /email/old, POST /email/old""",
            PEOPLE: """
                GET /start, GET /people, GET /people/{username},
                GET /people/{username}/skills/{skill_id},
                POST /people/{username}/skills/{skill_id}/endorse, GET /catalog, GET /search,
                POST /people/{username}/skills/{skill_id}/withdraw, GET /catalog/{skill_id},
                GET /roles, GET /roles/{role_id}, GET /roles/{role_id}/nearest, GET /teams,
                POST /teams, GET /teams/{team_id}, GET /projects, GET /matrix, GET /gaps,
                GET /matrix/export, GET /gaps/export, GET /export, GET /account, GET /rounds,
                GET /rounds/{round_id}, GET /rounds/{round_id}/export, GET /suggest,
                POST /suggest, POST /ask/{skill_id},
                POST /account/password, GET /account/email, POST /account/email,
                POST /account/sessions/others/end, POST /account/sessions/{session}/end,
                GET /account/tokens/new, POST /account/tokens/new,
                POST /account/tokens/{digest}/revoke""",
            MANAGERS: """
                GET /people/{username}/edit, POST /people/{username}/edit,
                GET /people/{username}/skills/new, POST /people/{username}/skills/new,
                GET /people/{username}/skills/{skill_id}/edit,
                POST /people/{username}/skills/{skill_id}/edit,
                GET /people/{username}/skills/{skill_id}/delete,
                POST /people/{username}/skills/{skill_id}/delete, POST /teams/{team_id},
                POST /teams/{team_id}/members, POST /teams/{team_id}/remove,
                GET /teams/{team_id}/delete, POST /teams/{team_id}/delete, GET /new-role,
                POST /new-role, GET /roles/{role_id}/edit, POST /roles/{role_id}/edit,
                GET /roles/{role_id}/delete, POST /roles/{role_id}/delete,
                POST /matrix/{username}/{skill_id}, GET /rounds/{round_id}/people/{username},
                POST /rounds/{round_id}/people/{username}""",
            "admin": """
                GET /people/{username}/username, POST /people/{username}/username,
                GET /people/{username}/delete, POST /people/{username}/delete, GET /admin,
                GET /admin/people, POST /admin/people, POST /admin/people/settings,
                GET /admin/people/invite, POST /admin/people/invite, GET /admin/people/{who},
                POST /admin/people/{who}/role, POST /admin/people/{who}/invite,
                GET /admin/skills, GET /admin/new-skill,
                POST /admin/new-skill, GET /admin/skills/{skill_id}, POST /admin/skills/{skill_id},
                GET /admin/skills/{skill_id}/delete, POST /admin/skills/{skill_id}/delete,
                GET /admin/skills/{skill_id}/merge, POST /admin/skills/{skill_id}/merge,
                GET /operations, GET /operations/details, GET /admin/import, POST /admin/import,
                GET /admin/import/{import_id},
                POST /admin/import/{import_id}, POST /admin/import/{import_id}/apply,
                GET /admin/import/{import_id}/undo, POST /admin/import/{import_id}/undo,
                POST /rounds, POST /rounds/{round_id}/remind, GET /rounds/{round_id}/close,
                POST /rounds/{round_id}/close, POST /requests/{request_id}/decline""",
            "": """
                GET /people/{username}/entries/{kind}/{entry_id},
                POST /people/{username}/entries/{kind}/{entry_id},
                GET /people/{username}/entries/{kind}/{entry_id}/delete,
                POST /people/{username}/entries/{kind}/{entry_id}/delete""",
        },
    ),
    "GET /": frozenset(EVERYONE.split()),
}
REFUSALS = refusals(API, {"401": "POST /refresh", "404": "GET /problems/{name}"})
FILE = ("people.csv", b"username,skill\njoan,Go\n")
PERSON = {"username": "grace", "name": "Grace", "email": "grace@example.org", "role": "user"}
RATING = {"skill_name": "Python", "level": "Expert"}
ENTRY = {"name": "Chess", "issuer": "Club", "issued": "2020-01-01"}
SETTINGS = {"name": "Mine", "registration": "open"}
BODIES: dict[str, dict[str, Any]] = {
    f"POST {API}/login": {"username": "joan", "password": PASSWORD},
    f"POST {API}/refresh": {"refresh_token": "x"},
    f"POST {API}/logout": {"refresh_token": "x"},
    f"PUT {API}/user": {"title": "x"},
    f"POST {API}/users": PERSON,
    f"PUT {API}/users/{{username}}": {"title": "x"},
    f"PUT {API}/users/{{username}}/role": {"role": "user"},
    f"PUT {API}/users/{{username}}/username": {"username": "joanna"},
    f"PUT {API}/directory": SETTINGS,
    f"POST {API}/master-skills": {"skill_name": "Rust", "category": "Other"},
    f"PUT {API}/master-skills/{{skill_id}}": {"description": "x"},
    f"POST {API}/master-skills/{{skill_id}}/merge": {"into": "python"},
    f"POST {API}/roles": {"name": "Tester"},
    f"PUT {API}/roles/{{role_id}}": {"name": "Tester"},
    f"POST {API}/users/{{username}}/skills": {
        "skill_name": "Python",
        "proficiency_level": "Expert",
    },
    f"PUT {API}/users/{{username}}/skills/{{skill}}": {"years_of_experience": 3},
    f"GET {API}/search": {"skill": "go"},
    f"POST {API}/teams": {"name": "T"},
    f"PUT {API}/teams/{{team_id}}": {"name": "T"},
    f"POST {API}/imports": {"file": FILE},
    "POST /skills/rounds": {"name": "Spring", "closes_on": "2026-02-01"},
    "POST /skills/suggest": {"skill_name": "Zig"},
    "POST /skills/ask/{skill_id}": {"colleague": "joan"},
    f"POST {API}/users/{{username}}/{{kind:entries}}": ENTRY,
    f"PUT {API}/users/{{username}}/{{kind:entries}}/{{entry_id}}": {"name": "Go"},
    "GET /skills/search": {"skill": "go"},
    "GET /skills/matrix/export": {"format": "csv"},
    "GET /skills/gaps/export": {"format": "csv"},
    "GET /skills/rounds/{round_id}/export": {"format": "csv"},
    "POST /skills/matrix/{username}/{skill_id}": {"level": "3"},
    "POST /skills/people/{username}/edit": {"name": "Joan", "title": "x"},
    "POST /skills/people/{username}/username": {"username": "joanna"},
    "POST /skills/people/{username}/skills/new": RATING,
    "POST /skills/people/{username}/skills/{skill_id}/edit": RATING,
    "POST /skills/teams": {"name": "T"},
    "POST /skills/teams/{team_id}": {"name": "T"},
    "POST /skills/teams/{team_id}/members": {"username": "bob"},
    "POST /skills/teams/{team_id}/remove": {"username": "bob"},
    "POST /skills/new-role": {"name": "Painter"},
    "POST /skills/roles/{role_id}/edit": {"name": "Painter"},
    "POST /skills/admin/people/settings": SETTINGS,
    "POST /skills/admin/people/invite": {**PERSON, "username": "olga"},
    "POST /skills/admin/people/{who}/role": {"role": "user"},
    "POST /skills/admin/new-skill": {"skill_name": "Zig"},
    "POST /skills/admin/skills/{skill_id}": {"skill_name": "Go"},
    "POST /skills/admin/skills/{skill_id}/merge": {"into": "python"},
    "POST /skills/admin/import": {"file": FILE},
    "POST /skills/people/{username}/entries/{kind}/{entry_id}": ENTRY,
}


@pytest.fixture
def access() -> AccessCheck:
    """Return a directory with skills, an entry, a team, a job and an import.

    The token of the user is from a time when she was an administrator.
    """
    app = PagesApp()
    world, service = app.world, app.world.service
    ada, joan, mia = world.user("ada"), world.user("joan"), world.user("mia")
    service.user_skills.add(joan, "joan", "Go", SkillDraft(Level.BEGINNER))
    draft = EntryDraft(name="Chess", issuer="Club", issued=world.clock().date())
    entry = service.entries.create(joan, "joan", KINDS["certifications"], draft)
    team = service.teams.create(joan, "Players", ["joan"])
    role = service.roles.create(mia, RoleEdit("Player", "", {"go": Level.EXPERT}))
    staged = service.imports.upload(ada, *FILE)
    opened = service.rounds.open(ada, "Winter", date(2026, 2, 1))
    service.requests.suggest(joan, "Fortran")

    def token(name: str) -> str:
        return service.accounts.start_session(world.user(name)).access

    expired = token("ada")
    world.clock.advance(days=3)
    for name in ("mary", "nina"):
        service.accounts.invite(ada, name, name.title(), f"{name}@example.org", Role.ADMIN)
    for name in ("mia", "nina"):
        service.user_skills.add(ada, name, "Go", SkillDraft(Level.BEGINNER))
    removed, demoted = token("mary"), token("nina")
    service.accounts.remove(ada, "mary")
    service.accounts.change_role(ada, "nina", Role.USER)
    return AccessCheck(
        app,
        TABLE,
        {"user": demoted, "manager": token("mia"), "admin": token("ada")},
        {"expired": expired, "altered": altered(token("ada")), "removed": removed},
        BODIES,
        {
            "username": "joan",
            "who": "joan",
            "skill": "go",
            "skill_id": "go",
            "kind": "certifications",
            "entry_id": KINDS["certifications"].id_of(entry),
            "team_id": team.team_id,
            "role_id": role.role_id,
            "import_id": staged.import_id,
            "round_id": opened.round_id,
            "request_id": f"0-{joan.user_id}-fortran",
            "session": service.accounts.sessions(ada)[0].family,
            "digest": "x",
            "name": "x",
        },
        REFUSALS,
    )


class TestAccess(AccessTests):
    """The callers are users, managers and administrators."""

    def test_only_managers_see_addresses_of_others(self, access: AccessCheck) -> None:
        def shows(name: str, route: str) -> bool:
            return "joan@" in access.ask(name, route).text

        for route in ("GET /skills/people/{username}", f"GET {API}/users/{{username}}"):
            assert shows("manager", route)
            assert shows("admin", route)
        routes = [route for route in access.table if route.startswith("GET")]
        assert [route for route in routes if shows("user", route)] == []
