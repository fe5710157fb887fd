"""People: who there is, found by name, and one of them."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import Query, Request, Response
from pydantic import BaseModel

from singletable_apps.elections.api.names import NameInPath
from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import NotPermitted, Refused
from singletable_apps.elections.pages.addresses import address
from singletable_apps.elections.pages.basing import ChangedMeanwhile, based_on
from singletable_apps.elections.pages.role_words import ROLE_NAMES, ROLE_WORDS
from singletable_apps.elections.pages.site import Site, ThisSite
from singletable_apps.elections.pages.visiting import Viewer, page_router
from singletable_apps.elections.rules import check_edit
from singletable_apps.shared.pages import Form, Typed

router = page_router()
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
    first = address("people") + (f"?{urlencode(asked)}" if asked else "")
    return site.pages.page(
        request,
        "elections/people.html",
        user=user,
        people=found,
        role_names=ROLE_NAMES,
        role_words=ROLE_WORDS,
        total=site.elections.queries.counts(user).user_count,
        q=wanted,
        address=address,
        here_again=f"{address('people')}?{urlencode(here)}" if here else address("people"),
        first=first if cursor else "",
        next=f"{address('people')}?{urlencode({**asked, 'cursor': following})}"
        if following
        else "",
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
    request: Request, site: ThisSite, user: Viewer, name: NameInPath, form: Typed
) -> Response:
    """Another name, another address, or both; all that bears the name follows."""
    typed = form.read(Details)
    if isinstance(typed, Form):
        return person_page(request, site, user, name, 422, details=typed)
    try:
        edited = site.elections.people.edit(
            user, name, name=typed.name, address=typed.email, basis=based_on(form)
        )
    except ChangedMeanwhile as refusal:
        now = site.elections.office.view.user(name)
        words = f"{refusal} It is now {now.name}, {now.email}. Save again to replace that."
        return person_page(request, site, user, name, 412, details=form.refused(words))
    except NotPermitted:
        raise
    except Refused as refusal:
        if refusal.field == "user":
            raise
        fault = form.refused(**{refusal.field or "": str(refusal)})
        return person_page(request, site, user, name, 422, details=fault)
    return site.pages.redirect(address("people", edited.name), f"{edited.name} is saved.")


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
    return site.pages.page(
        request,
        "elections/person.html",
        status,
        user=user,
        person=person,
        is_self=person.user_id == user.user_id,
        may_edit=_may_edit(user, person),
        roles=[(one, ROLE_NAMES[one], ROLE_WORDS[one]) for one in found.allowed_roles],
        role_name=ROLE_NAMES[person.role],
        role_words=ROLE_WORDS[person.role],
        details=details or Form({"name": person.name, "email": person.email}),
        role=role or Form({"role": person.role.value}),
        to=address("people", person.name),
        people=address("people"),
    )


def _may_edit(user: User, person: User) -> bool:
    try:
        check_edit(user, person)
    except NotPermitted:
        return False
    return True
