"""Images of questions, in the bucket. The name of an image is derived from its content."""

from __future__ import annotations

from singletable_apps.games.errors import InvalidInput, NotFound
from singletable_apps.games.service.context import Context
from singletable_apps.shared.images import (
    WIDTHS,
    InvalidImage,
    image_widths,
    parse_image_name,
    process_image,
)
from singletable_apps.shared.objects import ObjectNotFound

# The width in the URL of an image; screens ask for another one if they need it.
SHOWN_WIDTH = 960


class Images:
    """Stores and reads the images of questions."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def upload(self, data: bytes, field: str = "file") -> str:
        """Store an image and return its URL, or raise InvalidInput. It may be there already."""
        try:
            image = process_image(data)
        except InvalidImage as error:
            raise InvalidInput({field: str(error)}) from error
        for width, body in image.variants.items():
            self._context.bucket.put_object(_key(image.name, width), body, "image/webp")
        return self._context.urls.page("images", image.name, f"{SHOWN_WIDTH}.webp")

    def open(self, name: str, width: int) -> bytes:
        """Return an image in a width, or in its own if that is smaller; raise NotFound."""
        size = parse_image_name(name)
        widths = image_widths(size.width) if size else ()
        try:
            if widths and width in (*WIDTHS, *widths):
                return self._context.bucket.get_object(_key(name, min(width, max(widths))))
        except ObjectNotFound:
            pass
        raise NotFound("There is no such image.")


def _key(name: str, width: int) -> str:
    return f"images/{name}/{width}.webp"
