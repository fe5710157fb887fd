"""The page that shows every part, for who builds pages, and for tests that look at them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from fastapi import APIRouter, Request, Response

from singletable_apps.counting import Ballots, Ranking, instant_runoff, schulze
from singletable_apps.counting.pictures import STYLESHEET, Picture, draw_pictures
from singletable_apps.shared.pages.forms import Form, PostedForm
from singletable_apps.shared.pages.pages import Link, Pages

MADE = {"pictures.css": STYLESHEET}
NAMES = ("Ada Lovelace", "Emmy Noether", "Grace Hopper", "Mary Somerville")
_VOTES = ((42, (0, 2, 1, 3)), (31, (1, 3, 2, 0)), (26, (2, 1, 3, 0)), (15, (3, 2, 1, 0)))


def around(request: Request) -> dict[str, object]:
    """What stands around the page: as much as an app may have."""
    return {
        "nav": [
            Link("Elections", "/elections"),
            Link("People", "/people"),
            Link("Parts", "/parts", is_current=True),
            Link("Audit", "/audit"),
        ],
        "account": "Ada Lovelace",
        "account_links": [Link("Your account", "/account"), Link("Your ballots", "/ballots")],
        "links": [Link("About", "/about"), Link("The API", "/api/docs")],
    }


def parts_router(pages: Pages) -> APIRouter:
    """`/parts`, and what its buttons do."""
    router = APIRouter()

    @router.get("/parts")
    def parts(request: Request, q: str = "") -> Response:
        return pages.render(request, "parts.html", **_shown(), q=q, people=_people(q))

    @router.post("/parts")
    def send(request: Request, form: PostedForm) -> Response:
        return pages.redirect(request, "/parts", "Saved. This is what a toast looks like.")

    @router.get("/parts/delete")
    def ask(request: Request) -> Response:
        return pages.render(
            request,
            "confirm.html",
            question="Delete “Board 2027”?",
            words="The 114 ballots cast so far and the list of voters are deleted with it. "
            "Nobody can bring them back.",
            to="/parts",
            button="Delete the election",
            back="/parts",
        )

    return router


def _people(q: str) -> list[tuple[str, str, int]]:
    """Some people with roles and ballots, of which the name has what was typed."""
    people = zip(NAMES, ("Owner", "Auditor", "Voter", "Voter"), (1204, 87, 412, 5), strict=True)
    return [person for person in people if q.casefold() in person[0].casefold()]


def _shown() -> dict[str, object]:
    opens = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)
    form = Form(
        {
            "name": "Board 2027",
            "opens": opens,
            "method": "schulze",
            "secret": True,
            "seats": 3,
            "letters": ["opens", "closes"],
        }
    )
    faulty = Form(
        {"title": "Board 2027", "places": "-1"},
        {"title": "An election of this name is there already.", "places": "Enter 1 or more."},
    )
    return {
        "form": form,
        "faulty": faulty,
        "opens": opens,
        "closes": opens + timedelta(days=14),
        "pictures": _pictures(),
        "names": NAMES,
        "Link": Link,
    }


@lru_cache(maxsize=1)
def _pictures() -> dict[str, Picture]:
    groups = [
        (Ranking.from_levels([[NAMES[at]] for at in order]), count) for count, order in _VOTES
    ]
    ballots = Ballots.from_counts(NAMES, groups)
    return {**draw_pictures(schulze(ballots)), **draw_pictures(instant_runoff(ballots))}
