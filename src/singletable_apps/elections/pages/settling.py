"""The settings of an election: its name, and what is settled before it opens."""

from __future__ import annotations

from fastapi import Request, Response

from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.errors import Invalid, Taken
from singletable_apps.elections.pages.addresses import election_address
from singletable_apps.elections.pages.basing import ChangedMeanwhile, based_on
from singletable_apps.elections.pages.choosing import ThisElection, election_router
from singletable_apps.elections.pages.election_frame import check_settles, framed, is_owner
from singletable_apps.elections.pages.meanwhile import STATUS, on
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.terms_form import (
    BALLOT_WORDS,
    BALLOTS,
    PUBLICATIONS,
    TypedElection,
    TypedName,
    published_words,
    values_of,
)
from singletable_apps.elections.pages.visiting import Viewer
from singletable_apps.elections.rules import check_owner, state_of
from singletable_apps.elections.service import Changes
from singletable_apps.elections.states import State
from singletable_apps.shared.pages import Form, Typed, zone_of

router = election_router()


@router.get("/e/{name}/settings")
def show_settings(
    request: Request, site: ThisSite, user: Viewer, election: ThisElection
) -> Response:
    """What can be settled now, and what was."""
    check_settles(user, election)
    form = Form(values_of(election), zone=zone_of(request))
    return _settings(request, site, user, election, form)


@router.post("/e/{name}/settings")
def settle(
    request: Request, site: ThisSite, user: Viewer, election: ThisElection, form: Typed
) -> Response:
    """Another name and other terms while it is set up, and another name while it is editable."""
    check_owner(user, election)
    changes = _changes(form)
    if isinstance(changes, Form):
        return _settings(request, site, user, election, changes, 422)
    try:
        edited = site.elections.conducting.edit(user, election.name, changes, based_on(form))
    except (Invalid, Taken) as refusal:
        form = form.refused(**{refusal.field or "": str(refusal)})
        return _settings(request, site, user, election, form, 422)
    except ChangedMeanwhile:
        now = site.elections.results.settled(election.name)
        return _settings(request, site, user, now, on(form, now.revision), STATUS, meanwhile=True)
    return site.pages.redirect(election_address(edited, "settings"), "Saved.")


def _changes(form: Form) -> Changes | Form:
    if "ballot" in form.values:
        typed = form.read(TypedElection)
        return typed if isinstance(typed, Form) else typed.changes()
    named = form.read(TypedName)
    return named if isinstance(named, Form) else Changes(name=named.name)


def _settings(
    request: Request,
    site: Site,
    user: User,
    election: Election,
    form: Form,
    status: int = 200,
    *,
    meanwhile: bool = False,
) -> Response:
    state = state_of(election)
    return site.pages.page(
        request,
        "elections/settings.html",
        status,
        **framed(site, election, user, "settings"),
        form=form,
        ballots=BALLOTS,
        publications=PUBLICATIONS[1:],
        ballot_words=BALLOT_WORDS[election.secret_ballot],
        published=published_words(election),
        meanwhile=meanwhile,
        is_owner=is_owner(user, election),
        in_setup=state is State.SETUP,
        can_rename=election.allow_edit,
        can_fix=state is State.EDITABLE,
        can_finalize=election.allow_vote and election.no_voting_after is None,
    )
