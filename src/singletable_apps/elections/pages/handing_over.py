"""Giving an election to somebody else."""

from __future__ import annotations

from typing import Annotated

from fastapi import Request, Response
from pydantic import BaseModel, Field

from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.errors import Invalid, WrongState
from singletable_apps.elections.pages.addresses import election_address
from singletable_apps.elections.pages.basing import ChangedMeanwhile, based_on
from singletable_apps.elections.pages.choosing import ThisElection, election_router
from singletable_apps.elections.pages.election_frame import check_settles, framed, is_owner
from singletable_apps.elections.pages.meanwhile import STATUS, on
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.visiting import Viewer
from singletable_apps.shared.pages import Form, Typed

router = election_router()
NAMES_OFFERED = 100


class TypedOwner(BaseModel):
    """Who gets the election."""

    owner: Annotated[str, Field(min_length=1, max_length=200)]


@router.get("/e/{name}/owner")
def ask_for_an_owner(
    request: Request, site: ThisSite, user: Viewer, election: ThisElection
) -> Response:
    """The form."""
    check_settles(user, election)
    return _owner(request, site, user, election, Form({"revision": str(election.revision)}))


@router.post("/e/{name}/owner")
def hand_over(
    request: Request, site: ThisSite, user: Viewer, election: ThisElection, form: Typed
) -> Response:
    """Make it somebody else's."""
    check_settles(user, election)
    typed = form.read(TypedOwner)
    if isinstance(typed, Form):
        return _owner(request, site, user, election, typed, 422)
    try:
        given = site.elections.conducting.hand_over(
            user, election.name, typed.owner.strip(), based_on(form)
        )
    except (Invalid, WrongState) as refusal:
        form = form.refused(owner=str(refusal))
        return _owner(request, site, user, election, form, 422)
    except ChangedMeanwhile:
        now = site.elections.results.settled(election.name)
        form = on(form, now.revision)
        return _owner(request, site, user, now, form, STATUS, meanwhile=True)
    return site.pages.redirect(
        election_address(given), f"“{given.name}” is {given.owner_name}'s now."
    )


def _owner(
    request: Request,
    site: Site,
    user: User,
    election: Election,
    form: Form,
    status: int = 200,
    *,
    meanwhile: bool = False,
) -> Response:
    names, more = site.elections.queries.user_names(user, NAMES_OFFERED)
    return site.pages.page(
        request,
        "elections/owner.html",
        status,
        **framed(site, election, user, "settings"),
        form=form,
        # To choose from, if that is everybody; else one types.
        names=[] if more else _choices(names, election),
        mine=is_owner(user, election),
        meanwhile=meanwhile,
    )


def _choices(names: list[str], election: Election) -> list[tuple[str, str]]:
    others = [name for name in names if name != election.owner_name]
    return [("", "Choose somebody"), *((name, name) for name in others)]
