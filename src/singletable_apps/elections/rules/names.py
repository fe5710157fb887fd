"""Names and addresses: each has one form in which it is kept, and is refused if it has none.

Two names that differ in case alone are one name. The form that is kept is the one that was
written, in Unicode's NFC, with single spaces between its words.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol
from unicodedata import category, normalize

from singletable_apps.counting import join_names, replace_control_characters
from singletable_apps.elections.errors import InvalidInput

# A refusal is read by a person: a few examples tell as much as ten thousand.
SHOWN = 5
QUOTED = 80


def quote(name: str) -> str:
    """A name in quotation marks, cut where it goes on and on."""
    short = name if len(name) <= QUOTED else name[: QUOTED - 1] + "…"
    return f"'{replace_control_characters(short)}'"


def quote_names(names: Sequence[str]) -> str:
    """The names as a sentence has them, or the first of them and how many more there are."""
    first = [quote(name) for name in names[:SHOWN]]
    more = len(names) - SHOWN
    return join_names(first) if more <= 0 else f"{', '.join(first)} and {more:,} more"


def format_time(when: datetime) -> str:
    """A moment as everybody reads it alike: 2026-03-02 18:00 UTC."""
    utc = when.astimezone(UTC).replace(tzinfo=None, microsecond=0)
    return f"{utc.isoformat(sep=' ', timespec='seconds' if utc.second else 'minutes')} UTC"


MAX_NAME_LENGTH = 200
# Names are parts of keys, and a key has 1,024 bytes. Case folding may make three letters of one.
MAX_NAME_BYTES = 800
MAX_CANDIDATES = 100
MAX_VOTERS = 10_000

# What is longer is refused before it is looked at, so that nobody is kept busy with it.
_TOO_MUCH = 4_000
_JOINERS = "\u200c\u200d"
_UNSEEN = {
    "Cc": "a control character",
    "Cf": "a character that cannot be seen",
    "Cs": "half a surrogate pair, which is no character",
    "Co": "a private character, which others see differently or not at all",
    "Cn": "a code that is no character",
}


def clean_user_name(text: str, *, field: str = "name") -> str:
    """The name of a user as it is kept. It has no @, so that it is never an e-mail address."""
    name = _name(text, "user", field)
    if "@" in name:
        raise InvalidInput(
            f"The user name {quote(name)} holds an @, which marks an e-mail address. "
            "Choose a name without it.",
            field=field,
        )
    return name


def clean_election_name(text: str, *, field: str = "name") -> str:
    """The name of an election as it is kept."""
    return _name(text, "election", field)


def clean_candidate_name(text: str, *, field: str = "candidates") -> str:
    """The name of a candidate as it is kept."""
    return _name(text, "candidate", field)


def clean_candidate_names(texts: Sequence[str], *, field: str = "candidates") -> tuple[str, ...]:
    """The names of candidates as they are kept, each of them once. There may be none."""
    return _each_once(texts, clean_candidate_name, "candidates", MAX_CANDIDATES, field)


def clean_voter_names(texts: Sequence[str], *, field: str = "voters") -> tuple[str, ...]:
    """The names of voters as they are kept, each of them once. None is: everybody may vote."""
    return _each_once(texts, clean_user_name, "voters", MAX_VOTERS, field)


def clean_email(text: str, *, field: str = "email") -> str:
    """An e-mail address as it is kept."""
    address = normalize("NFC", _bounded(text, "e-mail address", field).strip())
    _check_length(address, "e-mail address", field)
    if any(letter.isspace() for letter in address):
        raise InvalidInput(
            f"The e-mail address {quote(address)} holds a space. Write it without.", field=field
        )
    _check_seen(address, "e-mail address", field)
    local, _, domain = address.partition("@")
    if not local or not domain or "@" in domain:
        raise InvalidInput(
            f"{quote(address)} is no e-mail address: one has exactly one @, with something "
            "before it and something after, like ada@example.org.",
            field=field,
        )
    return address


def fold_name(name: str) -> str:
    """What is equal of two names that are the same ignoring case."""
    return normalize("NFC", name).casefold()


def is_same_name(a: str, b: str) -> bool:
    """Whether two names are one name, ignoring case."""
    return fold_name(a) == fold_name(b)


def is_valid_key(name: str) -> bool:
    """Whether something could have this name: no key could hold a longer one, or half a letter."""
    if not 0 < len(name) <= MAX_NAME_LENGTH or not is_valid_text(name):
        return False
    return len(fold_name(name).encode()) <= MAX_NAME_BYTES


def is_valid_text(text: str) -> bool:
    """Whether it can be written at all: half of a surrogate pair is a str to Python alone."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class _Reading(Protocol):
    def __call__(self, text: str, *, field: str) -> str: ...


