"""All apps, opened one after the other: each in a folder of its own, or all where one is named."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from singletable_apps.front.finding import Found
from singletable_apps.shared.doors import Door, Opened, Opening
from singletable_apps.shared.errors import AppError
from singletable_apps.shared.serving.addresses import driver_at
from singletable_apps.shared.serving.public import Public
from singletable_apps.shared.serving.refusing import REFUSALS


class NotOpened(AppError):
    """An app cannot be opened, so none is served."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What an operator wishes of all apps: see `Opening`."""

    at: str | None = None
    sample: bool = False
    letters: bool = False
    smtp: str | None = None


@dataclass(frozen=True, slots=True)
class Served:
    """An app that is open, and how it is shown."""

    door: Door
    opened: Opened


@contextmanager
def opened_apps(
    apps: Iterable[Found], folder: Path, public: Public, wishes: Wishes
) -> Generator[tuple[Served, ...]]:
    """The apps, until the end; if one cannot be opened, those before it are closed again."""
    with ExitStack() as stack:
        # A file is open once in a process, so all apps share what is at an address.
        driver = stack.enter_context(driver_at(wishes.at)) if wishes.at is not None else None
        served: list[Served] = []
        for app in apps:
            opening = Opening(
                folder / app.folder,
                public,
                wishes.at,
                driver,
                wishes.sample,
                wishes.letters,
                wishes.smtp,
            )
            try:
                opened = stack.enter_context(app.opened(opening))
            except REFUSALS as refusal:
                raise NotOpened(f"{app.door.name} cannot be opened. {refusal}") from refusal
            served.append(Served(app.door, opened))
        yield tuple(served)
