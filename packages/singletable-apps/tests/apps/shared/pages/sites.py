"""The apps whose pages of accounts and people are tested: skills, portfolio and elections."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from singletable_apps.elections.roles import Role as ElectionRole
from singletable_apps.portfolio.entities import Role as PortfolioRole
from singletable_apps.shared.accounts import Auth
from singletable_apps.shared.mail import Email
from singletable_apps.shared.outbox import KeptEmail
from singletable_apps.skills.entities import Role as SkillRole
from tests.apps.elections.pages.client import PagesApp as ElectionsApp
from tests.apps.portfolio.pages.client import PagesApp as PortfolioApp
from tests.apps.skills.pages.client import PagesApp as SkillsApp
from tests.apps.support.elections.world import PASSWORD as ELECTIONS_PASSWORD
from tests.apps.support.elections.world import email_of

PASSWORD = "nine blue horses"


@dataclass(frozen=True)
class AuthSite:
    """The pages of an app with Ada, an administrator who signs in as `who`.

    `add(name)` creates someone with the role `member`, whom Ada can give the roles `other` and
    `admin`. The newest e-mail is the last one.
    """

    name: str
    prefix: str
    home: str
    who: str
    wrong: str
    pages: Any
    auth: Auth[Any]
    emails: Callable[[], Sequence[Email | KeptEmail]]
    people: Any
    add: Callable[[str], Any]
    member: Any
    other: Any
    admin: Any
    waiting: Any = None
    people_path: tuple[str, ...] = ("people",)
    password: str = PASSWORD

    def person_path(self, user: Any) -> tuple[str, ...]:
        return *self.people_path, self.people.url_part(user)

    def find(self, user: Any) -> Any:
        return self.people.get_person(user, self.people.url_part(user))

    def browser(self) -> Any:
        return self.pages.browser()

    def guess(self, browser: Any, password: str, who: str = "") -> Any:
        return browser.submit(browser.get("sign-in"), "", who=who or self.who, password=password)

    def sign_in(self, password: str = "") -> Any:
        """Sign in with the form, so that the browser has both cookies."""
        browser = self.browser()
        response = self.guess(browser, password or self.password)
        assert response.status_code == 303, response.text
        return browser

    def is_signed_in(self, browser: Any) -> bool:
        path = str(browser.get("account").url.path)
        assert path in (f"{self.prefix}/account", f"{self.prefix}/sign-in")
        return path == f"{self.prefix}/account"

    def reset_link(self) -> str:
        """Return the path in the newest e-mail."""
        path = f"{self.prefix}/reset"
        return path + self.emails()[-1].text.partition(path)[2].split()[0]


def _skills() -> AuthSite:
    app = SkillsApp()
    world, accounts = app.world, app.world.service.accounts
    return AuthSite(
        "skills",
        "/skills",
        "/skills/start",
        "ada",
        "Invalid credentials",
        app,
        accounts,
        lambda: world.mailbox.emails,
        accounts,
        lambda name: accounts.register(
            name.replace(" ", ""), name, PASSWORD, f"{name.replace(' ', '')}@example.org"
        ),
        SkillRole.USER,
        SkillRole.MANAGER,
        SkillRole.ADMIN,
        SkillRole.WAITING,
        ("admin", "people"),
    )


def _portfolio() -> AuthSite:
    app = PortfolioApp()
    app.world.set_up()
    world, accounts = app.world, app.world.service.accounts

    def add(name: str) -> Any:
        email = f"{name.replace(' ', '')}@example.org"
        accounts.invite(app.world.owner(), name, email)
        return accounts.reset(
            world.mailbox.emails[-1].text.partition("token=")[2].split()[0], PASSWORD
        ).user

    return AuthSite(
        "portfolio",
        "/portfolio/admin",
        "/portfolio/admin",
        "ada@example.org",
        "Wrong e-mail address or password.",
        app,
        accounts,
        lambda: world.mailbox.emails,
        accounts,
        add,
        PortfolioRole.AUTHOR,
        PortfolioRole.OWNER,
        PortfolioRole.OWNER,
    )


def _elections() -> AuthSite:
    app = ElectionsApp.create()
    app.register("Ada")
    service = app.world.service
    return AuthSite(
        "elections",
        "/elections",
        "/elections",
        "Ada",
        "Wrong name or password",
        app,
        service.auth,
        lambda: app.emails()[::-1],
        service.people,
        lambda name: service.people.register(name, email_of(name), ELECTIONS_PASSWORD),
        ElectionRole.USER,
        ElectionRole.VOTER,
        ElectionRole.ADMIN,
        ElectionRole.NO_ACCESS,
        password=ELECTIONS_PASSWORD,
    )


SITES = [_skills, _portfolio, _elections]
