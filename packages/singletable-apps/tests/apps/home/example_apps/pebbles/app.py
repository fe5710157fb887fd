"""A complete app in one file, as small as an app can be."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, Response

from singletable import Attr, Entity, Key, Store, Table, attr
from singletable_apps.shared.apps import SampleData, SampleEntry
from singletable_apps.shared.errors import AppError
from singletable_apps.shared.frame import (
    AppProblems,
    AppSpec,
    Opening,
    PageContext,
    Urls,
    current_service,
)
from singletable_apps.shared.web import Problem, ProblemType

pebbles = Table("pebbles")
# Elections have a problem type of the same name with another title.
TAKEN = ProblemType("taken", 409, "Already taken", "Look for another pebble.")
router, page_router = APIRouter(), APIRouter()


class Pebble(Entity, table=pebbles):
    """A pebble."""

    name: Attr[str] = attr()
    key = Key(pk=("PEBBLE", name), sk="METADATA")


class PebblesLost(AppError):
    """The folder contains a stone instead of pebbles."""


@dataclass(frozen=True)
class Pebbles:
    """The service, which is its own context."""

    store: Store
    urls: Urls
    secret: bytes = bytes(32)

    @property
    def context(self) -> Pebbles:
        """Return the context of the service."""
        return self


@contextmanager
def open_pebbles(opening: Opening) -> Generator[Pebbles]:
    """Open the service."""
    if (opening.folder / "stone").exists():
        raise PebblesLost("There is a stone. Roll it away.")
    store = Store(opening.driver)
    store.admin.create_table(pebbles, if_missing=True)
    yield Pebbles(store, Urls("/pebbles", opening.public))


def _create_sample(service: Pebbles, progress: Callable[[int, int], None]) -> None:
    service.store.create(Pebble(name="gray"))


def _list_sample(service: Pebbles) -> SampleData | None:
    if service.store.get(Pebble.key("gray")) is None:
        return None
    return SampleData((SampleEntry("The gray one", "A gray pebble.", "/pebbles"),))


@router.put("/{name}", responses={409: {}})
def put_pebble(name: str, service: Annotated[Pebbles, Depends(current_service)]) -> str:
    """Add a pebble."""
    if service.store.get(Pebble.key(name)) is not None:
        raise Problem(TAKEN)
    return service.store.create(Pebble(name=name)).name


Context = PageContext[Pebbles, Urls]


@page_router.get("")
def show_pebbles(page: Annotated[Context, Depends(Context.public)]) -> Response:
    """Show an empty page."""
    return page.pages.render(page.request, "base.html")


APP = AppSpec[Pebbles](
    tagline="Small stones.",
    about="Small stones.",
    folder=Path(__file__).parent,
    picture=lambda: ('<svg class="p"></svg>', "A pebble", ".p{}"),
    open=open_pebbles,
    description="Pebbles over HTTP.",
    routers=(router,),
    pages=(page_router,),
    problems=AppProblems(others=[TAKEN]),
    sample=_create_sample,
    list_sample=_list_sample,
    warning="Do not throw them.",
)
