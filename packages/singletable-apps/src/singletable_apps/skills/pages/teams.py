"""Teams: the list, a team with its members, and the forms that change it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from singletable_apps.shared.pages import (
    ConfirmedAction,
    Form,
    ListQueryParameters,
    PostedForm,
    confirm,
)
from singletable_apps.skills.pages.dependencies import Segment, UserPage, UserPageContext
from singletable_apps.skills.rules import RANKS
from singletable_apps.skills.service.teams import check_change, may_change, parse_search

router = APIRouter()
_PAGE_SIZE = 50


class TeamForm(BaseModel):
    """A new team. `search` is the query string of the search that found its members."""

    name: str
    members: list[str] = Field(default_factory=list)
    search: str = ""


class NameForm(BaseModel):
    """Another name."""

    name: str


class MemberForm(BaseModel):
    """A person to add or to remove."""

    username: Annotated[str, Field(min_length=1)]


@router.get("/teams")
def list_teams(page: UserPage, query: ListQueryParameters) -> Response:
    """List the teams by name."""
    found = page.service.teams.page(_PAGE_SIZE, query.cursor)
    return page.render("teams", teams=query.page(found.items, found.cursor))


@router.post("/teams")
def save_team(page: UserPage, form: PostedForm) -> Response:
    """Save the people who were chosen in a search as a team."""

    def act(values: TeamForm) -> Response:
        team = page.service.teams.create(page.user, values.name, values.members, values.search)
        return page.redirect(page.urls.team(team.team_id), f"Saved the team “{team.name}”.")

    def show(form: Form, status: int) -> Response:
        people = page.service.context.get_users(form.selected("members")[:100])
        return page.render("team_new", status, form=form, people=list(people.values()))

    return page.submit(form, TeamForm, act, show)


@router.get("/teams/{team_id}")
def show_team(page: UserPage, team_id: Segment) -> Response:
    """Show a team with its members."""
    return _show_team(page, team_id)


def _show_team(
    page: UserPageContext,
    team_id: str,
    status: int = 200,
    *,
    rename: Form | None = None,
    add: Form | None = None,
) -> Response:
    view = page.service.teams.view(team_id)
    team = view.team
    return page.render(
        "team",
        status,
        view=view,
        team=team,
        creator=page.service.context.find_user(team.created_by),
        may_change=may_change(page.user, team),
        has_search=parse_search(team.search) is not None,
        rename=rename or Form({"name": team.name, "revision": team.revision}),
        add=add or Form(),
        ranks=RANKS,
    )


@router.post("/teams/{team_id}")
def rename_team(page: UserPage, team_id: Segment, form: PostedForm) -> Response:
    """Rename a team."""

    def act(values: NameForm) -> Response:
        check = form.revision_check()
        team = page.service.teams.edit(page.user, team_id, name=values.name, check=check)
        return page.redirect(page.urls.team(team_id), f"The team is now “{team.name}”.")

    return page.submit(
        form, NameForm, act, lambda shown, status: _show_team(page, team_id, status, rename=shown)
    )


@router.post("/teams/{team_id}/members")
def add_member(page: UserPage, team_id: Segment, form: PostedForm) -> Response:
    """Add a person to a team."""

    def act(values: MemberForm) -> Response:
        page.service.teams.add(page.user, team_id, values.username)
        return page.redirect(page.urls.team(team_id), f"Added {values.username.strip()}.")

    return page.submit(
        form, MemberForm, act, lambda shown, status: _show_team(page, team_id, status, add=shown)
    )


@router.post("/teams/{team_id}/remove")
def remove_member(page: UserPage, team_id: Segment, form: PostedForm) -> Response:
    """Remove a person from a team."""

    def act(values: MemberForm) -> Response:
        page.service.teams.remove(page.user, team_id, values.username)
        return page.redirect(page.urls.team(team_id), f"Removed {values.username.strip()}.")

    return page.submit(
        form, MemberForm, act, lambda shown, status: _show_team(page, team_id, status)
    )


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
