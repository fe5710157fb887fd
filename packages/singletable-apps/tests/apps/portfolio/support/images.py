"""Image files for tests."""

from __future__ import annotations

from io import BytesIO

from PIL import Image


def image_file(
    width: int = 64,
    height: int = 32,
    color: str = "tomato",
    kind: str = "PNG",
    **options: object,
) -> bytes:
    """Return an image of one color."""
    file = BytesIO()
    Image.new("RGB", (width, height), color).save(file, kind, **options)
    return file.getvalue()
