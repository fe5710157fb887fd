"""How pebbles are shown at the front, and opened there."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from fastapi import APIRouter, FastAPI, Request, Response

from singletable import Attr, Driver, Entity, Key, Store, Table, attr
from singletable_apps.shared.doors import Door, Entrance, Opened, Opening, Sample
from singletable_apps.shared.errors import AppError
from singletable_apps.shared.pages import Pages
from singletable_apps.shared.serving.addresses import driver_at
from singletable_apps.shared.serving.drafting import drafted
from singletable_apps.shared.web import Kind, Problem, Settings, make_app

pebbles = Table("pebbles")
FILE = "pebbles.db"
# Elections have a kind of this name, too, which says something else.
TAKEN = Kind("taken", 409, "Somebody took it", "Look for another pebble.")


class Pebble(Entity, table=pebbles):
    """A pebble."""

    name: Attr[str] = attr()
    key = Key(pk=("PEBBLE", name), sk="METADATA")


class PebblesLost(AppError):
    """There is a stone where pebbles should be."""


def door() -> Door:
    """How pebbles are shown."""
    return Door("Pebbles", "Small stones.", "/pebbles", '<svg class="p"></svg>', "A pebble", ".p{}")


@contextmanager
def opened(site: Opening) -> Generator[Opened]:
    """Pebbles, until the end."""
    if (site.folder / "stone").exists():
        raise PebblesLost("There is a stone. Roll it away.")
    if site.wants_sample:
        with drafted(site.folder) as draft, driver_at(f"file:{draft / FILE}") as driver:
            _store(driver).create(Pebble(name="grey"))
    with site.connected(FILE) as driver:
        store = _store(driver)
        yield Opened(
            _app(store, site.public.settings()),
            prefixes=("/pebbles", "/api/pebbles", "/static/*/pebbles"),
            api="/api/pebbles",
            places=(("stones", site.address(FILE)),),
            warning="Do not throw them.",
            sample=lambda: _sample(store),
        )


def _store(driver: Driver) -> Store:
    store = Store(driver)
    store.admin.create_table(pebbles, if_missing=True)
    return store


def _sample(store: Store) -> Sample | None:
    if store.get(Pebble.key("grey")) is None:
        return None
    return Sample("Look at a pebble", (Entrance("The grey one", "It lies there.", "/pebbles"),))


def _app(store: Store, settings: Settings) -> FastAPI:
    router = APIRouter()

    @router.put("/{name}", responses={409: {}})
    def put(name: str) -> str:
        if store.get(Pebble.key(name)) is not None:
            raise Problem(TAKEN)
        return store.create(Pebble(name=name)).name

    made = {"grey.css": "p{}"}
    pages = Pages("pebbles", secret=bytes(32), prefix="/pebbles", made=made, secure_cookies=False)
    home = APIRouter()

    @home.get("/pebbles")
    def look(request: Request) -> Response:
        return pages.page(request, "base.html")

    app = make_app(
        "Pebbles",
        "1",
        routers=[router],
        pages=[home],
        prefix="/api/pebbles",
        kinds=[TAKEN],
        settings=settings,
    )
    pages.serve(app)
    return app
