"""What a format can hold is checked before anything is written."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from singletable_apps.counting.errors import WriteError
from singletable_apps.counting.formats.table import Format
from singletable_apps.counting.ranking import Ranking

_MOST_DIGITS = 1_000


def check_writable(
    form: Format, candidates: Sequence[str], groups: Iterable[tuple[Ranking, int]]
) -> None:
    """Raise WriteError at the first name or ballot that the format has no way to say."""
    for name in candidates:
        check_name(form, name)
    for number, (ranking, count) in enumerate(groups, start=1):
        why = _why_not(form, candidates, ranking, count)
        if why is not None:
            raise WriteError(
                f"The format {form.name} cannot hold {_described(ranking, count, number)}: {why}. "
                f"Formats that can: {form.alternatives}."
            )


def check_name(form: Format, name: str) -> None:
    """Raise WriteError unless the name would be read back as it is."""
    why = _why_no_name(form, name)
    if why is not None:
        raise WriteError(
            f"The format {form.name} cannot hold the candidate {name!r}: {why}. "
            f"Rename the candidate, or write {form.alternatives}."
        )


def _why_no_name(form: Format, name: str) -> str | None:
    # Half of a pair of UTF-16 has no form in UTF-8.
    if any(unicodedata.category(letter) == "Cs" for letter in name):
        return "it holds half of a surrogate pair, which is no character"
    if form.any_name:
        return None
    if not name:
        return "a name may not be empty"
    if name != name.strip():
        return "white space at its ends would be lost"
    if any(unicodedata.category(letter) == "Cc" for letter in name):
        return "it holds a control character"
    for mark in form.reserved:
        if mark in name:
            return f"'{mark}' has a meaning of its own there"
    return None


def _why_not(form: Format, candidates: Sequence[str], ranking: Ranking, count: int) -> str | None:
    if ranking.is_blank and not form.blank:
        return "it ranks nobody"
    if not form.ties and any(len(level) > 1 for level in ranking.levels):
        return "it ranks several candidates equal"
    if not form.partial and len(ranking.names) < len(candidates):
        return "it does not rank everybody"
    if count.bit_length() > 3 * _MOST_DIGITS:
        return f"its count has more than about {_MOST_DIGITS:,} digits"
    return None


def _described(ranking: Ranking, count: int, number: int) -> str:
    said = "a blank ballot" if ranking.is_blank else f"the ballot '{ranking}'"
    alike = "" if count.bit_length() > 60 else f" (×{count:,})"
    return f"{said}{alike}, number {number:,} in the order of counts"
