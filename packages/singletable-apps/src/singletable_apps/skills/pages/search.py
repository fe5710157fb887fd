"""Search for people by skills, people nearest to a job, and teams, often from a search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.pages import (
    ConfirmedAction,
    Form,
    ListQueryParameters,
    Pager,
    PostedForm,
    confirm,
)
from singletable_apps.shared.permissions import is_permitted
from singletable_apps.skills.entities import Role
from singletable_apps.skills.pages.dependencies import Segment, UserPage, UserPageContext
from singletable_apps.skills.rules import LEVELS
from singletable_apps.skills.search_rules import COLUMNS, FILTERS, MAX_CRITERIA, parse_parameters
from singletable_apps.skills.service.teams import check_change

router = APIRouter()
_PAGE_SIZE = 50
# How many people a search by name offers, and how many of each role can be managers.
_MOST_FOUND, _MOST_MANAGERS = 10, 200
_RESULTS = 20
Start = Annotated[int, Query(ge=0, le=1_000_000)]


@router.get("/search")
def show_search(page: UserPage, start: Start = 0) -> Response:
    """Show the form, and the people matching all criteria if there are any."""
    sent = page.request.query_params
    parameters = {name: sent.getlist(name) for name in (*COLUMNS, *FILTERS)}
    if not any(text.strip() for texts in parameters.values() for text in texts if texts):
        return _show_form(page, parameters)
    try:
        result = page.service.search.find(parse_parameters(parameters))
    except InvalidInput as error:
        return _show_form(page, parameters, error.errors)
    shown = result.matches[start : start + _RESULTS]
    people = result.reads.profiles(match.username for match in shown)
    url = f"{page.urls.page('search')}?{result.query.encode()}"
    found = {
        "result": result,
        "rows": [
            (people[match.username.casefold()], match)
            for match in shown
            if match.username.casefold() in people
        ],
        "pager": Pager.numbered(url, "start", start, _RESULTS, len(result.matches)),
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
    """Show the people within reach, the fewest levels below a job's targets first."""
    role, people = page.service.overview.nearest(page.user, role_id)
    url = page.urls.role(role_id, "nearest")
    pager = Pager.numbered(url, "start", start, _RESULTS, len(people))
    return page.render("nearest", role=role, people=people[start : start + _RESULTS], pager=pager)


# ------------------------------------------------------------------------------ teams


class TeamForm(BaseModel):
    """A new team."""

    name: str
    members: list[str] = Field(default_factory=list)


class SettingsForm(BaseModel):
    """The name, and for administrators the username of the manager."""

    name: str
    manager: str | None = None


class MembersForm(BaseModel):
    """People to add or to remove."""

    username: Annotated[list[str], Field(min_length=1)]


@router.get("/teams")
def list_teams(page: UserPage, query: ListQueryParameters) -> Response:
    """List the teams by name."""
    found = page.service.teams.page(_PAGE_SIZE, query.cursor)
    names = [name for team in found.items for name in (team.created_by, team.manager) if name]
    people = page.service.context.get_users(names)
    teams = query.page(found.items, found.cursor)
    return page.render("teams", teams=teams, people=people, form=Form())


@router.post("/teams")
def save_team(page: UserPage, form: PostedForm) -> Response:
    """Save the people chosen in a search as a team, or a team without members yet."""

    def act(values: TeamForm) -> Response:
        team = page.service.teams.create(page.user, values.name, values.members)
        return page.redirect(page.urls.team(team.team_id), f"Saved the team “{team.name}”.")

    def show(form: Form, status: int) -> Response:
        people = page.service.context.get_users(form.selected("members")[:100])
        return page.render("team_new", status, form=form, people=list(people.values()))

    return page.submit(form, TeamForm, act, show)


@router.get("/teams/{team_id}")
def show_team(
    page: UserPage, team_id: Segment, q: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    """Show a team with its members, and people to add with `q` in their names."""
    return _show_team(page, team_id, q=q)


def _show_team(
    page: UserPageContext, team_id: str, status: int = 200, form: Form | None = None, q: str = ""
) -> Response:
    service = page.service
    team = service.teams.get(team_id)
    members = service.context.get_users(team.members).values()
    found = service.people.list(q).items if q.strip() else []
    people = service.context.get_users([team.created_by, team.manager])
    managers = {
        each.username: each.name
        for role in (Role.MANAGER, Role.ADMIN)
        for each in service.people.list(role=role, limit=_MOST_MANAGERS).items
    }
    if manager := people.get(team.manager.casefold()):
        managers.setdefault(manager.username, manager.name)
    values = {"name": team.name, "manager": team.manager, "revision": str(team.revision)}
    return page.render(
        "team",
        status,
        team=team,
        members=sorted(members, key=lambda each: (each.name.casefold(), each.username)),
        people=people,
        may_change=is_permitted(check_change, page.user, team),
        is_admin=page.user.role is Role.ADMIN,
        form=form if form and "name" in form.values else Form(values, form.errors if form else {}),
        managers=[("", "Nobody"), *managers.items()],
        q=q,
        found=[each for each in found if each.username not in team.members][:_MOST_FOUND],
    )


def _change(
    page: UserPageContext, team_id: str, form: Form, model: type[Any], act: Callable[[Any], str]
) -> Response:
    """Submit a form of the page of a team. `act` returns the message."""
    return page.submit(
        form,
        model,
        lambda values: page.redirect(page.urls.team(team_id), act(values)),
        lambda form, status: _show_team(page, team_id, status, form),
    )


@router.post("/teams/{team_id}")
def edit_team(page: UserPage, team_id: Segment, form: PostedForm) -> Response:
    """Rename a team, or change its manager."""

    def edit(values: SettingsForm) -> str:
        changes, check = values.model_dump(), form.revision_check()
        return (
            f"Saved “{page.service.teams.edit(page.user, team_id, **changes, check=check).name}”."
        )

    return _change(page, team_id, form, SettingsForm, edit)


@router.post("/teams/{team_id}/members")
def add_members(page: UserPage, team_id: Segment, form: PostedForm) -> Response:
    """Add the chosen people to a team."""

    def add(values: MembersForm) -> str:
        page.service.teams.add(page.user, team_id, *values.username)
        return f"Added {_names(page, values.username)}."

    return _change(page, team_id, form, MembersForm, add)


@router.post("/teams/{team_id}/remove")
def remove_member(page: UserPage, team_id: Segment, form: PostedForm) -> Response:
    """Remove a person from a team."""

    def remove(values: MembersForm) -> str:
        text = f"Removed {_names(page, values.username)}."
        page.service.teams.remove(page.user, team_id, *values.username)
        return text

    return _change(page, team_id, form, MembersForm, remove)


def _names(page: UserPageContext, usernames: list[str]) -> str:
    users = page.service.context.get_users(usernames)
    return ", ".join(user.name for user in users.values()) or "nobody"


@confirm(router, "/teams/{team_id}/delete")
def delete_team(page: UserPage, team_id: Segment) -> ConfirmedAction:
    """Delete a team."""
    team = page.service.teams.get(team_id)
    check_change(page.user, team)
    return ConfirmedAction(
        page,
        title=f"Delete the team “{team.name}”?",
        text="Its members keep their accounts and skills.",
        button="Delete the team",
        back=page.urls.team(team_id),
        revision=team.revision,
        do=lambda form: page.service.teams.delete(page.user, team_id, form.revision_check()),
        to=page.urls.page("teams"),
        done=f"Deleted the team “{team.name}”.",
    )
