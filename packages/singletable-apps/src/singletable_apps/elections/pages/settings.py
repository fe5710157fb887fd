"""Create an election and edit its settings: texts, kind of ballot, publication, voting period."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from msgspec import structs
from pydantic import BaseModel, Field

from singletable_apps.elections.entities import CandidateOrder, Election, Publication, State
from singletable_apps.elections.pages.dependencies import (
    ElectionPage,
    ViewerPage,
    can_see_settings,
)
from singletable_apps.elections.pages.owner_forms import list_managers, read_notes
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.rules.elections import (
    check_create_election,
    check_manager,
    default_publication,
    is_owner,
    state_of,
)
from singletable_apps.elections.rules.names import MAX_DESCRIPTION
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.elections.service.lifecycle import ElectionEdit
from singletable_apps.shared.pages import FORM_METHODS, Form, PostedForm

router = APIRouter()
DEFAULT_PUBLICATION = "usual"

# (value, label, description)
BALLOT_CHOICES = (
    (
        "open",
        "Open ballot",
        "Like a show of hands: results are live from the first ballot, and can be published with "
        "names. Good for small decisions among people who know each other.",
    ),
    (
        "secret",
        "Secret ballot",
        "Everyone sees who has voted, but no one sees how, not even auditors. Ballots are counted "
        "once, after voting closes.",
    ),
)
PUBLICATION_CHOICES = (
    (
        DEFAULT_PUBLICATION,
        "The usual for this kind of ballot",
        "Totals for a secret ballot; everything, with names, for an open one.",
    ),
    (
        "totals",
        "Totals only",
        "Who won, and how many ranked whom above whom. Individual ballots are never shown.",
    ),
    (
        "anonymous",
        "Ballots without names",
        "All rankings, shuffled, so that anyone can recount them.",
    ),
    (
        "confirmations",
        "Ballots with tracking codes",
        "All rankings with the code on each voter's receipt: anyone can recount them, and voters "
        "can find their own. An open ballot also shows names.",
    ),
)
BALLOT_DESCRIPTIONS = {
    False: "Open: results are live while people vote.",
    True: "Secret: sealed when cast, and counted after voting closes.",
}
PUBLICATION_DESCRIPTIONS = {
    Publication.TOTALS: "Totals only; individual ballots are never shown.",
    Publication.ANONYMOUS: "All ballots without names, so that anyone can recount them.",
    Publication.CONFIRMATIONS: "All ballots with their tracking codes, so that anyone can recount "
    "them and voters can find their own.",
}
PUBLISHED_WITH_NAMES = "All ballots with their tracking codes and the voters' names."


@dataclass(frozen=True, slots=True)
class Template:
    """What a new election of a kind starts with."""

    title: str
    about: str
    question: str
    description: str
    settings: ElectionSettings


TEMPLATES = {
    "board": Template(
        "Board election",
        "Three seats by single transferable vote, a secret ballot, and a quorum of a quarter.",
        "Who should be on the board?",
        "Rank as many candidates as you like. The three seats are filled in proportion to the "
        "votes.",
        ElectionSettings(
            secret_ballot=True,
            method="scottish stv",
            seats=3,
            order=CandidateOrder.SHUFFLED,
            none_of_these=True,
            quorum="25%",
        ),
    ),
    "restaurant": Template(
        "Which restaurant?",
        "An open ballot: everyone marks all places they like, and the most marks win.",
        "Where do we eat?",
        "Mark every place that is fine for you.",
        ElectionSettings(method="approval"),
    ),
    "projects": Template(
        "Projects by budget",
        "Everyone ranks the projects; the result is an order in which to spend the budget.",
        "Which projects come first?",
        "Write the cost of a project into its statement. Projects are carried out in the order of "
        "the result, until the budget is spent; a project that no longer fits is skipped.",
        ElectionSettings(secret_ballot=True, order=CandidateOrder.SHUFFLED),
    ),
}


class TextsForm(BaseModel):
    """The name and the texts of an election."""

    name: Annotated[str, Field(min_length=1)]
    question: Annotated[str, Field(max_length=200)] = ""
    description: Annotated[str, Field(max_length=MAX_DESCRIPTION)] = ""
    go: Literal["", "next"] = ""

    def changes(self) -> ElectionEdit:
        """Return the change to the election."""
        return ElectionEdit(name=self.name)


class ElectionForm(TextsForm):
    """The name, the texts and the settings of an election."""

    ballot: Literal["open", "secret"]
    publication: Literal["usual", "totals", "anonymous", "confirmations"]
    ballot_name: Annotated[str, Field(max_length=200)] = ""
    no_voting_before: datetime | None = None
    no_voting_after: datetime | None = None

    @property
    def is_secret(self) -> bool:
        """Return whether ballots are sealed."""
        return self.ballot == "secret"

    @property
    def published(self) -> Publication:
        """Return what is published after the close."""
        if self.publication == DEFAULT_PUBLICATION:
            return default_publication(self.is_secret)
        return Publication(self.publication)

    def shared(self) -> ElectionEdit:
        """Return what new and existing elections have in common."""
        return ElectionEdit(
            secret_ballot=self.is_secret,
            publication=self.published,
            no_voting_before=self.no_voting_before,
            no_voting_after=self.no_voting_after,
        )

    def settings(self, template: Template | None = None) -> ElectionSettings:
        """Return the settings of a new election."""
        start = template.settings if template is not None else ElectionSettings()
        return structs.replace(start, **self.shared())

    def changes(self) -> ElectionEdit:
        """Return the changes to an existing election."""
        return {**self.shared(), "name": self.name, "ballot_name": self.ballot_name}


def describe_publication(election: Election) -> str:
    """Return what is published of the election, as a sentence."""
    if not election.secret_ballot and election.publication is Publication.CONFIRMATIONS:
        return PUBLISHED_WITH_NAMES
    return PUBLICATION_DESCRIPTIONS[election.publication]


@router.api_route("/new", methods=FORM_METHODS)
def create_election(
    page: ViewerPage, form: PostedForm, template: Annotated[str, Query(max_length=50)] = ""
) -> Response:
    """Create an election, from a template if there is one, and go on to its candidates."""
    check_create_election(page.user)
    used = form.value("use")
    before, start = TEMPLATES.get(template), TEMPLATES.get(used or template)

    def act(values: ElectionForm) -> Response:
        lifecycle = page.service.lifecycle
        created = lifecycle.create(page.user, values.name, values.settings(start))
        lifecycle.describe(page.user, created.name, values.question, values.description)
        return page.redirect(
            page.urls.election(created, "candidates"),
            f"“{created.name}” is created. Now add candidates.",
        )

    is_secret = start is None or start.settings.secret_ballot
    texts = {"question": start.question, "description": start.description} if start else {}
    ballot = "secret" if is_secret else "open"
    initial = Form({"ballot": ballot, "publication": DEFAULT_PUBLICATION, **texts})
    if used:  # another template, which keeps what was typed
        own = {
            name: value
            for name, value in form.values.items()
            if value and name != "ballot" and value != getattr(before, name, None)
        }
        return _show_new(page, used, Form({**initial.values, **own}))
    return page.fill(form, initial, ElectionForm, act, partial(_show_new, page, template))


def _show_new(page: ViewerPage, template: str, form: Form, status: int = 200) -> Response:
    here = page.urls.page("new")
    links = {key: page.urls.page("new", template=key) for key in TEMPLATES}
    return page.render(
        "new",
        status,
        form=form,
        action=links.get(template, here),
        chosen=TEMPLATES.get(template),
        templates=TEMPLATES,
        ballot_choices=BALLOT_CHOICES,
        publication_choices=PUBLICATION_CHOICES,
    )


@router.api_route("/e/{name}/settings", methods=FORM_METHODS)
def edit_settings(page: ElectionPage, form: PostedForm) -> Response:
    """Show the settings and the next steps; save the name, and before the launch all settings."""
    user, election = page.user, page.election
    if page.request.method == "POST" or not can_see_settings(user, election):
        check_manager(user, election)

    def act(values: TextsForm) -> Response:
        lifecycle = page.service.lifecycle
        edited = lifecycle.edit(user, election.name, values.changes(), form.revision_check())
        lifecycle.describe(user, edited.name, values.question, values.description)
        next_step = "candidates" if values.go else "settings"
        return page.redirect(page.urls.election(edited, next_step), "Settings saved.")

    texts = page.service.queries.texts(user, election.name)
    initial = {
        "name": election.name,
        "ballot_name": election.ballot_name,
        "question": texts.question,
        "description": texts.description,
        "ballot": "secret" if election.secret_ballot else "open",
        "publication": election.publication.value,
        "no_voting_before": election.no_voting_before,
        "no_voting_after": election.no_voting_after,
        "revision": election.revision,
    }
    model = ElectionForm if "ballot" in form.values else TextsForm
    return page.fill(form, Form(initial), model, act, partial(_show_settings, page))


def _show_settings(page: ElectionPage, form: Form, status: int = 200) -> Response:
    page = page.reread() if form.conflict else page
    election, state = page.election, state_of(page.election)
    return page.render_tab(
        "settings",
        "settings",
        status,
        form=form,
        ballot_choices=BALLOT_CHOICES,
        publication_choices=PUBLICATION_CHOICES[1:],
        ballot_description=BALLOT_DESCRIPTIONS[election.secret_ballot],
        publication_description=describe_publication(election),
        is_manager=page.is_manager,
        is_owner=is_owner(page.user, election),
        is_first=election.joint_with is None,
        first=page.first_question,
        public_link=page.urls.result_link(election),
        may_delete=is_owner(page.user, election)
        or has_permission(page.user.role, Permission.MANAGE_USERS),
        managers=list_managers(page),
        notes=read_notes(page) if page.is_manager else "",
        in_setup=state is State.SETUP,
        can_rename=election.allow_edit,
        can_lock=state is State.EDITABLE,
        can_close=election.allow_vote and election.no_voting_after is None,
    )
