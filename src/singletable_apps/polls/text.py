"""What people write: kept tidy, compared as people see it, and shown to them again."""

from __future__ import annotations

import re
from unicodedata import category, normalize
from uuid import UUID

from singletable_apps.polls.entities import Protection, Results

# Characters that show nothing (Unicode's Default_Ignorable_Code_Point, and the empty Braille cell),
# beside those of the category Cf; and those that turn text around.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\ufe00-\ufe0f\ufff0-\ufff8"
    "\U000e0000-\U000e0fff]"
)
_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def tidy(text: str) -> str:
    """A line of text without the blanks around it, and with one between words."""
    return " ".join(normalize("NFC", text).split())


def same_option(option: str) -> str:
    """What two options have in common if people could not tell them apart; nothing if unseen."""
    if option.isascii():
        return tidy(option).casefold()
    folded = normalize("NFKC", option).casefold()
    seen = [each for each in folded if category(each) != "Cf"]
    return tidy(_UNSEEN.sub("", normalize("NFKC", "".join(seen))))


def shown(text: str) -> str:
    """The beginning of what somebody sent, fit to be shown to them again."""
    return "".join(each if each.isprintable() else "�" for each in text[:60])


def is_id(text: str) -> bool:
    """Whether a poll or a vote could have this id: a UUID in its usual form."""
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def tidy_text(text: str) -> str:
    """Some lines of text, without blanks at their ends, and none around it all."""
    lines = normalize("NFC", text).replace("\t", " ").splitlines()
    return "\n".join(line.rstrip() for line in lines).strip()


def is_printable(text: str) -> bool:
    """Whether all can be shown: no controls, no halves of characters, nothing turned around."""
    return not any(
        (category(each) in ("Cc", "Cs") and each != "\n") or each in _TURNING for each in text
    )


# What keeps people from voting twice, and what that is worth.
PROTECTION_WORDS = {
    Protection.BROWSER: (
        "One vote a browser: it keeps out double clicks and honest mistakes, not somebody who "
        "clears cookies."
    ),
    Protection.CODES: "One vote a code: as strong as the way the codes were handed out.",
    Protection.OPEN: "Anybody, as often as they like: a straw poll.",
}
# Who sees how it stands, and when.
RESULTS_WORDS = {
    Results.ALWAYS: "Everybody who has the link, at any time.",
    Results.AFTER_VOTING: "Those who have voted; everybody once it has closed.",
    Results.AFTER_CLOSING: "Everybody, once it has closed.",
}
# Said where the methods differ.
DECIDES = "This poll is decided by instant runoff, whatever the others say."
