"""People, for administrators: the list with their roles, invitations, and one person."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, TypeAlias

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BaseModel, StringConstraints

from singletable_apps.shared import pages
from singletable_apps.shared.accounts import Invitation, Registration
from singletable_apps.shared.errors import InvalidInput, RequestRejected
from singletable_apps.shared.frame.account_pages import address_sent
from singletable_apps.shared.frame.people import MemberPage
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.pages.sessions import CURRENT_PASSWORD
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.shared.web import Segment

# First the list and the invitation; then one person, whose URL could be the same.
router, invitations = APIRouter(), APIRouter()
person_router, profiles, removal = APIRouter(), APIRouter(), APIRouter()
_PAGE = 50
_RULES = [
    (Registration.OPEN, "Everyone can register", "New people can use everything at once."),
    (
        Registration.APPROVAL,
        "By approval",
        "New people wait until an administrator gives them a role. Administrators get an e-mail.",
    ),
    (Registration.CLOSED, "Closed", "Nobody can register."),
]


def _admin_page(page: Annotated[MemberPage, Depends(MemberPage.signed_in)]) -> MemberPage:
    """Return the page of an administrator."""
    page.people.check_manager(page.user)
    return page


AdminPage: TypeAlias = Annotated[MemberPage, Depends(_admin_page)]
Who: TypeAlias = Segment
RoleFilter: TypeAlias = Annotated[str, Query(max_length=50)]

# ------------------------------------------------------------------------------ the list


@router.get("")
def list_people(
    page: AdminPage, query: pages.ListQueryParameters, role: RoleFilter = ""
) -> Response:
    """List people, with a choice of roles for each."""
    return show_people(page, query, role)


def show_people(
    page: MemberPage,
    query: pages.ListQuery,
    role: str = "",
    form: pages.Form | None = None,
    status: int = 200,
    **context: object,
) -> Response:
    """Show the list, with the form that was rejected."""
    spec, people = page.spec, page.people
    chosen = next((each.role for each in spec.roles if each.role.value == role), None)
    found = people.list_people(
        page.user, query.search, role=chosen, limit=_PAGE, cursor=query.cursor
    )
    waiting = []
    if people.waiting is not None:
        waiting = people.list_people(page.user, role=people.waiting, limit=1).items
    return page.render(
        "list",
        status,
        people=query.page(found.items, found.cursor),
        allowed={each.user_id: people.allowed_roles(page.user, each) for each in found.items},
        role=role,
        is_waiting=bool(waiting),
        tabs=[
            pages.Link("Everyone", page.people_url(), not role),
            *(
                pages.Link(each.tab, page.people_url(role=each.role.value), role == each.role.value)
                for each in spec.roles
                if each.tab
            ),
        ],
        form=form or pages.Form(),
        rules=_RULES,
        registration=pages.Form({"registration": people.registration().value}),
        needs_password=page.needs_password,
        **context,
    )


@router.post("")
def submit_people(
    page: AdminPage, query: pages.ListQueryParameters, form: pages.PostedForm
) -> Response:
    """Save who may register, or the roles of several people as far as possible.

    `role.ID` is the chosen role of a person, who was shown with `was.ID` and `revision.ID`. The
    button `approve` gives everyone who waits the role of a member.
    """
    if form.value("registration"):
        return page.submit(
            form,
            RegistrationForm,
            partial(_save_registration, page),
            partial(show_people, page, query, ""),
        )
    people, saved, errors = page.people, list[Any](), dict[str, str]()
    for field in [name for name in form.values if name.startswith("was.")]:
        who, was = field.removeprefix("was."), form.value(field)
        chosen = form.value(f"role.{who}") or was
        if form.value("approve") and chosen == people.waiting:
            chosen = people.member.value
        if chosen == was:
            continue
        try:
            saved.append(_save_role(page, who, chosen, form))
        except (RequestRejected, pages.RevisionConflict) as error:
            errors[f"role.{who}"] = Phrase(
                "%(name)s: %(reason)s", name=who, reason=Phrase(str(error))
            )
    if not errors:
        text = Phrase("%(count)s role saved.", "%(count)s roles saved.", count=len(saved))
        back = form.value("role")
        return page.redirect(page.people_url(**({"role": back} if back else {})), text)
    reasons = " ".join(map(page.language.gettext, errors.values()))
    summary = Phrase("Not saved: %(reasons)s", reasons=reasons)
    if saved:
        summary = Phrase("%(count)s saved. %(rest)s", count=len(saved), rest=summary)
    return show_people(page, query, form.value("role"), form.with_errors(summary), 422)


def _save_role(
    page: MemberPage, who: str, chosen: str, form: pages.Form, field: str = CURRENT_PASSWORD
) -> Any:
    people = page.people
    allowed = people.allowed_roles(page.user, people.get_person(page.user, who))
    role = next((each for each in allowed if each.value == chosen), None)
    if role is None:
        raise InvalidInput({"role": "Choose one of the options."})
    if people.manages_accounts(role):
        page.check_password(form, field)
    check = pages.Form({"revision": form.value(f"revision.{who}")}).revision_check()
    return people.change_role(page.user, who, role, check)


class RegistrationForm(BaseModel):
    """The registration setting."""

    registration: Registration


def _save_registration(page: MemberPage, values: RegistrationForm) -> Response:
    page.people.set_registration(page.user, values.registration)
    return page.redirect(page.people_url(), "Saved.")


# ------------------------------------------------------------------------------ invitations


class InvitationForm(BaseModel):
    """Someone to invite, with a role."""

    username: str = ""
    name: str
    email: str
    role: str


@invitations.api_route("/invite", methods=pages.FORM_METHODS)
def invite(page: AdminPage, form: pages.PostedForm) -> Response:
    """Create an account, and send an e-mail to choose a password."""
    spec, people = page.spec, page.people
    roles = [each.role for each in spec.roles if each.role != people.waiting]

    def act(values: InvitationForm) -> Response:
        role = next((each for each in roles if each.value == values.role), None)
        if role is None:
            raise InvalidInput({"role": "Choose one of the options."})
        if people.manages_accounts(role):
            page.check_password(form)
        sent = values.model_dump(exclude=None if people.has_usernames else {"username"})
        return _redirect_invited(page, people.invite(page.user, **{**sent, "role": role}))

    def show(form: pages.Form, status: int) -> Response:
        needs_password = page.needs_password
        choices = spec.choices(roles)
        return page.render(
            "invite", status, form=form, roles=choices, needs_password=needs_password
        )

    return page.fill(form, pages.Form({"role": people.member.value}), InvitationForm, act, show)


@invitations.post("/{who}/invite")
def invite_again(page: AdminPage, who: Who, form: pages.PostedForm) -> Response:
    """Send another link to someone who has never signed in."""

    def act(_: pages.ConfirmForm) -> Response:
        return _redirect_invited(page, page.people.invite_again(page.user, who))

    return page.submit(form, pages.ConfirmForm, act, partial(_show_person, page, who))


def _redirect_invited(page: MemberPage, invitation: Invitation[Any]) -> Response:
    user = invitation.user
    text = "We’ve e-mailed %(email)s a link to choose a password. It works for a week."
    flash = pages.Flash(Phrase(text, email=user.email))
    if not invitation.is_sent:
        text = (
            "%(name)s has an account, but the e-mail to %(email)s could not be sent. Try again "
            "later."
        )
        flash = pages.Flash(Phrase(text, name=user.name, email=user.email), "warning")
    return page.redirect(page.person_url(user), flash)


# ------------------------------------------------------------------------------ one person


class ProfileForm(BaseModel):
    """A name and an e-mail address."""

    name: str
    email: Annotated[str, StringConstraints(strip_whitespace=True)] | None = None


def profile_form(page: MemberPage, user: Any) -> pages.Form:
    """Return the form with someone's name and e-mail address."""
    account = page.auth.account_of(user)
    return pages.Form({"name": account.name, "email": account.email, "revision": user.revision})


