"""Numbers in files: one at a time with checks, or all numbers of a chunk at once with NumPy."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ranked_ballots.errors import FormatError

_MAX_DIGITS = 1_000
# Python accepts digits of every script, underscores and signs; ballot files do not.
_DIGITS = re.compile("[0-9]+")
CHUNK_SIZE = 1 << 22
MAX_INT64_DIGITS = 18
_MAX_INT16_DIGITS = 4


def parse_number(text: str, line: int, subject: str) -> int:
    """Return the whole number in the text; `subject` names it in errors."""
    text = text.strip()
    if not _DIGITS.fullmatch(text):
        raise FormatError(f"{subject} must be a whole number, not {quote(text)}.", line)
    if len(text) > _MAX_DIGITS:
        raise FormatError(
            f"{subject} has {len(text):,} digits; the maximum is {_MAX_DIGITS:,}.", line
        )
    return int(text)


def quote(text: str) -> str:
    """Return the text in quotes, shortened if it is long."""
    return repr(text if len(text) <= 60 else f"{text[:57]}…")


def split_chunks(data: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    """Yield chunks of whole lines with their positions; every chunk ends with a line feed."""
    while start < len(data):
        end = data.rfind(b"\n", start, start + CHUNK_SIZE) + 1
        if not end:
            end = data.find(b"\n", start) + 1 or len(data)
        chunk = data[start:end]
        yield start, chunk if chunk.endswith(b"\n") else chunk + b"\n"
        start = end


def normalize_line_ends(chunk: bytes) -> bytes:
    """Replace CR LF with LF."""
    return chunk.replace(b"\r\n", b"\n") if b"\r" in chunk else chunk


def find_separators(chunk: bytes) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """Return the bytes, and the positions of all that are not digits."""
    data = np.frombuffer(chunk, np.uint8)
    # Digits are the ten bytes from 48 on; lower bytes wrap around to large numbers.
    return data, np.flatnonzero(data - np.uint8(48) > 9)


def parse_numbers(
    data: NDArray[np.uint8], ends: NDArray[np.intp]
) -> tuple[NDArray[np.int16 | np.int64], NDArray[np.intp]] | None:
    """Return the number before each separator and its length, or None if one is too long.

    An empty number is 0. The type is as small as possible, because smaller arrays are faster.
    """
    lengths = np.diff(ends, prepend=-1) - 1
    longest = int(lengths.max())
    if longest > MAX_INT64_DIGITS:
        return None
    kind = np.int16 if longest <= _MAX_INT16_DIGITS else np.int64
    values: NDArray[np.int16 | np.int64] = np.zeros(len(ends), kind)
    # Digit by digit from the last; few numbers have more than two.
    for place in range(min(longest, 2)):
        digits = (data[ends - 1 - place] - np.uint8(48)) * (lengths > place)
        values += np.multiply(digits, 10**place, dtype=kind)
    for place in range(2, longest):
        at = np.flatnonzero(lengths > place)
        digits = data[ends[at] - 1 - place] - np.uint8(48)
        values[at] += np.multiply(digits, 10**place, dtype=kind)
    return values, lengths
