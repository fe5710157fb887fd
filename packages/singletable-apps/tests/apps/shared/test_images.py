"""Uploaded images: what is accepted, what is stored, and that no metadata remains."""

from __future__ import annotations

import struct
import zlib
from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageCms, ImageFile
from PIL.PngImagePlugin import PngInfo

from singletable_apps.shared import images
from singletable_apps.shared.images import (
    MAX_BYTES,
    ImageSize,
    InvalidImage,
    image_widths,
    parse_image_name,
    process_image,
)

RED, BLUE = (220, 20, 20), (20, 20, 220)


def _two_colors(width: int = 64, height: int = 32) -> Image.Image:
    """Return an image that is red on the left and blue on the right."""
    image = Image.new("RGB", (width, height), RED)
    image.paste(BLUE, (width // 2, 0, width, height))
    return image


def _file(image: Image.Image, kind: str = "PNG", **options: object) -> bytes:
    file = BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def _decoded(data: bytes) -> Image.Image:
    image = Image.open(BytesIO(data))
    image.load()
    return image


def _pixel(image: Image.Image, x: int, y: int) -> tuple[int, ...]:
    pixel = image.getpixel((x, y))
    assert isinstance(pixel, tuple)
    return tuple(int(part) for part in pixel)


def _is_close(pixel: tuple[int, ...], color: tuple[int, ...], by: int = 40) -> bool:
    return all(abs(one - other) <= by for one, other in zip(pixel[:3], color, strict=True))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "AVIF"])
def test_formats_of_browsers_become_webp(kind: str) -> None:
    data = _file(_two_colors(), kind)
    processed = process_image(data)
    assert processed.size == ImageSize(64, 32)
    assert list(processed.variants) == [64]
    image = _decoded(processed.variants[64])
    assert (image.format, image.size) == ("WEBP", (64, 32))
    assert _is_close(_pixel(image, 8, 16), RED)
    assert _is_close(_pixel(image, 56, 16), BLUE)


@pytest.mark.parametrize(
    ("width", "widths"),
    [
        (1, (1,)),
        (480, (480,)),
        (481, (480, 481)),
        (960, (480, 960)),
        (1599, (480, 960, 1599)),
        (1600, (480, 960, 1600)),
        (9000, (480, 960, 1600)),
    ],
)
def test_widths_are_not_larger_than_the_image(width: int, widths: tuple[int, ...]) -> None:
    assert image_widths(width) == widths


def test_large_images_are_stored_in_every_width() -> None:
    processed = process_image(_file(_two_colors(4000, 3000), "JPEG", quality=95))
    sizes = {width: _decoded(data).size for width, data in processed.variants.items()}
    assert sizes == {480: (480, 360), 960: (960, 720), 1600: (1600, 1200)}


def test_the_name_follows_from_the_bytes_and_says_the_size() -> None:
    data = _file(_two_colors())
    name = process_image(data).name
    assert name == process_image(data).name
    assert name != process_image(data + b"\0").name
    assert parse_image_name(name) == ImageSize(64, 32)


@pytest.mark.parametrize(
    "name",
    ["", "x", "0123456789abcdef", "0123456789ABCDEF_1x1", "0123456789abcdef_0x1",
     "0123456789abcdef_01x1", "0123456789abcdef_1x1\n", "../0123456789abcdef_1x1"],
)  # fmt: skip
def test_other_names_are_not_names_of_images(name: str) -> None:
    assert parse_image_name(name) is None


def _exif(orientation: int) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "Secret camera"
    exif[0x8825] = {1: "N", 2: (52.0, 30.0, 0.0), 3: "E", 4: (13.0, 24.0, 0.0)}
    return exif


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_metadata_is_dropped(kind: str) -> None:
    options: dict[str, object] = {"exif": _exif(1), "comment": b"Secret comment"}
    if kind == "PNG":
        text = PngInfo()
        text.add_text("Author", "Secret author")
        options["pnginfo"] = text
    if kind == "WEBP":
        options["xmp"] = b"<x:xmpmeta>Secret</x:xmpmeta>"
    data = _file(_two_colors(), kind, **options)
    assert b"Secret" in data
    stored = process_image(data).variants[64]
    for secret in (b"Secret", b"EXIF", b"Exif", b"XMP ", b"ICCP"):
        assert secret not in stored
    assert not _decoded(stored).getexif()


@pytest.mark.parametrize("orientation", range(1, 9))
def test_images_are_turned_upright(orientation: int) -> None:
    undo = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    upright = _two_colors()
    turned = upright.transpose(undo[orientation]) if orientation in undo else upright
    processed = process_image(_file(turned, "JPEG", quality=95, exif=_exif(orientation)))
    assert processed.size == ImageSize(64, 32)
    image = _decoded(processed.variants[64])
    assert image.size == (64, 32)
    assert _is_close(_pixel(image, 8, 16), RED)
    assert _is_close(_pixel(image, 56, 16), BLUE)


@pytest.mark.parametrize("mode", ["1", "L", "P", "LA", "RGBA", "CMYK", "I;16", "YCbCr"])
def test_color_modes_are_converted(mode: str) -> None:
    image = _two_colors().convert("L").convert("I;16") if mode == "I;16" else _two_colors()
    image = image if mode == "I;16" else image.convert(mode)
    kind = "JPEG" if mode in ("CMYK", "YCbCr") else "PNG"
    stored = _decoded(process_image(_file(image, kind)).variants[64])
    assert stored.mode in ("RGB", "RGBA")
    assert stored.size == (64, 32)