def _each_once(
    texts: Sequence[str], read: _Reading, things: str, most: int, field: str
) -> tuple[str, ...]:
    if len(texts) > most:
        raise InvalidInput(
            f"There are {len(texts):,} {things}, and at most {most:,} can be. Leave some out.",
            field=field,
        )
    names = tuple(read(text, field=field) for text in texts)
    spellings: dict[str, list[str]] = {}
    for name in names:
        spellings.setdefault(fold_name(name), []).append(name)
    twice = [name for group in spellings.values() if len(group) > 1 for name in group]
    if twice:
        raise InvalidInput(
            f"Some {things} are named more than once: {quote_names(twice)}. Case makes no "
            "difference; name each once.",
            field=field,
        )
    return names


def _name(text: str, kind: str, field: str) -> str:
    what = f"{kind} name"
    name = " ".join(normalize("NFC", _bounded(text, what, field)).split())
    _check_length(name, what, field)
    _check_seen(name, what, field)
    if name in (".", ".."):
        raise InvalidInput(
            f"The {what} is {quote(name)}, which addresses read as a folder. Choose another.",
            field=field,
        )
    return name


def _bounded(text: str, what: str, field: str) -> str:
    if len(text) > _TOO_MUCH:
        raise _too_long(f"{len(text):,} characters", what, field)
    return text


def _check_length(text: str, what: str, field: str) -> None:
    if not text:
        raise InvalidInput(
            f"The {what} is empty; it has 1 to {MAX_NAME_LENGTH} characters. Write one.",
            field=field,
        )
    if len(text) > MAX_NAME_LENGTH:
        raise _too_long(f"{len(text):,} characters", what, field)
    size = len(fold_name(text).encode("utf-8", "surrogatepass"))
    if size > MAX_NAME_BYTES:
        raise _too_long(f"{len(text)} characters that take {size:,} bytes", what, field)


def _too_long(size: str, what: str, field: str) -> InvalidInput:
    return InvalidInput(
        f"The {what} has {size}; it has at most {MAX_NAME_LENGTH} characters, which take at most "
        f"{MAX_NAME_BYTES} bytes. Shorten it.",
        field=field,
    )


def _check_seen(text: str, what: str, field: str) -> None:
    """Refuse what nobody sees: by it two names could look like one."""
    before = ""
    for letter in text:
        kind = category(letter)
        if letter in _JOINERS:
            # Some scripts and pictures are joined by these; nothing in ASCII is.
            if before.isascii() or before in _JOINERS:
                raise _unseen(letter, "a joiner that joins nothing", what, field)
        elif kind in _UNSEEN:
            raise _unseen(letter, _UNSEEN[kind], what, field)
        before = letter
    if not any(category(letter)[0] in "LNPS" for letter in text):
        raise InvalidInput(
            f"The {what} holds no letter, digit or sign that can be seen. Choose another.",
            field=field,
        )


def _unseen(letter: str, why: str, what: str, field: str) -> InvalidInput:
    return InvalidInput(
        f"The {what} holds U+{ord(letter):04X}, {why}. Leave it out, or type the {what} anew.",
        field=field,
    )
