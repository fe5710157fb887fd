"""The rules of polls: pure functions of a poll, a request and the time, and how texts compare."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from unicodedata import category, normalize

from singletable_apps.polls.entities import Poll, Protection, ResultsVisibility
from singletable_apps.polls.errors import (
    InvalidInput,
    NotFound,
    PollClosed,
    PollHasVotes,
    ResultsHidden,
)
from singletable_apps.shared.text import is_printable, normalize_line, normalize_text

MAX_TITLE, MAX_DESCRIPTION, MAX_OPTION = 200, 2_000, 100
MIN_OPTIONS, MAX_OPTIONS = 2, 50
# A closing time further away is probably a typing error.
MAX_DURATION = timedelta(days=3660)
# After this time no vote can still be in flight, and the clocks of all servers have passed the end.
GRACE_PERIOD = timedelta(minutes=1)

# With fewer votes by code, the result would show how somebody voted.
MIN_SECRET_VOTES = 3

# What prevents people from voting twice, and how reliable that is.
PROTECTION_TEXT = {
    Protection.BROWSER: (
        "One vote per browser. This prevents double clicks and honest mistakes, but not someone "
        "who clears their cookies."
    ),
    Protection.CODES: "One vote per voting code.",
    Protection.OPEN: "Anyone can vote as often as they like.",
}
RESULTS_TEXT = {
    ResultsVisibility.ALWAYS: "Anyone with the link, at any time.",
    ResultsVisibility.AFTER_VOTING: "People who voted. Everyone, once the poll is closed.",
    ResultsVisibility.AFTER_CLOSING: "Everyone, once the poll is closed.",
}
SECRET_RESULTS_TEXT = (
    f"Everyone, once the poll is closed and has {MIN_SECRET_VOTES} votes. Until then no one, not "
    "even the organizer, so that votes with codes stay secret."
)


@dataclass(frozen=True, slots=True)
class PollDraft:
    """The fields of a poll that its organizer chooses. `expires_at` is None for no closing time."""

    title: str
    candidates: Sequence[str]
    description: str = ""
    expires_at: datetime | None = None
    results: ResultsVisibility = ResultsVisibility.ALWAYS
    protection: Protection = Protection.BROWSER
    changeable: bool = True


def draft_from(poll: Poll) -> PollDraft:
    """Return the poll as a draft."""
    return PollDraft(
        poll.title,
        tuple(poll.candidates),
        poll.description,
        poll.expires_at,
        poll.results,
        poll.protection,
        poll.changeable,
    )


def draft_copy(poll: Poll, now: datetime) -> PollDraft:
    """Return a draft for a copy of the poll, without a closing time in the past."""
    draft = draft_from(poll)
    is_past = draft.expires_at is not None and draft.expires_at <= now
    return replace(draft, expires_at=None) if is_past else draft


def check_draft(
    draft: PollDraft, now: datetime, *, unchanged_time: datetime | None = None
) -> PollDraft:
    """Return the draft with normalized text, or raise InvalidInput with every error in it.

    A closing time equal to `unchanged_time` is accepted even if it has passed.
    """
    title, options = normalize_line(draft.title), [normalize_line(one) for one in draft.candidates]
    description = normalize_text(draft.description)
    errors: dict[str, str] = {}
    for field, text, limit in (
        ("title", title, MAX_TITLE),
        ("description", description, MAX_DESCRIPTION),
    ):
        if len(text) > limit:
            errors[field] = f"The {field} has {len(text):,} characters. Use at most {limit:,}."
        elif not is_printable(text):
            errors[field] = f"The {field} contains invisible characters. Type it again."
    if not comparison_key(title):
        errors["title"] = "Enter a question."
    errors |= _option_errors(options)
    expires_at = draft.expires_at
    if expires_at is not None and expires_at != unchanged_time:
        error = _time_error(expires_at, now)
        if error:
            errors["expires_at"] = error
        else:
            expires_at = expires_at.astimezone(UTC)
    if errors:
        raise InvalidInput(errors)
    has_codes = draft.protection is Protection.CODES
    return replace(
        draft,
        title=title,
        description=description,
        candidates=tuple(options),
        expires_at=expires_at,
        results=ResultsVisibility.AFTER_CLOSING if has_codes else draft.results,
    )


def describe_visibility(poll: Poll) -> str:
    """Return who can see the results."""
    is_secret = poll.protection is Protection.CODES
    return SECRET_RESULTS_TEXT if is_secret else RESULTS_TEXT[poll.results]


def _option_errors(options: Sequence[str]) -> dict[str, str]:
    if not MIN_OPTIONS <= len(options) <= MAX_OPTIONS:
        words = f"Enter {MIN_OPTIONS} to {MAX_OPTIONS} options. There are {len(options)}."
        return {"candidates": words}
    errors: dict[str, str] = {}
    first_index: dict[str, int] = {}
    for index, option in enumerate(options):
        field = f"candidates/{index}"
        key = comparison_key(option)
        first = first_index.setdefault(key, index)
        if not key:
            errors[field] = f"Option {index + 1} is empty. Enter some text or remove it."
        elif len(option) > MAX_OPTION:
            errors[field] = (
                f"Option {index + 1} has {len(option):,} characters. Use at most {MAX_OPTION}."
            )
        elif not is_printable(option):
            errors[field] = f"Option {index + 1} contains invisible characters. Type it again."
        elif first != index:
            errors[field] = f"Options {first + 1} and {index + 1} are the same: “{option}”."
    return errors


def _time_error(expires_at: datetime, now: datetime) -> str:
    if expires_at.utcoffset() is None:
        return "The closing time needs a time zone, for example 2026-11-15T18:00:00Z."
    if expires_at <= now:
        return "This closing time is in the past. Choose a later one."
    if expires_at - now > MAX_DURATION:
        return "A poll can be open for ten years at most. Choose an earlier closing time."
    return ""


def _format(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def is_open(poll: Poll, now: datetime) -> bool:
    """Return whether the poll accepts votes."""
    return not poll.closed and (poll.expires_at is None or now < poll.expires_at)


def is_final(poll: Poll, now: datetime) -> bool:
    """Return whether the results cannot change any more, not even by a vote in flight."""
    if poll.closed:
        return True
    return poll.expires_at is not None and now >= poll.expires_at + GRACE_PERIOD


def check_open(poll: Poll, now: datetime) -> None:
    """Raise PollClosed unless the poll accepts votes."""
    if not is_open(poll, now):
        when = "" if poll.expires_at is None else f" on {_format(poll.expires_at)}"
        raise PollClosed(f"The poll “{poll.title}” closed{when}.")


def is_changeable(poll: Poll) -> bool:
    """Return whether votes can be changed. In an open poll every vote is a new one."""
    return poll.changeable and poll.protection is not Protection.OPEN


def check_ranking(poll: Poll, rankings: Sequence[str]) -> list[str]:
    """Return the ranked options as the poll spells them, or raise InvalidInput."""
    options = {comparison_key(option): option for option in poll.candidates}
    if not rankings:
        raise InvalidInput({"rankings": "Rank at least one option."})
    errors: dict[str, str] = {}
    ranking: list[str] = []
    for index, name in enumerate(rankings):
        option = options.get(comparison_key(name))
        field = f"rankings/{index}"
        if option is None:
            errors[field] = f"“{printable_excerpt(name)}” is not an option. {_list_options(poll)}"
        elif option in ranking:
            errors[field] = f"“{option}” is ranked twice. Rank each option once."
        else:
            ranking.append(option)
    if errors:
        raise InvalidInput(errors)
    return ranking


def _list_options(poll: Poll) -> str:
    names = ", ".join(poll.candidates[:10])
    more = len(poll.candidates) - 10
    return f"The options are {names}{f' and {more} more' if more > 0 else ''}."


def check_exists(poll: Poll | None) -> Poll:
    """Return the poll, or raise NotFound if there is none or it was deleted."""
    if poll is None or poll.deleted:
        raise poll_not_found()
    return poll


def poll_not_found() -> NotFound:
    """Return the error for an unknown poll id."""
    return NotFound("There is no such poll. Check the link; the poll may have been deleted.")


def check_results_visible(
    poll: Poll, now: datetime, *, voted: bool, admin: bool, votes: int
) -> None:
    """Raise ResultsHidden unless a viewer who has voted or is the organizer may see the results."""
    if poll.protection is Protection.CODES:
        _check_secret_results(poll, now, votes)
    elif admin or poll.results is ResultsVisibility.ALWAYS or not is_open(poll, now):
        return
    elif poll.results is ResultsVisibility.AFTER_CLOSING:
        when = "" if poll.expires_at is None else f" on {_format(poll.expires_at)}"
        raise ResultsHidden(f"You can see the results when the poll closes{when}.")
    elif not voted:
        raise ResultsHidden("You can see the results after you vote.")


def _check_secret_results(poll: Poll, now: datetime, votes: int) -> None:
    """Raise ResultsHidden while the results could show how a code has voted.

    The organizer sees which codes were used. With live results, or with the result of a single
    vote, that would be who voted how.
    """
    if not is_final(poll, now):
        raise ResultsHidden(
            "Votes with codes are secret. No one can see the results before the poll is closed, "
            "not even the organizer."
        )
    if votes < MIN_SECRET_VOTES:
        raise ResultsHidden(
            f"Votes with codes are secret. Results of fewer than {MIN_SECRET_VOTES} votes would "
            "show how people voted, so they are not shown."
        )


def check_reopening(poll: Poll, now: datetime) -> None:
    """Raise PollClosed if the poll has voting codes and is closed.

    The results have been shown. Those of one more vote would show how it was cast.
    """
    if poll.protection is Protection.CODES and not is_open(poll, now):
        raise PollClosed(
            f"“{poll.title}” is closed and has voting codes, so it cannot be reopened: everyone "
            "has seen the results, and the difference would show how people voted. Duplicate it."
        )


def changes_ballot(poll: Poll, draft: PollDraft) -> bool:
    """Return whether the draft has other options or another protection than the poll."""
    return list(draft.candidates) != poll.candidates or draft.protection is not poll.protection


def poll_has_votes(poll: Poll) -> PollHasVotes:
    """Return the error for changing the options of a poll that has votes."""
    return PollHasVotes(
        f"People have voted in “{poll.title}”, so its options and the votes per person "
        "cannot change. Duplicate the poll to ask something else."
    )


# ------------------------------------------------------------------------------ text

# Invisible characters (Unicode's Default_Ignorable_Code_Point and the empty Braille cell) outside
# category Cf.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\ufe00-\ufe0f\ufff0-\ufff8"
    "\U000e0000-\U000e0fff]"
)


def comparison_key(option: str) -> str:
    """Return a key that is equal for options that look the same; empty if nothing is visible."""
    if option.isascii():
        return normalize_line(option).casefold()
    folded = normalize("NFKC", option).casefold()
    visible = "".join(each for each in folded if category(each) != "Cf")
    return normalize_line(_INVISIBLE.sub("", normalize("NFKC", visible)))


def printable_excerpt(text: str) -> str:
    """Return the beginning of some input for an error message, safe to print."""
    return "".join(each if each.isprintable() else "�" for each in text[:60])
