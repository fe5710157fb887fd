"""Names and moments as refusals say them: short, and with nothing in them that steers a screen."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from singletable_apps.counting import join_names, replace_control_characters

# A refusal is read by a person: a few examples tell as much as ten thousand.
SHOWN = 5
LONGEST = 80


def quoted(name: str) -> str:
    """A name in quotation marks, cut where it goes on and on."""
    short = name if len(name) <= LONGEST else name[: LONGEST - 1] + "…"
    return f"'{replace_control_characters(short)}'"


def quoted_all(names: Sequence[str]) -> str:
    """The names as a sentence has them, or the first of them and how many more there are."""
    first = [quoted(name) for name in names[:SHOWN]]
    more = len(names) - SHOWN
    return join_names(first) if more <= 0 else f"{', '.join(first)} and {more:,} more"


def moment(when: datetime) -> str:
    """A moment as everybody reads it alike: 2026-03-02 18:00 UTC."""
    utc = when.astimezone(UTC).replace(tzinfo=None, microsecond=0)
    return f"{utc.isoformat(sep=' ', timespec='seconds' if utc.second else 'minutes')} UTC"
