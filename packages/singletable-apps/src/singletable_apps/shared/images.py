"""Uploaded images: checked, turned upright, stripped of metadata, and resized as WebP."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from typing import Any, cast

from PIL import Image, ImageCms, ImageOps, UnidentifiedImageError
from PIL.JpegImagePlugin import JpegImageFile

from singletable_apps.shared.languages import Phrase

# The widths for phones, for columns of text, and for large or dense screens.
WIDTHS = (480, 960, 1600)
MAX_BYTES = 15_000_000
# A photo of 50 megapixels takes up to 450 MB while it is decoded. PNG, WebP and GIF take more per
# pixel, so 36 megapixels (a screenshot in 8K) take 550 MB. MPO is a JPEG with a second image.
_PHOTO_FORMATS = ("JPEG", "MPO", "AVIF")
MAX_PIXELS, MAX_OTHER_PIXELS = 50_000_000, 36_000_000
# Progressive JPEGs have about ten scans. A scan of a few bytes can change every pixel.
MAX_SCANS = 100
QUALITY = 80
_MAX_WEBP_SIDE = 16_383
_FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "AVIF")
_NAME = re.compile(r"[0-9a-f]{16}_([1-9][0-9]{0,7})x([1-9][0-9]{0,7})")
_SVG = re.compile(rb"\A\s*(?:<\?xml|<!--|<!doctype svg|<svg)", re.IGNORECASE)
# Chunks of WebP files besides pixels, such as the location of a photo.
_METADATA = frozenset({"exif", "icc_profile", "xmp"})
_SEGMENT = re.compile(rb"\xff([\xc0-\xcf\xd9-\xfe])(..)", re.DOTALL)
_SCAN, _END_OF_IMAGE = b"\xda", b"\xd9"
_DAMAGED = "The image is damaged. Export it again, and upload that."
# One image at a time, so that many uploads take no more memory than one.
_DECODER = threading.Lock()
_SRGB = cast(Any, ImageCms.createProfile("sRGB"))  # pyright: ignore[reportUnknownMemberType]


class InvalidImage(ValueError):
    """The file is not an image that is accepted. The message says why."""


@dataclass(frozen=True, slots=True)
class ImageSize:
    """The size of an image in pixels."""

    width: int
    height: int

    def scaled(self, width: int) -> ImageSize:
        """Return the size at another width."""
        return ImageSize(width, max(1, round(self.height * width / self.width)))


@dataclass(frozen=True, slots=True)
class ProcessedImage:
    """An image in several widths. `name` is derived from the bytes of the upload and its size."""

    name: str
    size: ImageSize
    variants: Mapping[int, bytes]


def parse_image_name(name: str) -> ImageSize | None:
    """Return the size in a name such as `8c4f0d6b1a2e3f47_4032x3024`, or None if it is not one."""
    match = _NAME.fullmatch(name)
    return None if match is None else ImageSize(int(match[1]), int(match[2]))


def image_widths(width: int) -> tuple[int, ...]:
    """Return the widths in which an image is stored: WIDTHS, none larger than the image itself.

    They follow from the width in its name, so pages need no lookup.
    """
    return tuple(sorted({min(width, stored) for stored in WIDTHS}))


def process_image(data: bytes) -> ProcessedImage:
    """Return an upright WebP without metadata in each width, or raise InvalidImage.

    JPEG, PNG, WebP, GIF and AVIF are accepted. Of an animation, the first frame is kept.
    """
    try:
        with _DECODER:
            size, image = _decode(data)
        variants = _resize(image, [size.scaled(width) for width in image_widths(size.width)])
    except InvalidImage:
        raise
    except Exception as error:  # the decoders raise many kinds of errors for damaged files
        raise InvalidImage(_DAMAGED) from error
    name = f"{sha256(data).hexdigest()[:16]}_{size.width}x{size.height}"
    return ProcessedImage(name, size, variants)


def _decode(data: bytes) -> tuple[ImageSize, Image.Image]:
    """Return the size of the upright image, and its pixels in the largest width."""
    image = _open(data)
    # The whole PNG is decoded here: its EXIF data may be at the end.
    orientation = image.getexif().get(0x0112, 1)
    size = ImageSize(*(reversed(image.size) if orientation in (5, 6, 7, 8) else image.size))
    largest = size.scaled(max(image_widths(size.width)))
    if largest.height > _MAX_WEBP_SIDE:
        raise InvalidImage("The image is too tall for its width. Crop it, and upload it again.")
    # Large JPEGs are decoded at a fraction of their size.
    image.draft(None, (2 * WIDTHS[-1], 2 * WIDTHS[-1]))
    # Not a copy of all pixels.
    ImageOps.exif_transpose(image, in_place=True)
    return size, _scale(_to_srgb(image), largest)


def read_processed_image(name: str, variants: Mapping[int, bytes]) -> ProcessedImage:
    """Return an image that `process_image` made before, or raise InvalidImage if it is another.

    Every file is decoded and encoded again, so that nothing else in it is stored and served.
    """
    size = parse_image_name(name)
    if size is None or sorted(variants) != list(image_widths(size.width)):
        raise InvalidImage("The name and the widths of this image do not fit. Upload the original.")
    encoded: dict[int, bytes] = {}
    for width, data in sorted(variants.items()):
        image = _open(data)
        if image.format != "WEBP" or ImageSize(*image.size) != size.scaled(width):
            raise InvalidImage(Phrase("Expected a WebP of %(width)s pixels width.", width=width))
        if image.info.keys() & _METADATA or getattr(image, "is_animated", False):
            raise InvalidImage("Expected an image without metadata and animation. Upload it alone.")
        try:
            with _DECODER:
                encoded[width] = _encode(_to_srgb(image))
        except Exception as error:  # as in `process_image`
            raise InvalidImage(_DAMAGED) from error
    return ProcessedImage(name, size, encoded)


def _open(data: bytes) -> Image.Image:
    """Read the header of an image and check its format and size, without decoding it."""
    if not data:
        raise InvalidImage("The file is empty. Choose an image.")
    if len(data) > MAX_BYTES:
        text = "The file has %(size)s MB. Upload an image of up to %(most)s MB."
        size, most = round(len(data) / 1e6, 1), MAX_BYTES // 1_000_000
        raise InvalidImage(Phrase(text, size=size, most=most))
    if _SVG.match(data):
        raise InvalidImage("SVG files can contain scripts. Export the image as PNG or WebP.")
    try:
        image = Image.open(BytesIO(data), formats=_FORMATS)
    except UnidentifiedImageError:
        raise InvalidImage(
            "This is not an image that browsers show. Upload a JPEG, PNG, WebP, GIF or AVIF."
        ) from None
    except Image.DecompressionBombError:
        raise _too_many_pixels() from None
    except Exception as error:
        raise InvalidImage(_DAMAGED) from error
    max_pixels = MAX_PIXELS if image.format in _PHOTO_FORMATS else MAX_OTHER_PIXELS
    if image.width * image.height > max_pixels:
        raise _too_many_pixels(max_pixels)
    if isinstance(image, JpegImageFile) and _has_too_many_scans(data):
        raise InvalidImage(_DAMAGED)
    return image


def _too_many_pixels(allowed: int = MAX_PIXELS) -> InvalidImage:
    text = "The image has more than %(most)s megapixels. Make it smaller, and upload it again."
    return InvalidImage(Phrase(text, most=allowed // 1_000_000))


def _has_too_many_scans(data: bytes) -> bool:
    """Return whether a JPEG has more scans than any encoder writes."""
    scans, segment = 0, _SEGMENT.search(data)
    while segment and segment[1] != _END_OF_IMAGE and scans <= MAX_SCANS:
        scans += segment[1] == _SCAN
        segment = _SEGMENT.search(data, segment.end() - 2 + int.from_bytes(segment[2]))
    return scans > MAX_SCANS


def _to_srgb(image: Image.Image) -> Image.Image:
    """Return the image in the color space of the web, with transparency if it has any."""
    profile = image.info.get("icc_profile")
    if image.mode.startswith("I"):  # 16 bits of gray
        image = image.convert("I").point(lambda value: value * (1 / 256)).convert("L")
    target = "RGBA" if image.has_transparency_data else "RGB"
    if image.mode in ("P", "PA", "LA", "La", "RGBa", "1"):
        image = image.convert(target)
    if profile:
        try:
            converted = ImageCms.profileToProfile(
                image, ImageCms.ImageCmsProfile(BytesIO(profile)), _SRGB, outputMode=target
            )
        except (ImageCms.PyCMSError, OSError, ValueError):
            converted = None  # a broken profile, or one for another kind of image
        image = converted or image
    return image if image.mode == target else image.convert(target)


def _resize(image: Image.Image, sizes: Sequence[ImageSize]) -> dict[int, bytes]:
    """Return the image as WebP in each size by width; each is made from the next larger one."""
    variants: dict[int, bytes] = {}
    for size in reversed(sizes):
        image = _scale(image, size)
        variants[size.width] = _encode(image)
    return dict(sorted(variants.items()))


def _encode(image: Image.Image) -> bytes:
    """Return the pixels as WebP, and nothing else."""
    image.info.clear()
    file = BytesIO()
    image.save(file, "WEBP", quality=QUALITY)
    return file.getvalue()


def _scale(image: Image.Image, size: ImageSize) -> Image.Image:
    box = (size.width, size.height)
    return image.resize(box, Image.Resampling.LANCZOS, reducing_gap=3.0)
