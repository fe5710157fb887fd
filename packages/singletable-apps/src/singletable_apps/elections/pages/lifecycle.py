"""What owners and managers do: launch, lock, close, delete, hand over, copy, add questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal, TypeVar

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field, StringConstraints

from ranked_ballots import join_names
from singletable_apps.elections import roles
from singletable_apps.elections.entities import Election, Electorate, State
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.pages.dependencies import ElectionPage, ElectionPageContext
from singletable_apps.elections.proofs.documents import MIN_SECRET_BALLOTS
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules import elections as rules
from singletable_apps.elections.rules.elections import state_of, title_of
from singletable_apps.elections.rules.methods import method_of
from singletable_apps.elections.rules.names import is_same_name
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.pages import (
    FORM_METHODS,
    ConfirmedAction,
    ConfirmField,
    Form,
    PostedForm,
    confirm,
)
from singletable_apps.shared.pages.templating import plural

router = APIRouter()
# With more people than this, the new owner's name is typed instead of selected.
MOST_OFFERED = 100


def _launch_choices(*, secret: bool) -> tuple[tuple[str, str, str], ...]:
    changeable = "voters and the name" if secret else "candidates, voters and the name"
    return (
        (
            "fixed",
            "Locked",
            "Candidates, voters and the name are final, and so is every ballot once it is cast.",
        ),
        (
            "editable",
            "Editable",
            f"You can still change {changeable}, and voters can change or withdraw their ballots. "
            "You can lock it later.",
        ),
    )


class LaunchForm(BaseModel):
    """Whether the election can still be edited while people vote."""

    how: Literal["editable", "fixed"]


class OwnerForm(BaseModel):
    """The name of the new owner."""

    owner: Annotated[str, StringConstraints(min_length=1, max_length=200, strip_whitespace=True)]


@confirm(router, "/e/{name}/launch")
def launch(page: ElectionPage) -> ConfirmedAction:
    """Open the election for votes."""
    user, election, others = page.user, page.election, _questions(page)[1:]
    rules.check_launch(user, election, page.service.context.clock(), others=others)
    count = election.voter_count
    who = plural(count, "person", "people") if count else "All registered voters"
    eligible = page.service.queries.turnout(user, election.name).eligible
    roll = page.service.context.book.record(election).roll.values()
    is_weighted = election.secret_ballot and any(voter.votes > 1 for voter in roll)
    when = "from the opening time" if election.no_voting_before else "right away"
    kind = "secret" if election.secret_ballot else "open"
    final = " The candidates are final." if election.secret_ballot else ""
    choices = _launch_choices(secret=election.secret_ballot)
    return ConfirmedAction(
        page,
        title=f"Launch “{title_of(election)}”?",
        text=f"{who} can vote {when}, on "
        + (
            f"{len(others) + 1} questions."
            if others
            else f"{election.candidate_count} candidates. Counting: {method_of(election).title}."
        ),
        consequences=(
            f"The ballot stays {kind}, and what is published can’t change.{final}",
            "A secret number that breaks ties is drawn now and its fingerprint published, so that "
            "no one can pick one to suit the result.",
            *_secrecy_notes(election, eligible, "can vote"),
            *([f"Some people have several votes. {rules.RARE_WEIGHT}"] if is_weighted else []),
        ),
        warning="You can’t go back to setup.",
        choice=ConfirmField("how", "While people vote, the election is", "radios", choices),
        button="Launch",
        back=page.url(),
        kind="primary",
        revision=election.revision,
        model=LaunchForm,
        do=lambda form: page.service.lifecycle.launch(
            user,
            election.name,
            allow_edit=form.value("how") == "editable",
            check_revision=form.revision_check(),
        ),
        done=f"“{title_of(election)}” is launched.",
    )


def _secrecy_notes(election: Election, people: int, verb: str) -> list[str]:
    """Return what the owner of a secret election must know if few people take part."""
    if not election.secret_ballot or people >= rules.FEW_VOTERS:
        return []
    count = "Only one person" if people == 1 else f"Only {people} people"
    count = "No one" if people == 0 else count
    return [
        f"{count} {verb}. With so few, the results of a secret ballot can show who voted how, "
        "above all if everyone votes alike.",
        f"With fewer than {MIN_SECRET_BALLOTS} ballots, no results are shown at all.",
    ]


@confirm(router, "/e/{name}/fix")
def lock(page: ElectionPage) -> ConfirmedAction:
    """Lock the election against edits."""
    user, name = page.user, page.election.name
    rules.check_lock(user, page.election)
    return ConfirmedAction(
        page,
        title=f"Lock “{title_of(page.election)}”?",
        text="Voting goes on, but nothing can be edited anymore.",
        consequences=(
            "Candidates, voters and the name stay as they are now.",
            "Ballots already cast are final. Everyone else can cast one final ballot.",
        ),
        warning="You can’t unlock it.",
        button="Lock",
        back=page.url("settings"),
        kind="primary",
        revision=page.election.revision,
        do=lambda form: page.service.lifecycle.lock(user, name, form.revision_check()),
        to=page.url(),
        done=f"“{title_of(page.election)}” is locked. Voting goes on.",
    )


@confirm(router, "/e/{name}/finalize")
def close(page: ElectionPage) -> ConfirmedAction:
    """Close the election."""
    user, name = page.user, page.election.name
    rules.check_close(user, page.election, page.service.context.clock())
    questions = _questions(page)
    voted = min(page.service.queries.turnout(user, each.name).voted for each in questions)
    methods = dict.fromkeys(method_of(each).title for each in questions)
    is_withheld = page.election.secret_ballot and 0 < voted < MIN_SECRET_BALLOTS
    sees = "" if is_withheld else ", and everyone here sees the results"
    return ConfirmedAction(
        page,
        title=f"Close “{title_of(page.election)}”?",
        text=lambda: f"{_describe_turnout(page)} Voting ends now, for everyone.",
        consequences=(
            *(["All questions on the ballot close together."] if questions[1:] else []),
            f"All ballots are counted ({join_names([*methods])}){sees}.",
            "The number of ballots and a fingerprint of each are signed, so that no one can add, "
            "change or drop a ballot unnoticed.",
            *_closing_emails(page),
            *_secrecy_notes(
                page.election, voted, "answered one of the questions" if questions[1:] else "voted"
            ),
        ),
        warning="You can’t reopen it.",
        button="Close election",
        back=page.url(),
        revision=page.election.revision,
        do=lambda form: page.service.lifecycle.close(user, name, form.revision_check()),
        done=f"“{title_of(page.election)}” is closed.",
    )


def _closing_emails(page: ElectionPageContext) -> list[str]:
    """Describe the e-mails about the close, to invited people on a roll."""
    count = _count_invited(page, with_unsubscribed=False)
    who = plural(count, "person gets", "people get")
    return [f"{who} an e-mail that voting has closed."] if count else []


def _count_invited(page: ElectionPageContext, *, with_unsubscribed: bool = True) -> int:
    """Return how many people on the roll have an invitation."""
    election = page.election
    if election.electorate is not Electorate.ROLL or election.joint_with or not page.is_manager:
        return 0
    invited = [
        row.voter
        for row in page.service.rolls.rows(page.user, page.election.name)
        if row.is_invited
    ]
    return sum(with_unsubscribed or not voter.is_unsubscribed for voter in invited)


def _describe_turnout(page: ElectionPageContext) -> str:
    turnout = page.service.queries.turnout(page.user, page.election.name)
    who = plural(turnout.partly, "person hasn’t", "people haven’t")
    partly = f" {who} answered every question." if turnout.partly else ""
    return f"{turnout.answered:,} of {turnout.eligible:,} have voted.{partly}"


@confirm(router, "/e/{name}/delete")
def delete(page: ElectionPage) -> ConfirmedAction:
    """Delete the election. Ballots and a signed result are not deleted by a click."""
    user, name = page.user, page.election.name
    rules.check_delete(user, page.election)
    is_closed, hint = state_of(page.election) is State.CLOSED, f"Enter {name} to confirm."
    is_final = page.service.lifecycle.loses_votes(page.election)

    def delete_it(form: Form) -> None:
        if is_final and not is_same_name(form.value("election").strip(), name):
            raise InvalidInput({"election": hint})
        page.service.lifecycle.delete(user, name, form.revision_check())

    remains = "The audit log still shows that the election existed."
    if is_closed:
        remains = "A signed note stays: who deleted it, when, and the digest of its result."
    if page.election.joint_with is not None:
        remains += f" The other questions on its ballot stay as they are: {_name_others(page)}."
    typed_name = ConfirmField("election", "Name of the election", "text", hint=hint)
    return ConfirmedAction(
        page,
        title=f"Delete “{name}”?",
        text="You’ll lose:",
        consequences=lambda: _describe_losses(page),
        warning=f"This can’t be undone. {remains}",
        button="Delete election",
        back=page.url("settings"),
        revision=page.election.revision,
        choice=typed_name if is_final else None,
        needs_password=is_final,
        do=delete_it,
        to=page.urls.page("all"),
        done=f"“{name}” is deleted.",
    )


def _questions(page: ElectionPageContext) -> list[Election]:
    return page.service.context.book.questions(page.election)


def _name_others(page: ElectionPageContext) -> str:
    return join_names([each.name for each in _questions(page) if each.name != page.election.name])


def _describe_losses(page: ElectionPageContext) -> list[str]:
    losses = ["Its candidates, voter list and settings."]
    if page.election.joint_with is None and len(_questions(page)) > 1:
        losses.append(f"The other questions on its ballot: {_name_others(page)}.")
    match state_of(page.election):
        case State.SETUP:
            pass
        case State.CLOSED:
            losses.append("Its results and every ballot. Receipts can’t be checked here anymore.")
        case State.EDITABLE | State.FIXED:
            losses.append(f"Every ballot. Voting is open: {_describe_turnout(page)}")
            if count := _count_invited(page):
                who = plural(count, "person", "people")
                losses.append(f"The links of {who} with an invitation. Nobody is told by e-mail.")
    return losses


@confirm(router, "/e/{name}/owner")
def hand_over(page: ElectionPage) -> ConfirmedAction:
    """Give the election to another owner."""
    user, election = page.user, page.election
    rules.check_delete(user, election)
    text = f"{election.owner_name} can no longer edit, lock, close or hand it over."
    if rules.is_owner(user, election):
        text = "Only they can edit, lock, close or hand it over from then on. You keep your ballot."

    def transfer(form: Form) -> Response:
        owner, check = form.value("owner"), form.revision_check()
        try:
            given = page.service.lifecycle.transfer(user, election.name, owner, check)
        except WrongState as error:
            raise InvalidInput({"owner": str(error)}) from error
        return page.redirect(page.url(), f"{given.owner_name} now owns “{given.name}”.")

    return ConfirmedAction(
        page,
        title=f"Hand over “{election.name}”?",
        text=text,
        warning="Only the new owner or an administrator can give it back.",
        choice=lambda: _owner_field(page),
        button="Hand over",
        back=page.url("settings"),
        kind="primary",
        revision=election.revision,
        model=OwnerForm,
        error_field="owner",
        do=transfer,
    )


def _owner_field(page: ElectionPageContext) -> ConfirmField:
    """Return a field with the possible owners, unless there are too many."""
    names, more = page.service.queries.user_names(
        page.user, MOST_OFFERED, permission=Permission.USE_APPLICATION
    )
    hint = "Someone whose role lets them create elections."
    if more:
        return ConfirmField("owner", "New owner", "text", hint=hint)
    others = [(name, name) for name in names if name != page.election.owner_name]
    return ConfirmField("owner", "New owner", "select", [("", "Choose a person"), *others], hint)


M = TypeVar("M", bound=BaseModel)


def _fill(
    page: ElectionPageContext,
    form: Form,
    part: str,
    model: type[M],
    act: Callable[[M], Response],
    **values: str,
) -> Response:
    """Show or submit a form. Its texts are in the template, by the last part of its path."""

    def show(form: Form, status: int) -> Response:
        return page.render_tab(
            "small_form",
            "settings",
            status,
            form=form,
            part=part,
            roles=[
                (roles.ROLE_NAMES[role], roles.ROLE_DESCRIPTIONS[role])
                for role in roles.ROLES[1:-1]
            ],
            can_change_roles=roles.has_permission(page.user.role, Permission.MANAGE_USERS),
        )

    initial = Form({"revision": page.election.revision, **values})
    return page.fill(form, initial, model, act, show, field=next(iter(model.model_fields)))


class NameForm(BaseModel):
    """The name of a new election or question; for a copy, whether it has the same voters.

    `ballot_name` is the name of the ballot that a question is put on, which may be a proposal.
    """

    name: Annotated[str, Field(min_length=1, max_length=200)]
    with_voters: bool = False
    ballot_name: Annotated[str, Field(max_length=200)] = ""
    yes_or_no: bool = False


@router.api_route("/e/{name}/copy", methods=FORM_METHODS)
def copy_election(page: ElectionPage, form: PostedForm) -> Response:
    """Copy an election to a new one."""
    rules.check_manager(page.user, page.election)

    def act(values: NameForm) -> Response:
        copied = page.service.lifecycle.copy(
            page.user, page.election.name, values.name, with_voters=values.with_voters
        )
        return page.redirect(page.urls.election(copied, "settings"), f"“{copied.name}” is created.")

    return _fill(page, form, "copy", NameForm, act)


@router.api_route("/e/{name}/questions", methods=FORM_METHODS)
def add_question(page: ElectionPage, form: PostedForm) -> Response:
    """Put another question on the ballot."""
    rules.check_edit_settings(page.user, page.election)

    def act(values: NameForm) -> Response:
        first, lifecycle = page.first_question.name, page.service.lifecycle
        lifecycle.edit(page.user, first, {"ballot_name": values.ballot_name})
        added = lifecycle.add_question(page.user, first, values.name, yes_or_no=values.yes_or_no)
        url = page.urls.election(added, "settings")
        return page.redirect(url, f"“{added.name}” is on the ballot.")

    name = page.first_question.ballot_name
    return _fill(page, form, "questions", NameForm, act, ballot_name=name)


class ManagersForm(BaseModel):
    """E-mail addresses or user names, one per line."""

    managers: Annotated[str, Field(max_length=5_000)] = ""


@router.api_route("/e/{name}/managers", methods=FORM_METHODS)
def edit_managers(page: ElectionPage, form: PostedForm) -> Response:
    """Choose the managers of the election beside its owner."""
    rules.check_owner(page.user, page.election)

    def act(values: ManagersForm) -> Response:
        people, check = values.managers.split("\n"), form.revision_check()
        named = [each.strip() for each in people if each.strip()]
        page.service.lifecycle.set_managers(page.user, page.election.name, named, check)
        return page.redirect(page.url("settings"), "Managers saved.")

    managers = "\n".join(list_managers(page))
    return _fill(page, form, "managers", ManagersForm, act, managers=managers)


def list_managers(page: ElectionPageContext) -> list[str]:
    """Return the names of the managers with existing accounts."""
    read = page.service.context.read
    found = [read.find_user_by_id(int(each)) for each in page.election.managers]
    return [user.name for user in found if user is not None]


class NotesForm(BaseModel):
    """Notes for the owner and the managers."""

    notes: str = ""


@router.api_route("/e/{name}/notes", methods=FORM_METHODS)
def edit_notes(page: ElectionPage, form: PostedForm) -> Response:
    """Write notes that only the owner and the managers see."""
    rules.check_manager(page.user, page.election)

    def act(values: NotesForm) -> Response:
        page.service.lifecycle.set_notes(page.user, page.election.name, values.notes)
        return page.redirect(page.url("settings"), "Notes saved.")

    return _fill(page, form, "notes", NotesForm, act, notes=read_notes(page))


def read_notes(page: ElectionPageContext) -> str:
    """Return the notes on the election."""
    return page.service.context.book.record(page.election).notes
