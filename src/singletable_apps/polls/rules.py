"""What may be: pure functions of a poll, a wish and the time, which change nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from singletable_apps.polls.entities import Poll, Protection, Results
from singletable_apps.polls.errors import Closed, Hidden, Invalid, NotThere, Settled
from singletable_apps.polls.text import is_printable, same_option, shown, tidy, tidy_text

LONGEST_TITLE, LONGEST_DESCRIPTION, LONGEST_OPTION = 200, 2_000, 100
FEWEST_OPTIONS, MOST_OPTIONS = 2, 50
# A closing time further away is a slip of the keyboard.
FURTHEST = timedelta(days=3660)
# So much later no vote is on its way any more, and every server's clock is past the end.
LATEST = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Draft:
    """What somebody wants a poll to be. `expires_at` is when it closes, None for never."""

    title: str
    candidates: Sequence[str]
    description: str = ""
    expires_at: datetime | None = None
    results: Results = Results.ALWAYS
    protection: Protection = Protection.BROWSER
    changeable: bool = True


def draft_of(poll: Poll) -> Draft:
    """What a poll is, as a draft."""
    return Draft(
        poll.title,
        tuple(poll.candidates),
        poll.description,
        poll.expires_at,
        poll.results,
        poll.protection,
        poll.changeable,
    )


def draft_like(poll: Poll, now: datetime) -> Draft:
    """A new poll that asks the same; it has no closing time if that is over."""
    draft = draft_of(poll)
    is_over = draft.expires_at is not None and draft.expires_at <= now
    return replace(draft, expires_at=None) if is_over else draft


def checked(draft: Draft, now: datetime, *, kept: datetime | None = None) -> Draft:
    """The draft as it is kept: trimmed, and sound. `kept` is a closing time that is let stand."""
    title, options = tidy(draft.title), [tidy(option) for option in draft.candidates]
    description = tidy_text(draft.description)
    faults: dict[str, str] = {}
    for field, text, longest in (
        ("title", title, LONGEST_TITLE),
        ("description", description, LONGEST_DESCRIPTION),
    ):
        if len(text) > longest:
            faults[field] = (
                f"Expected a {field} of at most {longest:,} characters, but it has {len(text):,}."
            )
        elif not is_printable(text):
            faults[field] = f"The {field} has characters that cannot be shown. Type it anew."
    if not same_option(title):
        faults["title"] = "A poll needs a title: the question that people answer by ranking."
    faults |= _faults_of_options(options)
    expires_at = draft.expires_at
    if expires_at is not None and expires_at != kept:
        fault = _fault_of_time(expires_at, now)
        if fault:
            faults["expiresAt"] = fault
        else:
            expires_at = expires_at.astimezone(UTC)
    if faults:
        raise Invalid(faults)
    return replace(
        draft,
        title=title,
        description=description,
        candidates=tuple(options),
        expires_at=expires_at,
    )


def _faults_of_options(options: Sequence[str]) -> dict[str, str]:
    if not FEWEST_OPTIONS <= len(options) <= MOST_OPTIONS:
        return {
            "candidates": f"Expected {FEWEST_OPTIONS} to {MOST_OPTIONS} options, but got "
            f"{len(options)}."
        }
    faults: dict[str, str] = {}
    known: dict[str, int] = {}
    for place, option in enumerate(options):
        field = f"candidates/{place}"
        seen = same_option(option)
        first = known.setdefault(seen, place)
        if not seen:
            faults[field] = f"Option {place + 1} is empty. Write something, or leave it out."
        elif len(option) > LONGEST_OPTION:
            faults[field] = (
                f"Expected options of at most {LONGEST_OPTION} characters, but option {place + 1} "
                f"has {len(option):,}."
            )
        elif not is_printable(option):
            faults[field] = f"Option {place + 1} has characters that cannot be shown."
        elif first != place:
            faults[field] = (
                f"Options {first + 1} and {place + 1} are the same: '{options[first]}' and "
                f"'{option}'."
            )
    return faults


def _fault_of_time(expires_at: datetime, now: datetime) -> str:
    if expires_at.utcoffset() is None:
        return "Expected a closing time with its zone, as 2026-11-15T18:00:00Z."
    if expires_at <= now:
        return f"The closing time is over: it is {_said(now)} by now. Give a later one, or none."
    if expires_at - now > FURTHEST:
        return "A poll may be open for ten years at most. Give an earlier closing time, or none."
    return ""


def _said(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def is_open(poll: Poll, now: datetime) -> bool:
    """Whether the poll takes votes."""
    return not poll.closed and (poll.expires_at is None or now < poll.expires_at)


def is_final(poll: Poll, now: datetime) -> bool:
    """Whether no vote can come any more: not even one that was let in at the last moment."""
    if poll.closed:
        return True
    return poll.expires_at is not None and now >= poll.expires_at + LATEST


def check_open(poll: Poll, now: datetime) -> None:
    """Raise Closed unless the poll takes votes."""
    if not is_open(poll, now):
        when = "" if poll.expires_at is None else f" at {_said(poll.expires_at)}"
        raise Closed(f"The poll '{poll.title}' closed{when}, and takes no votes any more.")


def is_changeable(poll: Poll) -> bool:
    """Whether somebody may change their vote: in a poll for anybody, each vote is a new one."""
    return poll.changeable and poll.protection is not Protection.OPEN


def checked_ranking(poll: Poll, rankings: Sequence[str]) -> list[str]:
    """The options that somebody ranked, as the poll writes them; the best is first."""
    options = {same_option(option): option for option in poll.candidates}
    if not rankings:
        raise Invalid(
            {"rankings": "Rank at least one option; leave out those you do not care for."}
        )
    faults: dict[str, str] = {}
    ranked: list[str] = []
    for place, name in enumerate(rankings):
        option = options.get(same_option(name))
        field = f"rankings/{place}"
        if option is None:
            faults[field] = f"There is no option '{shown(name)}' in this poll. {_options(poll)}"
        elif option in ranked:
            faults[field] = f"'{option}' is ranked twice. Rank each option once at most."
        else:
            ranked.append(option)
    if faults:
        raise Invalid(faults)
    return ranked


def _options(poll: Poll) -> str:
    shown = ", ".join(poll.candidates[:10])
    more = len(poll.candidates) - 10
    return f"It has {shown}{f' and {more} more' if more > 0 else ''}."


def check_there(poll: Poll | None, poll_id: str) -> Poll:
    """The poll, unless it was never there, or is gone."""
    if poll is None or poll.deleted:
        raise gone(poll_id)
    return poll


def gone(poll_id: str) -> NotThere:
    """That there is no such poll."""
    return NotThere(
        f"There is no poll '{shown(poll_id)}'. Look at the link again; or it was deleted."
    )


def check_visible(poll: Poll, now: datetime, *, voted: bool, admin: bool) -> None:
    """Raise Hidden unless whoever asks may see how the poll stands."""
    if admin or poll.results is Results.ALWAYS or not is_open(poll, now):
        return
    if poll.results is Results.AFTER_CLOSING:
        when = "" if poll.expires_at is None else f", at {_said(poll.expires_at)}"
        raise Hidden(f"The results are shown when the poll has closed{when}.")
    if not voted:
        raise Hidden("The results are shown to those who have voted. Vote first.")


def is_other_question(poll: Poll, draft: Draft) -> bool:
    """Whether the draft asks something else than people may have voted on."""
    return list(draft.candidates) != poll.candidates or draft.protection is not poll.protection


def settled(poll: Poll) -> Settled:
    """Why options, and how one votes, stay as they are."""
    return Settled(
        f"People have voted in '{poll.title}', so its options, and how one votes, stay as they "
        "are. Duplicate the poll to ask something else; title, description, closing time and "
        "who sees the results can be changed."
    )
