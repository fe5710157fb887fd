"""The right side of a vote in ABIF: candidates with `>`, `=` or `,` between, and maybe ratings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from singletable_apps.counting.errors import FormatError
from singletable_apps.counting.formats.digits import shown, whole_number

_TOKEN = re.compile(
    r"""\s*(?:\[(?P<bracketed>[^\[\]]*)\]|"(?P<quoted>[^"]*)"|(?P<bare>[\w.'-]+))
        \s*(?:/\s*(?P<rating>[0-9]+)\s*)?""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Vote:
    """Levels of tokens, best first, and whether the order was made of ratings or has some."""

    levels: tuple[tuple[str, ...], ...]
    by_ratings: bool = False
    with_ratings: bool = False


def vote_of(text: str, line: int) -> Vote:
    """What a vote says; nothing is a blank ballot."""
    tokens: list[str] = []
    ratings: list[int | None] = []
    marks: list[str] = []
    text = text.strip()
    data = text.endswith("}")
    at = 0
    while True:
        if not tokens and _is_over(text, at, data):
            return Vote(())
        found = _TOKEN.match(text, at)
        if found is None:
            raise FormatError(
                f"a candidate was expected at {_from(text, at)}: a word, or a name in [brackets] "
                'or "quotes".',
                line,
            )
        bracketed, quoted, bare, rating = found.group("bracketed", "quoted", "bare", "rating")
        tokens.append(next(each.strip() for each in (bracketed, quoted, bare) if each is not None))
        ratings.append(None if rating is None else whole_number(rating, line, "A rating"))
        at = found.end()
        if _is_over(text, at, data):
            return _ordered(tokens, ratings, marks, line)
        if text[at] not in ">=,":
            raise FormatError(
                f"'>', '=' or ',' was expected between candidates, and {_from(text, at)} came.",
                line,
            )
        marks.append(text[at])
        at += 1


def _from(text: str, at: int) -> str:
    return shown(text[at : at + 61])


def _is_over(text: str, at: int, data: bool) -> bool:
    """Whether no candidate follows: a comment may, or a colon and `data` about the voters."""
    return at == len(text) or text[at] == "#" or (data and text[at] == ":")


def quoted(text: str, end: str) -> tuple[str, str]:
    """What stands in brackets or quotes, or up to `end`, and the rest; nothing if none closes."""
    for opening, closing in ("[]", '""'):
        if text.startswith(opening):
            inside, closed, rest = text[1:].partition(closing)
            return inside.strip() if closed else "", rest.lstrip()
    at = text.find(end)
    at = len(text) if at < 0 else at
    return text[:at].strip(), text[at:]


def _ordered(tokens: list[str], ratings: list[int | None], marks: list[str], line: int) -> Vote:
    rated = [rating for rating in ratings if rating is not None]
    if not rated or ">" in marks or "=" in marks:
        levels: list[list[str]] = [[tokens[0]]]
        for mark, token in zip(marks, tokens[1:], strict=True):
            if mark == ">":
                levels.append([])
            levels[-1].append(token)
        return Vote(tuple(map(tuple, levels)), with_ratings=bool(rated))
    if len(rated) < len(tokens):
        raise FormatError(
            "some candidates have a rating and some have none; rate all of them, or part them "
            "by '>' and '='.",
            line,
        )
    by_rating: dict[int, list[str]] = {}
    for token, rating in zip(tokens, rated, strict=True):
        by_rating.setdefault(rating, []).append(token)
    best_first = sorted(by_rating, reverse=True)
    return Vote(tuple(tuple(by_rating[rating]) for rating in best_first), by_ratings=True)
