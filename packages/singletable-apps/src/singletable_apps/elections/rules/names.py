"""Names and e-mail addresses: clean what a person typed, or reject it.

Two names that differ only in case are the same name. The form that is stored is the one that was
typed, in Unicode's NFC, with single spaces between words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol
from unicodedata import category, normalize

from ranked_ballots import join_names, replace_control_characters
from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.mail import InvalidEmail, check_address
from singletable_apps.shared.text import BLANKS

MAX_DESCRIPTION, MAX_STATEMENT, MAX_NOTES = 10_000, 2_000, 4_000
MAX_NAME_LENGTH = 200
# Names are parts of keys, which have at most 1,024 bytes. Case folding can triple the length.
MAX_NAME_BYTES = 800
MAX_CANDIDATES = 100
MAX_VOTERS = 10_000

# Longer text is rejected before it is examined, so that it costs no time.
_MAX_INPUT_LENGTH = 4_000
_MAX_QUOTED_LENGTH = 80
_MAX_QUOTED_NAMES = 5
_JOINERS = "\u200c\u200d"
# Unicode categories of characters that nobody can see, or that look different everywhere.
_INVISIBLE = {
    "Cc": "a control character",
    "Cf": "an invisible character",
    "Cs": "half of a surrogate pair",
    "Co": "a private-use character",
    "Cn": "an unassigned character",
}
_ARTICLES = {"election name": "an", "e-mail address": "an"}


def quote(name: str) -> str:
    """Return the name in quotation marks, shortened if it is long."""
    if len(name) > _MAX_QUOTED_LENGTH:
        name = name[: _MAX_QUOTED_LENGTH - 1] + "…"
    return f"“{replace_control_characters(name)}”"


def quote_names(names: Sequence[str]) -> str:
    """Return the first names as part of a sentence, and how many more there are."""
    quoted = [quote(name) for name in names[:_MAX_QUOTED_NAMES]]
    more = len(names) - _MAX_QUOTED_NAMES
    return join_names(quoted) if more <= 0 else f"{', '.join(quoted)} and {more:,} more"


def clean_user_name(text: str, *, field: str = "name") -> str:
    """Return a user name in the form that is stored. It has no @, unlike an e-mail address."""
    name = _clean_name(text, "user name", field)
    if "@" in name:
        raise InvalidInput({field: "User names can’t contain @. Choose another name."})
    return name


def clean_election_name(text: str, *, field: str = "name") -> str:
    """Return the name of an election in the form that is stored."""
    return _clean_name(text, "election name", field)


def clean_candidate_name(text: str, *, field: str = "candidates") -> str:
    """Return the name of a candidate in the form that is stored."""
    return _clean_name(text, "candidate name", field)


def clean_candidate_names(texts: Sequence[str], *, field: str = "candidates") -> tuple[str, ...]:
    """Return the names of candidates in the form that is stored. There may be none."""
    return _clean_names(texts, clean_candidate_name, "candidates", MAX_CANDIDATES, field)


def clean_voter_names(texts: Sequence[str], *, field: str = "voters") -> tuple[str, ...]:
    """Return the names of voters in the form that is stored. None means that all can vote."""
    return _clean_names(texts, clean_user_name, "voters", MAX_VOTERS, field)


def clean_optional(text: str, kind: str, field: str) -> str:
    """Return a line of text in the form that is stored. There may be none."""
    return _clean_name(text, kind, field) if text.strip() else ""


def clean_markdown(text: str, field: str, limit: int) -> str:
    """Return a longer text in the form that is stored."""
    text = normalize("NFC", text.replace("\r\n", "\n").strip())
    if not is_valid_text(text) or "\0" in text:
        raise InvalidInput({field: "This text contains characters that can’t be stored."})
    if len(text) > limit:
        message = f"This {field} has {len(text):,} characters. Use at most {limit:,}."
        raise InvalidInput({field: message})
    return text


def clean_email(text: str, *, field: str = "email") -> str:
    """Return an e-mail address in the form that is stored."""
    kind = "e-mail address"
    _check_input_length(text, kind, field)
    address = normalize("NFC", text.strip())
    _check_length(address, kind, field)
    if any(character.isspace() for character in address):
        raise InvalidInput({field: "E-mail addresses can’t contain spaces."})
    _check_visible(address, kind, field)
    try:
        check_address(address)
    except InvalidEmail:
        raise InvalidInput(
            {field: f"{quote(address)} is not an e-mail address. Enter one like ada@example.org."}
        ) from None
    return address


def fold_name(name: str) -> str:
    """Return the name in a form that is equal for names that differ only in case."""
    return normalize("NFC", name).casefold()


def roll_identity(name: str, email: str) -> str:
    """Return what finds people on a roll: the address or, without one, the name.

    Several people can have one address, if their names differ.
    """
    return fold_name(email or name)


def person_key(name: str) -> str:
    """Return a key that is equal for “Lovelace, Ada” and “Ada Lovelace”, in any case."""
    last, comma, first = fold_name(name).partition(",")
    return f"{first.strip()} {last.strip()}" if comma else last


def sort_key(name: str) -> str:
    """Return a key that sorts names as people do: Member 2 before Member 10."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(12), fold_name(name))


