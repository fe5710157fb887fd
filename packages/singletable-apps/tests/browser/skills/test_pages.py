"""Every page, wide and light, then narrow and dark: accessible and fitting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date

from fastapi.routing import iter_route_contexts
from playwright.sync_api import Page

from singletable_apps.skills.entities import Level, Project
from singletable_apps.skills.entry_rules import KINDS, EntryDraft
from singletable_apps.skills.urls import PREFIX
from tests.browser.conftest import OpenPage
from tests.browser.page_checks import collect_errors, find_page_faults
from tests.browser.skills.server import Served

# Files, pages for visitors, and pages like another.
SKIPPED = {
    f"{PREFIX}/{path}"
    for path in (
        # These share a template with the confirmation of a team.
        "admin/skills/{skill_id}/delete",
        "people/{username}/skills/{skill_id}/delete",
        "people/{username}/entries/{kind}/{entry_id}/delete",
        "rounds/{round_id}/close",
        # There is no identity provider.
        *(f"{part}/provider" for part in ("sign-in", "account")),
        "sign-in/provider/back",
        "account/provider/disconnect",
        "matrix/export",
        "gaps/export",
        "rounds/{round_id}/export",
        "sign-in",
        "reset",
    )
}
# Pages of the whole company are too large for axe, so a part of it is shown.
SMALLER = {"people": "?q=a", "matrix": "?q=a&skills=Mobile", "gaps": "?department=Mobile"}
# Rows of a table are alike, and so are items of a list, so the first of them are checked.
ALIKE = (
    "tbody tr:nth-child(n + 4)",
    "main li:nth-child(n + 7)",
    "option",
    "svg g:nth-child(n + 4)",
)
# Pages with a query: results, filters and messages.
QUERIES = (
    "/search?skill=python&level=Expert",
    "/matrix?size=7",
    "/matrix?q=nobody",
    "/gaps?enough=0",
)
VISITORS = ("", "/sign-in", "/register", "/forgot")


def test_pages_are_accessible_and_fit_a_phone(open_as: Callable[..., Page], served: Served) -> None:
    page = open_as("ines")
    errors = collect_errors(page)
    faults: dict[str, list[str]] = {}
    for path in [*_paths(served), *(f"{PREFIX}{query}" for query in QUERIES)]:
        if found := [*_find_faults(page, served, path), *_unexpected(errors)]:
            faults[path] = found
        errors.clear()
    assert faults == {}


def test_pages_for_visitors_are_accessible_and_fit_a_phone(
    open_page: OpenPage, served: Served
) -> None:
    page = open_page()
    errors = collect_errors(page)
    faults = {path: _find_faults(page, served, PREFIX + path) for path in VISITORS}
    assert {path: found for path, found in faults.items() if found} == {}
    assert errors == []


def _paths(served: Served) -> Iterator[str]:
    """Yield the path of every page, with examples for its parameters."""
    service = served.service
    ines = service.context.get_user("ines")
    draft = EntryDraft(name="A tide clock", started=date(2025, 3, 1))
    entry = service.entries.create(ines, "ines", KINDS["projects"], draft)
    assert isinstance(entry, Project)
    data = b"username,name,skill,level\nines,Ines,Python,Expert\nada,Ada,Klingon,Wizard\n"
    round_id = service.rounds.open(ines, "Winter", service.context.today()).round_id
    # A level that has changed, and a suggestion on the start page.
    service.rounds.finish(ines, round_id, "theo", {"go": Level.EXPERT})
    service.requests.suggest(service.context.get_user("priya"), "Klingon", "For trips.")
    examples = {
        "round_id": round_id,
        "username": "ines",
        "who": "ines",
        "skill_id": service.user_skills.list("ines")[0].skill_id,
        "role_id": service.roles.list()[0].role_id,
        "team_id": service.teams.page(1).items[0].team_id,
        "kind": "projects",
        "entry_id": entry.project_id,
        "import_id": service.imports.upload(ines, "people.csv", data).import_id,
    }
    for route in iter_route_contexts(served.app.routes):
        path = route.path or ""
        if path.startswith(PREFIX) and "GET" in (route.methods or ()) and path not in SKIPPED:
            page = path.removeprefix(f"{PREFIX}/")
            yield f"{path.format(**examples)}{SMALLER.get(page, '')}"


def _find_faults(page: Page, served: Served, path: str) -> list[str]:
    return find_page_faults(page, f"{served.address}{path}", exclude=ALIKE)


def _unexpected(errors: list[str]) -> list[str]:
    # The browser reports a status of 422, too.
    return [error for error in errors if "422" not in error]
