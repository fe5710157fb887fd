"""A letter, and who can send one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from singletable_apps.shared.mail.errors import InvalidEmail

LONGEST_ADDRESS = 254
LONGEST_SUBJECT = 200
LARGEST_TEXT = 100_000

# One address alone: what would part two of them, or end a header, is in no address of ours.
_LETTERS = r"[^\s\x00-\x1f\x7f-\x9f@,;:<>()\[\]\\\"]+"
_ADDRESS = re.compile(f"{_LETTERS}@{_LETTERS}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Email:
    """A letter to one address, in plain text; what could forge a header is refused."""

    to: str
    subject: str
    text: str

    def __post_init__(self) -> None:
        check_address(self.to)
        if not self.subject.strip() or len(self.subject) > LONGEST_SUBJECT:
            raise InvalidEmail(
                f"A subject has 1 to {LONGEST_SUBJECT} characters, and this one has "
                f"{len(self.subject):,}."
            )
        if found := _CONTROL.search(self.subject):
            raise InvalidEmail(
                f"A subject is one line, and this one has {found[0]!r} in it. Leave it out."
            )
        for what, text in (("address", self.to), ("subject", self.subject), ("text", self.text)):
            _check_size(what, text)


class Mailer(Protocol):
    """Whoever sends letters; MailRefused if one was not taken."""

    def send(self, letter: Email, now: datetime) -> None:
        """Send the letter, dated now."""
        ...


def check_address(address: str) -> None:
    """Raise LetterRefused unless it is one address to which a letter can be sent."""
    if len(address) > LONGEST_ADDRESS or not _ADDRESS.fullmatch(address):
        raise InvalidEmail(
            f"Expected one address such as ada@example.org, but got {address[:100]!r}."
        )


def _check_size(what: str, text: str) -> None:
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise InvalidEmail(
            f"The {what} holds half a character (a lone surrogate). Leave it out."
        ) from None
    if size > LARGEST_TEXT:
        raise InvalidEmail(
            f"A letter has at most {LARGEST_TEXT:,} bytes, and this one has {size:,}."
        )
