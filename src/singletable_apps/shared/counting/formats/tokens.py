"""Numbers out of bytes, many at a time: the part of reading that a million ballots wait for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_CHUNK = 1 << 22
# Ten digits more, and 64 bits would not hold the number.
LONGEST = 18


def chunks(data: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    """Where each chunk of whole lines begins, and the chunk; the last ends with a line feed too."""
    while start < len(data):
        end = data.rfind(b"\n", start, start + _CHUNK) + 1
        if not end:
            end = data.find(b"\n", start) + 1 or len(data)
        chunk = data[start:end]
        yield start, chunk if chunk.endswith(b"\n") else chunk + b"\n"
        start = end


def separators(chunk: bytes) -> tuple[NDArray[np.uint8], NDArray[np.intp]]:
    """The bytes, and where in them is something other than a digit."""
    data = np.frombuffer(chunk, np.uint8)
    # Digits are the ten bytes from 48; what is below wraps around to far above.
    return data, np.flatnonzero(data - np.uint8(48) > 9)


def numbers(
    data: NDArray[np.uint8], ends: NDArray[np.intp]
) -> tuple[NDArray[np.int64], NDArray[np.intp]] | None:
    """The number before each separator, and its length; nothing is 0. None if one is too long."""
    starts = np.empty_like(ends)
    starts[0] = 0
    np.add(ends[:-1], 1, out=starts[1:])
    lengths = ends - starts
    longest = int(lengths.max())
    if longest > LONGEST:
        return None
    values = np.zeros(len(ends), np.int64)
    for place in range(longest):
        at = np.flatnonzero(lengths > place)
        values[at] = values[at] * 10 + (data[starts[at] + place] - np.uint8(48))
    return values, lengths
