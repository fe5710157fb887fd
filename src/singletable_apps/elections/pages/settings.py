"""The settings of an election: its name, and what is settled before it opens."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field, ValidationInfo, field_validator

from singletable_apps.elections.entities import Election, Publication, State, User
from singletable_apps.elections.errors import AlreadyTaken, InvalidInput
from singletable_apps.elections.pages.dependencies import (
    CurrentElection,
    Viewer,
    check_settles,
    election_context,
    is_owner,
)
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import election_url
from singletable_apps.elections.rules.elections import check_owner, default_publication, state_of
from singletable_apps.elections.service import ElectionEdit, ElectionSettings
from singletable_apps.shared.pages import Form, PostedForm, RevisionConflict, request_time_zone

USUAL = "usual"

# (value, name, what it means)
BALLOTS = (
    (
        "open",
        "Open ballot",
        "Like raised hands: the count is live from the first ballot on, and when everything is "
        "published, names stand beside what they voted. Right for small decisions among people "
        "who know each other.",
    ),
    (
        "secret",
        "Secret ballot",
        "Ballots are sealed as they are cast. Everybody sees who has voted; nobody sees what, not "
        "even auditors. It is counted once, when it has closed.",
    ),
)
PUBLICATIONS = (
    (
        USUAL,
        "What suits the ballot",
        "Of a secret ballot totals only; of an open one everything, with names.",
    ),
    (
        "totals",
        "Totals only",
        "Who won, and how many ranked whom above whom. No single ballot is ever shown.",
    ),
    (
        "anonymous",
        "Ballots without names",
        "All rankings, shuffled, so that everybody can count again.",
    ),
    (
        "confirmations",
        "Ballots with their confirmation codes",
        "All rankings beside the code on each voter's receipt: everybody can count again, and find "
        "their own. Of an open ballot with names, too.",
    ),
)

# What is settled, said of an election that has it.
BALLOT_WORDS = {
    False: "Open: the count is live while people vote.",
    True: "Secret: sealed as they are cast, and counted when the election has closed.",
}
PUBLISHED_WORDS = {
    Publication.TOTALS: "Totals only; no single ballot is ever shown.",
    Publication.ANONYMOUS: "All ballots, without names, so that everybody can count again.",
    Publication.CONFIRMATIONS: "All ballots with their confirmation codes, so that everybody can "
    "count again and find their own.",
}
WITH_NAMES = "All ballots with their confirmation codes and the names of who cast them."


class TypedTerms(BaseModel):
    """What somebody settles."""

    ballot: Literal["open", "secret"]
    publication: Literal["usual", "totals", "anonymous", "confirmations"]
    no_voting_before: datetime | None = None
    no_voting_after: datetime | None = None

    @field_validator("no_voting_after")
    @classmethod
    def _comes_after(cls, after: datetime | None, info: ValidationInfo) -> datetime | None:
        before: datetime | None = info.data.get("no_voting_before")
        # The rules say so too, in UTC; who types sees their own zone.
        if before is not None and after is not None and before >= after:
            raise ValueError("Choose a time after it opens, or leave one of the two empty.")
        return after

    @property
    def secret(self) -> bool:
        """Whether ballots are to be sealed."""
        return self.ballot == "secret"

    @property
    def published(self) -> Publication:
        """What is to be published."""
        if self.publication == USUAL:
            return default_publication(self.secret)
        return Publication(self.publication)


class TypedElection(TypedTerms):
    """A name, and what is settled."""

    name: Annotated[str, Field(min_length=1)]

    def terms(self) -> ElectionSettings:
        """What is settled, for an election that is new."""
        return ElectionSettings(
            self.secret, self.published, self.no_voting_before, self.no_voting_after
        )

    def changes(self) -> ElectionEdit:
        """What is settled from now on, for one that is there."""
        return ElectionEdit(
            self.name, self.secret, self.published, self.no_voting_before, self.no_voting_after
        )


class TypedName(BaseModel):
    """Another name."""

    name: Annotated[str, Field(min_length=1)]


def published_words(election: Election) -> str:
    """What is published of the election at the end."""
    if not election.secret_ballot and election.publication is Publication.CONFIRMATIONS:
        return WITH_NAMES
    return PUBLISHED_WORDS[election.publication]


def values_of(election: Election) -> dict[str, str | datetime | None]:
    """What stands in the form of an election."""
    return {
        "name": election.name,
        "ballot": "secret" if election.secret_ballot else "open",
        "publication": election.publication.value,
        "no_voting_before": election.no_voting_before,
        "no_voting_after": election.no_voting_after,
        "revision": str(election.revision),
    }


router = APIRouter()


@router.get("/e/{name}/settings")
def show_settings(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection
) -> Response:
    """What can be settled now, and what was."""
    check_settles(user, election)
    form = Form(values_of(election), zone=request_time_zone(request))
    return _settings(request, site, user, election, form)


@router.post("/e/{name}/settings")
def settle(
    request: Request, site: ThisSite, user: Viewer, election: CurrentElection, form: PostedForm
) -> Response:
    """Another name and other terms while it is set up, and another name while it is editable."""
    check_owner(user, election)
    changes = _changes(form)
    if isinstance(changes, Form):
        return _settings(request, site, user, election, changes, 422)
    try:
        edited = site.elections.lifecycle.edit(user, election.name, changes, form.revision_check())
    except (InvalidInput, AlreadyTaken) as refusal:
        form = form.with_errors(**{refusal.field or "": str(refusal)})
        return _settings(request, site, user, election, form, 422)
    except RevisionConflict:
        now = site.elections.results.close_if_due(election.name)
        return _settings(request, site, user, now, form.rebased(now.revision), 412, meanwhile=True)
    return site.pages.redirect(request, election_url(edited, "settings"), "Saved.")


def _changes(form: Form) -> ElectionEdit | Form:
    if "ballot" in form.values:
        typed = form.validate(TypedElection)
        return typed if isinstance(typed, Form) else typed.changes()
    named = form.validate(TypedName)
    return named if isinstance(named, Form) else ElectionEdit(name=named.name)


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
    return site.pages.render(
        request,
        "elections/settings.html",
        status,
        **election_context(site, election, user, "settings"),
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
