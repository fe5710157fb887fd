"""Giving somebody another role, the ownership included, and removing somebody."""

from __future__ import annotations

from fastapi import Request, Response
from pydantic import BaseModel

from singletable_apps.elections.api.names import NameInPath
from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import NotPermitted
from singletable_apps.elections.pages.addresses import address
from singletable_apps.elections.pages.basing import ChangedMeanwhile, based_on
from singletable_apps.elections.pages.people import person_page
from singletable_apps.elections.pages.role_words import ROLE_NAMES
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.visiting import Viewer, page_router
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules import check_removal, check_role_change
from singletable_apps.shared.pages import Form, Typed, local_address

router = page_router()


class Appointment(BaseModel):
    """A role, and where one came from."""

    role: Role
    back: str = ""


@router.post("/people/{name}/role")
def change_role(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, form: Typed
) -> Response:
    """Another role; for the ownership one is asked first, for it is given away."""
    typed = form.read(Appointment)
    if isinstance(typed, Form):
        return person_page(request, site, user, name, 422, role=typed)
    if typed.role is Role.OWNER:
        return site.pages.redirect(address("people", name, "owner"))
    try:
        changed = site.elections.people.change_role(user, name, typed.role, based_on(form))
    except ChangedMeanwhile as refusal:
        now = site.elections.office.view.user(name)
        words = f"{refusal} The role is now {ROLE_NAMES[now.role]}. Save again to replace that."
        return person_page(request, site, user, name, 412, role=form.refused(words))
    except NotPermitted as refusal:
        return person_page(request, site, user, name, 422, role=form.refused(role=str(refusal)))
    back = local_address(typed.back, address("people", changed.name))
    return site.pages.redirect(back, f"{changed.name} is now: {ROLE_NAMES[changed.role]}.")


@router.get("/people/{name}/owner")
def ask_to_transfer(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """What it means to make somebody else the owner."""
    person = site.elections.queries.user(user, name).user
    check_role_change(user, person, Role.OWNER)
    return _transfer_page(request, site, person)


@router.post("/people/{name}/owner")
def transfer(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, form: Typed
) -> Response:
    """Make somebody else the owner, and oneself an auditor."""
    try:
        owner = site.elections.people.change_role(user, name, Role.OWNER, based_on(form))
    except ChangedMeanwhile as refusal:
        person = site.elections.queries.user(user, name).user
        return _transfer_page(request, site, person, str(refusal))
    return site.pages.redirect(
        address("people", owner.name), f"{owner.name} is the owner now, and you are an auditor."
    )


@router.get("/people/{name}/remove")
def ask_to_remove(request: Request, site: ThisSite, user: Viewer, name: NameInPath) -> Response:
    """What will be lost, and what stays."""
    person = site.elections.queries.user(user, name).user
    _check_removal(site, user, person)
    return _removal_page(request, site, person)


@router.post("/people/{name}/remove")
def remove(
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, form: Typed
) -> Response:
    """Remove somebody, for good."""
    person = site.elections.queries.user(user, name).user
    if person.user_id == user.user_id:
        return site.pages.redirect(address("account", "delete"))
    try:
        site.elections.people.remove(user, name, based_on(form))
    except ChangedMeanwhile as refusal:
        person = site.elections.queries.user(user, name).user
        return _removal_page(request, site, person, str(refusal))
    return site.pages.redirect(address("people"), f"{person.name} is removed.")


def _check_removal(site: Site, user: User, person: User) -> None:
    counts = site.elections.queries.counts(user)
    check_removal(user, person, user_count=counts.user_count, election_count=counts.election_count)


def _transfer_page(request: Request, site: Site, person: User, changed: str = "") -> Response:
    return site.pages.page(
        request,
        "elections/person_owner.html",
        412 if changed else 200,
        person=person,
        role_name=ROLE_NAMES[person.role],
        changed=changed,
        to=address("people", person.name),
    )


def _removal_page(request: Request, site: Site, person: User, changed: str = "") -> Response:
    return site.pages.page(
        request,
        "elections/person_remove.html",
        412 if changed else 200,
        person=person,
        changed=changed,
        to=address("people", person.name),
    )
