"""The files of images."""

from __future__ import annotations

from io import BytesIO

from PIL import Image

from tests.apps.portfolio.pages.client import PagesApp
from tests.apps.portfolio.support.images import image_file


def _upload(app: PagesApp, height: int = 10) -> str:
    image = image_file(1000, height)
    return app.world.service.media.upload(app.world.owner(), image, "a.png").name


def test_images_are_served_for_ever(app: PagesApp) -> None:
    name = _upload(app, height=500)
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
    name, browser = _upload(app), app.browser()
    files = "481.webp 0480.webp? -480.webp ４８０.webp 99999999999999999.webp x.webp 480.png .webp"
    names = "..%2f..%2fetc %2e%2e 0123456789abcdef_9x9 0123456789ABCDEF_1000x500 %00"
    paths = [f"{name}/{file}" for file in ("", *files.split())]
    for path in (*paths, *(f"{each}/480.webp" for each in names.split())):
        response = browser.open(f"/portfolio/media/{path}")
        assert response.status_code in (404, 400), path
        assert response.headers["content-type"].startswith("text/html")
