"""The files of images."""

from __future__ import annotations

from io import BytesIO

import pytest
from PIL import Image

from tests.apps.portfolio.pages.client import PagesApp
from tests.apps.portfolio.support.images import image_file


def _upload(app: PagesApp, height: int = 10) -> str:
    image = image_file(1000, height)
    return app.world.service.media.upload(app.world.owner(), image, "a.png").name


def test_images_are_served_for_ever(app: PagesApp) -> None:
    name = _upload(app, height=500)
    browser = app.browser()
    response = browser.open(app.site.urls.media(name, 480))
    assert response.status_code == 200
    assert Image.open(BytesIO(response.content)).size == (480, 240)
    headers = response.headers
    assert headers["content-type"] == "image/webp"
    assert headers["cache-control"] == "public, max-age=31536000, immutable"
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cross-origin-resource-policy"] == "cross-origin"
    assert "content-encoding" not in headers
    assert "set-cookie" not in headers
    again = browser.http.get(
        app.site.urls.media(name, 480), headers={"If-None-Match": headers["etag"]}
    )
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path",
    [
        "{name}/481.webp",
        "{name}/0480.webp?",
        "{name}/-480.webp",
        "{name}/４８０.webp",
        "{name}/99999999999999999999.webp",
        "{name}/x.webp",
        "{name}/480.png",
        "{name}/.webp",
        "{name}/",
        "..%2f..%2fetc/480.webp",
        "%2e%2e/480.webp",
        "0123456789abcdef_9x9/480.webp",
        "0123456789ABCDEF_1000x500/480.webp",
        "%00/480.webp",
    ],
)
def test_other_paths_are_not_found(app: PagesApp, path: str) -> None:
    name = _upload(app)
    response = app.browser().open(f"/portfolio/media/{path.format(name=name)}")
    assert response.status_code in (404, 400), response.text
    assert response.headers["content-type"].startswith("text/html")
