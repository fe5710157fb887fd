"""An app as one declaration, `AppSpec`: the site, its web app and its commands follow from it.

`singletable serve` finds every package in `singletable_apps` that has a module `app` with `APP`.
Nothing is registered anywhere:

    APP = AppSpec[NotesService](
        name="notes",
        title="Notes",
        tagline="Take notes.",
        about="Notes with pictures, for you and your friends.",
        folder=Path(__file__).parent,
        picture_alt="A note",
        open=open_service,
        description="Notes over HTTP.",
        routers=(notes.router,),
        pages=(pages.router,),
        limits={"create": (60, 3600)},
    )

The pages are under `/notes` and the API under `/api/notes`. `folder` has `templates/`, `static/`,
`picture.svg` and `picture.css`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from fastapi import APIRouter, FastAPI, Request, Response
from starlette.responses import RedirectResponse

from singletable import Driver, Store, Table
from singletable_apps.shared.accounts import Auth
from singletable_apps.shared.apps import AppContext, AppInfo, RunningApp, SampleData, serve_app
from singletable_apps.shared.email_delivery import EmailDelivery, email_delivery
from singletable_apps.shared.frame.problems import AppProblems
from singletable_apps.shared.frame.state import AppService, AppState
from singletable_apps.shared.key_files import create_folder, load_key_file
from singletable_apps.shared.mail import Outbox
from singletable_apps.shared.pages import Pages, ProblemPage, Product, SessionCookies
from singletable_apps.shared.sealed import derive_key
from singletable_apps.shared.serve import (
    ListenOptions,
    PublicUrl,
    file_errors,
    listen,
    new_folder,
    open_driver,
    progress_bar,
)
from singletable_apps.shared.service import Context
from singletable_apps.shared.urls import LOCAL, Urls
from singletable_apps.shared.web import (
    ProblemMember,
    ProblemType,
    RateLimit,
    Settings,
    make_app,
)

S = TypeVar("S", bound=AppService)
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Opening:
    """What an app is opened with.

    `keys` is the file or the folder of its secrets, and `public` the origin of the server. An app
    that is `alone` is not behind the home page. `options` are the app's own options of `serve`.
    """

    driver: Driver
    keys: Path
    public: str = LOCAL
    emails: EmailDelivery = field(default_factory=EmailDelivery)
    alone: bool = False
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def load_secret(self, purpose: str) -> bytes:
        """Load the secret from the file `keys`, which is created if it is missing."""
        with file_errors(self.keys.parent):
            create_folder(self.keys.parent)
        return load_key_file(self.keys, purpose)

    def make_context(self, urls: Urls, *tables: Table, names: Mapping[Table, str]) -> Context:
        """Open the store and create its tables if they are missing; `names` has that of sessions.

        E-mails go to the outbox in the table of sessions, unless there is a mail server.
        """
        secret = self.load_secret("for sessions")
        store = Store(self.driver, tables=names, cursor_secret=derive_key(secret, "cursors"))
        for table in (*tables, *names):
            store.admin.create_table(table, if_missing=True)
        mailer = self.emails.mailer(Outbox(store))
        confirms = self.emails.server is not None
        return Context(store, secret, mailer, urls, confirm_addresses=confirms)


def _no_context(_: Request, service: AppService) -> Mapping[str, object]:
    return {"urls": service.context.urls}


@dataclass(frozen=True, kw_only=True)
class AppSpec(Generic[S]):
    """An app with the service `S`.

    `about` is on the home page, `tagline` in the pages, `description` in the documentation of the
    API. `open` opens the service; `keys` names its secrets in the folder of the app. `secret` signs
    what browsers keep. `limits` has the quota and the seconds of each rate limit, `uploads` the
    largest body of a form by the path of a page, with the default prefix. `home` is the router of
    the path "" of an app that may also be at the root of a host, where no router can have it.
    `sample` fills an empty service, `list_sample` returns what is left of that; the command prints
    `sample_note`. `locations` lists where data is stored besides the tables and keys. `outbox` are
    the tables of an app that sends e-mails. While there is no account, `setup_url` leads to the
    first one. `command` is how the commands are called, if not `singletable NAME`.
    """

    name: str
    title: str
    tagline: str
    about: str
    folder: Path
    open: Callable[[Opening], AbstractContextManager[S]]
    description: str
    routers: Sequence[APIRouter]
    pages: Sequence[APIRouter]
    secret: Callable[[S], bytes]
    home: APIRouter | None = None
    picture_alt: str = ""
    picture: Callable[[], tuple[str, str, str]] | None = None
    auth: Callable[[S], Auth[Any]] | None = None
    state: type[AppState[S]] = AppState
    context: Callable[[Request, S], Mapping[str, object]] = _no_context
    problems: AppProblems = field(default_factory=AppProblems)
    problem_types: Sequence[ProblemType] = ()
    problem_members: Mapping[str, ProblemMember] = field(default_factory=dict[str, ProblemMember])
    problem_pages: Mapping[ProblemType, ProblemPage] = field(
        default_factory=dict[ProblemType, ProblemPage]
    )
    limits: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    uploads: Mapping[str, int] = field(default_factory=dict[str, int])
    body_limit: int | None = None
    generated_files: Mapping[str, str] = field(default_factory=dict[str, str])
    templates: Sequence[Path] = ()
    sign_in: Callable[[Urls], str] | None = None
    keys: str = "secret.key"
    sample: Callable[[S, Progress], None] | None = None
    sample_title: str = "Creating sample data"
    sample_note: str = ""
    list_sample: Callable[[S], SampleData | None] = lambda service: None
    setup_url: Callable[[S], str] = lambda service: ""
    locations: Callable[[S, Opening], Sequence[tuple[str, str]]] = lambda service, opening: ()
    warning: str = ""
    outbox: Mapping[Table, str] | None = None
    command: str = ""

    @property
    def prefix(self) -> str:
        """The path of the pages."""
        return f"/{self.name}"

    @property
    def api(self) -> str:
        """The path of the API."""
        return f"/api/{self.name}"

    def command_line(self, arguments: str) -> str:
        """Return a command of the app, as people type it."""
        return f"{self.command or f'singletable {self.name}'} {arguments}"

    def make_limits(self) -> dict[str, RateLimit | None]:
        """Return the rate limits by name."""
        return {
            name: RateLimit(name.replace("_", "-"), quota, seconds)
            for name, (quota, seconds) in self.limits.items()
        }

    def make_app(
        self, service: S, settings: Settings | None = None, *, limited: bool = True
    ) -> FastAPI:
        """Return the web app with the API and the pages; `/` redirects to the pages."""
        urls = service.context.urls
        app = self._make_api(settings or Settings(), urls)
        state = self._make_state(service, urls, limited=limited)
        state.attach(app)
        at_prefix = [self.home] if self.home is not None and urls.prefix else []
        for router in (*self.pages, *at_prefix):
            app.include_router(router, prefix=urls.prefix, include_in_schema=False)
        state.pages.mount(app)
        if urls.prefix:

            @app.get("/", include_in_schema=False)
            def redirect_to_pages() -> Response:
                return RedirectResponse(urls.prefix, 303)

        return app

    def _make_api(self, settings: Settings, urls: Urls) -> FastAPI:
        at = f"^{self.prefix}"
        uploads = {re.sub(at, urls.prefix, path): size for path, size in self.uploads.items()}
        chosen = replace(settings, uploads={**uploads, **settings.uploads})
        if self.body_limit is not None:
            chosen = replace(chosen, body_limit=self.body_limit)
        return make_app(
            self.title,
            version("singletable"),
            routers=self.routers,
            prefix=self.api,
            description=self.description,
            problem_types=self.problem_types,
            problem_members=self.problem_members,
            errors=self.problems.handlers(),
            settings=chosen,
        )

    def _make_state(self, service: S, urls: Urls, *, limited: bool) -> AppState[S]:
        pages = Pages(
            self.name,
            self.folder,
            secret=self.secret(service),
            product=Product(self.title, urls.page(), self.tagline),
            prefix=urls.prefix,
            sign_in=None if self.sign_in is None else self.sign_in(urls),
            context=lambda request: self.context(request, service),
            generated_files=self.generated_files,
            templates=self.templates,
            problem_pages=self.problem_pages,
        )
        limits = self.make_limits() if limited else dict.fromkeys(self.limits)
        return self.state(service, pages, limits, SessionCookies(self.name), self.auth)

    def app_info(self) -> AppInfo:
        """Return the entry on the home page."""
        if self.picture is not None:
            picture, alt, style = self.picture()
        else:
            picture, style = (
                (self.folder / f"picture.{kind}").read_text("utf-8") for kind in ("svg", "css")
            )
            alt = self.picture_alt
        return AppInfo(self.title, self.about, self.prefix, picture, alt, style)

    @contextmanager
    def open_app(self, context: AppContext) -> Generator[RunningApp]:
        """Open the app for the home page, creating sample data first if it is wanted."""
        file = f"{self.name}.db"
        if context.needs_sample:
            with new_folder(context.folder) as folder:
                keys = folder / self.keys
                self.create_sample(f"file:{folder / file}", keys, context.public.url)
        emails = email_delivery(print_emails=context.print_emails, smtp=context.smtp)
        with context.connect(file) as driver:
            opening = Opening(driver, context.folder / self.keys, context.public.url, emails)
            with self.open(opening) as service:
                address = context.address_of(file)
                yield self.run(service, opening, address, context.public)

    def create_sample(
        self,
        address: str,
        keys: Path,
        public: str = LOCAL,
        options: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Fill tables with sample data."""
        if self.sample is None:
            raise TypeError(f"Expected AppSpec(sample=…) of {self.name}.")
        with (
            open_driver(address) as driver,
            self.open(Opening(driver, keys, public, options=options)) as service,
            progress_bar(self.sample_title) as progress,
        ):
            self.sample(service, progress)

    def run(self, service: S, opening: Opening, address: str, public: PublicUrl) -> RunningApp:
        """Return the running app of an open service."""
        urls = service.context.urls
        outbox = self.command_line(f"outbox --address {address}")
        emails = [("e-mails", opening.emails.describe(outbox))] if self.outbox else []
        keys = "secret" if self.keys == "secret.key" else "keys"
        return RunningApp(
            self.make_app(service, public.settings()),
            prefixes=(urls.prefix or self.prefix, self.api, f"/static/*/{self.name}"),
            api=self.api,
            locations=(
                ("tables", address),
                *self.locations(service, opening),
                *emails,
                (keys, str(opening.keys.resolve())),
            ),
            warning=self.warning,
            sample=lambda: self.list_sample(service),
            setup_url=self.setup_url(service),
        )

    def serve(
        self,
        address: str,
        keys: Path,
        listening: ListenOptions,
        emails: EmailDelivery,
        options: Mapping[str, Any],
    ) -> None:
        """Serve the app alone until the process is stopped."""
        with listen(listening) as (listener, url, public), open_driver(address) as driver:
            opening = Opening(driver, keys, public.url, emails, alone=True, options=options)
            with self.open(opening) as service:
                running = self.run(service, opening, address, public)
                path = service.context.urls.prefix
                serve_app(self.title, path, running, listener, url, public)
