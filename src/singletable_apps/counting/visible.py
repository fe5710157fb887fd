"""Words from outside as they may be shown: nothing in them steers what shows them."""

from __future__ import annotations

import re

# Control characters, what XML has no way to write, and the marks that turn round the direction of
# all that follows them.
_STEERING = re.compile(
    "[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]"
)


def visible(words: str) -> str:
    """The words, with a mark in the place of each character that would steer."""
    return _STEERING.sub("\ufffd", words)