def test_cmyk_keeps_its_colors() -> None:
    data = _file(_two_colors().convert("CMYK"), "JPEG", quality=95)
    image = _decoded(process_image(data).variants[64])
    assert _is_close(_pixel(image, 8, 16), RED)


def test_deep_gray_keeps_its_brightness() -> None:
    gray = Image.new("I;16", (8, 8), 128 << 8)
    image = _decoded(process_image(_file(gray)).variants[8])
    assert _is_close(_pixel(image, 4, 4), (128, 128, 128), by=3)


def test_transparency_is_kept() -> None:
    image = Image.new("RGBA", (16, 16), (255, 0, 0, 0))
    image.paste((0, 0, 255, 255), (0, 0, 8, 16))
    palette = image.convert("P")
    palette.info["transparency"] = palette.getpixel((12, 8))
    for data in (_file(image), _file(palette, "GIF")):
        stored = _decoded(process_image(data).variants[16]).convert("RGBA")
        assert _pixel(stored, 14, 8)[3] < 10
        assert _pixel(stored, 2, 8)[3] > 245


def test_color_profiles_are_converted_to_srgb() -> None:
    lab = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    stored = _decoded(process_image(_file(_two_colors(), "PNG", icc_profile=lab)).variants[64])
    assert "icc_profile" not in stored.info
    assert _is_close(_pixel(stored, 8, 16), RED)
    process_image(_file(_two_colors(), "PNG", icc_profile=b"not a profile"))
    process_image(_file(_two_colors().convert("CMYK"), "JPEG", icc_profile=lab))


def test_the_first_frame_of_an_animation_is_kept() -> None:
    frames = [Image.new("RGB", (16, 16), color) for color in (RED, BLUE)]
    data = _file(frames[0], "GIF", save_all=True, append_images=frames[1:])
    stored = _decoded(process_image(data).variants[16])
    assert getattr(stored, "n_frames", 1) == 1
    assert _is_close(_pixel(stored, 8, 8), RED)


def _png_header(width: int, height: int) -> bytes:
    """Return a PNG that says a size, but has no pixels."""
    header = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunk = struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
    data = zlib.compress(b"\0" * 1000)
    body = b"IDAT" + data
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk
        + struct.pack(">I", len(data))
        + body
        + struct.pack(">I", zlib.crc32(body))
        + b"\0\0\0\0IEND\xaeB`\x82"
    )


@pytest.mark.parametrize(
    "size", [(6001, 6000), (8000, 8000), (100_000, 100_000), (2**31 - 1, 2**31 - 1)]
)
def test_decompression_bombs_are_rejected_before_decoding(size: tuple[int, int]) -> None:
    with pytest.raises(InvalidImage, match="megapixels"):
        process_image(_png_header(*size))


@pytest.mark.parametrize("kind", ["JPEG", "MPO"])
def test_jpegs_with_very_many_scans_are_rejected(kind: str) -> None:
    # Each scan takes a few bytes, and as long as decoding the whole image.
    options = {"save_all": True, "append_images": [_two_colors()]} if kind == "MPO" else {}
    data = _file(_two_colors(), kind, progressive=True, **options)
    process_image(data)
    end = data.index(b"\xff\xd9")
    last_scan = data[data.rindex(b"\xff\xda", 0, end) : end]
    with pytest.raises(InvalidImage, match="damaged"):
        process_image(data[:end] + 200 * last_scan + data[end:])


def test_pixels_are_decoded_in_the_turn_of_the_image(monkeypatch: pytest.MonkeyPatch) -> None:
    # A PNG without EXIF data is decoded when its orientation is read.
    load = ImageFile.ImageFile.load
    turns: list[bool] = []

    def load_in_turn(image: ImageFile.ImageFile) -> Any:
        turns.append(images._DECODER.locked())
        return load(image)

    monkeypatch.setattr(ImageFile.ImageFile, "load", load_in_turn)
    process_image(_file(_two_colors()))
    assert turns
    assert all(turns)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b"hello", "not an image"),
        (b"%PDF-1.7", "not an image"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "SVG"),
        (b"\n<?xml version='1.0'?><svg/>", "SVG"),
        (b"<html><script>alert(1)</script>", "not an image"),
        (b"GIF89a", "damaged|not an image"),
        (b"\xff\xd8\xff\xe0", "damaged|not an image"),
        (_file(Image.new("RGB", (4, 4)), "BMP"), "not an image"),
        (_file(Image.new("RGB", (4, 4)), "TIFF"), "not an image"),
        (_file(Image.new("RGB", (4, 4)), "ICO"), "not an image"),
        (_png_header(64, 64), "damaged"),
        (_file(Image.new("1", (10, 20_000))), "too tall"),
        (b"\0" * (MAX_BYTES + 1), "15 MB"),
    ],
)  # fmt: skip
def test_other_files_are_rejected_with_a_reason(data: bytes, reason: str) -> None:
    with pytest.raises(InvalidImage, match=reason):
        process_image(data)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "AVIF"])
def test_truncated_files_are_rejected(kind: str) -> None:
    noise = Image.effect_noise((200, 200), 80).convert("RGB")
    data = _file(noise, kind)
    for part in (0.1, 0.5, 0.9):
        with pytest.raises(InvalidImage):
            process_image(data[: int(len(data) * part)])


def test_an_image_with_a_page_at_its_end_stores_only_pixels() -> None:
    data = _file(_two_colors()) + b"<script>alert(1)</script>"
    assert all(b"script" not in variant for variant in process_image(data).variants.values())
