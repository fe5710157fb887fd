"""Which formats can hold these ballots: some have no ties, some want everybody ranked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from singletable_apps.counting import Ranking, RunoffResult
from singletable_apps.counting.formats import (
    FORMATS,
    Format,
    WriteError,
    check_writable,
    write_rounds,
)


def formats_for(candidates: Sequence[str], alike: Sequence[tuple[Ranking, int]]) -> tuple[str, ...]:
    """The names of the formats that every one of the ballots can be written in."""
    examples = _examples(len(candidates), [ranking for ranking, _ in alike])
    return tuple(
        name
        for name, form in FORMATS.items()
        if form.is_writable and _can_hold(form, candidates, examples)
    )


def can_write_rounds(runoff: RunoffResult, contest: str) -> bool:
    """Whether the rounds can be written: thirds of a vote, shared by equals, have no digits."""
    try:
        write_rounds(runoff, contest=contest, day=date.min)
    except WriteError:
        return False
    return True


def _examples(size: int, rankings: Sequence[Ranking]) -> list[tuple[Ranking, int]]:
    """One of each kind that some format cannot hold."""
    kinds = (
        (one for one in rankings if one.is_blank),
        (one for one in rankings if any(len(level) > 1 for level in one.levels)),
        (one for one in rankings if sum(map(len, one.levels)) < size),
    )
    found = [next(kind, None) for kind in kinds]
    return [(one, 1) for one in found if one is not None]


def _can_hold(
    form: Format, candidates: Sequence[str], examples: Sequence[tuple[Ranking, int]]
) -> bool:
    try:
        check_writable(form, candidates, examples)
    except WriteError:
        return False
    return True
