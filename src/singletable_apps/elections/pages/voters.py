"""Who may vote in an election."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel

from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.errors import InvalidInput
from singletable_apps.elections.pages.candidates import lines_in
from singletable_apps.elections.pages.dependencies import (
    CurrentElection,
    Viewer,
    election_context,
    is_owner,
)
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import election_url
from singletable_apps.elections.rules.elections import check_set_voters
from singletable_apps.elections.rules.names import fold_name
from singletable_apps.shared.pages import Form, PostedForm, RevisionConflict

router = APIRouter()
SIZE = 100


@router.get("/e/{name}/voters")
def show_voters(
    request: Request,
    site: ThisSite,
    user: Viewer,
    election: CurrentElection,
    q: Annotated[str, Query(max_length=200)] = "",
    cursor: Annotated[str | None, Query(max_length=4000)] = None,
) -> Response:
    """The list of voters, or that everybody may vote."""
    here = election_url(election, "voters")
    following: str | None = None
    if q.strip():
        names = _named_like(site, election, q)
    else:
        found, following = site.elections.queries.voters(user, election.name, SIZE, cursor)
        names = [one.voter_name for one in found]
    [part] = site.elections.queries.participation(user, [election])
    return site.pages.render(
        request,
        "elections/voters.html",
        **election_context(site, election, user, "voters"),
        names=names,
        q=q,
        here_voters=here,
        part=part,
        can_edit=is_owner(user, election) and election.allow_edit,
        is_owner=is_owner(user, election),
        next=f"{here}?{urlencode({'cursor': following})}" if following else "",
        first=here if cursor else "",
        most=SIZE,
    )


def _named_like(site: Site, election: Election, text: str) -> list[str]:
    """The first of those on the list whose names hold the text, whatever its case."""
    wanted = fold_name(text.strip())
    voters = site.elections.context.read.list_voters(election.name)
    found = (one.voter_name for one in voters if wanted in fold_name(one.voter_name))
    return list(islice(found, SIZE))


CHOICES_PER_PAGE = 50
# So many of the registered are looked through for a name.
LOOKED_AT = 5_000
WHO = (
    (
        "everybody",
        "Everybody",
        "Every VOTER and above, those included who register while it is open.",
    ),
    ("listed", "Only those on a list", "Registered people, by their names; nobody else can vote."),
)


class TypedVoters(BaseModel):
    """Everybody, or names, one a line."""

    who: Literal["everybody", "listed"]
    voters: str = ""


@router.get("/e/{name}/voters/list")
def write_a_list(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection
) -> Response:
    """The form, with who is on the list now."""
    check_set_voters(user, election)
    names = _listed(site, election)
    form = Form(
        {
            "who": "listed" if election.voter_count else "everybody",
            "voters": "\n".join(names),
            "revision": str(election.revision),
        }
    )
    return _written(request, site, user, election, form)


@router.post("/e/{name}/voters/list")
def set_voters(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection, form: PostedForm
) -> Response:
    """Let exactly these vote, or everybody."""
    check_set_voters(user, election)
    typed = form.validate(TypedVoters)
    if isinstance(typed, Form):
        return _written(request, site, user, election, typed, 422)
    names = lines_in(typed.voters) if typed.who == "listed" else []
    if typed.who == "listed" and not names:
        form = form.with_errors(voters="Name at least one voter, or let everybody vote.")
        return _written(request, site, user, election, form, 422)
    try:
        edited = site.elections.lifecycle.set_voters(
            user, election.name, names, form.revision_check()
        )
    except InvalidInput as refusal:
        form = form.with_errors(voters=str(refusal))
        return _written(request, site, user, election, form, 422)
    except RevisionConflict:
        now = site.elections.results.close_if_due(election.name)
        form = form.rebased(now.revision)
        return _written(request, site, user, now, form, 412, meanwhile=True)
    return site.pages.redirect(request, election_url(edited, "voters"), _said(edited))


class TypedChoice(BaseModel):
    """Those who were shown, and those of them who are to vote."""

    shown: list[str]
    chosen: list[str]


@router.get("/e/{name}/voters/choose")
def choose_voters(
    request: Request,
    site: ThisSite,
    user: Viewer,
    election: CurrentElection,
    q: Annotated[str, Query(max_length=200)] = "",
    cursor: Annotated[str | None, Query(max_length=4000)] = None,
) -> Response:
    """Registered people to tick, page by page."""
    check_set_voters(user, election)
    form = Form({"revision": str(election.revision)})
    return _chosen(request, site, user, election, form, q=q, cursor=cursor)


@router.post("/e/{name}/voters/choose")
def take_choice(
    request: Request,
    site: ThisSite,
    user: Viewer,
    election: CurrentElection,
    form: PostedForm,
    q: Annotated[str, Query(max_length=200)] = "",
    cursor: Annotated[str | None, Query(max_length=4000)] = None,
) -> Response:
    """Take who is ticked onto the list, and who is not ticked any more off it."""
    check_set_voters(user, election)
    typed = form.validate(TypedChoice)
    if isinstance(typed, Form):
        return _chosen(request, site, user, election, typed, 422, q=q, cursor=cursor)
    listed = _listed(site, election)
    stay = [name for name in listed if name not in typed.shown or name in typed.chosen]
    names = [*stay, *(name for name in typed.chosen if name not in listed)]
    if listed and not names:
        form = form.with_errors(
            chosen="Nobody would be left, and then everybody could vote. Choose that by its name: "
            "write the list, and let everybody vote."
        )
        return _chosen(request, site, user, election, form, 422, q=q, cursor=cursor)
    try:
        edited = site.elections.lifecycle.set_voters(
            user, election.name, names, form.revision_check()
        )
    except InvalidInput as refusal:
        form = form.with_errors(chosen=str(refusal))
        return _chosen(request, site, user, election, form, 422, q=q, cursor=cursor)
    except RevisionConflict:
        now = site.elections.results.close_if_due(election.name)
        form = form.rebased(now.revision)
        return _chosen(request, site, user, now, form, 412, q=q, cursor=cursor, meanwhile=True)
    return site.pages.redirect(request, _here(edited, q, cursor), _said(edited))


def _listed(site: Site, election: Election) -> list[str]:
    return [one.voter_name for one in site.elections.context.read.list_voters(election.name)]


def _said(election: Election) -> str:
    if not election.voter_count:
        return "Everybody may vote."
    return f"{election.voter_count:,} may vote." if election.voter_count > 1 else "One may vote."


def _here(election: Election, q: str, cursor: str | None) -> str:
    asked = {name: value for name, value in (("q", q), ("cursor", cursor)) if value}
    here = election_url(election, "voters", "choose")
    return f"{here}?{urlencode(asked)}" if asked else here


def _people(site: Site, user: User, q: str, cursor: str | None) -> tuple[list[str], str | None]:
    """Registered people: a page of them, or the first whose names hold a text."""
    names = site.elections.queries.user_names
    if not q.strip():
        return names(user, CHOICES_PER_PAGE, cursor)
    wanted, found, looked, at = fold_name(q.strip()), list[str](), 0, None
    while looked < LOOKED_AT and len(found) < CHOICES_PER_PAGE:
        some, at = names(user, 500, at)
        looked += len(some)
        found += [name for name in some if wanted in fold_name(name)]
        if at is None:
            break
    return list(islice(found, CHOICES_PER_PAGE)), None


def _written(
    request: Request,
    site: Site,
    user: User,
    election: Election,
    form: Form,
    status: int = 200,
    *,
    meanwhile: bool = False,
) -> Response:
    return site.pages.render(
        request,
        "elections/voters_list.html",
        status,
        **election_context(site, election, user, "voters"),
        form=form,
        who=WHO,
        meanwhile=meanwhile,
    )


def _chosen(
    request: Request,
    site: Site,
    user: User,
    election: Election,
    form: Form,
    status: int = 200,
    *,
    q: str,
    cursor: str | None,
    meanwhile: bool = False,
) -> Response:
    names, following = _people(site, user, q, cursor)
    listed = set(_listed(site, election))
    ticked = set(form.selected("chosen")) if "shown" in form.values else listed
    return site.pages.render(
        request,
        "elections/voters_choose.html",
        status,
        **election_context(site, election, user, "voters"),
        form=form,
        rows=[(name, name in ticked, name in listed) for name in names],
        q=q,
        to=_here(election, q, cursor),
        start=_here(election, "", None),
        next=_here(election, q, following) if following else "",
        first=_here(election, q, None) if cursor else "",
        meanwhile=meanwhile,
    )
