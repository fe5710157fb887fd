"""The people of the site, on pages of `shared`; registrations that need confirmation."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel

from singletable_apps.elections.pages.dependencies import ViewerPage
from singletable_apps.elections.roles import (
    ROLE_DESCRIPTIONS,
    ROLE_NAMES,
    Role,
)
from singletable_apps.elections.rules.users import check_role_change
from singletable_apps.elections.web import NameInPath
from singletable_apps.shared.accounts import NotSignedIn, Scope, TooManyAttempts
from singletable_apps.shared.errors import RequestRejected
from singletable_apps.shared.frame.accounts import welcome
from singletable_apps.shared.frame.people import (
    Column,
    PeopleSpec,
    RemovalText,
    RoleName,
    VisitorPage,
)
from singletable_apps.shared.pages import (
    FORM_METHODS,
    ConfirmedAction,
    Form,
    PostedForm,
    confirm,
    submit_form,
)

router = APIRouter()
_TABS = {Role.NO_ACCESS: "Waiting"}

PEOPLE = PeopleSpec(
    roles=[
        RoleName(role, name, ROLE_DESCRIPTIONS[role], _TABS.get(role, ""))
        for role, name in ROLE_NAMES.items()
    ],
    removal=RemovalText(
        (
            ("Deleted", "The account, and its ballots in elections that are still open."),
            (
                "Kept",
                "Ballots in closed elections, under a number instead of the name: signed results "
                "don’t change. The audit log still shows the name to auditors.",
            ),
        ),
        "Ballots in open elections are deleted too. Those in closed elections stay counted, "
        "without the name.",
        (
            (
                "Deleted",
                "Your account, your sessions, and your ballots in elections that are still open.",
            ),
            (
                "Kept",
                "Your ballots in closed elections, under a number instead of your name: signed "
                "results don’t change, and your receipts still work. The audit log is never "
                "changed, so auditors can still read your name there.",
            ),
        ),
        "Your ballots in open elections are deleted too. Those in closed elections stay counted, "
        "without your name. This can’t be undone.",
    ),
    scopes={
        Scope.READ: "See elections and results, and whatever else you may see.",
        Scope.VOTE: "Cast, change and see your ballots.",
        Scope.MANAGE: "Create and manage elections, and whatever else you may do.",
    },
    hints={
        "list": "You can change anyone whose role is below yours.",
        "register": "To vote, and to create your own elections.",
        "register.name": "Others see it, for example in the list of people who voted. It can’t "
        "contain an @.",
        "register.email": "To reset your password. Only administrators see it.",
        "account.name": "Your elections and ballots follow the new name.",
        "person.name": "Their elections, voter lists and ballots follow the new name.",
    },
    columns=[
        Column("Elections", lambda user: user.elections_owned, "number"),
        Column("Ballots", lambda user: user.ballots_cast, "number"),
    ],
)

# ------------------------------------------------------------------------------ registrations

AnyPage = Annotated[VisitorPage, Depends(VisitorPage.visited)]


@router.get("/register/sent")
def show_registration_sent(page: AnyPage) -> Response:
    """Show that a link was sent, whether or not the address has an account."""
    return page.pages.render(page.request, "elections/register_sent.html")


class ConfirmRegistrationForm(BaseModel):
    """The token from the link in the e-mail, and the password of the registration."""

    token: str = ""
    password: str = ""


@router.api_route("/register/confirm", methods=FORM_METHODS)
def confirm_registration(
    page: AnyPage, form: PostedForm, token: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    """Create the account, and sign in. Ask first, because e-mail scanners open links too."""

    def act(values: ConfirmRegistrationForm) -> Response:
        user = page.service.people.confirm_registration(values.token, values.password)
        return welcome(page, user, user.email)

    def show(form: Form, status: int = 200) -> Response:
        try:
            new = page.service.people.read_registration(form.value("token"))
        except NotSignedIn as error:
            return page.render("link_expired", 422, reason=str(error))
        template = "elections/register_confirm.html"
        return page.pages.render(page.request, template, status, form=form, new=new)

    if page.request.method == "GET":
        return show(Form({"token": token}))
    rejects = (RequestRejected, TooManyAttempts)
    return submit_form(form, ConfirmRegistrationForm, act, show, rejects=rejects)


# ------------------------------------------------------------------------------ the owner


@confirm(router, "/people/{name}/owner")
def transfer_ownership(page: ViewerPage, name: NameInPath) -> ConfirmedAction:
    """Make someone else the owner; the previous owner becomes an auditor."""
    person = page.service.people.get_person(page.user, name)
    check_role_change(page.user, person, Role.OWNER)
    return ConfirmedAction(
        page,
        title=f"Make {person.name} the owner?",
        text="There is only one owner, and it won’t be you anymore.",
        facts=(
            (
                person.name,
                f"From {ROLE_NAMES[person.role].lower()} to owner: full control, including who "
                "is an auditor.",
            ),
            ("You", f"You become an auditor. Only {person.name} can make you the owner again."),
        ),
        button="Transfer ownership",
        needs_password=True,
        back=page.urls.page("people", person.name),
        revision=person.revision,
        do=lambda form: page.service.people.change_role(
            page.user, name, Role.OWNER, form.revision_check()
        ),
        done=f"{person.name} is now the owner. You’re an auditor.",
    )
