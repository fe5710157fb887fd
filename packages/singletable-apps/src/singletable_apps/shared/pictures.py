"""Small pictures beside names: of candidates in elections, and of options in polls."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.images import InvalidImage, process_image

# In Base64, it fits into an item of 400 KB.
MAX_PICTURE_BYTES = 200_000


@dataclass(frozen=True, slots=True)
class Picture:
    """The name of a picture, which is made of its hash, and what it shows."""

    name: str
    alt: str


def prepare_picture(data: bytes) -> tuple[str, bytes]:
    """Return the name and the content of a small WebP, or raise InvalidInput."""
    try:
        processed = process_image(data)
    except InvalidImage as error:
        raise InvalidInput({"picture": str(error)}) from error
    content = processed.variants[min(processed.variants)]
    if len(content) > MAX_PICTURE_BYTES:
        message = "The picture is too tall or too detailed. Crop it, and upload it again."
        raise InvalidInput({"picture": message})
    return sha256(content).hexdigest()[:32], content
