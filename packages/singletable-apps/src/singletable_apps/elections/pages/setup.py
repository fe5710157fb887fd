"""Set up an election: its texts and settings, the counting method, and the review."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from ranked_ballots import join_names
from singletable_apps.elections.entities import CandidateOrder, Election, Publication, State
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.pages.ballot import (
    ballot_labels,
    casting_notice,
    make_ballot,
    read_marks,
    render_own_ranking,
)
from singletable_apps.elections.pages.dependencies import (
    ElectionPage,
    ViewerPage,
    can_see_settings,
    render_texts,
)
from singletable_apps.elections.pages.lifecycle import list_managers, read_notes
from singletable_apps.elections.pages.voters import count_people
from singletable_apps.elections.roles import Permission, has_permission
from singletable_apps.elections.rules import elections as rules
from singletable_apps.elections.rules import methods
from singletable_apps.elections.rules.elections import state_of
from singletable_apps.elections.rules.methods import (
    METHODS,
    NONE_OF_THESE,
    PROPOSAL,
    YES_OR_NO,
    CountingMethod,
    list_choices,
    method_of,
)
from singletable_apps.elections.rules.names import MAX_DESCRIPTION
from singletable_apps.elections.rules.voting import parse_ranking
from singletable_apps.elections.service.queries import Turnout
from singletable_apps.elections.settings import Counting, ElectionChanges, ElectionSettings
from singletable_apps.shared.errors import InvalidInput
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
        "Everyone sees who has voted, but no page shows how, not even to auditors. Ballots are "
        "counted once, after voting closes.",
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
        "Who won, and how many ranked whom above whom; if a method counts in rounds, also where "
        "votes go. Individual ballots are never shown.",
    ),
    (
        "anonymous",
        "Ballots without names",
        "All rankings, shuffled, so that anyone can recount them.",
    ),
    (
        "confirmations",
        "Ballots with tracking codes",
        "All rankings with the code on each voter’s receipt: anyone can recount them, and voters "
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
    candidates: tuple[str, ...] = ()


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
    "proposal": Template(
        "Yes or no",
        "A proposal to accept or reject, in secret: everyone chooses Yes, No, or none of these.",
        "Do you accept the proposal?",
        "It is accepted with more votes for it than against it. To abstain, choose "
        f"“{NONE_OF_THESE}”.",
        ElectionSettings(secret_ballot=True, method=PROPOSAL, none_of_these=True),
        YES_OR_NO,
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

    def changes(self) -> ElectionChanges:
        """Return the change to the election."""
        return {"name": self.name}


class ElectionForm(TextsForm):
    """The name, the texts and the settings of an election."""

    ballot: Literal["open", "secret"]
    publication: Literal["usual", "totals", "anonymous", "confirmations"]
    ballot_name: Annotated[str, Field(max_length=200)] = ""
    no_voting_before: datetime | None = None
    no_voting_after: datetime | None = None

    def shared(self) -> ElectionChanges:
        """Return what new and existing elections have in common."""
        is_secret, is_usual = self.ballot == "secret", self.publication == DEFAULT_PUBLICATION
        usual = rules.default_publication(is_secret)
        return {
            "secret_ballot": is_secret,
            "publication": usual if is_usual else Publication(self.publication),
            "no_voting_before": self.no_voting_before,
            "no_voting_after": self.no_voting_after,
        }

    def settings(self, template: Template | None = None) -> ElectionSettings:
        """Return the settings of a new election."""
        start = template.settings if template is not None else ElectionSettings()
        return start.model_copy(update=self.shared())

    def changes(self) -> ElectionChanges:
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
    rules.check_create_election(page.user)
    used = form.value("use")
    before, start = TEMPLATES.get(template), TEMPLATES.get(used or template)

    def act(values: ElectionForm) -> Response:
        lifecycle = page.service.lifecycle
        created = lifecycle.create(page.user, values.name, values.settings(start))
        lifecycle.describe(page.user, created.name, values.question, values.description)
        if start is not None and start.candidates:
            lifecycle.set_candidates(page.user, created.name, start.candidates)
            url = page.urls.election(created, "voters")
            return page.redirect(url, f"“{created.name}” is created. Now choose who can vote.")
        url = page.urls.election(created, "candidates")
        return page.redirect(url, f"“{created.name}” is created. Now add candidates.")

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
        rules.check_manager(user, election)

    def act(values: TextsForm) -> Response:
        lifecycle = page.service.lifecycle
        edited = lifecycle.edit(user, election.name, values.changes(), form.revision_check())
        if state_of(edited) is State.SETUP:
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
        is_owner=rules.is_owner(page.user, election),
        is_first=election.joint_with is None,
        public_link=page.urls.result_link(election),
        may_delete=rules.is_owner(page.user, election)
        or has_permission(page.user.role, Permission.MANAGE_USERS),
        managers=list_managers(page),
        notes=read_notes(page) if page.is_manager else "",
        in_setup=state is State.SETUP,
        can_rename=election.allow_edit,
        can_lock=state is State.EDITABLE,
        can_close=election.allow_vote and election.no_voting_after is None,
    )


METHOD_CHOICES = [
    (method.key, method.title, f"{method.summary} {method.tie}") for method in METHODS.values()
]


class MethodForm(Counting):
    """How ballots are counted, and what they offer; `shuffle` is the order of candidates."""

    # A form sends a number as text.
    seats: Annotated[int, Field(ge=1, le=methods.MAX_SEATS)] = 1
    shuffle: bool = False
    go: Literal["", "next"] = ""

    def changes(self, election: Election) -> ElectionChanges:
        """Return the changes of the settings."""
        order = CandidateOrder.SHUFFLED if self.shuffle else CandidateOrder.ENTERED
        quorum = election.quorum if election.joint_with else self.quorum
        counting = self.model_dump(include=set(Counting.model_fields))
        return counting | {"order": order, "quorum": quorum}


@router.api_route("/e/{name}/method", methods=FORM_METHODS)
def choose_method(page: ElectionPage, form: PostedForm) -> Response:
    """Show the method; the owner can choose another one until the launch."""
    election = page.election
    if page.request.method == "POST":
        rules.check_edit_settings(page.user, election)

    def act(values: MethodForm) -> Response:
        changes = values.changes(election)
        page.service.lifecycle.edit(page.user, election.name, changes, form.revision_check())
        next_step = "review" if values.go else "method"
        return page.redirect(page.url(next_step), "Counting saved.")

    initial = Form(
        {
            "method": election.method,
            "seats": election.seats,
            "shuffle": election.order is not CandidateOrder.ENTERED,
            "none_of_these": election.none_of_these,
            "quorum": election.quorum,
            "revision": election.revision,
        }
    )
    return page.fill(form, initial, MethodForm, act, partial(_show_method, page))


def _show_method(page: ElectionPage, form: Form, status: int = 200) -> Response:
    page = page.reread() if form.conflict else page
    return page.render_tab(
        "method",
        "settings" if page.is_manager else "",
        status,
        form=form,
        can_edit=page.is_manager and state_of(page.election) is State.SETUP,
        choices=METHOD_CHOICES,
        tie_break=methods.TIE_BREAK,
        none_of_these=NONE_OF_THESE,
        facts=describe_rules(page.election, page.service.queries.method(page.election)),
    )


def describe_rules(
    election: Election, method: CountingMethod, turnout: Turnout | None = None
) -> list[tuple[str, str]]:
    """Return the rules of the count, for people to read; with a turnout, the quorum in numbers."""
    facts = [("Method", f"{method.title}. {method.summary}"), ("In a tie", method.ties)]
    if method.has_seats:
        facts.append(("Seats", f"{election.seats:,}"))
    if election.quorum:
        facts.append(("Quorum", describe_quorum(election, turnout)))
    if election.none_of_these:
        line = f"Ballots offer “{NONE_OF_THESE}”. It can’t win; candidates below it don’t count."
        facts.append((NONE_OF_THESE, line))
    return facts


def describe_quorum(election: Election, turnout: Turnout | None) -> str:
    """Return the quorum as a sentence, and whether it is reached while voting is open."""
    quorum, reached = election.quorum, ""
    who = f"{quorum} of the voters" if quorum.endswith("%") else f"{int(quorum):,} voters"
    if turnout is not None and turnout.eligible:
        check = methods.check_quorum(quorum, turnout.voted, turnout.eligible)
        who += f" ({check.needed:,} of {turnout.eligible:,})"
        if election.allow_vote:
            state = "It is reached" if check.is_valid else "It is not reached yet"
            reached = f" {state}: {turnout.voted:,} of the {check.needed:,} needed have voted."
    return f"The result is valid if at least {who} cast a ballot; blank ones count.{reached}"


@router.api_route("/e/{name}/review", methods=FORM_METHODS)
def review_election(page: ElectionPage, form: PostedForm) -> Response:
    """Show everything once more, with a ballot to try that casts nothing."""
    rules.check_manager(page.user, page.election)
    if state_of(page.election) is not State.SETUP:
        return page.redirect(page.url())
    if page.request.method == "GET":
        return _show_review(page, {})
    marks = read_marks(form)
    try:
        ranks = {**dict.fromkeys(_choices(page)), **marks.ranks}
        ranking = parse_ranking([*ranks.items()], _choices(page))
        methods.check_marks(ranking, method_of(page.election))
    except InvalidInput as error:
        return _show_review(page, marks.texts, 422, error=str(error))
    unranked = [name for name in _choices(page) if name not in ranking.names]
    none, labels = methods.choice_apart(page.election), ballot_labels(page.election)
    tried = render_own_ranking(ranking.levels, unranked, labels, none)
    return _show_review(page, marks.texts, tried=tried)


def _choices(page: ElectionPage) -> list[str]:
    candidates = page.service.queries.candidates(page.user, page.election.name)
    return list_choices(page.election, candidates)


def _show_review(
    page: ElectionPage, texts: Mapping[str, str], status: int = 200, **shown: object
) -> Response:
    election, context = page.election, page.service.context
    queries, questions, problem = page.service.queries, context.book.questions(election), ""
    turnout = queries.turnout(page.user, election.name)
    try:
        rules.check_launch(page.user, election, context.clock(), others=questions[1:])
    except WrongState as error:
        problem = str(error)
    choices = _choices(page)
    return page.render_tab(
        "review",
        "settings",
        status,
        facts=[
            ("Voters", count_people(turnout.eligible)),
            *describe_rules(election, queries.method(election), turnout),
            ("Ballots", BALLOT_DESCRIPTIONS[election.secret_ballot]),
            ("Published", describe_publication(election)),
        ],
        on_ballot=[
            (
                each.name,
                join_names(queries.candidates(page.user, each.name)) or "No candidates yet",
                describe_rules(each, queries.method(each))[0][1],
                page.question_url(each, "review"),
            )
            for each in questions
        ],
        problem=problem,
        texts=render_texts(page),
        ballot_form=make_ballot(election, choices, texts, page.url("review"), casting_notice(page))
        if choices
        else "",
        **{"tried": "", "error": "", **shown},
    )
