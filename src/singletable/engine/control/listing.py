"""Names in the order in which AWS lists them in refusals: that of Java's hash sets."""

from __future__ import annotations

from collections.abc import Collection, Iterable

# A Java set that grows by itself begins with so many buckets.
BUCKETS = 16


def listed(names: Iterable[str], buckets: int = BUCKETS) -> str:
    """The names in brackets, each once, as a hash set of so many buckets gives them."""
    unique = dict.fromkeys(names)
    return f"[{', '.join(sorted(unique, key=lambda name: _hash(name) % buckets))}]"


def listed_exactly(names: Collection[str]) -> str:
    """The names in brackets, as a hash set that was made for exactly so many gives them."""
    expected = len(names) + 1 if len(names) < 3 else len(names) * 4 // 3 + 1
    return listed(names, 1 << (expected - 1).bit_length())


def _hash(name: str) -> int:
    code = 0
    units = name.encode("utf-16-be", "surrogatepass")
    for high, low in zip(units[::2], units[1::2], strict=True):
        code = (31 * code + (high << 8 | low)) & 0xFFFFFFFF
    return code ^ (code >> 16)
