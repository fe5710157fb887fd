"""How an app is found at the front, and opened there: by the module `door` of its package.

It has two functions, and nothing is registered anywhere:

    def door() -> Door: …
    def opened(site: Opening) -> AbstractContextManager[Opened]: …
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from starlette.types import ASGIApp

from singletable import Driver
from singletable_apps.shared.serve import PublicUrl, open_driver


@dataclass(frozen=True, slots=True)
class AppInfo:
    """An app's name, a sentence about it, where it begins, and a picture.

    `picture` is SVG with classes and no styles, which `picture_style` gives; `picture_words` say
    the same.
    """

    name: str
    about: str
    url: str
    picture: str
    picture_alt: str
    picture_style: str = ""


@dataclass(frozen=True, slots=True)
class AppContext:
    """What an app is opened with.

    `folder` is the app's alone, and may not be there yet: keys lie in it, and tables, unless `at`
    says where else they are; `driver` is what is there, open for all apps. `sample` asks for sample
    data where nothing is yet. `letters` are to be printed; `smtp` names a mail server.
    """

    folder: Path
    public: PublicUrl
    address: str | None = None
    driver: Driver | None = None
    sample: bool = False
    print_emails: bool = False
    smtp: str | None = None

    @property
    def needs_sample(self) -> bool:
        """Whether a sample is to be made: where tables are elsewhere, they are not ours to fill."""
        return self.sample and self.address is None and not self.folder.exists()

    def address_of(self, file: str) -> str:
        """Where the tables are: in a file of this name, if not elsewhere."""
        return self.address or f"file:{self.folder / file}"

    @contextmanager
    def connect(self, file: str) -> Generator[Driver]:
        """The driver of the tables; one of the app's own is closed at the end."""
        if self.driver is not None:
            yield self.driver
            return
        with open_driver(self.address_of(file)) as driver:
            yield driver


@dataclass(frozen=True, slots=True)
class SampleEntry:
    """A way into sample data: `sends` is what a form sends there, and without it it is a link.

    `before` is what stands before the name for those who do not see where it stands: "Sign in as".
    """

    name: str
    about: str
    url: str
    form: Mapping[str, str] = field(default_factory=dict[str, str])
    label_prefix: str = ""


@dataclass(frozen=True, slots=True)
class SampleData:
    """What there is to try: a heading, ways in, and the password of all who have one."""

    title: str
    entries: tuple[SampleEntry, ...]
    password: str = ""


def _no_sample() -> SampleData | None:
    return None


@dataclass(frozen=True, slots=True)
class RunningApp:
    """An app that is open, with all its own conventions.

    It answers what is under its `prefixes`, which are whole segments; `*` is any one segment:
    `/polls`, `/api/polls`, `/static/*/polls`. Its API is under `api`, and described there. `places`
    say where things are kept, such as ("tables", "file:polls.db"); `warning` says what must not be
    lost. `sample()` is what there is to try, now.
    """

    app: ASGIApp
    prefixes: tuple[str, ...]
    api: str
    locations: tuple[tuple[str, str], ...] = ()
    warning: str = ""
    sample: Callable[[], SampleData | None] = _no_sample
