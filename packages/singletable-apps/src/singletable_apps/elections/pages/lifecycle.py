"""Launch, lock, close, delete or hand over an election, each after a confirmation.

A step has a page that asks (GET) and takes it (POST) at the same URL; `STEPS` lists them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from singletable_apps.elections.entities import State
from singletable_apps.elections.errors import InvalidInput, WrongState
from singletable_apps.elections.pages.dependencies import ElectionPage, check_can_manage, url
from singletable_apps.elections.roles import Permission
from singletable_apps.elections.rules.elections import (
    METHOD,
    check_close,
    check_delete,
    check_launch,
    check_lock,
    state_of,
)
from singletable_apps.shared.pages import (
    Confirmation,
    ConfirmField,
    ConfirmForm,
    Form,
    PostedForm,
    RevisionCheck,
    submit_form,
)

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

    owner: Annotated[str, Field(min_length=1, max_length=200)]


def _check_launch(page: ElectionPage) -> None:
    check_launch(page.user, page.election, page.elections.context.clock())


def _confirm_launch(page: ElectionPage) -> Confirmation:
    election = page.election
    who = f"{election.voter_count:,} people" if election.voter_count else "All registered voters"
    when = "from the opening time" if election.no_voting_before else "right away"
    kind = "secret" if election.secret_ballot else "open"
    final = " The candidates are final." if election.secret_ballot else ""
    choices = _launch_choices(secret=election.secret_ballot)
    return Confirmation(
        title=f"Launch “{election.name}”?",
        text=f"{who} can vote {when}, on {election.candidate_count} candidates. Ballots are "
        f"counted with the {METHOD.title}.",
        consequences=(
            f"The ballot stays {kind}, and what is published can’t change.{final}",
            "A secret number that breaks ties is drawn now and its fingerprint published, so that "
            "no one can pick one to suit the result.",
        ),
        warning="You can’t go back to setup.",
        choice=ConfirmField("how", "While people vote, the election is", "radios", choices),
        button="Launch",
        url=page.url("launch"),
        back=page.url(),
        kind="primary",
    )


def _launch(page: ElectionPage, check: RevisionCheck, values: LaunchForm) -> Response:
    page.elections.lifecycle.launch(
        page.user, page.election.name, allow_edit=values.how == "editable", check_revision=check
    )
    return page.redirect(page.url(), f"“{page.election.name}” is launched.")


def _check_lock(page: ElectionPage) -> None:
    check_lock(page.user, page.election)


def _confirm_lock(page: ElectionPage) -> Confirmation:
    return Confirmation(
        title=f"Lock “{page.election.name}”?",
        text="Voting goes on, but nothing can be edited anymore.",
        consequences=(
            "Candidates, voters and the name stay as they are now.",
            "Ballots already cast are final. Everyone else can cast one final ballot.",
        ),
        warning="You can’t unlock it.",
        button="Lock",
        url=page.url("fix"),
        back=page.url("settings"),
        kind="primary",
    )


def _lock(page: ElectionPage, check: RevisionCheck, _: ConfirmForm) -> Response:
    page.elections.lifecycle.lock(page.user, page.election.name, check)
    return page.redirect(page.url(), f"“{page.election.name}” is locked. Voting goes on.")


def _check_close(page: ElectionPage) -> None:
    check_close(page.user, page.election, page.elections.context.clock())


def _confirm_close(page: ElectionPage) -> Confirmation:
    return Confirmation(
        title=f"Close “{page.election.name}”?",
        text=f"{_describe_turnout(page)} Voting ends now, for everyone.",
        consequences=(
            f"All ballots are counted with the {METHOD.title}, and everyone here sees the results.",
            "The number of ballots and a fingerprint of each are signed, so that no one can add, "
            "change or drop a ballot unnoticed.",
        ),
        warning="You can’t reopen it.",
        button="Close election",
        url=page.url("finalize"),
        back=page.url(),
    )


def _describe_turnout(page: ElectionPage) -> str:
    turnout = page.elections.queries.turnout(page.user, page.election.name)
    return f"{turnout.voted:,} of {turnout.eligible:,} have voted."


def _close(page: ElectionPage, check: RevisionCheck, _: ConfirmForm) -> Response:
    page.elections.lifecycle.close(page.user, page.election.name, check)
    return page.redirect(page.url(), f"“{page.election.name}” is closed. Results are in.")


def _check_delete(page: ElectionPage) -> None:
    check_delete(page.user, page.election)


def _confirm_delete(page: ElectionPage) -> Confirmation:
    losses = ["Its candidates, voter list and settings."]
    match state_of(page.election):
        case State.SETUP:
            pass
        case State.CLOSED:
            losses.append("Its results and every ballot. Receipts can’t be checked here anymore.")
        case State.EDITABLE | State.FIXED:
            losses.append(f"Every ballot. Voting is open: {_describe_turnout(page)}")
    return Confirmation(
        title=f"Delete “{page.election.name}”?",
        text="You’ll lose:",
        consequences=losses,
        warning="This can’t be undone. The audit log still shows that the election existed.",
        button="Delete election",
        url=page.url("delete"),
        back=page.url("settings"),
    )


def _delete(page: ElectionPage, check: RevisionCheck, _: ConfirmForm) -> Response:
    page.elections.lifecycle.delete(page.user, page.election.name, check)
    return page.redirect(url("all"), f"“{page.election.name}” is deleted.")


def _check_hand_over(page: ElectionPage) -> None:
    check_can_manage(page.user, page.election)


def _confirm_hand_over(page: ElectionPage) -> Confirmation:
    owner = page.election.owner_name
    names, more = page.elections.queries.user_names(
        page.user, MOST_OFFERED, permission=Permission.USE_APPLICATION
    )
    others = [(name, name) for name in names if name != owner]
    hint = "Someone whose role lets them create elections."
    if page.is_owner:
        text = "Only they can edit, lock, close or hand it over from then on. You keep your ballot."
    else:
        text = f"{owner} can no longer edit, lock, close or hand it over."
    return Confirmation(
        title=f"Hand over “{page.election.name}”?",
        text=text,
        warning="Only the new owner or an administrator can give it back.",
        choice=ConfirmField("owner", "New owner", "text", hint=hint)
        if more
        else ConfirmField("owner", "New owner", "select", [("", "Choose a person"), *others], hint),
        button="Hand over",
        url=page.url("owner"),
        back=page.url("settings"),
        kind="primary",
    )


def _hand_over(page: ElectionPage, check: RevisionCheck, values: OwnerForm) -> Response:
    handed_over = page.elections.lifecycle.transfer(
        page.user, page.election.name, values.owner.strip(), check
    )
    return page.redirect(page.url(), f"{handed_over.owner_name} now owns “{handed_over.name}”.")


@dataclass(frozen=True, slots=True)
class Step:
    """A step, taken after a confirmation. `check` raises if it is not possible now."""

    path: str
    check: Callable[[ElectionPage], None]
    confirm: Callable[[ElectionPage], Confirmation]
    act: Callable[[ElectionPage, RevisionCheck, Any], Response]
    model: type[BaseModel] = ConfirmForm
    # Errors that are shown beside a field of the form.
    rejects: tuple[type[Exception], ...] = ()
    field: str | None = None


STEPS = (
    Step("launch", _check_launch, _confirm_launch, _launch, LaunchForm),
    Step("fix", _check_lock, _confirm_lock, _lock),
    Step("finalize", _check_close, _confirm_close, _close),
    Step("delete", _check_delete, _confirm_delete, _delete),
    Step(
        "owner",
        _check_hand_over,
        _confirm_hand_over,
        _hand_over,
        OwnerForm,
        rejects=(InvalidInput, WrongState),
        field="owner",
    ),
)


def _add_routes(step: Step) -> None:
    def show(page: ElectionPage, form: Form, status: int = 200) -> Response:
        page = page.reread() if form.conflict else page
        return page.render_tab(
            "confirm", "settings", status, confirmation=step.confirm(page), form=form
        )

    def ask(page: ElectionPage) -> Response:
        step.check(page)
        return show(page, Form({"revision": page.election.revision}))

    def submit(page: ElectionPage, form: PostedForm) -> Response:
        step.check(page)
        return submit_form(
            form,
            step.model,
            lambda values: step.act(page, form.revision_check(), values),
            lambda form, status: show(page, form, status),
            rejects=step.rejects,
            field=step.field,
        )

    path = f"/e/{{name}}/{step.path}"
    router.add_api_route(path, ask, methods=["GET"], name=f"confirm_{step.path}")
    router.add_api_route(path, submit, methods=["POST"], name=step.path)


for _step in STEPS:
    _add_routes(_step)
