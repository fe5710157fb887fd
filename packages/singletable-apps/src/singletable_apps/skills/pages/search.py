"""Search for people by several skills, and find those who are nearest to a job."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Query, Response

from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.pages import Form, Pager
from singletable_apps.skills.pages.dependencies import Segment, UserPage, UserPageContext
from singletable_apps.skills.rules import LEVELS
from singletable_apps.skills.search_rules import COLUMNS, FILTERS, MAX_CRITERIA, parse_parameters

router = APIRouter()
_PAGE_SIZE = 20
Start = Annotated[int, Query(ge=0, le=1_000_000)]


@router.get("/search")
def show_search(page: UserPage, start: Start = 0) -> Response:
    """Show the form, and the people who meet all criteria if there are any."""
    sent = page.request.query_params
    parameters = {name: sent.getlist(name) for name in (*COLUMNS, *FILTERS)}
    if not any(text.strip() for texts in parameters.values() for text in texts if texts):
        return _show_form(page, parameters)
    try:
        result = page.service.search.find(parse_parameters(parameters))
    except InvalidInput as error:
        return _show_form(page, parameters, error.errors)
    shown = result.matches[start : start + _PAGE_SIZE]
    people = result.reads.profiles(match.username for match in shown)
    url = f"{page.urls.page('search')}?{result.query.encode()}"
    found = {
        "result": result,
        "rows": [
            (people[match.username.casefold()], match)
            for match in shown
            if match.username.casefold() in people
        ],
        "pager": Pager.numbered(url, "start", start, _PAGE_SIZE, len(result.matches)),
    }
    return _show_form(page, parameters, found=found)


def _show_form(
    page: UserPageContext,
    parameters: Mapping[str, Sequence[str]],
    errors: Mapping[str, str] | None = None,
    found: Mapping[str, object] | None = None,
) -> Response:
    """Show the form with a row for each criterion, and at least one that is empty."""
    values: dict[str, str] = {
        f"{name}-{number}": text
        for name in COLUMNS
        for number, text in enumerate(parameters.get(name, ()))
    }
    values |= {name: next(iter(parameters.get(name, ())), "") for name in FILTERS}
    filled = [n for n in range(MAX_CRITERIA) if values.get(f"skill-{n}", "").strip()]
    wrong = {name.replace("/", "-"): text for name, text in (errors or {}).items()}
    overview = page.service.overview
    return page.render(
        "search",
        422 if errors else 200,
        form=Form(values, wrong),
        team_form=Form(),
        row_count=min(MAX_CRITERIA, max(3, 2 + max(filled, default=0))),
        levels=LEVELS,
        skill_names=[each.name for each in page.service.catalog.list_names()],
        departments=overview.departments(),
        jobs=overview.job_names(),
        **(found or {"result": None}),
    )


@router.get("/roles/{role_id}/nearest")
def show_nearest(page: UserPage, role_id: Segment, start: Start = 0) -> Response:
    """Show the people within reach who miss the fewest levels of a job's targets."""
    role, people = page.service.overview.nearest(page.user, role_id)
    url = page.urls.role(role_id, "nearest")
    pager = Pager.numbered(url, "start", start, _PAGE_SIZE, len(people))
    return page.render("nearest", role=role, people=people[start : start + _PAGE_SIZE], pager=pager)
