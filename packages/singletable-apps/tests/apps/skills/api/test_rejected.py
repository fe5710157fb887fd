"""Rejected requests: status, type of problem, and the places of what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.apps.skills.api.client import Server
from tests.apps.skills.support.world import PASSWORD
from tests.apps.support.api_client import problem

JOB = {"position": "Engineer", "employer": "Acme", "started": "2020-01-01"}
ZOE = {"username": "zoe", "name": "Zoe Park", "email": "zoe@example.org"}
INVALID, MISSING, TAKEN = "422 invalid-request", "404 not-found", "409 already-exists"
DENIED, UNKNOWN_CURSOR = "403 not-allowed", "400 cursor-refused"

# Who sends what, and the problem: status, type, places.
CASES: list[tuple[str, str, Any, str]] = [
    ("", "GET /me", None, "401 not-signed-in Authorization"),
    ("", "POST /register", {"username": "a", "name": "", "password": "x"},
     f"{INVALID} /username /name /password"),
    ("", "POST /register", {"username": "ADA", "name": "Ada", "password": PASSWORD},
     f"{TAKEN} /username"),
    # The catalog and jobs.
    ("ada", "POST /master-skills", {"skill_name": "Go 2", "skill_id": "Not An Id"},
     f"{INVALID} /skill_id"),
    ("ada", "POST /master-skills", {"skill_name": "Go 2", "skill_id": "-"}, f"{INVALID} /skill_id"),
    ("ada", "POST /master-skills", {"skill_name": "Go 2", "category": "Cooking"},
     f"{INVALID} /category"),
    ("ada", "POST /master-skills", {"skill_name": "x"}, f"{INVALID} /skill_name"),
    ("ada", "POST /master-skills", {"skill_name": "!!"}, f"{INVALID} /skill_name"),
    ("ada", "POST /master-skills", {"skill_name": "Инженер"}, f"{INVALID} /skill_id"),
    ("ada", "POST /master-skills", {"skill_name": "Go 2", "aliases": ["\x00"]},
     f"{INVALID} /aliases"),
    ("ada", "POST /master-skills", {"skill_name": "Go 2", "unknown": 1}, f"{INVALID} /unknown"),
    ("ada", "POST /master-skills", {"skill_name": "GO"}, f"{TAKEN} /skill_id"),
    ("ada", "POST /master-skills", {"skill_name": "Iron", "aliases": ["GO"]}, f"{TAKEN} /aliases"),
    ("ada", "DELETE /master-skills/go", None, "409 in-use"),
    ("ada", "POST /master-skills/python/merge", {"into": "PYTHON"}, f"{INVALID} /into"),
    ("bob", "GET /master-skills/cobol", None, MISSING),
    ("bob", "GET /skills?category=x", None, f"{INVALID} category"),
    ("mia", "POST /roles", {"name": "Dev", "targets": {"Cobol": "Expert"}}, f"{INVALID} /targets"),
    ("mia", "POST /master-skills", {"skill_name": "Rust"}, DENIED),
    # Entries.
    ("mia", "POST /users/mia/experience", {**JOB, "ended": "2019-01-01"}, f"{INVALID} /ended"),
    ("mia", "POST /users/mia/education", {}, f"{INVALID} /degree /school /started"),
    ("mia", "POST /users/mia/projects", {"name": "Heron", "skills": ["golang"]},
     f"{INVALID} /skills"),
    ("mia", "GET /users/mia/hobbies", None, MISSING),
    ("mia", "GET /users/nobody/projects", None, MISSING),
    ("mia", "GET /projects?status=Late", None, f"{INVALID} status"),
    ("mia", "GET /projects?cursor=zzz", None, f"{UNKNOWN_CURSOR} cursor"),
    # Imports and exports.
    ("ada", "GET /imports/nothing", None, MISSING),
    ("ada", "POST /imports", {"file": "x"}, "415 unsupported-media-type"),
    ("mia", "GET /export?format=pdf", None, f"{INVALID} format"),
    # Search and teams.
    *(("bob", f"GET /search?{query}", None, f"{INVALID} {place}") for query, place in (
        ("", "skill"), ("skill=golnag", "skill"), ("skill=go:Master", "level"),
        ("skill=%00%ff%f0%9f%a6%80", "skill"), (f"skill=go&department={'x' * 101}", "department"),
    )),
    ("bob", "GET /search?skill=go&cursor=zzz", None, f"{UNKNOWN_CURSOR} cursor"),
    ("bob", "POST /teams", {"name": " ", "members": ["nobody"]},
     f"{INVALID} /name /members"),
    # Skills of people.
    ("bob", "PUT /users/bob/skills/go", {
        "proficiency_level": "Guru",
        "years_of_experience": -1,
        "notes": "x" * 501,
        "last_used_date": 12,
    }, f"{INVALID} /proficiency_level /years_of_experience /notes /last_used_date"),
    ("bob", "PUT /users/bob/skills/go", {"last_used_date": "2026-01-02"},
     f"{INVALID} /last_used_date"),
    ("bob", "PUT /users/bob/skills/go", {"notes": "a\u0000b"}, f"{INVALID} /notes"),
    ("bob", "PUT /users/bob/skills/go", {"years_of_experience": 1.5},
     f"{INVALID} /years_of_experience"),
    ("bob", "PUT /users/bob/skills/go", {}, INVALID),
    ("bob", "POST /users/bob/skills", {"skill_name": "Cobol", "proficiency_level": "Expert"},
     MISSING),
    ("bob", "POST /users/bob/skills", {"skill_name": "GO", "proficiency_level": "Expert"},
     f"{TAKEN} /skill_name"),
    *(("bob", f"GET {path}", None, MISSING) for path in (
        "/users/nobody/skills", "/users/bob/skills/cobol", "/users/joan/skills/go",
        *(f"/skills/{skill}/users" for skill in ("cobol", "%23%F0%9F%98%80", "a%2Fb")),
    )),
    ("bob", "GET /skills/go/users?level=expert", None, f"{INVALID} level"),
    ("bob", "GET /skills/go/users?cursor=x", None, f"{UNKNOWN_CURSOR} cursor"),
    ("bob", "PUT /users/bob/skills/go/endorsement", None, DENIED),
    # People.
    ("bob", "GET /users?cursor=x", None, f"{UNKNOWN_CURSOR} cursor"),
    ("bob", "GET /users/nobody", None, MISSING),
    ("bob", "PUT /users/bob", {"name": "x"}, f"{INVALID} /name"),
    ("mia", "PUT /users/bob", {}, INVALID),
    ("ada", "POST /users", {**ZOE, "username": "BOB"}, f"{TAKEN} /username"),
    ("ada", "PUT /users/joan/username", {"username": "Bob"}, f"{TAKEN} /username"),
    ("ada", "PUT /users/joan/username", {"username": "a#b"}, f"{INVALID} /username"),
    ("ada", "DELETE /users/ada", None, f"{INVALID} /role"),
]  # fmt: skip


@pytest.mark.parametrize(("who", "line", "body", "expected"), CASES)
def test_request_is_rejected(server: Server, who: str, line: str, body: Any, expected: str) -> None:
    method, _, path = line.partition(" ")
    caller = server.sign_in(who) if who else server.visitor()
    more = {} if body is None else {"json": body}
    status, kind, places = problem(caller.ask(method, path, headers={"If-Match": "*"}, **more))
    assert " ".join((f"{status} {kind}", *places)).rstrip() == expected
