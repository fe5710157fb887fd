"""The language of a site: its texts, dates and numbers.

Texts are written in English in code and templates; a PO file (GNU gettext) for each further
language, such as `de.po`, has their translations. Templates mark texts with `_("…")`. Rules do not
translate: they raise errors with an English text, or with a Phrase if it has parameters, and
the page that shows the error translates it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import Any, Self

from babel import Locale
from babel.core import get_global
from babel.dates import format_date
from babel.localedata import locale_identifiers
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal


class Phrase(str):
    """An English text that remembers its parameters, so that a page can translate it.

        Phrase("Use at most %(longest)s characters.", longest=80)
        Phrase("Wait one hour.", "Wait %(count)s hours.", count=hours)

    A second text is for every `count` but 1. A parameter can be a Phrase, too.
    """

    texts: tuple[str, ...]
    parameters: Mapping[str, Any]

    def __new__(cls, *texts: str, **parameters: object) -> Self:
        """Return the text in English."""
        chosen = texts[0 if parameters.get("count") == 1 else -1]
        phrase = super().__new__(cls, ENGLISH.fill(chosen, parameters))
        phrase.texts, phrase.parameters = texts, parameters
        return phrase

    def __str__(self) -> Self:
        """Return the text as it is: it stays translatable as the text of an error."""
        return self


def join_phrases(separator: str, texts: Iterable[str]) -> Phrase:
    """Return texts one after the other, each of which a page translates."""
    parts = {f"{place}": Phrase(text) for place, text in enumerate(texts)}
    return Phrase(separator.join(f"%({name})s" for name in parts), **parts)


class Language:
    """Texts, dates and numbers in one language, for people."""

    def __init__(self, code: str, texts: NullTranslations | None = None) -> None:
        self.code = code
        self.locale = Locale.negotiate([code.replace("-", "_")], locale_identifiers())
        self._texts = texts or NullTranslations()

    def gettext(self, text: str, /, **parameters: object) -> str:
        """Return the translation of a text, or of a Phrase with its own parameters."""
        if isinstance(text, Phrase):
            if len(text.texts) == 1:
                return self.gettext(text.texts[0], **text.parameters)
            return self.ngettext(text.texts[0], text.texts[1], **text.parameters)
        # The entry of the empty text is the head of the PO file.
        return self.fill(self._texts.gettext(text) if text else "", parameters)

    def ngettext(self, one: str, many: str, /, count: int, **parameters: object) -> str:
        """Return the translation of the text for a number."""
        return self.fill(self._texts.ngettext(one, many, count), {"count": count, **parameters})

    def fill(self, text: str, parameters: Mapping[str, object]) -> str:
        """Return a text with its parameters, such as `%(count)s`, in this language."""
        shown = {name: self._show(value) for name, value in parameters.items()}
        return text % shown if shown else text

    def _show(self, value: object) -> object:
        if isinstance(value, Phrase):
            return self.gettext(value)
        return self.number(value) if isinstance(value, int | float) else value

    def number(self, value: float) -> str:
        """Format a number with separators between thousands."""
        if self.code == "en":
            return f"{value:,}"
        return format_decimal(value, locale=self.locale, decimal_quantization=False)

    def date(self, day: date, pattern: str) -> str:
        """Format a date by a pattern of Unicode, which is translated too: `d MMMM y`."""
        return format_date(day, self.gettext(pattern), self.locale)


ENGLISH = Language("en")


class Languages(dict[str, Language]):
    """The languages by code, such as `de-AT`: English for those without a PO file."""

    def __init__(self, *folders: Path) -> None:
        super().__init__()
        self._folders = (Path(__file__).parent / "translations", *folders)

    def __missing__(self, code: str) -> Language:
        """Read the PO files of a language."""
        name, compiled = code.partition("-")[0], BytesIO()
        files = [path for each in self._folders if (path := each / f"{name}.po").exists()]
        catalog = Catalog(name if files else None)
        for file in files:
            with file.open("rb") as lines:
                for message in read_po(lines, name):
                    catalog[message.id] = message
        write_mo(compiled, catalog)
        compiled.seek(0)
        self[code] = Language(code, GNUTranslations(compiled)) if files else ENGLISH
        return self[code]


def open_graph_locale(code: str) -> str:
    """Return a language with its country, as Open Graph has it: `de_DE` for `de`."""
    code, known = code.replace("-", "_").removesuffix("_Hans"), get_global("likely_subtags")
    parts = known.get(code, code).split("_")
    return f"{parts[0]}_{parts[-1]}" if len(parts) > 1 else code
