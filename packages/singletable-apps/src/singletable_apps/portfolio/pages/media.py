"""The files of images, in each of their widths."""

from __future__ import annotations

import re

from fastapi import APIRouter, Request, Response

from singletable_apps.portfolio.pages.dependencies import Service
from singletable_apps.shared.errors import NotFound
from singletable_apps.shared.web import FOREVER, public_response

router = APIRouter()
# Feed readers on the web show our images on their pages.
_EMBEDDABLE = {"Cross-Origin-Resource-Policy": "cross-origin"}


@router.get("/media/{name}/{width}.webp")
def read_image(request: Request, service: Service, name: str, width: str) -> Response:
    """Return an image. Its name changes with its content, so it can be cached forever."""
    if not re.fullmatch("[1-9][0-9]{0,3}", width):
        raise NotFound("There is no such image.")
    body = service.media.open(name, int(width))
    return public_response(request, body, "image/webp", caching=FOREVER, headers=_EMBEDDABLE)
