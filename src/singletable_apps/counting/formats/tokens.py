"""Numbers out of bytes, many at a time: the part of reading that a million ballots wait for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_CHUNK = 1 << 22
# Ten digits more, and 64 bits would not hold the number.
LONGEST = 18
# So many digits fit 16 bits.
_SHORT = 4


def chunks(data: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    """Where each chunk of whole lines begins, and the chunk; the last ends with a line feed too."""
    while start < len(data):
        end = data.rfind(b"\n", start, start + _CHUNK) + 1
        if not end:
            end = data.find(b"\n", start) + 1 or len(data)
        chunk = data[start:end]
        yield start, chunk if chunk.endswith(b"\n") else chunk + b"\n"
        start = end


def with_line_feeds(chunk: bytes) -> bytes:
    """The chunk with lines that end as Unix has them."""
    return chunk.replace(b"\r\n", b"\n") if b"\r" in chunk else chunk


def separators(chunk: bytes) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """The bytes, and where in them is something other than a digit."""
    data = np.frombuffer(chunk, np.uint8)
    # Digits are the ten bytes from 48; what is below wraps around to far above.
    return data, np.flatnonzero(data - np.uint8(48) > 9)


def numbers(
    data: NDArray[np.uint8], ends: NDArray[np.intp]
) -> tuple[NDArray[np.int16 | np.int64], NDArray[np.intp]] | None:
    """The number before each separator, and its length; nothing is 0. None if one is too long.

    They are as small as they may be: what is read later is read faster.
    """
    lengths = np.diff(ends, prepend=-1) - 1
    longest = int(lengths.max())
    if longest > LONGEST:
        return None
    kind = np.int16 if longest <= _SHORT else np.int64
    values: NDArray[np.int16 | np.int64] = np.zeros(len(ends), kind)
    # Digit by digit from the last on; beyond the second there are few numbers that have one.
    for place in range(min(longest, 2)):
        digits = (data[ends - 1 - place] - np.uint8(48)) * (lengths > place)
        values += np.multiply(digits, 10**place, dtype=kind)
    for place in range(2, longest):
        at = np.flatnonzero(lengths > place)
        digits = data[ends[at] - 1 - place] - np.uint8(48)
        values[at] += np.multiply(digits, 10**place, dtype=kind)
    return values, lengths
