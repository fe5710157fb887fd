"""The rules of polls: pure functions of a poll, a request and the time, and how texts compare."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from unicodedata import category, normalize
from zoneinfo import ZoneInfo

from ranked_ballots import pluralize
from singletable_apps.polls.entities import (
    Poll,
    PollKind,
    PollSettings,
    Protection,
    ResultsVisibility,
)
from singletable_apps.polls.errors import (
    InvalidInput,
    NotFound,
    PollClosed,
    PollHasVotes,
    ResultsHidden,
)
from singletable_apps.shared.service import NonexistentTime, parse_local_time, time_zone_names
from singletable_apps.shared.text import is_printable, normalize_line, normalize_text

MAX_TITLE, MAX_DESCRIPTION, MAX_OPTION, MAX_NAME, MAX_COMMENT = 200, 2_000, 100, 60, 1_000
MIN_OPTIONS, MAX_OPTIONS = 2, 50
# A closing time further away is probably a typing error.
MAX_DURATION = timedelta(days=3660)
# After this time no vote can still be in flight, and the clocks of all servers have passed the end.
GRACE_PERIOD = timedelta(minutes=1)

# With fewer votes by code, the result would show how somebody voted.
MIN_SECRET_VOTES = 3
# With fewer, the organizer is warned before the close.
FEW_SECRET_VOTES = 5

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
    ResultsVisibility.AFTER_VOTING: "The organizer and people who voted. Everyone, once closed.",
    ResultsVisibility.AFTER_CLOSING: "The organizer. Everyone, once the poll is closed.",
}
SECRET_RESULTS_TEXT = (
    f"Everyone, once the poll is closed and has {MIN_SECRET_VOTES} votes. Until then no one, not "
    "even the organizer, so that votes with codes stay secret."
)


@dataclass(frozen=True, slots=True)
class PollDraft:
    """What the organizer of a poll chooses."""

    title: str
    candidates: Sequence[str]
    description: str = ""
    expires_at: datetime | None = None
    settings: PollSettings = field(default_factory=PollSettings)


def draft_from(poll: Poll) -> PollDraft:
    """Return the poll as a draft."""
    candidates = tuple(poll.candidates)
    return PollDraft(poll.title, candidates, poll.description, poll.expires_at, poll.settings)


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
    dates: Sequence[str] = ()
    errors: dict[str, str] = {}
    for name, text, limit in (
        ("title", title, MAX_TITLE),
        ("description", description, MAX_DESCRIPTION),
    ):
        if len(text) > limit:
            errors[name] = f"The {name} has {len(text):,} characters. Use at most {limit:,}."
        elif not is_printable(text):
            errors[name] = f"The {name} contains invisible characters. Type it again."
    if not comparison_key(title):
        errors["title"] = "Enter a question."
    if draft.settings.zone not in time_zone_names():
        errors["zone"] = f"“{printable_excerpt(draft.settings.zone)}” is not a time zone."
    elif draft.settings.kind is PollKind.DATES:
        dates, date_errors = _parse_dates(options, draft.settings.zone)
        errors |= date_errors
    errors |= _option_errors(options, dates) | _settings_errors(draft.settings)
    expires_at = draft.expires_at
    if expires_at is not None and expires_at != unchanged_time:
        error = _time_error(expires_at, now)
        if error:
            errors["expires_at"] = error
        else:
            expires_at = expires_at.astimezone(UTC)
    if errors:
        raise InvalidInput(errors)
    settings = draft.settings
    if settings.protection is Protection.CODES:
        settings = settings.model_copy(update={"results": ResultsVisibility.AFTER_CLOSING})
    return replace(
        draft,
        title=title,
        description=description,
        candidates=tuple(sorted(dates) or options),
        expires_at=expires_at,
        settings=settings,
    )


def _settings_errors(settings: PollSettings) -> dict[str, str]:
    errors: dict[str, str] = {}
    if settings.max_picks and settings.kind is not PollKind.SEVERAL:
        errors["max_picks"] = "Only a poll where people pick several has a maximum."
    elif not 0 <= settings.max_picks <= MAX_OPTIONS:
        errors["max_picks"] = f"Enter a number up to {MAX_OPTIONS}, or 0 for no maximum."
    if settings.names and settings.protection is Protection.CODES:
        errors["names"] = "Votes with codes are secret, so people cannot be asked for their names."
    if settings.write_ins and settings.kind is PollKind.DATES:
        errors["write_ins"] = "People cannot add dates. Ask for suggestions in the comments."
    return errors


def _parse_dates(options: Sequence[str], zone: str) -> tuple[list[str], dict[str, str]]:
    """Return the dates as they are stored, or errors."""
    parsed, errors = list[str](), dict[str, str]()
    for index, option in enumerate(options):
        try:
            parsed.append(_parse_date(option, ZoneInfo(zone)))
        except NonexistentTime as error:
            errors[f"candidates/{index}"] = str(error)
        except ValueError:
            errors[f"candidates/{index}"] = (
                f"“{printable_excerpt(option)}” is not a date. Enter a day such as 2026-11-20, or "
                "a time such as 2026-11-20 18:00."
            )
    return ([] if errors else parsed), errors


def _parse_date(text: str, zone: ZoneInfo) -> str:
    """Return a day, or a time in UTC. Raise ValueError if it is neither."""
    if len(text) <= len("2026-11-20"):
        return date.fromisoformat(text).isoformat()
    return f"{parse_local_time(text, zone):%Y-%m-%dT%H:%M:%SZ}"


def option_label(poll: Poll, option: str, zone: ZoneInfo | None = None) -> str:
    """Return an option as people read it: a date such as `Fri 20 Nov 2026, 18:00 CET`."""
    if poll.settings.kind is not PollKind.DATES:
        return option
    if len(option) == len("2026-11-20"):
        day = date.fromisoformat(option)
        return f"{day:%a} {day.day} {day:%b %Y}"
    local = datetime.fromisoformat(option).astimezone(zone or ZoneInfo(poll.settings.zone))
    name = local.tzname() or "UTC"
    zone_name = name if name.isalpha() else f"UTC{name}"
    return f"{local:%a} {local.day} {local:%b %Y}, {local:%H:%M} {zone_name}"


def describe_visibility(poll: Poll) -> str:
    """Return a phrase about the visibility of the results."""
    is_secret = poll.settings.protection is Protection.CODES
    return SECRET_RESULTS_TEXT if is_secret else RESULTS_TEXT[poll.settings.results]


def _option_errors(options: Sequence[str], dates: Sequence[str] = ()) -> dict[str, str]:
    if not MIN_OPTIONS <= len(options) <= MAX_OPTIONS:
        words = f"Enter {MIN_OPTIONS} to {MAX_OPTIONS} options. There are {len(options)}."
        return {"candidates": words}
    errors: dict[str, str] = {}
    first_index: dict[str, int] = {}
    for index, option in enumerate(options):
        field = f"candidates/{index}"
        key = dates[index] if dates else comparison_key(option)
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
    return poll.settings.changeable and poll.settings.protection is not Protection.OPEN


@dataclass(frozen=True, slots=True)
class Ballot:
    """What someone votes for: options, best first; `maybe` are dates answered with maybe.

    `name` is for polls that ask for names.
    """

    rankings: Sequence[str]
    maybe: Sequence[str] = ()
    name: str = ""


def check_ballot(poll: Poll, ballot: Ballot) -> Ballot:
    """Return the ballot with options as the poll spells them, or raise InvalidInput."""
    options = {comparison_key(option): option for option in poll.candidates}
    errors: dict[str, str] = {}
    chosen: list[str] = []
    for part, names in (("rankings", ballot.rankings), ("maybe", ballot.maybe)):
        for index, name in enumerate(names):
            option = options.get(comparison_key(name))
            if option is None:
                text = f"“{printable_excerpt(name)}” is not an option. {_list_options(poll)}"
                errors[f"{part}/{index}"] = text
            elif option in chosen:
                errors[f"{part}/{index}"] = f"“{option}” is {_TWICE[poll.settings.kind]}"
            else:
                chosen.append(option)
    name = normalize_line(ballot.name)
    errors |= _count_errors(poll, ballot) | _name_errors(poll, name)
    if errors:
        raise InvalidInput(errors)
    yes, maybe = chosen[: len(ballot.rankings)], chosen[len(ballot.rankings) :]
    if poll.settings.kind is not PollKind.RANK:
        yes, maybe = sorted(yes, key=poll.candidates.index), sorted(maybe)
    return Ballot(yes, maybe, name)


_TWICE = {
    PollKind.RANK: "ranked twice. Rank each option once.",
    **dict.fromkeys((PollKind.ONE, PollKind.SEVERAL, PollKind.DATES), "chosen twice."),
}


def _count_errors(poll: Poll, ballot: Ballot) -> dict[str, str]:
    picks = len(ballot.rankings)
    match poll.settings.kind:
        case PollKind.RANK if not picks:
            return {"rankings": "Rank at least one option."}
        case PollKind.ONE if picks != 1:
            return {"rankings": "Pick one option."}
        case PollKind.SEVERAL if not picks:
            return {"rankings": "Pick at least one option."}
        case PollKind.SEVERAL if poll.settings.max_picks and picks > poll.settings.max_picks:
            return {
                "rankings": f"Pick at most {poll.settings.max_picks} options. You picked {picks}."
            }
        case _:
            pass
    is_allowed = poll.settings.kind is PollKind.DATES or not ballot.maybe
    return {} if is_allowed else {"maybe": "Only dates can be answered with maybe."}


def _name_errors(poll: Poll, name: str) -> dict[str, str]:
    if not poll.settings.names:
        return {"name": "This poll does not ask for names."} if name else {}
    if not comparison_key(name):
        return {"name": "Enter your name. It is shown with the results."}
    if len(name) > MAX_NAME or not is_printable(name):
        return {"name": f"Enter a name of at most {MAX_NAME} visible characters."}
    return {}


def check_new_option(poll: Poll, name: str, now: datetime) -> str:
    """Return the option that a voter adds, normalized, or raise PollClosed or InvalidInput."""
    check_open(poll, now)
    option = normalize_line(name)
    errors = _option_errors([*poll.candidates, option])
    if not poll.settings.write_ins:
        errors = {"": "This poll does not accept new options."}
    elif len(poll.candidates) >= MAX_OPTIONS:
        errors = {"": f"A poll has at most {MAX_OPTIONS} options."}
    if errors:
        raise InvalidInput({"name": next(iter(errors.values()))})
    return option


def check_comment(poll: Poll, name: str, text: str) -> tuple[str, str]:
    """Return the name and the text of a comment, normalized, or raise InvalidInput."""
    name, text = normalize_line(name), normalize_text(text)
    errors: dict[str, str] = {}
    if not poll.settings.comments:
        errors["text"] = "This poll does not accept comments."
    elif not comparison_key(text) or len(text) > MAX_COMMENT or not is_printable(text):
        errors["text"] = f"Enter a comment of at most {MAX_COMMENT:,} visible characters."
    if len(name) > MAX_NAME or not is_printable(name):
        errors["name"] = f"Enter a name of at most {MAX_NAME} visible characters."
    if errors:
        raise InvalidInput(errors)
    return name, text


def _list_options(poll: Poll) -> str:
    names = ", ".join(poll.candidates[:10])
    more = len(poll.candidates) - 10
    return f"The options are {names}{f' and {more} more' if more > 0 else ''}."


def check_exists(poll: Poll | None) -> Poll:
    """Return the poll, or raise NotFound if it is missing or deleted."""
    if poll is None or poll.deleted:
        raise poll_not_found()
    return poll


def poll_not_found() -> NotFound:
    """Return the error for an unknown poll id."""
    return NotFound("There is no such poll. Check the link; the poll may have been deleted.")


def check_results_visible(
    poll: Poll, now: datetime, *, voted: bool, admin: bool, votes: int
) -> None:
    """Raise ResultsHidden unless the viewer may see the results."""
    if poll.settings.protection is Protection.CODES:
        _check_secret_results(poll, now, votes)
    elif admin or poll.settings.results is ResultsVisibility.ALWAYS or not is_open(poll, now):
        return
    elif poll.settings.results is ResultsVisibility.AFTER_CLOSING:
        when = "" if poll.expires_at is None else f" on {_format(poll.expires_at)}"
        raise ResultsHidden(f"You can see the results when the poll closes{when}.")
    elif not voted:
        raise ResultsHidden("You can see the results after you vote.")


def _check_secret_results(poll: Poll, now: datetime, votes: int) -> None:
    """Raise ResultsHidden while the results could show how a code has voted.

    The organizer sees which codes were used. With live results, or with the result of a single
    vote, that would be who voted how.
    """
    if is_open(poll, now):
        raise ResultsHidden(
            "Votes with codes are secret. No one can see the results before the poll is closed, "
            "not even the organizer."
        )
    if not is_final(poll, now):
        raise ResultsHidden("The last votes are being counted. Results appear within a minute.")
    if votes < MIN_SECRET_VOTES:
        raise ResultsHidden(
            f"Votes with codes are secret. Results of fewer than {MIN_SECRET_VOTES} votes would "
            "show how people voted, so they are not shown."
        )


def warn_of_close(votes: int) -> str:
    """Return what closing a poll with this many votes by code may show or hide, or nothing."""
    if votes < MIN_SECRET_VOTES:
        so_far = f"So far: {pluralize(votes, 'vote')}."
        return f"{so_far} Results of fewer than {MIN_SECRET_VOTES} votes are not shown."
    if votes < FEW_SECRET_VOTES:
        return f"With only {votes} votes, the results may show how people voted."
    return ""


def check_reopening(poll: Poll, now: datetime) -> None:
    """Raise PollClosed if the poll has voting codes and is closed.

    Results before and after one more vote would show how it was cast.
    """
    if poll.settings.protection is Protection.CODES and not is_open(poll, now):
        raise PollClosed(
            f"“{poll.title}” is closed and has voting codes, so it cannot be reopened: results "
            "before and after another vote would show how it was cast. Duplicate the poll."
        )


def changes_ballot(poll: Poll, draft: PollDraft) -> bool:
    """Return whether the draft differs from the poll in what cannot change after a vote."""
    return list(draft.candidates) != poll.candidates or any(
        getattr(draft.settings, name) != getattr(poll.settings, name)
        for name in ("protection", "kind", "max_picks", "names")
    )


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
