"""People: who there is, found by name, and one of them."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel

from singletable_apps.elections.api.dependencies import NameInPath
from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import NotPermitted, Rejected
from singletable_apps.elections.pages.dependencies import Viewer
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.urls import url
from singletable_apps.elections.roles import ROLE_DESCRIPTIONS, ROLE_NAMES, Role
from singletable_apps.elections.rules.users import (
    check_edit_user,
    check_remove_user,
    check_role_change,
)
from singletable_apps.shared.pages import Form, PostedForm, RevisionConflict, local_url

router = APIRouter()
A_PAGE = 30
LONGEST = 200


@router.get("/people")
def list_people(
    request: Request,
    site: ThisSite,
    user: Viewer,
    q: str = "",
    cursor: Annotated[str | None, Query(min_length=1, max_length=4000)] = None,
) -> Response:
    """Everybody by name, or those whose names begin so."""
    wanted = " ".join(q.split())[:LONGEST]
    found, following = site.elections.queries.users(user, A_PAGE, cursor, beginning=wanted)
    asked = {"q": wanted} if wanted else {}
    here = {**asked, "cursor": cursor} if cursor else asked
    first = url("people") + (f"?{urlencode(asked)}" if asked else "")
    return site.pages.render(
        request,
        "elections/people.html",
        user=user,
        people=found,
        role_names=ROLE_NAMES,
        role_words=ROLE_DESCRIPTIONS,
        total=site.elections.queries.counts(user).user_count,
        q=wanted,
        address=url,
        here_again=f"{url('people')}?{urlencode(here)}" if here else url("people"),
        first=first if cursor else "",
        next=f"{url('people')}?{urlencode({**asked, 'cursor': following})}" if following else "",
    )


@router.get("/people/{name}")
def show_person(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """One of them, and what can be done."""
    return person_page(request, site, user, name)


class Details(BaseModel):
    """A name and an address."""

    name: str
    email: str


@router.post("/people/{name}")
def edit_person(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, form: PostedForm
) -> Response:
    """Another name, another address, or both; all that bears the name follows."""
    typed = form.validate(Details)
    if isinstance(typed, Form):
        return person_page(request, site, user, name, 422, details=typed)
    try:
        edited = site.elections.people.edit(
            user, name, name=typed.name, address=typed.email, basis=form.revision_check()
        )
    except RevisionConflict as refusal:
        now = site.elections.context.read.get_user(name)
        words = f"{refusal} It is now {now.name}, {now.email}. Save again to replace that."
        return person_page(request, site, user, name, 412, details=form.with_errors(words))
    except NotPermitted:
        raise
    except Rejected as refusal:
        if refusal.field == "user":
            raise
        fault = form.with_errors(**{refusal.field or "": str(refusal)})
        return person_page(request, site, user, name, 422, details=fault)
    return site.pages.redirect(request, url("people", edited.name), f"{edited.name} is saved.")


def person_page(
    request: Request,
    site: Site,
    user: User,
    name: str,
    status: int = 200,
    *,
    details: Form | None = None,
    role: Form | None = None,
) -> Response:
    """The page of one person, with forms as they were typed."""
    found = site.elections.queries.user(user, name)
    person = found.user
    return site.pages.render(
        request,
        "elections/person.html",
        status,
        user=user,
        person=person,
        is_self=person.user_id == user.user_id,
        may_edit=_may_edit(user, person),
        roles=[(one, ROLE_NAMES[one], ROLE_DESCRIPTIONS[one]) for one in found.allowed_roles],
        role_name=ROLE_NAMES[person.role],
        role_words=ROLE_DESCRIPTIONS[person.role],
        details=details or Form({"name": person.name, "email": person.email}),
        role=role or Form({"role": person.role.value}),
        to=url("people", person.name),
        people=url("people"),
    )


def _may_edit(user: User, person: User) -> bool:
    try:
        check_edit_user(user, person)
    except NotPermitted:
        return False
    return True


class Appointment(BaseModel):
    """A role, and where one came from."""

    role: Role
    back: str = ""


@router.post("/people/{name}/role")
def change_role(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, form: PostedForm
) -> Response:
    """Another role; for the ownership one is asked first, for it is given away."""
    typed = form.validate(Appointment)
    if isinstance(typed, Form):
        return person_page(request, site, user, name, 422, role=typed)
    if typed.role is Role.OWNER:
        return site.pages.redirect(request, url("people", name, "owner"))
    try:
        changed = site.elections.people.change_role(user, name, typed.role, form.revision_check())
    except RevisionConflict as refusal:
        now = site.elections.context.read.get_user(name)
        words = f"{refusal} The role is now {ROLE_NAMES[now.role]}. Save again to replace that."
        return person_page(request, site, user, name, 412, role=form.with_errors(words))
    except NotPermitted as refusal:
        return person_page(request, site, user, name, 422, role=form.with_errors(role=str(refusal)))
    back = local_url(typed.back, url("people", changed.name))
    return site.pages.redirect(request, back, f"{changed.name} is now: {ROLE_NAMES[changed.role]}.")


@router.get("/people/{name}/owner")
def ask_to_transfer(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """What it means to make somebody else the owner."""
    person = site.elections.queries.user(user, name).user
    check_role_change(user, person, Role.OWNER)
    return _transfer_page(request, site, person)


@router.post("/people/{name}/owner")
def transfer(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, form: PostedForm
) -> Response:
    """Make somebody else the owner, and oneself an auditor."""
    try:
        owner = site.elections.people.change_role(user, name, Role.OWNER, form.revision_check())
    except RevisionConflict as refusal:
        person = site.elections.queries.user(user, name).user
        return _transfer_page(request, site, person, str(refusal))
    return site.pages.redirect(
        request,
        url("people", owner.name),
        f"{owner.name} is the owner now, and you are an auditor.",
    )


@router.get("/people/{name}/remove")
def ask_to_remove(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """What will be lost, and what stays."""
    person = site.elections.queries.user(user, name).user
    _check_removal(site, user, person)
    return _removal_page(request, site, person)


@router.post("/people/{name}/remove")
def remove(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, form: PostedForm
) -> Response:
    """Remove somebody, for good."""
    person = site.elections.queries.user(user, name).user
    if person.user_id == user.user_id:
        return site.pages.redirect(request, url("account", "delete"))
    try:
        site.elections.people.remove(user, name, form.revision_check())
    except RevisionConflict as refusal:
        person = site.elections.queries.user(user, name).user
        return _removal_page(request, site, person, str(refusal))
    return site.pages.redirect(request, url("people"), f"{person.name} is removed.")


def _check_removal(site: Site, user: User, person: User) -> None:
    counts = site.elections.queries.counts(user)
    check_remove_user(
        user, person, user_count=counts.user_count, election_count=counts.election_count
    )


def _transfer_page(request: Request, site: Site, person: User, changed: str = "") -> Response:
    return site.pages.render(
        request,
        "elections/person_owner.html",
        412 if changed else 200,
        person=person,
        role_name=ROLE_NAMES[person.role],
        changed=changed,
        to=url("people", person.name),
    )


def _removal_page(request: Request, site: Site, person: User, changed: str = "") -> Response:
    return site.pages.render(
        request,
        "elections/person_remove.html",
        412 if changed else 200,
        person=person,
        changed=changed,
        to=url("people", person.name),
    )
