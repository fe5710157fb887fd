"""Find words that a host does not want on the big screen, however they are written.

`fold` makes letters that look alike equal, and drops accents and invisible characters. `WordFilter`
then compares whole words: with digits and signs for letters (`sh1t`), repeated letters (`shiiit`),
signs in between (`s.h.i.t`, `s h i t`) and masked letters (`sh*t`). The words are those in
`word_lists/deny.txt` and those of the host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate, groupby, product
from pathlib import Path
from unicodedata import category, normalize

from singletable_apps.games.entities import AnswerStatus, GameSettings, Profanity
from singletable_apps.games.errors import InvalidInput


def read_words(name: str) -> tuple[str, ...]:
    """Return the words of a list, without comments."""
    path = Path(__file__).parent / "word_lists" / f"{name}.txt"
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(word for line in lines if line[:1] not in ("#", "[") for word in line.split())


# Characters that show nothing, though Unicode calls some of them letters or symbols.
BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
# Accents on Latin, Greek and Cyrillic letters, and variation selectors. The marks of other scripts
# are vowels.
_ACCENTS = re.compile("[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f]")
_LOOKALIKES = {ord(pair[0]): pair[1] for pair in read_words("lookalikes")}
_SIGNS = str.maketrans("013456789@$!|+€¢(", "oieasgtbgasiitecc")
_SIGNS_L = _SIGNS | {ord(sign): "l" for sign in "1!|"}
_MASKS = "*#%&"
_MASKED = re.compile(r"\w[*#%&]+\w")
_OUTER = re.compile(r"^[\W_]+|(?<![\W_])[\W_]++$")
_WORD = re.compile(r"[^\W_]+")
_SPELLED = re.compile(r"[^\W_]+|[@$!|+€¢(]")
_REPEATED = re.compile(r"(.)\1+")
# Between the letters of one word.
_SEPARATORS = re.compile(r"[^\w@$!|+€¢(*#%&]|_")


def fold(text: str) -> str:
    """Return a text in lower case, with Latin letters for their look-alikes."""
    if text.isascii():
        return text.lower()
    similar = normalize("NFKC", text).translate(_LOOKALIKES).casefold()
    plain = _ACCENTS.sub("", normalize("NFKD", similar)).translate(_LOOKALIKES)
    return "".join(each for each in plain if category(each) != "Cf" and each not in BLANKS)


class WordFilter:
    """Finds denied words. In `words`, `*word*` also matches inside words, `=word` by accents."""

    def __init__(self, words: Iterable[str]) -> None:
        # Words by their letters without repetitions, each with the least length of every run.
        self._words: dict[str, list[list[int]]] = {}
        self._listed: set[str] = set()
        self._parts: list[str] = []
        self._exact: set[str] = set()
        self._phrases: list[str] = []
        for word in words:
            self._add(word)
        self._sizes = {len(each) for each in self._words}

    def _add(self, word: str) -> None:
        if word.startswith("="):
            self._exact.add(normalize("NFC", word[1:]).casefold())
            return
        folded = " ".join(fold(word.strip("*")).split())
        letters = _SEPARATORS.sub("", folded)
        # Without spaces between words, as in Chinese, or as an emoji, it matches anywhere.
        if not _WORD.search(folded) or any(category(each) == "Lo" for each in folded):
            self._phrases.append(folded)
        elif " " in folded:
            self._phrases.append(f" {' '.join(_WORD.findall(folded))} ")
        elif word.startswith("*"):
            self._parts.append(_REPEATED.sub(r"\1", letters))
        else:
            base = _REPEATED.sub(r"\1", letters)
            self._words.setdefault(base, []).append(_lengths(letters))
            self._listed.add(letters)

    def has_match(self, text: str) -> bool:
        """Return whether a text has one of the words."""
        folded = fold(text)
        words = _WORD.findall(folded)
        spaced = f" {' '.join(words)} "
        return (
            any(each in (spaced if each[:1] == " " else folded) for each in self._phrases if each)
            or any(map(self._matches, _candidates(folded, words)))
            or any(map(self._has_word_within, _spelled_out(folded)))
            or any(self._is_masked(each) for each in folded.split() if _MASKED.search(each))
            or not self._exact.isdisjoint(_WORD.findall(normalize("NFC", text).casefold()))
        )

    def _matches(self, word: str) -> bool:
        for spelling in _spellings(word):
            base = _REPEATED.sub(r"\1", spelling)
            for least in self._words.get(base, ()):
                if all(map(_is_stretched, base, _lengths(spelling), least)):
                    return True
            if any(part in base for part in self._parts):
                return True
        return False

    def _has_word_within(self, letters: str) -> bool:
        """Return whether the letters contain a listed word of at least four letters."""
        for spelling in _spellings(letters):
            base, lengths = _REPEATED.sub(r"\1", spelling), _lengths(spelling)
            offsets = [0, *accumulate(lengths)]
            for start, size in product(range(len(base)), self._sizes):
                end = start + size
                word = base[start:end]
                for least in self._words.get(word, ()) if end <= len(base) else ():
                    # The first and the last letter may also belong to the neighboring words.
                    found = lengths[start:end]
                    for edge in {0, size - 1}:
                        if not _is_stretched(word[edge], found[edge], least[edge]):
                            found[edge] = min(found[edge], least[edge])
                    is_spelled = all(map(_is_stretched, word, found, least)) and sum(found) > 3
                    if is_spelled and any(map(str.isalpha, letters[offsets[start] : offsets[end]])):
                        return True
        return False

    def _is_masked(self, chunk: str) -> bool:
        """Return whether a denied word is spelled with asterisks or the like, as in f**k."""
        core = _OUTER.sub("", chunk)
        if not 3 <= len(core) <= 40 or sum(map(str.isalpha, core)) < 2:
            return False
        shape = re.compile("".join("." if each in _MASKS else re.escape(each) for each in core))
        return any(shape.fullmatch(each) for each in (*self._listed, *self._parts))


def _candidates(folded: str, words: list[str]) -> Iterator[str]:
    """Return what may be one word: words, whole chunks, and letters that stand alone."""
    yield from (known := {*words})
    for chunk in {*folded.split()} - known:
        yield (joined := _SEPARATORS.sub("", chunk))
        yield joined.strip("!|+(*#%&")
    yield from _spelled_out(folded)


def _spelled_out(folded: str) -> Iterator[str]:
    """Return the runs of letters that stand alone, as in `f u n`."""
    for is_letter, run in groupby(_SPELLED.findall(folded), lambda each: len({*each}) == 1):
        letters = "".join(run)[:40]
        if is_letter and len(letters) > 2:
            yield letters


def _is_stretched(letter: str, length: int, least: int) -> bool:
    """Return whether a letter is repeated on purpose, or not at all: `asses` is not `assess`."""
    return length == least or length > max(least, 1 if letter in "aeiou" else 2)


def _spellings(word: str) -> Iterator[str]:
    """Return a word as it is, and with letters for its digits and signs."""
    if not any(map(str.isalpha, word)):
        return
    yield word
    plain = word.translate(_SIGNS)
    # A55 is a phone.
    if plain != word and (len(word) > 3 or not any(map(str.isdigit, word))):
        yield plain
        yield word.translate(_SIGNS_L)


def _lengths(word: str) -> list[int]:
    """Return how often each letter of a word is repeated."""
    return [len([*run]) for _, run in groupby(word)]


@lru_cache(maxsize=256)
def word_filter(deny_words: tuple[str, ...] = ()) -> WordFilter:
    """Return the filter with these words of a host in addition."""
    return WordFilter((*read_words("deny"), *(each.strip("*=") for each in deny_words)))


def is_denied(settings: GameSettings, text: str) -> bool:
    """Return whether a text has a word that is not wanted in a game."""
    if settings.profanity is Profanity.OFF:
        return False
    return word_filter(settings.deny_words).has_match(text)


def status_of_text(settings: GameSettings, text: str) -> AnswerStatus:
    """Return whether others see an answer at once; raise InvalidInput if it is not accepted."""
    if is_denied(settings, text):
        if settings.profanity is Profanity.BLOCK:
            raise InvalidInput({"text": "Please say it in other words: one of these is blocked."})
        return AnswerStatus.PENDING
    return AnswerStatus.PENDING if settings.is_moderated else AnswerStatus.VISIBLE
