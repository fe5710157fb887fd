"""Browsers without scripts for the elections pages: they open pages and submit forms."""

from __future__ import annotations

import html
from dataclasses import dataclass, replace
from typing import Any

import httpx2

from singletable import connect
from singletable_apps.elections.app import APP
from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import Elections, ElectionSettings
from singletable_apps.elections.service.voting import CastBallot
from singletable_apps.elections.urls import Urls
from singletable_apps.shared.outbox import KeptEmail
from tests.apps.support import browser as support
from tests.apps.support.elections.world import PASSWORD, World, ballot
from tests.apps.support.html import forms_in, text_in
from tests.apps.support.mailbox import read_outbox
from tests.apps.support.server import AppServer

HOME = "http://elections.example"
CHAIR = "Chair"
url = Urls().page


@dataclass(frozen=True)
class Browser(support.Browser):
    """A browser, signed in or not."""

    def get(self, *parts: str, query: str = "", **headers: str) -> httpx2.Response:
        """Open a page by the parts of its URL."""
        return self.open(url(*parts) + query, **headers)

    def read(self, *parts: str) -> str:
        """Return the text of a page, which must exist."""
        page = self.get(*parts)
        assert page.status_code == 200, page.text
        return text_in(page.text)

    def open_next(self, page: httpx2.Response) -> httpx2.Response:
        """Open the page that follows in a list."""
        link = page.text.partition('rel="next"')[0].rpartition('href="')[2].partition('"')[0]
        return self.open(html.unescape(link))

    def flash(self, response: httpx2.Response) -> str:
        """Follow a redirect and return its flash message, which must be shown only once."""
        text = super().flash(response)
        assert "data-flash" not in self.open(response.headers["location"]).text
        return text

    def ballot_fields(self, election: str = CHAIR) -> dict[str, str]:
        """Return all fields of the ballot, as a browser without scripts would send them."""
        return ballot_fields(self.get("e", election, "ballot"))

    def cast(self, election: str = CHAIR, **ranks: str) -> httpx2.Response:
        """Fill in the ballot and cast it, review confirmed."""
        ranking = {f"rank.{name}": rank for name, rank in ranks.items()}
        fields = {**self.ballot_fields(election), **ranking, "sure": "yes"}
        return self.post(url("e", election, "ballot"), fields)


def ballot_fields(page: httpx2.Response) -> dict[str, str]:
    """Return the fields of the ballot on a page, with their values."""
    [form] = [form for form in forms_in(page) if form.action.endswith("/ballot")]
    return {name: value for name, [value] in form.fields.items()}


def browser(elections: Elections, user: User) -> Browser:
    """Return a new browser for an open service, signed in."""
    app = PagesApp.create()
    app.state = replace(app.state, service=elections)
    return app.browser(user)


class PagesApp(AppServer[World]):
    """The elections pages on a new in-memory database."""

    spec = APP
    home = HOME

    @classmethod
    def create(cls, world: World | None = None) -> PagesApp:
        """Return an app on a world, by default one without users."""
        return cls(world or World(connect("memory:")))

    def register(self, name: str, role: Role | None = None) -> Browser:
        """Register someone, who gets the role from the first user; return their browser."""
        [user] = self.world.register(name)
        if role is not None:
            owner = self.world.service.context.read.find_user_by_id(1)
            assert owner is not None
            self.world.service.people.change_role(owner, name, role)
        return self.browser(user)

    def browser(self, user: User | None = None) -> Browser:
        """Return a new browser, signed in as `user` if there is one."""
        cookies = {}
        if user is not None:
            cookies = {"access": self.state.service.auth.start_session(user, "tests").access}
        return Browser(self.browser_client(**cookies), self.activate, url)

    def sign_in(self, name: str) -> Browser:
        """Sign in with the form, so that the browser has both cookies."""
        browser = self.browser()
        response = browser.submit(browser.get("sign-in"), who=name, password=PASSWORD)
        assert response.status_code == 303, response.text
        return browser

    def launch(self, *candidates: str, allow_edit: bool = True, **terms: Any) -> User:
        """Register Ada, who launches an election with these candidates; return her."""
        [owner] = self.world.register("Ada")
        settings = ElectionSettings(**terms)
        self.world.launch(owner, CHAIR, candidates, allow_edit=allow_edit, terms=settings)
        return owner

    def vote(self, name: str, election: str, *best_first: str) -> CastBallot:
        """Cast a ballot of someone."""
        cast = self.world.service.voting.cast
        return cast(self.user(name), election, ballot(*best_first), "once")

    def election(self, name: str) -> Election:
        return self.world.service.context.read.get_election(name)

    def candidates(self, name: str) -> list[str]:
        return self.world.service.context.read.candidates(self.election(name))

    def voters(self, name: str) -> list[str]:
        return self.world.service.context.read.voters(self.election(name))

    def user(self, name: str) -> User:
        return self.world.service.context.read.get_user(name)

    def emails(self) -> list[KeptEmail]:
        """Return the e-mails that were sent, newest first."""
        return read_outbox(self.world.service, 10)

    def link(self, subject: str) -> str:
        """Return the path of the link in the newest e-mail with this subject."""
        text = next(email.text for email in self.emails() if email.subject == subject)
        return text.partition("http://127.0.0.1:8000")[2].split()[0]

    def confirm_email(self) -> None:
        """Open the link in the newest e-mail to a new address, and confirm it."""
        browser = self.browser()
        answer = browser.submit(browser.open(self.link("Confirm your e-mail address")))
        assert answer.status_code == 303, answer.text
