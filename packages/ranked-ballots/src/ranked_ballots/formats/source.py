"""The content of a ballot file as UTF-8, and JSON of a known structure."""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec

from ranked_ballots.errors import FormatError

# Called with the number of bytes read so far and the total.
ProgressCallback: TypeAlias = Callable[[int, int], None]
T = TypeVar("T")

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_MISSING = msgspec.Raw()


@dataclass(frozen=True, slots=True)
class Source:
    """UTF-8 bytes without a byte order mark; `extension` is lower case, without the dot."""

    data: bytes
    extension: str = ""

    def lines(self) -> list[str]:
        """Return the lines; only a line feed ends one, as names may contain other separators."""
        text = self.data.decode().replace("\r\n", "\n")
        return text.removesuffix("\n").split("\n")


def open_source(file: Path | str | bytes) -> Source:
    """Return the content of a file, given its path or its bytes."""
    if isinstance(file, bytes):
        return Source(_to_utf8(file, "the data"))
    path = Path(file)
    return Source(_to_utf8(_read_file(path), f"'{path}'"), path.suffix.lower().removeprefix("."))


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except IsADirectoryError as error:
        raise FormatError(f"'{path}' is a directory; choose a file in it.") from error
    except FileNotFoundError as error:
        raise FormatError(f"There is no file '{path}'.") from error
    # A path that contains NUL raises ValueError.
    except (OSError, ValueError) as error:
        raise FormatError(f"'{path}' cannot be read: {error}.") from error


def _to_utf8(data: bytes, name: str) -> bytes:
    encoding = _UTF16.get(data[:2])
    if encoding is not None:
        data = _convert_utf16(data, encoding, name)
    data = data.removeprefix(codecs.BOM_UTF8)
    if not data or data.isspace():
        raise FormatError(f"{_capitalize(name)} is empty: no candidates and no ballots.")
    if b"\0" in data:
        raise FormatError(
            f"Byte {data.index(0)} of {name} is NUL: it is not a text file, or it is UTF-16 "
            "without a byte order mark. Save it as UTF-8 text."
        )
    _check_utf8(data, name)
    return data


def _convert_utf16(data: bytes, encoding: str, name: str) -> bytes:
    try:
        return data[2:].decode(encoding).encode()
    except UnicodeDecodeError as error:
        raise FormatError(
            f"{_capitalize(name)} has the byte order mark of UTF-16, but byte {error.start + 2} is "
            "invalid. Save it as UTF-8."
        ) from error


def _check_utf8(data: bytes, name: str) -> None:
    if data.isascii():
        return
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"byte {data[error.start]:#04x} in {name} is not UTF-8. The file may be Latin-1 or "
            "Windows-1252, which cannot be told apart reliably. Save it as UTF-8, for example "
            "with: iconv -f latin1 -t utf-8.",
            line,
        ) from error


def _capitalize(name: str) -> str:
    return name[:1].upper() + name[1:]


def decode_json(data: bytes, kind: type[T]) -> T:
    """Decode JSON of a known structure."""
    try:
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        raise FormatError(f"The JSON does not have the expected structure: {error}.") from error
    except RecursionError as error:
        raise FormatError("The JSON is nested too deeply for a ballot file.") from error
    except (msgspec.DecodeError, ValueError) as error:
        raise FormatError(f"This is not JSON: {error}.") from error


class JsonMembers(msgspec.Struct):
    """The members that distinguish the JSON formats."""

    report: msgspec.Raw = msgspec.field(name="CastVoteRecordReport", default=_MISSING)
    election: msgspec.Raw = msgspec.field(name="Election", default=_MISSING)
    config: msgspec.Raw = msgspec.field(name="config", default=_MISSING)
    results: msgspec.Raw = msgspec.field(name="results", default=_MISSING)

    @property
    def is_cvr(self) -> bool:
        """Return whether these are cast vote records."""
        return self.is_wrapped or self.election is not _MISSING

    @property
    def is_wrapped(self) -> bool:
        """Return whether the report is inside a member of its own."""
        return self.report is not _MISSING

    @property
    def is_rctab(self) -> bool:
        """Return whether this is a tabulation by RCTab."""
        return self.config is not _MISSING and self.results is not _MISSING
