"""The home page of the whole project."""

from __future__ import annotations

from collections.abc import Iterable

from fastapi import APIRouter, Request, Response

from singletable_apps.elections.pages.role_words import ROLE_NAMES, ROLE_WORDS
from singletable_apps.elections.roles import ROLES, Role
from singletable_apps.elections.sample import PASSWORD, Person, sample_accounts
from singletable_apps.elections.service import Elections
from singletable_apps.front.code_sample import PRINTED, SAMPLE, STORED, coloured
from singletable_apps.front.finding import doors
from singletable_apps.shared.pages import Pages


def home_router(pages: Pages, elections: Elections) -> APIRouter:
    """`/`."""
    router = APIRouter()

    @router.get("/")
    def home(request: Request) -> Response:
        return pages.page(
            request,
            "front/home.html",
            apps=doors(),
            code=coloured(SAMPLE),
            printed=PRINTED,
            stored=STORED,
            accounts=one_of_each_role(sample_accounts(elections)),
            role_names=ROLE_NAMES,
            role_words=ROLE_WORDS,
            password=PASSWORD,
        )

    return router


def one_of_each_role(people: Iterable[Person]) -> list[Person]:
    """The first of each role, the greatest first: enough to see everything from every side."""
    firsts: dict[Role, Person] = {}
    for person in people:
        firsts.setdefault(person.role, person)
    return [firsts[role] for role in reversed(ROLES) if role in firsts]
