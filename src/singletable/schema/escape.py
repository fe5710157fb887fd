"""How a value stands inside a key: no value can forge a divider, and order is kept.

Rule 1. Parts of a key are joined by `#`. Inside a value `#` and `$` are written as `$` and two hex
        digits, so a `#` in a key always divides, and a `$` always begins an escape.
Rule 2. A value that something follows escapes every character below `#` too: otherwise "a b" would
        sort before "a" as soon as a divider follows both. A value that ends its key needs no such
        care, so ordinary text stays as it is.
Rule 3. Texts sort as the values they were made of, and a part of a value makes a part of its text.
"""

from __future__ import annotations

import re

DIVIDER = "#"
AFTER_DIVIDER = "$"

_INNER = {code: f"${code:02X}" for code in range(ord("$") + 1)}
_LAST = {ord("#"): "$23", ord("$"): "$24"}
_ESCAPED = re.compile(r"\$([0-9A-F]{2})")


def escape(text: str, *, last: bool) -> str:
    """The text as it stands in a key, where it ends the key or something follows."""
    return text.translate(_LAST if last else _INNER)


def unescape(text: str) -> str:
    """The text that was escaped, in either way."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
