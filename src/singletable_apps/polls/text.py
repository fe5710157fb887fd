"""Normalize and compare the text that people enter, and describe the settings of a poll."""

from __future__ import annotations

import re
from unicodedata import category, normalize
from uuid import UUID

from singletable_apps.polls.entities import Protection, ResultsVisibility

# Invisible characters (Unicode's Default_Ignorable_Code_Point and the empty Braille cell) outside
# category Cf, and characters that change the text direction.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\ufe00-\ufe0f\ufff0-\ufff8"
    "\U000e0000-\U000e0fff]"
)
_BIDI_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")

# What prevents people from voting twice, and how reliable that is.
PROTECTION_TEXT = {
    Protection.BROWSER: (
        "One vote per browser. This prevents double clicks and honest mistakes, but not someone "
        "who clears their cookies."
    ),
    Protection.CODES: "One vote per voting code.",
    Protection.OPEN: "Anyone can vote as often as they like.",
}
RESULTS_TEXT = {
    ResultsVisibility.ALWAYS: "Anyone with the link, at any time.",
    ResultsVisibility.AFTER_VOTING: "People who voted. Everyone, once the poll is closed.",
    ResultsVisibility.AFTER_CLOSING: "Everyone, once the poll is closed.",
}
DECIDES = "Instant runoff decides this poll. The other methods are shown for comparison."


def normalize_line(text: str) -> str:
    """Return one line of text in NFC, trimmed, with single spaces between words."""
    return " ".join(normalize("NFC", text).split())


def normalize_text(text: str) -> str:
    """Return lines of text in NFC without trailing spaces or surrounding blank lines."""
    lines = normalize("NFC", text).replace("\t", " ").splitlines()
    return "\n".join(line.rstrip() for line in lines).strip()


def comparison_key(option: str) -> str:
    """Return a key that is equal for options that look the same; empty if nothing is visible."""
    if option.isascii():
        return normalize_line(option).casefold()
    folded = normalize("NFKC", option).casefold()
    visible = "".join(each for each in folded if category(each) != "Cf")
    return normalize_line(_INVISIBLE.sub("", normalize("NFKC", visible)))


def is_printable(text: str) -> bool:
    """Return whether the text has no control characters, lone surrogates or bidi controls."""
    return not any(
        (category(each) in ("Cc", "Cs") and each != "\n") or each in _BIDI_CONTROLS for each in text
    )


def printable_excerpt(text: str) -> str:
    """Return the beginning of some input for an error message, safe to print."""
    return "".join(each if each.isprintable() else "�" for each in text[:60])


def is_uuid(text: str) -> bool:
    """Return whether the text is a UUID in its canonical form, as poll and vote ids are."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False
