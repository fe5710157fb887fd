"""Every form of every page of the sample site: unchanged, emptied and filled in.

The browser either sends it, and the server understands it, or the page says what is missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import urljoin, urlsplit

import pytest
from fastapi import APIRouter
from fastapi.routing import APIRoute
from playwright.sync_api import Frame, Page, Request, Route
from starlette.routing import compile_path
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from singletable_apps.home.app import make_site_app
from singletable_apps.home.apps import find_apps, open_apps
from singletable_apps.shared.apps import RunningApp, ServeOptions
from singletable_apps.shared.frame import AppSpec
from singletable_apps.shared.serve import PublicUrl
from tests.browser.conftest import OpenPage
from tests.browser.live_server import serve_app
from tests.browser.page_checks import collect_errors

SCRIPT = Path(__file__).with_suffix("").with_name("every_form.js").read_text()
MODES = ("unchanged", "emptied", "filled")
APPS: list[AppSpec[Any]] = list(find_apps())
# Pages of one shape that are searched for forms, such as /skills/people/ada.
MOST_OF_A_SHAPE = 2
# They are sent last, since other forms need what these remove; then those that end a session.
REMOVES = re.compile(r"/(delete|remove|close|end|withdraw|revoke|undo|replace)\b")
SIGNS_OUT = re.compile(r"/(sign-out|sessions|account|username)\b")
# Answers that no form may have: the server did not understand what its own page sent.
NOT_UNDERSTOOD = {400, 405, 415}
# The path and the fields: forms with the same ones are one form.
FormShape = tuple[str, ...]


@dataclass(frozen=True)
class FoundForm:
    """A form: who sees it, on which page, and where."""

    visitor: str
    url: str
    place: int
    path: str


@dataclass(frozen=True)
class Sent:
    """A request that the browser has sent for a form."""

    form: FoundForm
    mode: str
    url: str
    headers: dict[str, str]
    body: bytes


class FormTester:
    """Finds and tries the forms of one app."""

    def __init__(
        self, page: Page, spec: AppSpec[Any], app: RunningApp, site: ASGIApp, address: str
    ) -> None:
        self._paths = list(_page_paths(spec.pages, app.info.url))
        self._page, self._address, self._app, self._site = page, address, app, site
        self._errors, self._held = collect_errors(page), list[Request]()
        self._shapes = set[FormShape]()
        self._visited = set[tuple[str, str]]()
        self._shown = dict[tuple[str, str], int]()
        self.clients = dict(self._sign_in())
        self.faults = list[str]()
        self._sent = list[Sent]()
        # Visitors, and the pages to which their forms have led.
        self._reached = list[tuple[str, str]]()
        page.route("**/*", self._hold)
        # How often a page was shown.
        self._shows = 0
        page.on("framenavigated", self._count_show)

    def _sign_in(self) -> Iterator[tuple[str, TestClient]]:
        """Yield a client for a visitor, and for each sample account."""
        yield "a visitor", self._client()
        sample = self._app.sample()
        for entry in sample.entries if sample else ():
            client, method = self._client(), "POST" if entry.form else "GET"
            client.request(method, entry.url, data=dict(entry.form))
            yield entry.name, client

    def _client(self) -> TestClient:
        headers = {"Accept": "text/html"}
        return TestClient(self._site, self._address, headers=headers)

    def _count_show(self, _: Frame) -> None:
        self._shows += 1

    def _hold(self, route: Route) -> None:
        """Keep what a form sends, and let files through, which Playwright cannot read."""
        if route.request.method == "POST":
            self._held.append(route.request)
        if route.request.method != "POST" or _has_files(route.request):
            return route.continue_()
        return route.fulfill(status=204)

    def find_forms(self, visitor: str, first: str) -> list[FoundForm]:
        """Return the forms of new shapes on the pages that links lead to."""
        waiting, found, client = [first], list[FoundForm](), self.clients[visitor]
        while waiting:
            url = waiting.pop(0).partition("#")[0]
            shape = self._shape(url)
            shown = self._shown.get((visitor, shape), 0)
            is_own = f"{urlsplit(url).path}/".startswith(f"{self._app.info.url}/")
            if (visitor, url) in self._visited or shown >= MOST_OF_A_SHAPE or not is_own:
                continue
            self._visited.add((visitor, url))
            self._shown[visitor, shape] = shown + 1
            answer = client.get(url)
            if answer.status_code >= 500:
                self.faults.append(f"{url}, for {visitor}: {answer.status_code}")
            if not answer.headers.get("content-type", "").startswith("text/html"):
                continue
            found += self._new_forms(visitor, url, answer.text)
            links = re.findall(r"<a\s[^>]*?href=\"([^\"]*)", answer.text)
            targets = (urljoin(str(answer.url), each.replace("&amp;", "&")) for each in links)
            own = (each for each in targets if each.startswith(f"{self._address}/"))
            waiting += [each.removeprefix(self._address) for each in own]
        return found

    def _shape(self, url: str) -> str:
        """Return the declared path of a page, such as /skills/people/{username}."""
        path = urlsplit(url).path
        found = (declared for pattern, declared in self._paths if pattern.match(path))
        return next(found, path)

    def _open(self, visitor: str, url: str) -> None:
        context = self._page.context
        context.clear_cookies()
        for one in self.clients[visitor].cookies.jar:
            cookie = {"name": one.name, "value": one.value or "", "url": self._address}
            context.add_cookies([cast(Any, cookie)])
        self._page.goto(self._address + url)

    def _new_forms(self, visitor: str, url: str, text: str) -> Iterator[FoundForm]:
        for place, form in enumerate(re.findall(r"<form.*?</form>", text, re.DOTALL)):
            action = re.match(r"<form[^>]*?action=\"([^\"]*)", form)
            path = urlsplit(urljoin(url, action[1] if action else "")).path
            names = {re.sub(r"\d+", "#", each) for each in re.findall(r" name=\"([^\"]+)", form)}
            shape = (self._shape(path), *sorted(names))
            if 'method="post"' in form and shape not in self._shapes:
                self._shapes.add(shape)
                yield FoundForm(visitor, url, place, path)

    def try_form(self, form: FoundForm, mode: str) -> None:
        """Send a form in the browser, and note if neither a request nor a message comes of it."""
        self._errors.clear()
        self._held.clear()
        self._open(form.visitor, form.url)
        self._held.clear()
        before = self._shows
        outcome = self._page.evaluate(f"{SCRIPT}.send({[form.place, mode]})")
        if outcome == "unavailable":
            return
        for _ in range(100 if outcome == "sent" else 0):
            if self._held:
                break
            self._page.wait_for_timeout(50)
        if not self._held and not self._page.evaluate(f"{SCRIPT}.isExplained({form.place})"):
            self.faults.append(f"{form} {mode}: nothing is sent, and nothing says why")
        rejected = r"Failed to load resource: .* 422"  # files that a form has sent
        errors = [each for each in self._errors if not re.search(rejected, each)]
        self.faults += [f"{form} {mode}: {each}" for each in errors]
        for each in self._held:
            if _has_files(each):
                answer = each.response()
                assert answer is not None
                self._check_status(form, mode, answer.status)
                self._follow(form, each.url, answer.header_value("location"))
                while each.is_navigation_request() and self._shows == before:
                    self._page.wait_for_timeout(10)
                continue
            body = each.post_data_buffer or b""
            self._sent.append(Sent(form, mode, each.url, each.all_headers(), body))

    def replay(self, *, rank: int = 0) -> list[tuple[str, str]]:
        """Send the requests of a rank; return the pages to which they and files have led."""
        for sent in self._sent:
            if _rank(sent.form.path) == rank:
                self._replay(sent)
        self._sent = [each for each in self._sent if _rank(each.form.path) != rank]
        reached = [*dict.fromkeys(self._reached)]
        self._reached.clear()
        return reached

    def _replay(self, sent: Sent) -> None:
        headers = {
            name: value
            for name, value in sent.headers.items()
            if name in ("content-type", "origin", "referer", "accept")
        }
        client = self.clients[sent.form.visitor]
        answer = client.post(sent.url, content=sent.body, headers=headers, follow_redirects=False)
        self._check_status(sent.form, sent.mode, answer.status_code)
        self._follow(sent.form, sent.url, answer.headers.get("location"))

    def _follow(self, form: FoundForm, url: str, location: str | None) -> None:
        """Note the page to which the answer leads."""
        target = urljoin(url, location or "")
        if location and target.startswith(f"{self._address}/"):
            self._reached.append((form.visitor, target.removeprefix(self._address)))

    def _check_status(self, form: FoundForm, mode: str, status: int) -> None:
        if not 200 <= status < 500 or status in NOT_UNDERSTOOD:
            self.faults.append(f"{form} {mode}: {status}")


def _has_files(request: Request) -> bool:
    return request.headers.get("content-type", "").startswith("multipart/")


def _rank(path: str) -> int:
    return 2 if SIGNS_OUT.search(path) else 1 if REMOVES.search(path) else 0


def _page_paths(routers: Iterable[APIRouter], prefix: str) -> Iterator[tuple[re.Pattern[str], str]]:
    """Yield the pattern and the declared path of each page."""
    for router in routers:
        for route in router.routes:
            included = getattr(route, "original_router", None)
            if included is not None:
                inner = cast(Any, route).include_context.prefix
                yield from _page_paths([included], prefix + inner)
            elif isinstance(route, APIRoute):
                pattern, path, _ = compile_path(prefix + route.path)
                yield pattern, path


@pytest.mark.parametrize("spec", APPS, ids=[each.name for each in APPS])
def test_forms_are_sent_or_say_why_not(
    spec: AppSpec[Any], open_page: OpenPage, tmp_path: Path
) -> None:
    public, options = PublicUrl("http://127.0.0.1", is_local=True), ServeOptions(sample=True)
    with open_apps([spec], tmp_path, public, options) as apps:
        (app,) = apps
        site = make_site_app(apps, settings=public.settings())
        with serve_app(site) as address:
            tester = FormTester(open_page(), spec, app, site, address)
            waiting = [(name, app.info.url) for name in tester.clients]
            count = 0
            # What the forms lead to may have forms, too: an import begins with a file.
            while waiting:
                forms = [form for each in waiting for form in tester.find_forms(*each)]
                count += len(forms)
                for form in forms:
                    for mode in MODES:
                        tester.try_form(form, mode)
                waiting = tester.replay()
            for rank in (1, 2):
                tester.replay(rank=rank)
            assert tester.faults == []
            assert count > 5
