"""An app as one declaration, `AppSpec`: the site, its web app and its commands follow from it.

`singletable serve` finds every package in `singletable_apps` that has a module `app` with `APP`.
Nothing is registered anywhere. The README of `shared` has a whole app, `notes`.

Its pages are under `/notes` and the API under `/api/notes`. `folder` has `templates/`, `static/`,
and `picture.svg` and `picture.css` for the home page. The commands are in the app's module `cli`,
made by `shared.app_commands.app_commands`, and `pyproject.toml` names them under
`singletable.commands`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from fastapi import APIRouter, FastAPI, Request, Response
from starlette.responses import RedirectResponse

from dynamodb_engine.private_files import create_folder
from singletable import Driver, Store, Table
from singletable_apps.shared import web
from singletable_apps.shared.accounts import AccountsContext, Auth
from singletable_apps.shared.apps import AppInfo, RunningApp, SampleData, ServeOptions, serve_app
from singletable_apps.shared.email_delivery import describe_delivery
from singletable_apps.shared.frame.jobs import Job, run_jobs
from singletable_apps.shared.frame.problems import AppProblems
from singletable_apps.shared.frame.state import AppService, AppState, LimitedBy, state_of
from singletable_apps.shared.key_files import load_key_file
from singletable_apps.shared.languages import Languages
from singletable_apps.shared.mail import KEEP_EMAILS, EmailDelivery
from singletable_apps.shared.outbox import Outbox
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
from singletable_apps.shared.service import utc_now
from singletable_apps.shared.urls import LOCAL, Urls

S = TypeVar("S", bound=AppService)
Progress = Callable[[int, int], None]
MAX_FORM = 1 << 18


@dataclass(frozen=True, slots=True)
class Opening:
    """Arguments for opening an app.

    `keys` is the file or the folder of its secrets, and `public` the origin of the server. An app
    that is `alone` is not behind the home page. `options` are the app's own options of `serve`.
    """

    driver: Driver
    keys: Path
    public: str = LOCAL
    emails: EmailDelivery = KEEP_EMAILS
    alone: bool = False
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def load_secret(self, purpose: str) -> bytes:
        """Load the secret from the file `keys`, which is created if it is missing."""
        with file_errors(self.keys.parent):
            create_folder(self.keys.parent)
        return load_key_file(self.keys, purpose)

    def make_context(
        self, urls: Urls, *tables: Table, names: Mapping[Table, str]
    ) -> AccountsContext:
        """Open the store and create its tables if they are missing; `names` has that of sessions.

        Its outbox is in the table of sessions.
        """
        secret = self.load_secret("for sessions")
        store = Store(self.driver, tables=names, cursor_secret=derive_key(secret, "cursors"))
        for table in (*tables, *names):
            store.admin.create_table(table, if_missing=True)
        mail = Outbox(store, self.emails, secret=secret)
        confirms = self.emails.server is not None
        return AccountsContext(store, secret, mail, urls, utc_now, confirm_addresses=confirms)


@dataclass(frozen=True, kw_only=True)
class AppSpec(Generic[S]):
    """An app with the service `S`.

    Texts: `about` is on the home page with the picture, `tagline` in the pages, `description` in
    the documentation of the API. `picture_alt` describes `picture.svg`; or `picture()` returns the
    SVG, its description and its styles; an app may have neither.

    The service: `open` opens it. `file` and `keys` name its tables and its secrets in the folder of
    the app. `secret(service)` signs what browsers keep, `auth(service)` are the accounts, and
    `state` is a subclass of `AppState` if handlers need more than that.

    The API: its `routers` are below `/api/NAME`. `problems` turns errors into problems;
    `problem_pages` replace the error pages of a type.

    Pages: the routers in `pages` are below `/NAME`. `home` is the router of the path "" of an app
    that may also be at the root of a host, where no router can have it. `context(request, service)`
    returns variables of all templates. `templates` are further folders of templates, and
    `generated_files` are further static files. `search` is the page that a 404 offers. With
    accounts, people who are not signed in go to `sign_in(urls)`, or else to `/NAME/sign-in`; while
    there is no account, `setup_url(service)` leads to the first one. Pages are in one of the
    `languages`; `language(service)` returns its code, for error pages too, so it reads no database.

    Limits: `limits` has the quota and the seconds of each rate limit, `uploads` the largest body of
    a form by the path of a page, by default 256 KiB on all pages, `body_limit` that of all other
    requests.

    Sample data: `sample` fills an empty service, with `sample_title` beside the progress bar, and
    the command prints `sample_hint` after it. `list_sample` returns what is left of it.

    Operation: `jobs` run while the app is served. `serve` prints `locations`, where data is stored
    besides the tables and keys, and `warning`, what to back up. `outbox` are the tables of an app
    that sends e-mails. `command` is how the commands are called, if not `singletable NAME`.
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
    people: object = None
    state: type[AppState[S]] = AppState
    context: Callable[[Request, S], Mapping[str, object]] = lambda request, service: {}
    problems: AppProblems = field(default_factory=AppProblems)
    problem_pages: Mapping[web.ProblemType, ProblemPage] = field(
        default_factory=dict[web.ProblemType, ProblemPage]
    )
    limits: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    uploads: Mapping[str, int] = field(default_factory=dict[str, int])
    body_limit: int | None = None
    generated_files: Mapping[str, str] = field(default_factory=dict[str, str])
    templates: Sequence[Path] = ()
    languages: Languages = field(default_factory=Languages)
    language: Callable[[S], str] = lambda service: "en"
    search: str = ""
    sign_in: Callable[[Urls], str] | None = None
    file: str = ""
    keys: str = "secret.key"
    sample: Callable[[S, Progress], None] | None = None
    sample_title: str = "Creating sample data"
    sample_hint: str = ""
    list_sample: Callable[[S], SampleData | None] = lambda service: None
    setup_url: Callable[[S], str] = lambda service: ""
    jobs: Sequence[Job[S]] = ()
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

    def make_limits(self) -> dict[str, web.RateLimit | None]:
        """Return the rate limits by name."""
        return {
            name: web.RateLimit(name.replace("_", "-"), quota, seconds)
            for name, (quota, seconds) in self.limits.items()
        }

    def make_app(
        self, service: S, settings: web.Settings | None = None, *, limited: bool = True
    ) -> FastAPI:
        """Return the web app with the API and the pages; `/` redirects to the pages."""
        self._check_limits()
        urls = service.context.urls
        app = self._make_api(settings or web.Settings(), urls)
        state = self._make_state(service, urls, limited=limited)
        state.attach(app)
        at_prefix = [self.home] if self.home is not None and urls.prefix else []
        for router in (*self.pages, *at_prefix):
            web.add_routes(app, router, urls.prefix, include_in_schema=False)
        state.pages.mount(app)
        if urls.prefix:

            @app.get("/", include_in_schema=False)
            def redirect_to_pages() -> Response:
                return RedirectResponse(urls.prefix, 303)

        return app

    def _check_limits(self) -> None:
        """Raise ValueError if a handler names a limit that the app does not declare."""
        for router in (*self.routers, *self.pages):
            for route in router.routes:
                for depends in getattr(route, "dependencies", ()):
                    limit = depends.dependency
                    if isinstance(limit, LimitedBy) and limit.name not in self.limits:
                        raise ValueError(
                            f"Expected one of the limits {', '.join(self.limits)} at "
                            f"{route.path}, but got {limit.name}."  # type: ignore[attr-defined]
                        )

    def _make_api(self, settings: web.Settings, urls: Urls) -> FastAPI:
        forms = self.uploads or {self.prefix: MAX_FORM}
        uploads = {self._at(path, urls): size for path, size in forms.items()}
        chosen = replace(settings, uploads={**uploads, **settings.uploads})
        if self.body_limit is not None:
            chosen = replace(chosen, body_limit=self.body_limit)
        return web.make_app(
            self.title,
            version("singletable"),
            routers=self.routers,
            prefix=self.api,
            description=self.description,
            problem_types=self.problems.own_types,
            errors=self.problems.handlers(),
            settings=chosen,
        )

    def _at(self, path: str, urls: Urls) -> str:
        """Return the path of an upload below the prefix that the pages have."""
        is_page = path == self.prefix or path.startswith(f"{self.prefix}/")
        found = urls.prefix + path.removeprefix(self.prefix) if is_page else path
        if not found:
            raise ValueError(f"Expected uploads below {self.prefix}/, where pages may be at /.")
        return found

    def _make_state(self, service: S, urls: Urls, *, limited: bool) -> AppState[S]:
        pages = Pages(
            self.name,
            self.folder,
            secret=self.secret(service),
            product=Product(
                self.title, urls.page(), self.tagline, self.search and urls.page(self.search)
            ),
            prefix=urls.prefix,
            sign_in=self._sign_in_url(urls),
            context=self._page_context,
            language=lambda request: self.languages[self.language(state_of(request).service)],
            generated_files=self.generated_files,
            templates=self.templates,
            problem_pages=self.problem_pages,
        )
        limits = self.make_limits() if limited else dict.fromkeys(self.limits)
        return self.state(service, pages, limits, SessionCookies(self.name), self.auth, self.people)

    def _sign_in_url(self, urls: Urls) -> str | None:
        if self.sign_in is not None:
            return self.sign_in(urls)
        return None if self.auth is None else urls.page("sign-in")

    def _page_context(self, request: Request) -> Mapping[str, object]:
        service = state_of(request).service
        return {"urls": service.context.urls, **self.context(request, service)}

    def app_info(self) -> AppInfo:
        """Return the entry on the home page."""
        picture, alt, style = "", "", ""
        if self.picture is not None:
            picture, alt, style = self.picture()
        elif self.picture_alt:
            files = [self.folder / f"picture.{kind}" for kind in ("svg", "css")]
            picture, style = (file.read_text("utf-8") for file in files)
            alt = self.picture_alt
        return AppInfo(self.title, self.about, self.prefix, picture, alt, style)

    @contextmanager
    def open_app(
        self, folder: Path, public: PublicUrl, options: ServeOptions, driver: Driver | None = None
    ) -> Generator[RunningApp]:
        """Open the app for the home page, creating sample data first if it is wanted.

        The folder of its keys and tables may not exist yet. If the operator has named an address
        for the tables, `driver` is connected to it, and there is no sample data.
        """
        file = self.file or f"{self.name}.db"
        address = options.address or f"file:{folder / file}"
        if options.sample and options.address is None and not folder.exists():
            self.create_sample_folder(folder, public)
        with open_driver(address) if driver is None else nullcontext(driver) as opened:
            opening = Opening(opened, folder / self.keys, public.url, options.emails)
            with self.open(opening) as service, run_jobs(self.jobs, service):
                yield self.run(service, opening, address, public)

    def create_sample_folder(self, folder: Path, public: PublicUrl) -> None:
        """Fill a new folder with sample data and the keys to it."""
        with new_folder(folder) as draft:
            file = draft / (self.file or f"{self.name}.db")
            self.create_sample(f"file:{file}", draft / self.keys, public.url)

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
        emails = [("e-mails", describe_delivery(opening.emails, outbox))] if self.outbox else []
        keys = "secret" if self.keys == "secret.key" else "keys"
        return RunningApp(
            self.app_info(),
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
            with self.open(opening) as service, run_jobs(self.jobs, service):
                running = self.run(service, opening, address, public)
                path = service.context.urls.prefix
                serve_app(path, running, listener, url, public)
