"""The bytes of a ballot file as UTF-8, wherever they came from and however they were encoded."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from singletable_apps.counting.errors import FormatError

# Called with the bytes that are done and the bytes there are.
Told: TypeAlias = Callable[[int, int], None]

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


@dataclass(frozen=True, slots=True)
class Source:
    """Bytes that are UTF-8 without a byte order mark; `extension` is in lower case, with no dot."""

    data: bytes
    extension: str = ""

    def lines(self) -> list[str]:
        """The lines as text. Only a line feed ends one: names may hold Unicode's own separators."""
        text = self.data.decode().replace("\r\n", "\n")
        return text.removesuffix("\n").split("\n")


def source_of(file: Path | str | bytes) -> Source:
    """What is in a file, or in bytes that are at hand; a text is a path."""
    if isinstance(file, bytes):
        return Source(_as_utf8(file, "these bytes"))
    path = Path(file)
    return Source(_as_utf8(_content(path), f"'{path}'"), path.suffix.lower().removeprefix("."))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except IsADirectoryError as error:
        raise FormatError(f"'{path}' is a directory; name a file in it.") from error
    except FileNotFoundError as error:
        raise FormatError(f"There is no file '{path}'.") from error
    # A path that holds a NUL is a ValueError to Python.
    except (OSError, ValueError) as error:
        raise FormatError(f"'{path}' cannot be read: {error}.") from error


def _as_utf8(data: bytes, name: str) -> bytes:
    encoding = _UTF16.get(data[:2])
    if encoding is not None:
        data = _from_utf16(data, encoding, name)
    data = data.removeprefix(codecs.BOM_UTF8)
    if not data or data.isspace():
        raise FormatError(f"There is nothing in {name}: no candidates and no ballots.")
    if b"\0" in data:
        raise FormatError(
            f"Byte {data.index(0)} of {name} is NUL, which no text has: it is no text file, or "
            "UTF-16 without its byte order mark. Save it as text in UTF-8."
        )
    _check_utf8(data, name)
    return data


def _from_utf16(data: bytes, encoding: str, name: str) -> bytes:
    try:
        return data[2:].decode(encoding).encode()
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{name} begins as UTF-16 does and is not UTF-16: byte {error.start + 2} is wrong. "
            "Save it as UTF-8."
        ) from error


def _check_utf8(data: bytes, name: str) -> None:
    if data.isascii():
        return
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"byte {data[error.start]:#04x} is no UTF-8 in {name}. It may be Latin-1 or "
            "Windows-1252, where the same byte may be different letters, so we do not guess. Save "
            "the file as UTF-8, for instance with: iconv -f latin1 -t utf-8.",
            line,
        ) from error
