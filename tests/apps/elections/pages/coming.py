"""People who come to the pages by their forms: they sign in, and send one form of several."""

from __future__ import annotations

import html

import httpx2

from singletable_apps.shared.mail import Email, Outbox
from tests.apps.elections.pages.clicking import Person, Town, Typed, sheets_of
from tests.apps.elections.rig.world import PASSWORD


def stranger(town: Town) -> Person:
    """Somebody with a browser, whom nobody knows yet."""
    return town.person(None)


def signed_in(town: Town, name: str) -> Person:
    """Somebody who has signed in by the form, so that the browser has both cookies."""
    person = stranger(town)
    answer = person.send(person.look("sign-in"), who=name, password=PASSWORD)
    assert answer.status_code == 303, answer.text
    return person


def send_to(person: Person, page: httpx2.Response, ending: str, **typed: Typed) -> httpx2.Response:
    """Fill in the one form of a page that is sent to an address with this end, and send it."""
    [sheet] = [one for one in sheets_of(page) if one.action.endswith(ending)]
    kept = {name: values for name, values in sheet.fields.items() if name not in typed}
    said = {name: value for name, value in typed.items() if value is not None}
    return person.post(html.unescape(sheet.action), {**kept, **said})


def toast(person: Person, answer: httpx2.Response) -> str:
    """What is said on the page that one is led to, once."""
    page = person.follow(answer)
    assert page.status_code == 200, page.text
    said = page.text.partition("data-toast=")[2].partition("<p>")[2].partition("</p>")[0]
    assert "data-toast" not in person.visit(str(page.url.path)).text
    return html.unescape(said)


def letters(town: Town) -> list[Email]:
    """The letters that were sent, the newest first."""
    return [kept.letter for kept in Outbox(town.world.service.context.store).newest(10)]
