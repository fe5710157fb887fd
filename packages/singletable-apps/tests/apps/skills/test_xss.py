"""Attacks in every text of the directory: no page runs or loads anything of them.

Texts are written to the table without the rules, as an import or another program could. A crawler
opens every page that links lead to, as an administrator, and submits attacks in every form.
"""

from __future__ import annotations

from itertools import cycle, islice
from typing import Any

import pytest
from fastapi.testclient import TestClient

from singletable import evolve
from singletable_apps.skills.entities import Certification, Education, Experience, Level, Project
from singletable_apps.skills.service.roles import RoleEdit
from tests.apps.skills.pages.client import HOME, PagesApp
from tests.apps.support.crawler import attack_forms, check_response, crawl
from tests.apps.support.xss import SHARPEST, XSS_CORPUS

START = (
    *("/skills/people", "/skills/admin", "/skills/matrix", "/skills/gaps", "/skills/operations"),
    *("/skills/search?skill=alert", "/skills/people/%3Cscript%3E", "/skills/sign-in?next=//evil"),
    *("/skills/people?q=%22%3E%3Csvg/onload=alert(1)%3E", "/skills/account", "/skills/nothing"),
)
FIELDS = {
    "User": ("name", "email", "title", "department", "location", "about"),
    "Skill": ("name", "description"),
    "UserSkill": ("skill_name", "notes", "rated_by"),
    "JobRole": ("name", "description"),
    "Team": ("name", "created_by"),
    "Directory": ("name",),
    "Import": ("file_name", "created_by"),
    "Certification": ("name", "issuer"),
    "Experience": ("position", "employer", "description"),
    "Education": ("degree", "school", "description"),
    "Project": ("name", "description"),
}


def _client(app: PagesApp) -> TestClient:
    client = app.browser("ada").http
    client.headers.update({"Accept": "text/html", "Origin": HOME, "Sec-Fetch-Site": "same-origin"})
    app.activate()
    return client


@pytest.mark.rest
def test_stored_attacks_are_harmless_on_every_page() -> None:
    app = PagesApp()
    world, attacks = app.world, cycle(XSS_CORPUS)
    service, store = world.service, world.service.context.store
    ada, today = world.user("ada"), world.clock().date()
    role = service.roles.create(ada, RoleEdit("Player", "", {"go": Level.EXPERT}))
    items: list[Any] = [
        role,
        service.people.settings(),
        service.teams.create(ada, "Players", ["ada", "bob"]),
        Certification(username="bob", certification_id="1", name="", issuer="", issued=today),
        Experience(username="bob", experience_id="1", position="", employer="", started=today),
        Education(username="bob", education_id="1", degree="", school="", started=today),
        Project(username="bob", project_id="1", name=""),
        *map(world.user, ("ada", "bob")),
        *(service.catalog.get(name) for name in ("go", "python")),
        *service.user_skills.list("ada"),
        *service.user_skills.list("bob"),
    ]
    for item in items:
        names = FIELDS[type(item).__name__]
        texts = {name: "\n\n".join(islice(attacks, 6)) for name in names}
        if isinstance(item, Certification | Project):
            texts["link"] = "javascript:alert(1)"
        store.put(evolve(item, **texts))
    client = _client(app)
    rows = "\n".join(f'"{text.replace(chr(34), chr(34) * 2)}",Go' for text in XSS_CORPUS[::5])
    sent = {"file": ("<img src=x onerror=alert(1)>.csv", f"username,skill\n{rows}".encode())}
    check_response(client.post("/skills/admin/import", files=sent))
    shown = crawl(client, START, skip="/(joan|mia|python)|format=xlsx|level=|role=")
    assert {f"/skills/{page}" for page in ("people/bob", "catalog/go", "teams", "roles")} <= set(
        shown
    )
    assert any(path.startswith("/skills/admin/import/2") for path in shown)

    submitted = attack_forms(client, shown, cycle(SHARPEST))
    assert {"name", "about", "notes", "skill_name", "description", "aliases", "email"} <= submitted
    assert all("\n" not in email.subject for email in world.mailbox.emails)
