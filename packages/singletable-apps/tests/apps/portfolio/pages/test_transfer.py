"""Export and import the site from the settings."""

from __future__ import annotations

from datetime import UTC, datetime
from io import BytesIO
from zipfile import ZipFile

import httpx2
import pytest

from singletable_apps.portfolio.entities import Listing
from singletable_apps.portfolio.rules import PostDraft
from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.support.html import field_errors, text_in

POST = b"---\ntitle: On tea\n---\nTea is good.\n"


def _upload(browser: Browser, *files: tuple[str, bytes]) -> httpx2.Response:
    browser.app.activate()
    return browser.http.post(
        browser.app.urls.admin("import"),
        files=[("file", (name, data)) for name, data in files] or [("file", ("", b""))],
        headers={"Accept": "text/html", "Sec-Fetch-Site": "same-origin"},
    )


def test_export_is_a_zip_that_can_be_imported_again(app: PagesApp, ada: Browser) -> None:
    draft = PostDraft("On tea", "Tea is good.")
    blog = app.world.service.posts.create(app.world.owner(), draft)
    answer = ada.get("export")
    assert answer.headers["content-type"] == "application/zip"
    assert "attachment" in answer.headers["content-disposition"]
    names = ZipFile(BytesIO(answer.content)).namelist()
    assert any(name.startswith("posts/") for name in names)
    app.world.service.posts.delete(app.world.owner(), blog.blog_id)
    plan = _upload(ada, ("site.zip", answer.content))
    page = ada.submit(plan, "/import/run")
    assert "What was imported" in text_in(page.text)
    (restored,) = app.world.service.posts.list_in(Listing.DRAFTS)
    assert restored.title == "On tea"


def test_upload_shows_what_it_changes_and_changes_nothing(app: PagesApp, ada: Browser) -> None:
    page = _upload(ada, ("tea.md", POST), ("milk.md", POST.replace(b"tea", b"milk")))
    assert "What this file changes" in text_in(page.text)
    assert "2 new" in text_in(page.text)
    assert app.world.service.posts.list_all() == []


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "1 new, 1 left out (unsubscribed or removed)"),
        ("de", "1 neu, 1 ausgelassen (abbestellt oder entfernt)"),
    ],
)
def test_upload_shows_how_many_subscribers_have_left(
    app: PagesApp, ada: Browser, language: str, text: str
) -> None:
    service, owner = app.world.service, app.world.owner()
    service.profile.update_settings(owner, {"language": language})
    service.newsletter.restore(owner, {"mae@example.org": datetime(2026, 1, 1, tzinfo=UTC)})
    service.newsletter.remove(owner, service.newsletter.list_all()[0].digest)
    reader = '{"email": "%s", "confirmed_at": "2026-01-01T00:00:00Z"}'
    readers = ", ".join(reader % name for name in ("mae@example.org", "bob@example.org"))
    plan = _upload(ada, ("subscribers.json", f"[{readers}]".encode()))
    assert text in text_in(plan.text)


# A new site takes everything over; another one keeps its own profile and settings.
@pytest.mark.parametrize("is_new", [True, False])
def test_own_profile_and_settings_are_not_ticked(app: PagesApp, ada: Browser, is_new: bool) -> None:
    if not is_new:
        app.world.service.posts.create(app.world.owner(), PostDraft("Mine", "Text."))
    site = b'{"name": "Maren", "settings": {"title": "Long Wave"}}'
    plan = _upload(ada, ("portfolio.json", site), ("tea.md", POST))
    assert "Replaces yours: title" in text_in(plan.text)
    ada.submit(plan, "/import/run")
    assert (app.world.service.profile.get_settings().title == "Long Wave") is is_new
    assert (app.world.service.profile.get_portfolio().name == "Maren") is is_new
    response = ada.submit(ada.get("import", "undo"), "/undo")
    assert "undone" in ada.flash(response)
    assert app.world.service.profile.get_settings().title == "Ada’s notes"
    assert len(app.world.service.posts.list_all()) == (not is_new)


def test_import_of_nothing_keeps_the_file_and_asks_again(app: PagesApp, ada: Browser) -> None:
    plan = _upload(ada, ("tea.md", POST))
    again = ada.submit(plan, "/import/run", kinds=[])
    assert "Nothing was chosen" in field_errors(again)["kinds"]
    ada.submit(again, "/import/run", kinds=["posts"])
    assert len(app.world.service.posts.list_all()) == 1


def test_file_that_was_replaced_meanwhile_is_not_imported(app: PagesApp, ada: Browser) -> None:
    plan = _upload(ada, ("tea.md", POST))
    _upload(ada, ("milk.md", POST.replace(b"tea", b"milk")))
    assert "Choose it again" in field_errors(ada.submit(plan, "/import/run"))["file"]
    assert app.world.service.posts.list_all() == []


@pytest.mark.parametrize(
    "files", [(), (("site.zip", b"PK not a zip"),)], ids=["nothing chosen", "damaged"]
)
def test_file_that_cannot_be_read_is_an_error_of_the_field(
    ada: Browser, files: tuple[tuple[str, bytes], ...]
) -> None:
    response = _upload(ada, *files)
    assert response.status_code == 422
    assert set(field_errors(response)) == {"file"}
