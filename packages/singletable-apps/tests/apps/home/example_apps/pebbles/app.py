"""A complete app in one file, as small as an app can be."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from fastapi import APIRouter, FastAPI, Request, Response

from singletable import Attr, Driver, Entity, Key, Store, Table, attr
from singletable_apps.shared.apps import AppContext, AppInfo, RunningApp, SampleData, SampleEntry
from singletable_apps.shared.errors import AppError
from singletable_apps.shared.pages import Pages
from singletable_apps.shared.serve import new_folder, open_driver
from singletable_apps.shared.web import Problem, ProblemType, Settings, make_app

pebbles = Table("pebbles")
FILE = "pebbles.db"
# Elections have a problem type of the same name with another title.
TAKEN = ProblemType("taken", 409, "Already taken", "Look for another pebble.")


class Pebble(Entity, table=pebbles):
    """A pebble."""

    name: Attr[str] = attr()
    key = Key(pk=("PEBBLE", name), sk="METADATA")


class PebblesLost(AppError):
    """The folder contains a stone instead of pebbles."""


class Pebbles:
    """The app."""

    def app_info(self) -> AppInfo:
        """Return what the home page shows."""
        return AppInfo(
            "Pebbles", "Small stones.", "/pebbles", '<svg class="p"></svg>', "A pebble", ".p{}"
        )

    @contextmanager
    def open_app(self, context: AppContext) -> Generator[RunningApp]:
        """Open the app, with one sample pebble if the folder is new."""
        if (context.folder / "stone").exists():
            raise PebblesLost("There is a stone. Roll it away.")
        if context.needs_sample:
            with new_folder(context.folder) as draft, open_driver(f"file:{draft / FILE}") as driver:
                _store(driver).create(Pebble(name="gray"))
        with context.connect(FILE) as driver:
            store = _store(driver)
            yield RunningApp(
                _app(store, context.public.settings()),
                prefixes=("/pebbles", "/api/pebbles", "/static/*/pebbles"),
                api="/api/pebbles",
                locations=(("stones", context.address_of(FILE)),),
                warning="Do not throw them.",
                sample=lambda: _sample(store),
            )


APP = Pebbles()


def _store(driver: Driver) -> Store:
    store = Store(driver)
    store.admin.create_table(pebbles, if_missing=True)
    return store


def _sample(store: Store) -> SampleData | None:
    if store.get(Pebble.key("gray")) is None:
        return None
    return SampleData((SampleEntry("The gray one", "A gray pebble.", "/pebbles"),))


def _app(store: Store, settings: Settings) -> FastAPI:
    router = APIRouter()

    @router.put("/{name}", responses={409: {}})
    def put_pebble(name: str) -> str:
        if store.get(Pebble.key(name)) is not None:
            raise Problem(TAKEN)
        return store.create(Pebble(name=name)).name

    styles = {"gray.css": "p{}"}
    pages = Pages("pebbles", secret=bytes(32), prefix="/pebbles", generated_files=styles)
    page_router = APIRouter()

    @page_router.get("/pebbles")
    def show_pebbles(request: Request) -> Response:
        return pages.render(request, "base.html")

    app = make_app(
        "Pebbles",
        "1",
        routers=[router],
        prefix="/api/pebbles",
        problem_types=[TAKEN],
        settings=settings,
    )
    app.include_router(page_router)
    pages.mount(app)
    return app
