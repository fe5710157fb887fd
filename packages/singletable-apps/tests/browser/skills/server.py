"""Serve the skills directory on a port, with the sample company."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from fastapi import FastAPI
from playwright.sync_api import BrowserContext

from singletable import connect
from singletable_apps.shared.accounts import Passwords
from singletable_apps.shared.web import Settings
from singletable_apps.skills.app import APP
from singletable_apps.skills.sample import create_sample
from singletable_apps.skills.service import SkillsService, open_skills
from tests.browser.live_server import serve_app


@dataclass(frozen=True)
class Served:
    """A service with the sample company, its app, and the address of its pages."""

    service: SkillsService
    app: FastAPI
    address: str

    def url(self, *parts: str, **query: str) -> str:
        """Return the URL of a page."""
        return f"{self.address}{self.service.context.urls.page(*parts, **query)}"

    def sign_in(self, context: BrowserContext, username: str) -> None:
        """Sign someone in, without the form."""
        user = self.service.context.get_user(username)
        session = self.service.accounts.start_session(user, "tests")
        tokens = {"skills_access": session.access, "skills_session": session.refresh}
        context.add_cookies(
            [{"name": name, "value": text, "url": self.address} for name, text in tokens.items()]
        )


@contextmanager
def serve() -> Generator[Served]:
    """Serve the pages on a port."""
    service = open_skills(
        connect("memory:"), b"of tests" * 4, passwords=Passwords(memory_kib=64, passes=1)
    )
    create_sample(service)
    app = APP.make_app(service, Settings(secure_cookies=False), limited=False)
    with serve_app(app) as address:
        yield Served(service, app, address)
