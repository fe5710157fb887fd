"""Text that people type: normalize it, and check the fields of a form or request together."""

from __future__ import annotations

import re
from collections.abc import Callable
from unicodedata import category, normalize
from urllib.parse import urlsplit

from singletable_apps.shared.errors import InvalidInput
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.mail import InvalidEmail, check_address

# Unicode reserves these code points for use inside programs; XML cannot contain U+FFFE and U+FFFF.
_NONCHARACTERS = "\ufdd0-\ufdef" + "".join(
    chr(plane << 16 | end) for plane in range(17) for end in (0xFFFE, 0xFFFF)
)
# Control characters but line breaks, lone surrogates, bidi controls and noncharacters.
_UNPRINTABLE = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069" + _NONCHARACTERS + "]"
)
# Letters and symbols that are invisible, such as the Hangul filler.
BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_MAX_URL = 2_000
_MAX_FILENAME = 200


def normalize_line(text: str) -> str:
    """Return one line of text in NFC, trimmed, with single spaces between words."""
    return " ".join(normalize("NFC", text).split())


def normalize_text(text: str) -> str:
    """Return lines of text in NFC without trailing spaces or surrounding blank lines."""
    lines = normalize("NFC", text).replace("\t", " ").splitlines()
    return "\n".join(line.rstrip() for line in lines).strip()


def is_printable(text: str) -> bool:
    """Return whether the text has no control characters, bidi controls or noncharacters."""
    return _UNPRINTABLE.search(text) is None


def has_visible_text(text: str) -> bool:
    """Return whether there is a letter, number, punctuation mark or symbol, such as an emoji."""
    return any(category(each)[0] in "LNPS" and each not in BLANKS for each in text)


def clean_filename(filename: str) -> str:
    """Return the last part of the name of an upload, to show it; the browser chooses this name."""
    name = filename.replace("\\", "/").rpartition("/")[2]
    return "".join(each for each in name if each.isprintable())[:_MAX_FILENAME]


def is_link(url: str) -> bool:
    """Return whether a URL is a path of this site or an address of the web."""
    if len(url) > _MAX_URL or not is_printable(url) or any(each in url for each in " \n\\<>\"'`"):
        return False
    try:
        parts = urlsplit(url)
        has_host = bool(parts.hostname)
    except ValueError:
        return False
    if parts.scheme in ("http", "https"):
        return has_host
    return not parts.scheme and not parts.netloc and url.startswith("/")


class InputChecks:
    """Checks fields one after the other and reports all errors at once.

        checks = InputChecks()
        title = checks.line("title", draft.title, longest=200)
        link = checks.link("link", draft.link)
        checks.raise_errors()   # InvalidInput({"title": "Please fill this in."})

    Each method returns the normalized value; an invalid one is returned as it is.
    """

    def __init__(self) -> None:
        self.errors: dict[str, str] = {}

    def line(self, field: str, text: str, *, longest: int, required: bool = False) -> str:
        """Check one line of text."""
        return self._checked(field, normalize_line(text), longest, required)

    def text(self, field: str, text: str, *, longest: int, required: bool = False) -> str:
        """Check text of several lines."""
        return self._checked(field, normalize_text(text), longest, required)

    def source(self, field: str, text: str, *, most_bytes: int, required: bool = False) -> str:
        """Check text in a markup language. Its tabs and indentation stay as they are."""
        value = normalize("NFC", text.replace("\r\n", "\n").replace("\r", "\n")).strip("\n")
        size = len(value.encode(errors="replace"))
        if required and not value.strip():
            self.reject(field, "Please fill this in.")
        elif size > most_bytes:
            self.reject(
                field,
                "Use at most %(longest)s bytes; there are %(size)s now.",
                longest=most_bytes,
                size=size,
            )
        else:
            self.printable(field, value.replace("\t", " "))
        return value

    def printable(self, field: str, text: str) -> None:
        """Reject control characters and others that nobody can see."""
        if found := _UNPRINTABLE.search(text):
            code = f"U+{ord(found[0]):04X}"
            self.reject(
                field, "Remove the invisible character %(code)s, or type this again.", code=code
            )

    def link(self, field: str, url: str, *, required: bool = False) -> str:
        """Check a link: a path of this site, or an address of the web."""
        value = self._checked(field, url.strip(), _MAX_URL, required)
        if value and field not in self.errors and not is_link(value):
            self.reject(field, "Enter a link such as https://example.org/page.")
        return value

    def email(
        self, field: str, address: str, *, required: bool = False, is_public: bool = False
    ) -> str:
        """Check an e-mail address; a public one is not in a local network, such as `ada@nas`."""
        value = normalize("NFC", address).strip()
        if not value:
            if required:
                self.reject(field, "Please fill this in.")
            return value
        self.printable(field, value)
        try:
            check_address(value)
            if is_public and "." not in value.rpartition("@")[2].strip("."):
                raise InvalidEmail(value)
        except InvalidEmail:
            self.reject(field, "Enter an e-mail address such as ada@example.org.")
        return value

    def reject(self, field: str, message: str, **parameters: object) -> None:
        """Add an error, unless the field has one already."""
        self.errors.setdefault(field, Phrase(message, **parameters))

    def raise_errors(self, error: Callable[[dict[str, str]], Exception] = InvalidInput) -> None:
        """Raise the error with all messages by field, if there are any."""
        if self.errors:
            raise error(self.errors)

    def _checked(self, field: str, value: str, longest: int, required: bool) -> str:
        if required and not has_visible_text(value):
            self.reject(field, "Please fill this in.")
        elif len(value) > longest:
            self.reject(
                field,
                "Use at most %(longest)s characters; there are %(size)s now.",
                longest=longest,
                size=len(value),
            )
        else:
            self.printable(field, value)
        return value
