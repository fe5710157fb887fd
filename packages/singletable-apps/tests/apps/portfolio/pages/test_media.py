"""The media library: upload, refusals, descriptions, uses, deletion, and the files of images."""

from __future__ import annotations

from io import BytesIO

import httpx2
from PIL import Image

from singletable_apps.portfolio.rules import PostDraft
from tests.apps.portfolio.pages.client import Browser, PagesApp
from tests.apps.portfolio.support.images import image_file
from tests.apps.support.html import field_errors, text_in

PICTURE = image_file(640, 480)


def _upload(
    browser: Browser, *files: tuple[str, bytes], accept: str = "text/html"
) -> httpx2.Response:
    browser.app.activate()
    return browser.http.post(
        browser.app.urls.admin("media"),
        files=[("files", (name, data, "image/png")) for name, data in files],
        headers={"Accept": accept, "Sec-Fetch-Site": "same-origin"},
        follow_redirects=False,
    )


def _name(app: PagesApp) -> str:
    (media,) = app.world.service.media.list().items
    return media.name


def test_uploaded_image_is_in_the_library_with_its_markdown(app: PagesApp, ada: Browser) -> None:
    assert "No images yet" in text_in(ada.get("media").text)
    assert ada.flash(_upload(ada, ("cat.png", PICTURE))) == "Uploaded 1 image."
    page = ada.get("media")
    name = _name(app)
    assert f"![](/portfolio/media/{name}/960.webp)" in page.text
    assert "640 × 480" in text_in(page.text)


def test_refused_files_are_named_with_their_reason(app: PagesApp, ada: Browser) -> None:
    response = _upload(ada, ("cat.png", PICTURE), ("notes.png", b"not an image"))
    assert response.status_code == 422
    assert field_errors(response)["files"].startswith("notes.png: ")
    assert len(app.world.service.media.list().items) == 1
    assert "Choose at least one image" in field_errors(_upload(ada, ("", b"")))["files"]


def test_script_gets_results_as_json(app: PagesApp, ada: Browser) -> None:
    files = (("cat.png", PICTURE), ("bad.png", b"x"))
    results = _upload(ada, *files, accept="application/json").json()["files"]
    assert results[0]["url"] == f"/portfolio/media/{_name(app)}/960.webp"
    assert results[1].keys() == {"error"}


def test_description_is_saved(app: PagesApp, ada: Browser) -> None:
    _upload(ada, ("cat.png", PICTURE))
    page = ada.get("media", _name(app))
    assert ada.flash(ada.submit(page, _name(app), alt="A [cat]")) == "Description saved."
    assert "![A cat](" in ada.get("media").text
    assert set(field_errors(ada.submit(page, _name(app), alt="x" * 600))) == {"alt"}


def test_deletion_warns_where_the_image_is_used(app: PagesApp, ada: Browser) -> None:
    _upload(ada, ("cat.png", PICTURE))
    name = _name(app)
    draft = PostDraft("On cats", f"![cat](/portfolio/media/{name}/960.webp)")
    app.world.service.posts.create(app.world.owner(), draft)
    assert "On cats" in text_in(ada.get("media", name).text)
    question = ada.get("media", name, "delete")
    assert "It is in use" in text_in(question.text)
    assert "On cats" in text_in(question.text)
    assert ada.flash(ada.submit(question, "/delete")) == "Moved the image to the trash."
    assert ada.get("media", name).status_code == 404


def test_authors_do_not_see_where_drafts_of_others_show_an_image(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    _upload(ada, ("cat.png", PICTURE))
    posts, owner = app.world.service.posts, app.world.owner()
    text = f"![](/portfolio/media/{_name(app)}/960.webp)"
    public = posts.create(owner, PostDraft("Everyone reads this", text))
    posts.publish(owner, public.blog_id)
    posts.create(owner, PostDraft("A secret plan", text))
    for page in (ben.get("media", _name(app)), ben.get("media", _name(app), "delete")):
        assert "A secret plan" not in page.text
        assert "A post of another author" in page.text
        assert "Everyone reads this" in page.text
    assert "A secret plan" in ada.get("media", _name(app)).text


def _stored(app: PagesApp, height: int = 10) -> str:
    image = image_file(1000, height)
    return app.world.service.media.upload(app.world.owner(), image, "a.png").name


def test_images_are_served_for_ever(app: PagesApp) -> None:
    name = _stored(app, height=500)
    browser = app.browser()
    response = browser.open(app.urls.media(name, 480))
    assert response.status_code == 200
    assert Image.open(BytesIO(response.content)).size == (480, 240)
    headers = response.headers
    assert headers["content-type"] == "image/webp"
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "cross-origin"
    assert "content-encoding" not in headers
    assert "set-cookie" not in headers
    again = browser.http.get(app.urls.media(name, 480), headers={"If-None-Match": headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_other_paths_are_not_found(app: PagesApp) -> None:
    name, browser = _stored(app), app.browser()
    files = "481.webp 0480.webp? -480.webp ４８０.webp 99999999999999999.webp x.webp 480.png .webp"
    names = "..%2f..%2fetc %2e%2e 0123456789abcdef_9x9 0123456789ABCDEF_1000x500 %00"
    paths = [f"{name}/{file}" for file in ("", *files.split())]
    for path in (*paths, *(f"{each}/480.webp" for each in names.split())):
        response = browser.open(f"/portfolio/media/{path}")
        assert response.status_code in (404, 400), path
        assert response.headers["content-type"].startswith("text/html")