def save_profile(
    page: MemberPage, user: Any, values: ProfileForm, form: pages.Form
) -> tuple[Any, str]:
    """Save a name and an address. Return the person, and what to tell about a new address."""
    people, before = page.people, page.auth.account_of(user).email
    if values.email not in (None, before):
        page.check_password(form)
    edited = people.edit_person(
        page.user,
        people.url_part(user),
        name=values.name,
        email=values.email,
        check=form.revision_check(),
    )
    is_saved = not values.email or values.email == page.auth.account_of(edited).email
    return edited, "" if is_saved else address_sent(values.email or "")


@person_router.get("/{who}")
def show_person(page: AdminPage, who: Who) -> Response:
    """Show a person, with forms for the changes that the viewer may make."""
    return _show_person(page, who)


@profiles.post("/{who}")
def submit_person(page: AdminPage, who: Who, form: pages.PostedForm) -> Response:
    """Save a person's name and e-mail address."""

    def act(values: ProfileForm) -> Response:
        person = page.people.get_person(page.user, who)
        edited, text = save_profile(page, person, values, form)
        return page.redirect(
            page.person_url(edited), text or Phrase("%(name)s saved.", name=edited.name)
        )

    def show(form: pages.Form, status: int) -> Response:
        return _show_person(page, who, status=status, profile=form)

    return page.submit(form, ProfileForm, act, show)


