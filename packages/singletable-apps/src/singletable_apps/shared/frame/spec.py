"""An app as one declaration, `AppSpec`: the site, its web app and its commands follow from it.

`singletable serve` finds every package in `singletable_apps` that has a module `app` with `APP`.
Nothing is registered anywhere. The README of `shared` has a whole app, `notes`.

The name of the app is that of its folder: the pages of `notes` are under `/notes` and its API under
`/api/notes`. The folder has `templates/` and `static/`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Generic, Protocol, TypeAlias, TypeVar

from fastapi import APIRouter, FastAPI, Request, Response
from starlette.responses import RedirectResponse

import singletable_apps
from dynamodb_engine.private_files import create_folder
from singletable import Driver, Store, Table
from singletable_apps.shared import web
from singletable_apps.shared.accounts import AccountsContext
from singletable_apps.shared.apps import AppInfo, RunningApp, SampleData, ServeOptions
from singletable_apps.shared.email_delivery import describe_delivery
from singletable_apps.shared.frame import accounts
from singletable_apps.shared.frame.jobs import EMAILS, Job, run_jobs
from singletable_apps.shared.frame.people import PeopleSpec
from singletable_apps.shared.frame.problems import AppProblems
from singletable_apps.shared.frame.state import AppService, AppState, LimitedBy, state_of
from singletable_apps.shared.key_files import load_key_file
from singletable_apps.shared.mail import KEEP_EMAILS, EmailDelivery
from singletable_apps.shared.outbox import Outbox
from singletable_apps.shared.pages import Pages, Product, SessionCookies
from singletable_apps.shared.sealed import derive_key
from singletable_apps.shared.serve import (
    PublicUrl,
    database_address,
    file_errors,
    new_folder,
    open_driver,
    progress_bar,
)
from singletable_apps.shared.service import utc_now
from singletable_apps.shared.urls import LOCAL, Urls

S = TypeVar("S", bound=AppService)
Progress: TypeAlias = Callable[[int, int], None]
# SVG, its description, and its styles.
Picture: TypeAlias = tuple[str, str, str]
MAX_FORM = 1 << 18
_SITE = Path(singletable_apps.__path__[0])


def _below(urls: Urls, router: APIRouter) -> APIRouter:
    """Return a router of pages without the path "", which nothing has at the root of a host."""
    if urls.prefix or all(getattr(route, "path", "/") for route in router.routes):
        return router
    shown = APIRouter(route_class=router.route_class)
    shown.routes = [route for route in router.routes if getattr(route, "path", "/")]
    return shown


def read_picture(folder: Path, alt: str) -> Picture:
    """Return `picture.svg` and `picture.css` in the folder of an app; `alt` describes them."""
    svg, css = ((folder / f"picture.{kind}").read_text("utf-8") for kind in ("svg", "css"))
    return svg, alt, css


@dataclass(frozen=True, slots=True)
class Opening:
    """Arguments for opening an app.

    `folder` has its secrets and files, and `public` is the origin of the server. An app that is
    `alone` is not behind the home page.
    """

    driver: Driver
    folder: Path
    public: str = LOCAL
    emails: EmailDelivery = KEEP_EMAILS
    alone: bool = False

    def load_secret(self, purpose: str) -> bytes:
        """Load the secret from the file `secret.key` in the folder, created if it is missing."""
        with file_errors(self.folder):
            create_folder(self.folder)
        return load_key_file(self.folder / "secret.key", purpose)

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


class Part(Protocol):
    """A package with templates and static files of several apps, such as `shared.results`."""

    TEMPLATES: Path

    def static_files(self) -> Mapping[str, str]:
        """Return the scripts and style sheets by file name."""
        ...


@dataclass(frozen=True, kw_only=True)
class AppSpec(Generic[S]):
    """An app with the service `S`.

    Texts: `about` is on the home page with the picture, `tagline` in the pages, `description` in
    the documentation of the API, and `warning`, what to back up, in the terminal.

    The service: `open` opens it. An app that sends e-mails declares the table of its `outbox`, and
    `jobs` run while it is served. `sample` fills an empty service, and `list_sample` returns what
    is left of that.

    The API and the pages: the `routers` are below `/api/NAME`, and those in `pages` below `/NAME`.
    `problems` turns errors into problems. `context(request, service)` returns variables of all
    templates, and `parts` are packages with further templates and static files. `state` is a
    subclass of `AppState` if handlers need more than that. An app with accounts declares what its
    pages say of `people`.

    Limits: `limits` has the quota and the seconds of each rate limit, and `uploads` the largest
    body of a form or a file by the path of its page or operation, by default 256 KiB on all pages.
    """

    folder: Path
    tagline: str
    about: str
    description: str
    warning: str = ""
    picture: Callable[[], Picture] | None = None
    open: Callable[[Opening], AbstractContextManager[S]]
    outbox: Mapping[Table, str] = field(default_factory=dict[Table, str])
    jobs: Sequence[Job[S]] = ()
    sample: Callable[[S, Progress], None] | None = None
    list_sample: Callable[[S], SampleData | None] = lambda service: None
    routers: Sequence[APIRouter]
    pages: Sequence[APIRouter]
    problems: AppProblems = field(default_factory=AppProblems)
    context: Callable[[Request, S], Mapping[str, object]] = lambda request, service: {}
    parts: Sequence[Part] = ()
    state: type[AppState[S]] = AppState
    people: PeopleSpec | None = None
    limits: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    uploads: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def name(self) -> str:
        """The name in URLs and commands."""
        return self.folder.name

    @property
    def title(self) -> str:
        """The name as people read it."""
        return self.name.capitalize()

    @property
    def prefix(self) -> str:
        """The path of the pages."""
        return f"/{self.name}"

    @property
    def api(self) -> str:
        """The path of the API."""
        return f"/api/{self.name}"

    @property
    def all_limits(self) -> Mapping[str, tuple[int, int]]:
        """The rate limits, with those of accounts."""
        return self.limits if self.people is None else {**accounts.LIMITS, **self.limits}

    @property
    def all_jobs(self) -> Sequence[Job[S]]:
        """The jobs, with that which sends e-mails."""
        return (EMAILS, *self.jobs) if self.outbox else self.jobs

    def make_limits(self) -> dict[str, web.RateLimit | None]:
        """Return the rate limits by name."""
        return {
            name: web.RateLimit(name.replace("_", "-"), quota, seconds)
            for name, (quota, seconds) in self.all_limits.items()
        }

    def make_app(
        self, service: S, settings: web.Settings | None = None, *, limited: bool = True
    ) -> FastAPI:
        """Return the web app with the API and the pages; `/` redirects to the pages."""
        urls = service.context.urls
        app = self._make_api(settings or web.Settings(), urls)
        state = self._make_state(service, urls, limited=limited)
        state.attach(app)
        pages = [*self.pages]
        if self.people is not None:
            pages += accounts.account_routers(state.people, self.people, urls)
        self._check_limits([*self.routers, *pages])
        for router in pages:
            web.add_routes(app, _below(urls, router), urls.prefix, include_in_schema=False)
        state.pages.mount(app)
        if urls.prefix:

            @app.get("/", include_in_schema=False)
            def redirect_to_pages() -> Response:
                return RedirectResponse(urls.prefix, 303)

        return app

    def _check_limits(self, routers: Sequence[APIRouter]) -> None:
        """Raise ValueError if a handler names a limit that the app does not declare."""
        for router in routers:
            for route in router.routes:
                for depends in getattr(route, "dependencies", ()):
                    limit = depends.dependency
                    if isinstance(limit, LimitedBy) and limit.name not in self.all_limits:
                        raise ValueError(
                            f"Expected one of the limits {', '.join(self.all_limits)} at "
                            f"{route.path}, but got {limit.name}."  # type: ignore[attr-defined]
                        )

    def _make_api(self, settings: web.Settings, urls: Urls) -> FastAPI:
        forms = self.uploads or {self.prefix: MAX_FORM}
        uploads = {self._at(path, urls): size for path, size in forms.items()}
        return web.make_app(
            self.title,
            version("singletable"),
            routers=self.routers,
            prefix=self.api,
            description=self.description,
            problem_types=self.problems.own_types,
            errors=self.problems.handlers(),
            settings=replace(
                settings,
                uploads={**uploads, **settings.uploads},
                body_limit=max(settings.body_limit, self.state.body_limit),
            ),
        )

    def _at(self, path: str, urls: Urls) -> str:
        """Return the path of an upload below the prefix that the pages have."""
        is_page = path == self.prefix or path.startswith(f"{self.prefix}/")
        found = urls.prefix + path.removeprefix(self.prefix) if is_page else path
        if not found:
            raise ValueError(f"Expected uploads below {self.prefix}/, where pages may be at /.")
        return found

    def _make_state(self, service: S, urls: Urls, *, limited: bool) -> AppState[S]:
        files = (part.static_files() for part in self.parts)
        pages = Pages(
            self.name,
            self.folder,
            secret=self.state.secret_of(service),
            product=Product(self.title, urls.page(), self.tagline),
            prefix=urls.prefix,
            sign_in=None if self.people is None else urls.account("sign-in"),
            context=self._page_context,
            language=lambda request: state_of(request).language,
            generated_files={name: text for each in files for name, text in each.items()},
            templates=[part.TEMPLATES for part in self.parts],
            problem_page=lambda request, problem: state_of(request).render_problem(
                request, problem
            ),
        )
        limits = self.make_limits() if limited else dict.fromkeys(self.all_limits)
        return self.state(service, pages, limits, SessionCookies(self.name), self.people)

    def _page_context(self, request: Request) -> Mapping[str, object]:
        service = state_of(request).service
        account = {} if self.people is None else accounts.account_context(request)
        return {"urls": service.context.urls, **account, **self.context(request, service)}

    def app_info(self) -> AppInfo:
        """Return the entry on the home page."""
        picture, alt, style = ("", "", "") if self.picture is None else self.picture()
        return AppInfo(self.title, self.about, self.prefix, picture, alt, style)

    @contextmanager
    def open_app(
        self,
        folder: Path,
        public: PublicUrl,
        options: ServeOptions,
        driver: Driver | None = None,
        *,
        alone: bool = False,
    ) -> Generator[RunningApp]:
        """Open the app in its folder, creating sample data first if it is wanted.

        The folder may not exist yet. If the operator has named an address for the tables, `driver`
        is connected to it, and there is no sample data.
        """
        address = options.address or self.address_in(folder)
        if options.sample and options.address is None and not folder.exists():
            self.create_sample(folder, public, alone=alone)
        with open_driver(address) if driver is None else nullcontext(driver) as opened:
            opening = Opening(opened, folder, public.url, options.emails, alone)
            with self.open(opening) as service, run_jobs(self.all_jobs, service):
                yield self.run(service, opening, address, public)

    def address_in(self, folder: Path) -> str:
        """Return the address of the database file in the folder of the app."""
        return database_address(folder, self.name)

    def create_sample(self, folder: Path, public: PublicUrl, *, alone: bool = False) -> None:
        """Fill a new folder with sample data and the keys to it."""
        if self.sample is None:
            return
        with (
            new_folder(folder) as draft,
            open_driver(self.address_in(draft)) as driver,
            self.open(Opening(driver, draft, public.url, alone=alone)) as service,
            progress_bar("Creating sample data") as progress,
        ):
            self.sample(service, progress)

    def run(self, service: S, opening: Opening, address: str, public: PublicUrl) -> RunningApp:
        """Return the running app of an open service."""
        urls = service.context.urls
        emails: list[tuple[str, str]] = []
        if self.outbox:
            emails.append(("e-mails", describe_delivery(opening.emails, self._outbox_command())))
        return RunningApp(
            replace(self.app_info(), url=urls.page()),
            self.make_app(service, public.settings()),
            prefixes=(urls.prefix or self.prefix, self.api, f"/static/*/{self.name}"),
            api=self.api,
            locations=(("tables", address), *emails, ("keys", str(opening.folder.resolve()))),
            warning=self.warning,
            sample=lambda: self.list_sample(service),
            setup_url=self._setup_url(service),
        )

    def _setup_url(self, service: S) -> str:
        if self.people is None:
            return ""
        return accounts.setup_url(self.state.people_of(service), service.context.urls)

    def _outbox_command(self) -> str:
        """Return the command that prints the outbox, as people type it."""
        is_ours = self.folder.parent == _SITE
        return f"singletable outbox {self.name}" if is_ours else f"python -m {self.name} outbox"
