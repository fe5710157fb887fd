"""A gallery at `/parts` that shows every component of the pages."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from pathlib import Path

from fastapi import APIRouter, FastAPI, Request, Response

from ranked_ballots import Ballots, Ranking, instant_runoff, schulze
from ranked_ballots.pictures import STYLESHEET, Picture, draw_pictures
from singletable_apps.shared.accounts import Session
from singletable_apps.shared.charts import ChartBar, ChartPart, DayChart, Series, StackedChart
from singletable_apps.shared.pages import (
    Confirmation,
    Form,
    Link,
    ListQueryParameters,
    Pages,
    PostedForm,
    Product,
)
from singletable_apps.shared.web import Settings, make_app

NAMES = ("Ada Lovelace", "Emmy Noether", "Grace Hopper", "Mary Somerville")
PEOPLE = list(zip(NAMES, ("Owner", "Auditor", "Voter", "Voter"), (1204, 87, 412, 5), strict=True))
_VOTES = ((42, (0, 2, 1, 3)), (31, (1, 3, 2, 0)), (26, (2, 1, 3, 0)), (15, (3, 2, 1, 0)))


def make_gallery() -> FastAPI:
    """Return an app with the gallery."""
    pages = Pages(
        "parts",
        secret=b"a secret of thirty-two bytes or more",
        product=Product("Elections", "/parts", "Elections by ranking that everyone can check."),
        context=lambda request: {
            "nav": [
                Link("Elections", "/elections"),
                Link("People", "/people"),
                Link("Parts", "/parts", is_current=True),
                Link("Audit", "/audit"),
            ],
            "account": "Ada Lovelace",
            "account_links": [Link("Your account", "/account"), Link("Your ballots", "/ballots")],
            "links": [Link("About", "/about"), Link("API", "/api/docs")],
        },
        generated_files={"pictures.css": STYLESHEET},
        templates=[Path(__file__).parent / "templates"],
    )
    settings = Settings(uploads={"/parts": 1 << 16})
    app = make_app("Parts", "1", routers=[], prefix="/api", settings=settings)
    app.include_router(_gallery_router(pages))
    pages.mount(app)
    return app


def _gallery_router(pages: Pages) -> APIRouter:
    """Return the routes of the gallery."""
    router = APIRouter()

    @router.get("/parts")
    def show_gallery(request: Request, query: ListQueryParameters) -> Response:
        found = query.apply(
            PEOPLE,
            text=lambda person: person[0],
            columns={
                "name": lambda person: person[0],
                "role": lambda person: person[1],
                "ballots": lambda person: person[2],
            },
            limit=3,
        )
        return pages.render(request, "parts.html", **_examples(), found=found, people=PEOPLE)

    @router.post("/parts")
    def submit(request: Request, form: PostedForm) -> Response:
        return pages.redirect(request, "/parts", "Saved. This is a flash message.")

    @router.get("/parts/delete")
    def confirm_delete(request: Request) -> Response:
        confirmation = Confirmation(
            title="Delete “Board 2027”?",
            text="The 114 ballots cast so far and the list of voters will be deleted too. "
            "You can’t undo this.",
            button="Delete the election",
            url="/parts",
            back="/parts",
        )
        return pages.render(request, "confirm.html", confirmation=confirmation)

    return router


def _examples() -> dict[str, object]:
    opens = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)
    form = Form(
        {
            "name": "Board 2027",
            "opens": opens,
            "method": "schulze",
            "secret": True,
            "seats": 3,
            "emails": ["opens", "closes"],
        }
    )
    invalid = Form(
        {"title": "Board 2027", "places": "-1"},
        {"title": "This name is taken.", "places": "Enter 1 or more."},
    )
    return {
        "confirmation": Confirmation(
            title="Close the election now?",
            text="No one can vote afterwards, and the results are published at once.",
            button="Close it",
            url="/parts",
            back="/parts",
            kind="primary",
        ),
        "form": form,
        "account_form": Form(),
        "sessions": [
            (_session("a", opens), "Firefox on Linux", True),
            (_session("b", opens), "Safari on an iPhone", False),
        ],
        "invalid": invalid,
        "opens": opens,
        "closes": opens + timedelta(days=14),
        "pictures": _pictures(),
        "chart": _chart(),
        "stacked": StackedChart(
            "Books by shelf",
            [ChartPart("Lent", "warning"), ChartPart("Here", "good")],
            [ChartBar("Maps", [2, 9], "9 of 11"), ChartBar("Cooking", [0, 4], "4 of 4")],
            id="stacked",
        ),
        "names": NAMES,
        "Link": Link,
    }


def _session(family: str, at: datetime) -> Session:
    return Session(subject=7, family=family, begun=at, rotated=at, ends=at)


def _chart() -> DayChart:
    days = [date(2026, 10, 17) + timedelta(days=at) for at in range(30)]
    views = [40 + at * 37 % 61 + (90 if at == 21 else 0) for at in range(30)]
    likes = [at * 5 % 7 for at in range(30)]
    return DayChart(
        "Views and likes per day", days, [Series("views", views), Series("likes", likes)]
    )


@lru_cache(maxsize=1)
def _pictures() -> dict[str, Picture]:
    groups = [
        (Ranking.from_levels([[NAMES[at]] for at in order]), count) for count, order in _VOTES
    ]
    ballots = Ballots.from_counts(NAMES, groups)
    return {**draw_pictures(schulze(ballots)), **draw_pictures(instant_runoff(ballots))}