def _show_person(
    page: MemberPage,
    who: str,
    role: pages.Form | None = None,
    status: int = 200,
    *,
    profile: pages.Form | None = None,
) -> Response:
    spec, people = page.spec, page.people
    person = people.get_person(page.user, who)
    is_self = page.is_self(person)
    return page.render(
        "person",
        status,
        person=person,
        is_self=is_self,
        has_owner=page.auth.has_owner(person),
        roles=spec.choices(people.allowed_roles(page.user, person)),
        can_edit=people.edits_profiles and not is_self and people.may_edit(page.user, person),
        can_remove=people.may_edit(page.user, person),
        why_kept=people.why_kept(page.user, person),
        profile=profile or profile_form(page, person),
        role=role or pages.Form({"role": person.role.value, "revision": person.revision}),
        role_name=spec.name_of(person.role),
        url=page.person_url(person),
        needs_password=page.needs_password,
    )


class RoleForm(BaseModel):
    """A new role."""

    role: str


@person_router.post("/{who}/role")
def submit_role(page: AdminPage, who: Who, form: pages.PostedForm) -> Response:
    """Change a role."""

    def act(values: RoleForm) -> Response:
        try:
            key = {f"revision.{who}": form.value("revision")}
            changed = _save_role(
                page, who, values.role, pages.Form({**form.values, **key}), "role_password"
            )
        except NotPermitted as error:
            raise InvalidInput({"role": str(error)}) from error
        role = Phrase(page.spec.name_of(changed.role))
        if page.is_self(changed) and not page.people.manages_accounts(changed.role):
            return page.redirect(page.urls.home, Phrase("Your role: %(role)s.", role=role))
        text = Phrase("%(name)s’s role: %(role)s.", name=changed.name, role=role)
        return page.redirect(page.person_url(changed), text)

    return page.submit(form, RoleForm, act, partial(_show_person, page, who))


@pages.confirm(removal, "/{who}/remove")
def remove_person(page: AdminPage, who: Who) -> pages.ConfirmedAction | Response:
    """Remove an account."""
    people = page.people
    person = people.get_person(page.user, who)
    is_self = page.is_self(person)
    if is_self and page.spec.removal.own_facts:
        return page.redirect(page.url("account", "delete"))
    people.check_removable(page.user, person)

    def remove(form: pages.Form) -> None:
        people.remove(page.user, who, form.revision_check())
        if is_self:
            page.cookies.forget(page.request)

    return pages.ConfirmedAction(
        page,
        title="Remove your account?" if is_self else Phrase("Remove %(name)s?", name=person.name),
        text="This can’t be undone.",
        facts=page.spec.removal.facts,
        button="Remove account",
        back=page.person_url(person),
        needs_password=True,
        revision=person.revision,
        do=remove,
        to=page.url("sign-in") if is_self else page.people_url(),
        done="Your account is removed."
        if is_self
        else Phrase("%(name)s was removed.", name=person.name),
    )
