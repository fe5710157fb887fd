"""The candidates of an election: who they are, and naming them, one a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.errors import InvalidInput, NotPermitted, WrongState
from singletable_apps.elections.pages.dependencies import (
    CurrentElection,
    Viewer,
    election_context,
    is_owner,
)
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import election_url
from singletable_apps.elections.rules.elections import check_set_candidates
from singletable_apps.elections.rules.names import clean_candidate_names
from singletable_apps.shared.pages import Form, PostedForm, RevisionConflict

router = APIRouter()


class TypedCandidates(BaseModel):
    """Names, one a line, and whether somebody has seen what becomes of ballots."""

    candidates: str
    sure: str = ""

    @property
    def names(self) -> list[str]:
        """The names in the lines that are not empty."""
        return lines_in(self.candidates)


@dataclass(frozen=True, slots=True)
class Gone:
    """A candidate who is to go; and how many ballots rank them, where that is no secret."""

    name: str
    ballots: int | None


def lines_in(text: str) -> list[str]:
    """The lines that are not empty."""
    return [line.strip() for line in text.splitlines() if line.strip()]


@router.get("/e/{name}/candidates")
def show_candidates(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection
) -> Response:
    """Who can be voted for; its owner can name others while it is editable."""
    names = _names(site, user, election)
    form = Form({"candidates": "\n".join(names), "revision": str(election.revision)})
    return _page(request, site, user, election, form)


@router.post("/e/{name}/candidates")
def set_candidates(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection, form: PostedForm
) -> Response:
    """Set them; before one goes who may be on ballots, say what becomes of these."""
    typed = form.validate(TypedCandidates)
    if isinstance(typed, Form):
        return _page(request, site, user, election, typed, 422)
    check_set_candidates(user, election)
    before = _names(site, user, election)
    try:
        wanted = clean_candidate_names(typed.names)
        basis = form.revision_check()
        basis(election.revision)
        gone = [name for name in before if name not in wanted]
        if gone and election.allow_vote and typed.sure != "yes":
            check_set_candidates(user, election, count=len(wanted))
            return _sure(request, site, user, election, form, before, wanted)
        edited = site.elections.lifecycle.set_candidates(user, election.name, wanted, basis)
    except InvalidInput as refusal:
        form = form.with_errors(candidates=str(refusal))
        return _page(request, site, user, election, form, 422)
    except WrongState as refusal:
        if not election.allow_vote:
            raise
        form = form.with_errors(candidates=str(refusal))
        return _page(request, site, user, election, form, 422)
    except RevisionConflict:
        now = site.elections.results.close_if_due(election.name)
        form = form.rebased(now.revision)
        return _page(request, site, user, now, form, 412, meanwhile=True)
    return site.pages.redirect(request, election_url(edited, "candidates"), _said(before, wanted))


def _names(site: Site, user: User, election: Election) -> list[str]:
    return [one.candidate_name for one in site.elections.queries.candidates(user, election.name)]


def _said(before: Sequence[str], after: Sequence[str]) -> str:
    added, gone = len(set(after) - set(before)), len(set(before) - set(after))
    said = [f"{count} {what}" for count, what in ((added, "added"), (gone, "removed")) if count]
    return f"Saved: {', '.join(said)}." if said else "Nothing was changed."


def _page(
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
        "elections/candidates.html",
        status,
        **election_context(site, election, user, "candidates"),
        names=_names(site, user, election),
        form=form,
        can_edit=is_owner(user, election) and election.allow_edit,
        is_owner=is_owner(user, election),
        meanwhile=meanwhile,
    )


def _sure(
    request: Request,
    site: Site,
    user: User,
    election: Election,
    form: Form,
    before: Sequence[str],
    wanted: Sequence[str],
) -> Response:
    ranked = _ranked(site, user, election)
    return site.pages.render(
        request,
        "elections/candidates_sure.html",
        **election_context(site, election, user, "candidates"),
        form=form,
        gone=[
            Gone(name, ranked.get(name, 0) if ranked is not None else None)
            for name in before
            if name not in wanted
        ],
        added=[name for name in wanted if name not in before],
        kept=len(set(before) & set(wanted)),
    )


def _ranked(site: Site, user: User, election: Election) -> dict[str, int] | None:
    """How many ballots rank whom, where ballots can be seen now."""
    try:
        ballots = site.elections.results.ballots(user, election.name)
    except (NotPermitted, WrongState):
        return None
    counts: dict[str, int] = {}
    for ballot in ballots:
        for level in ballot.ranking.levels:
            for name in level:
                counts[name] = counts.get(name, 0) + 1
    return counts