def is_same_name(a: str, b: str) -> bool:
    """Return whether two names are the same, ignoring case."""
    return fold_name(a) == fold_name(b)


def is_valid_key(name: str) -> bool:
    """Return whether the name fits into a key, so that something could have it."""
    if not 0 < len(name) <= MAX_NAME_LENGTH or not is_valid_text(name):
        return False
    return len(fold_name(name).encode()) <= MAX_NAME_BYTES


def is_valid_text(text: str) -> bool:
    """Return whether the text can be encoded: it has no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class _CleanName(Protocol):
    def __call__(self, text: str, *, field: str) -> str: ...


def _clean_names(
    texts: Sequence[str], clean: _CleanName, kind: str, limit: int, field: str
) -> tuple[str, ...]:
    if len(texts) > limit:
        raise InvalidInput(
            {field: f"That’s {len(texts):,} {kind}. An election can have at most {limit:,}."}
        )
    names = tuple(clean(text, field=field) for text in texts)
    spellings: dict[str, list[str]] = {}
    for name in names:
        spellings.setdefault(fold_name(name), []).append(name)
    repeated = [name for group in spellings.values() if len(group) > 1 for name in group]
    if repeated:
        message = (
            f"Some {kind} are listed more than once: {quote_names([*dict.fromkeys(repeated)])}. "
            "Names that differ only in upper and lower case are the same."
        )
        raise InvalidInput({field: message})
    return names


def _clean_name(text: str, kind: str, field: str) -> str:
    _check_input_length(text, kind, field)
    name = " ".join(normalize("NFC", text).split())
    _check_length(name, kind, field)
    _check_visible(name, kind, field)
    # Browsers resolve these in a URL.
    if name in (".", ".."):
        raise InvalidInput({field: f"{quote(name)} can’t be used as a name. Choose another."})
    return name


def _check_input_length(text: str, kind: str, field: str) -> None:
    if len(text) > _MAX_INPUT_LENGTH:
        raise _too_long(kind, len(text), field)


def _check_length(text: str, kind: str, field: str) -> None:
    if not text:
        raise InvalidInput({field: f"Enter {_ARTICLES.get(kind, 'a')} {kind}."})
    size = len(fold_name(text).encode("utf-8", "surrogatepass"))
    if len(text) > MAX_NAME_LENGTH or size > MAX_NAME_BYTES:
        raise _too_long(kind, len(text), field, size)


def _too_long(kind: str, length: int, field: str, size: int = 0) -> InvalidInput:
    if length > MAX_NAME_LENGTH:
        message = f"{length:,} characters. Use at most {MAX_NAME_LENGTH}"
    else:
        message = f"{size:,} bytes in UTF-8. Use at most {MAX_NAME_BYTES}"
    return InvalidInput({field: f"This {kind} is too long: {message}."})


def _check_visible(text: str, kind: str, field: str) -> None:
    """Reject characters that nobody sees: with them, two names could look the same."""
    previous = ""
    for character in text:
        # Joiners are needed in some scripts and in emoji, never after ASCII.
        if character in _JOINERS:
            problem = (
                "a joiner that joins nothing"
                if previous.isascii() or previous in _JOINERS
                else None
            )
        else:
            problem = _INVISIBLE.get("Cf" if character in BLANKS else category(character))
        if problem is not None:
            message = (
                f"This {kind} contains {problem} (U+{ord(character):04X}). Remove it, or type the "
                f"{kind} again."
            )
            raise InvalidInput({field: message})
        previous = character
    if not any(category(character)[0] in "LNPS" for character in text):
        raise InvalidInput({field: f"This {kind} has no visible characters."})
