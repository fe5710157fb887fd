"""Names, addresses and windows that are refused, and the words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from singletable_apps.elections.errors import InvalidInput
from singletable_apps.elections.rules.elections import check_window
from singletable_apps.elections.rules.names import (
    clean_candidate_name,
    clean_candidate_names,
    clean_election_name,
    clean_email,
    clean_user_name,
    clean_voter_names,
)
from tests.apps.elections.rules.refusals import Refusal
from tests.apps.elections.rules.samples import HOUR, NOON


def _no_name(text: str, why: str) -> Refusal:
    return Refusal(lambda: clean_election_name(text), InvalidInput, why, "name")


def _no_address(text: str, why: str) -> Refusal:
    return Refusal(lambda: clean_email(text), InvalidInput, why, "email")


def _unseen(text: str, what: str) -> Refusal:
    return _no_name(
        text,
        f"The election name holds {what}. Leave it out, or type the election name anew.",
    )


_NO_SIDES = (
    "is no e-mail address: one has exactly one @, with something before it and something after, "
    "like ada@example.org."
)
_LONG = "it has at most 200 characters, which take at most 800 bytes. Shorten it."
_EAST = timezone(timedelta(hours=9))

REFUSALS = [
    _no_name("", "The election name is empty; it has 1 to 200 characters. Write one."),
    _no_name(" \t", "The election name is empty; it has 1 to 200 characters. Write one."),
    _no_name("x" * 201, f"The election name has 201 characters; {_LONG}"),
    _no_name("x" * 5_000, f"The election name has 5,000 characters; {_LONG}"),
    _no_name("ΐ" * 150, f"The election name has 150 characters that take 900 bytes; {_LONG}"),
    _no_name(".", "The election name is '.', which addresses read as a folder. Choose another."),
    _no_name(
        " .. ", "The election name is '..', which addresses read as a folder. Choose another."
    ),
    _no_name(
        "\u0301",
        "The election name holds no letter, digit or sign that can be seen. Choose another.",
    ),
    _unseen("a\x00b", "U+0000, a control character"),
    _unseen("a\u202eb", "U+202E, a character that cannot be seen"),
    _unseen("a\u00adb", "U+00AD, a character that cannot be seen"),
    _unseen("a\ud800b", "U+D800, half a surrogate pair, which is no character"),
    _unseen("a\ue000b", "U+E000, a private character, which others see differently or not at all"),
    _unseen("a\U0010fffeb", "U+10FFFE, a code that is no character"),
    _unseen("Ad\u200da", "U+200D, a joiner that joins nothing"),
    _unseen("\u200cAda", "U+200C, a joiner that joins nothing"),
    _unseen("👩\u200d\u200d💻", "U+200D, a joiner that joins nothing"),
    Refusal(
        lambda: clean_user_name("ada@home"),
        InvalidInput,
        "The user name 'ada@home' holds an @, which marks an e-mail address. Choose a name "
        "without it.",
        "name",
    ),
    Refusal(
        lambda: clean_user_name(""),
        InvalidInput,
        "The user name is empty; it has 1 to 200 characters. Write one.",
        "name",
    ),
    Refusal(
        lambda: clean_candidate_name("", field="candidate"),
        InvalidInput,
        "The candidate name is empty; it has 1 to 200 characters. Write one.",
        "candidate",
    ),
    Refusal(
        lambda: clean_candidate_names(["Ada", "Ben", "ADA", "ben "]),
        InvalidInput,
        "Some candidates are named more than once: 'Ada', 'ADA', 'Ben' and 'ben'. Case makes no "
        "difference; name each once.",
        "candidates",
    ),
    Refusal(
        lambda: clean_voter_names(["ada"] * 1_005),
        InvalidInput,
        "Some voters are named more than once: 'ada', 'ada', 'ada', 'ada', 'ada' and 1,000 more. "
        "Case makes no difference; name each once.",
        "voters",
    ),
    Refusal(
        lambda: clean_candidate_names(["Ada", ""]),
        InvalidInput,
        "The candidate name is empty; it has 1 to 200 characters. Write one.",
        "candidates",
    ),
    Refusal(
        lambda: clean_candidate_names([""] * 101),
        InvalidInput,
        "There are 101 candidates, and at most 100 can be. Leave some out.",
        "candidates",
    ),
    Refusal(
        lambda: clean_voter_names([""] * 10_001),
        InvalidInput,
        "There are 10,001 voters, and at most 10,000 can be. Leave some out.",
        "voters",
    ),
    _no_address("", "The e-mail address is empty; it has 1 to 200 characters. Write one."),
    _no_address("a@" + "x" * 199, f"The e-mail address has 201 characters; {_LONG}"),
    _no_address(
        "ada love@lace", "The e-mail address 'ada love@lace' holds a space. Write it without."
    ),
    _no_address(
        "ada\x07@b",
        "The e-mail address holds U+0007, a control character. Leave it out, or type the e-mail "
        "address anew.",
    ),
    _no_address("ada", f"'ada' {_NO_SIDES}"),
    _no_address("@ada", f"'@ada' {_NO_SIDES}"),
    _no_address("ada@", f"'ada@' {_NO_SIDES}"),
    _no_address("a@b@c", f"'a@b@c' {_NO_SIDES}"),
    _no_address("x" * 100, f"'{'x' * 79}…' {_NO_SIDES}"),
    Refusal(
        lambda: check_window(None, datetime(2026, 3, 2, 12)),
        InvalidInput,
        "no_voting_after is 2026-03-02T12:00:00, without a time zone, and so another moment in "
        "every place. Write the zone too, like 2026-03-02T12:00:00Z for UTC.",
        "no_voting_after",
    ),
    Refusal(
        lambda: check_window(datetime(1, 1, 1, tzinfo=_EAST), None),
        InvalidInput,
        "no_voting_before is in the year 1; it must be from 1970 to 9998. Choose a moment in "
        "these years, or none.",
        "no_voting_before",
    ),
    Refusal(
        lambda: check_window(NOON, NOON),
        InvalidInput,
        "Voting would end (2026-03-02 12:00 UTC) no later than it begins (2026-03-02 12:00 UTC). "
        "Choose a later end, or an earlier beginning.",
        "no_voting_after",
    ),
    Refusal(
        lambda: check_window(
            datetime(2026, 3, 2, 12, 0, 30, 5, tzinfo=UTC), (NOON - HOUR).astimezone(_EAST)
        ),
        InvalidInput,
        "Voting would end (2026-03-02 11:00 UTC) no later than it begins (2026-03-02 12:00:30 "
        "UTC). Choose a later end, or an earlier beginning.",
        "no_voting_after",
    ),
]
