"""Export and import the site from the settings."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZipFile

import httpx2
import pytest

from singletable_apps.portfolio.rules import PostDraft
from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.support.html import field_errors, text_in

POST = b"---\ntitle: On tea\n---\nTea is good.\n"


def _import(browser: Browser, *files: tuple[str, bytes], **fields: str) -> httpx2.Response:
    browser.app.activate()
    return browser.http.post(
        browser.app.urls.admin("import"),
        data=fields,
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
    page = _import(ada, ("site.zip", answer.content))
    assert "What was imported" in text_in(page.text)
    (restored,) = app.world.service.posts.list_drafts()
    assert restored.title == "On tea"


def test_check_changes_nothing(app: PagesApp, ada: Browser) -> None:
    page = _import(ada, ("tea.md", POST), ("milk.md", POST.replace(b"tea", b"milk")), dry_run="on")
    assert "What would happen" in text_in(page.text)
    assert "Created 2" in text_in(page.text)
    assert app.world.service.posts.list_drafts() == []


@pytest.mark.parametrize(
    "files", [(), (("site.zip", b"PK not a zip"),)], ids=["nothing chosen", "damaged"]
)
def test_file_that_cannot_be_read_is_an_error_of_the_field(
    ada: Browser, files: tuple[tuple[str, bytes], ...]
) -> None:
    response = _import(ada, *files)
    assert response.status_code == 422
    assert set(field_errors(response)) == {"file"}
