"""The rules of polls: drafts, rankings, when a poll is open, and who sees its results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.polls.entities import (
    Poll,
    PollKind,
    PollSettings,
    Protection,
    ResultsVisibility,
)
from singletable_apps.polls.errors import InvalidInput, NotFound, PollClosed, ResultsHidden
from singletable_apps.polls.rules import (
    GRACE_PERIOD,
    MAX_DURATION,
    Ballot,
    PollDraft,
    changes_ballot,
    check_ballot,
    check_comment,
    check_draft,
    check_exists,
    check_new_option,
    check_open,
    check_reopening,
    check_results_visible,
    comparison_key,
    draft_from,
    is_final,
    is_open,
    warn_of_close,
)
from singletable_apps.shared.text import normalize_line
from tests.apps.polls.support.harness import changed
from tools.testing.cases import every

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
PLAIN = PollDraft("Best?", ("Go", "Rust"))
DATES = changed(PollDraft("When?", ()), kind=PollKind.DATES, zone="Europe/Berlin")


def _poll(**changed: Any) -> Poll:
    made = dict[str, Any](
        id="1", title="Best?", candidates=["Go", "Rust", "C"], created_at=NOW, lanes=8, secret="S"
    )
    chosen = {name: changed.pop(name) for name in PollSettings.model_fields if name in changed}
    settings = PollSettings(**({"protection": Protection.OPEN} | chosen))
    return Poll(**(made | changed), settings=settings)


def _faults(draft: PollDraft, unchanged_time: datetime | None = None) -> dict[str, str]:
    with pytest.raises(InvalidInput) as refusal:
        check_draft(draft, NOW, unchanged_time=unchanged_time)
    assert all(text.endswith(".") for text in refusal.value.errors.values())
    return refusal.value.errors


def test_draft_text_is_normalized() -> None:
    kept = check_draft(
        PollDraft("  Best\n language ", [" Go", "Rust  2 "], " Why?\r\n\r\nSo. \n", NOW + SECOND),
        NOW,
    )
    assert kept == changed(
        PollDraft("Best language", ("Go", "Rust 2"), "Why?\n\nSo.", NOW + SECOND),
        protection=Protection.BROWSER,
    )


@every(
    ("draft", "field"),
    [
        (replace(PLAIN, title=""), "title"),
        (replace(PLAIN, title=" \u200b\n"), "title"),
        (replace(PLAIN, title="a" * 201), "title"),
        (replace(PLAIN, title="a\0b"), "title"),
        (replace(PLAIN, title="a\ud800"), "title"),
        (replace(PLAIN, title="a\u202eb"), "title"),
        (replace(PLAIN, description="a" * 2001), "description"),
        (replace(PLAIN, description="a\x07"), "description"),
        (replace(PLAIN, candidates=()), "candidates"),
        (replace(PLAIN, candidates=("Go",)), "candidates"),
        (replace(PLAIN, candidates=[f"{n}" for n in range(51)]), "candidates"),
        (replace(PLAIN, candidates=("Go", " ")), "candidates/1"),
        (replace(PLAIN, candidates=("Go", "\u200b")), "candidates/1"),
        (replace(PLAIN, candidates=("Go", "a" * 101)), "candidates/1"),
        (replace(PLAIN, candidates=("Go", "a\ud800")), "candidates/1"),
        (replace(PLAIN, candidates=("a\0", "Go")), "candidates/0"),
        (replace(PLAIN, candidates=("Go", "C", " gO ")), "candidates/2"),
        (replace(PLAIN, candidates=("ﬁn", "FIN")), "candidates/1"),
        (replace(PLAIN, candidates=("Go", "Go\u200d")), "candidates/1"),
        # The rows as they were typed, although dates are sorted; and a time that clocks skip.
        (
            replace(DATES, candidates=("2027-01-02", "2027-01-01 18:00", "2027-01-01T17:00Z")),
            "candidates/2",
        ),
        (replace(DATES, candidates=("2027-03-29", "2027-03-28 02:30")), "candidates/1"),
    ],
)
def test_error_names_its_field(draft: PollDraft, field: str) -> None:
    assert [*_faults(draft)] == [field]


def test_time_that_clocks_skip_is_explained() -> None:
    skipped = replace(DATES, candidates=("2027-03-29", "2027-03-28 02:30"))
    assert "Clocks go forward" in _faults(skipped)["candidates/1"]


def test_all_errors_are_reported_at_once() -> None:
    bad = PollDraft("", ["Go", "go", ""], "\0", NOW)
    assert set(_faults(bad)) == {
        "title",
        "description",
        "candidates/1",
        "candidates/2",
        "expires_at",
    }


@every(
    "draft",
    [
        replace(PLAIN, title="a" * 200, description="b" * 2000),
        replace(PLAIN, candidates=[f"{n:0100}" for n in range(50)]),
        replace(PLAIN, candidates=("A", "B"), description="a\tb\r\nc"),
    ],
)
def test_longest_texts_are_accepted(draft: PollDraft) -> None:
    kept = check_draft(draft, NOW)
    assert check_draft(kept, NOW) == kept


@given(st.lists(st.text(max_size=6), min_size=2, max_size=6))
def test_accepted_options_are_normalized_and_distinct(options: list[str]) -> None:
    try:
        kept = check_draft(replace(PLAIN, candidates=options), NOW).candidates
    except InvalidInput:
        return
    assert list(kept) == [normalize_line(option) for option in options]
    assert len({comparison_key(option) for option in kept}) == len(options)
    assert check_ballot(_poll(candidates=list(kept)), Ballot(options)).rankings == list(kept)


class _Nowhere(tzinfo):
    """A time zone without an offset."""

    def utcoffset(self, when: datetime | None) -> None:
        return None

    dst = tzname = utcoffset


EAST, WEST = timezone(timedelta(hours=14)), timezone(-timedelta(hours=12))


@every(
    ("moment", "message"),
    [
        (NOW.replace(tzinfo=None) + SECOND, "needs a time zone"),
        ((NOW + SECOND).replace(tzinfo=_Nowhere()), "needs a time zone"),
        (NOW, "is in the past"),
        (NOW - SECOND, "is in the past"),
        (NOW + MAX_DURATION + SECOND, "ten years"),
        (datetime.min.replace(tzinfo=EAST), "is in the past"),
        (datetime.max.replace(tzinfo=WEST), "ten years"),
    ],
)
def test_invalid_closing_time_is_rejected(moment: datetime, message: str) -> None:
    assert message in _faults(replace(PLAIN, expires_at=moment))["expires_at"]


@every("zone", [UTC, EAST, WEST])
def test_closing_time_is_stored_in_utc(zone: timezone) -> None:
    kept = check_draft(
        replace(PLAIN, expires_at=(NOW + MAX_DURATION).astimezone(zone)), NOW
    ).expires_at
    assert kept == NOW + MAX_DURATION
    assert kept is not None
    assert kept.tzinfo is UTC


def test_unchanged_closing_time_may_be_past() -> None:
    over = NOW - SECOND
    assert check_draft(replace(PLAIN, expires_at=over), NOW, unchanged_time=over).expires_at == over
    assert "expires_at" in _faults(replace(PLAIN, expires_at=over), unchanged_time=over - SECOND)


def test_draft_from_poll_is_complete() -> None:
    poll = _poll(description="D", results=ResultsVisibility.AFTER_VOTING, changeable=False)
    assert draft_from(poll) == changed(
        PollDraft("Best?", ("Go", "Rust", "C"), "D", None),
        results=ResultsVisibility.AFTER_VOTING,
        protection=Protection.OPEN,
        changeable=False,
    )


@every(
    ("rankings", "kept"),
    [
        (["Rust"], ["Rust"]),
        (["C", "Go", "Rust"], ["C", "Go", "Rust"]),
        ([" rust ", "GO", "ｃ"], ["Rust", "Go", "C"]),
    ],
)
def test_rankings_may_be_partial_and_differ_in_case(rankings: list[str], kept: list[str]) -> None:
    assert check_ballot(_poll(), Ballot(rankings)).rankings == kept


@every(
    ("rankings", "fields"),
    [
        ([], ["rankings"]),
        (["Go", "go"], ["rankings/1"]),
        (["Ada"], ["rankings/0"]),
        (["", "Go"], ["rankings/0"]),
        (["Go", "\ud800", "Go"], ["rankings/1", "rankings/2"]),
        (["Go", "Rust", "C", "D"], ["rankings/3"]),
        (["x" * 5000], ["rankings/0"]),
    ],
)
def test_invalid_rankings_are_rejected(rankings: list[str], fields: list[str]) -> None:
    with pytest.raises(InvalidInput) as refusal:
        check_ballot(_poll(), Ballot(rankings))
    assert [*refusal.value.errors] == fields
    assert len(str(refusal.value).encode()) < 600


@every(
    ("kind", "most", "picks", "error"),
    [
        (PollKind.ONE, 0, ["Go"], ""),
        (PollKind.ONE, 0, [], "Pick one option."),
        (PollKind.ONE, 0, ["Go", "C"], "Pick one option."),
        (PollKind.SEVERAL, 0, [], "Pick at least one option."),
        (PollKind.SEVERAL, 0, ["C", "Go", "Rust"], ""),
        (PollKind.SEVERAL, 2, ["C", "Go", "Rust"], "Pick at most 2 options. You picked 3."),
    ],
)
def test_picks_are_checked_and_put_in_order(
    kind: PollKind, most: int, picks: list[str], error: str
) -> None:
    poll = _poll(kind=kind, max_picks=most)
    if error:
        with pytest.raises(InvalidInput, match=error):
            check_ballot(poll, Ballot(picks))
    else:
        kept = [option for option in poll.candidates if option in picks]
        assert check_ballot(poll, Ballot(picks)).rankings == kept


def test_error_lists_at_most_ten_options() -> None:
    poll = _poll(candidates=[f"Option {n}" for n in range(50)])
    with pytest.raises(InvalidInput, match="Option 9 and 40 more"):
        check_ballot(poll, Ballot(["Ada"]))


@every(
    ("poll", "open_", "final"),
    [
        (_poll(), True, False),
        (_poll(expires_at=NOW + SECOND), True, False),
        (_poll(expires_at=NOW), False, False),
        (_poll(expires_at=NOW - GRACE_PERIOD + SECOND), False, False),
        (_poll(expires_at=NOW - GRACE_PERIOD), False, True),
        (_poll(closed=True), False, True),
        (_poll(closed=True, expires_at=NOW), False, True),
        (_poll(closed=True, expires_at=NOW + SECOND), False, True),
    ],
)
def test_poll_is_open_until_closing_and_final_after_the_grace_period(
    poll: Poll, open_: bool, final: bool
) -> None:
    assert (is_open(poll, NOW), is_final(poll, NOW)) == (open_, final)
    if open_:
        check_open(poll, NOW)
        return
    with pytest.raises(PollClosed, match="closed"):
        check_open(poll, NOW)


SECRET = {"protection": Protection.CODES, "results": ResultsVisibility.AFTER_CLOSING}


# The organizer sees which codes were used: with live results, that would be who voted how.
@every(
    ("poll", "votes", "message"),
    [
        (_poll(**SECRET), 9, "before the poll is closed"),
        (_poll(**SECRET, expires_at=NOW), 9, "appear within a minute"),
        (_poll(**SECRET, closed=True), 2, "fewer than 3 votes"),
        (_poll(**SECRET, expires_at=NOW - GRACE_PERIOD), 2, "fewer than 3 votes"),
        (_poll(**SECRET, closed=True), 3, ""),
        (_poll(**SECRET, expires_at=NOW - GRACE_PERIOD), 3, ""),
    ],
)
def test_results_of_votes_with_codes_are_visible_to_everyone_or_no_one(
    poll: Poll, votes: int, message: str
) -> None:
    for voted, admin in product((False, True), repeat=2):
        if not message:
            check_results_visible(poll, NOW, voted=voted, admin=admin, votes=votes)
            continue
        with pytest.raises(ResultsHidden, match=message):
            check_results_visible(poll, NOW, voted=voted, admin=admin, votes=votes)


@every(
    ("votes", "warning"),
    [
        (1, "So far: 1 vote. Results of fewer than 3 votes are not shown."),
        (4, "With only 4 votes, the results may show how people voted."),
        (5, ""),
    ],
)
def test_close_warns_of_few_votes_with_codes(votes: int, warning: str) -> None:
    assert warn_of_close(votes) == warning


# Closing, looking and reopening would show each new vote.
@every(
    ("poll", "is_refused"),
    [
        (_poll(**SECRET, closed=True), True),
        (_poll(**SECRET, expires_at=NOW), True),
        (_poll(**SECRET, expires_at=NOW + SECOND), False),
        (_poll(closed=True), False),
    ],
)
def test_closed_poll_with_codes_cannot_be_reopened(poll: Poll, is_refused: bool) -> None:
    if not is_refused:
        check_reopening(poll, NOW)
        return
    with pytest.raises(PollClosed, match="cannot be reopened"):
        check_reopening(poll, NOW)


@every(
    ("settings", "field"),
    [
        (PollSettings(max_picks=2), "max_picks"),
        (PollSettings(kind=PollKind.SEVERAL, max_picks=51), "max_picks"),
        (PollSettings(names=True, protection=Protection.CODES), "names"),
        (PollSettings(zone="../Mars"), "zone"),
    ],
)
def test_settings_that_exclude_each_other_are_rejected(settings: PollSettings, field: str) -> None:
    assert [*_faults(replace(PLAIN, settings=settings))] == [field]


@every(
    ("changes", "name", "message"),
    [
        ({}, "sea", "same"),
        ({}, " ", "empty"),
        ({"write_ins": False}, "Zig", "does not accept new options"),
        ({"candidates": [f"{n}" for n in range(50)]}, "Zig", "at most 50 options"),
    ],
)
def test_invalid_new_option_is_rejected(changes: dict[str, Any], name: str, message: str) -> None:
    poll = _poll(**({"write_ins": True, "candidates": ["Sea", "Lake"]} | changes))
    with pytest.raises(InvalidInput) as refusal:
        check_new_option(poll, name, NOW)
    assert message in refusal.value.errors["name"]


def test_closed_poll_takes_no_new_option() -> None:
    assert check_new_option(_poll(write_ins=True), " Zig ", NOW) == "Zig"
    with pytest.raises(PollClosed):
        check_new_option(_poll(write_ins=True, closed=True), "Zig", NOW)


@every("typed", ["", " ", "x" * 1001, "a\u202eb"])
def test_invalid_comment_is_rejected(typed: str) -> None:
    with pytest.raises(InvalidInput, match="does not accept comments"):
        check_comment(_poll(), "", "Hi")
    assert check_comment(_poll(comments=True), " Ada ", "Hi\r\n") == ("Ada", "Hi")
    with pytest.raises(InvalidInput) as refusal:
        check_comment(_poll(comments=True), "", typed)
    assert [*refusal.value.errors] == ["text"]


# Whether someone sees the results.
SEEN: dict[ResultsVisibility, Callable[[bool, bool, bool], bool]] = {
    ResultsVisibility.ALWAYS: lambda voted, admin, closed: True,
    ResultsVisibility.AFTER_VOTING: lambda voted, admin, closed: voted or admin or closed,
    ResultsVisibility.AFTER_CLOSING: lambda voted, admin, closed: admin or closed,
}


@every("results", ResultsVisibility)
@every("end", ["open", "by time", "by hand"])
def test_results_visibility(results: ResultsVisibility, end: str) -> None:
    over = {"open": NOW + SECOND, "by time": NOW, "by hand": None}[end]
    poll = _poll(results=results, expires_at=over, closed=end == "by hand")
    for voted, admin in product((False, True), repeat=2):
        if SEEN[results](voted, admin, end != "open"):
            check_results_visible(poll, NOW, voted=voted, admin=admin, votes=0)
        else:
            with pytest.raises(ResultsHidden, match="You can see the results"):
                check_results_visible(poll, NOW, voted=voted, admin=admin, votes=0)


def test_deleted_and_unknown_polls_are_not_found() -> None:
    poll = _poll()
    assert check_exists(poll) is poll
    for found in (None, _poll(deleted=True)):
        with pytest.raises(NotFound, match="no such poll"):
            check_exists(found)


@every(
    ("options", "protection", "other"),
    [
        (("Go", "Rust", "C"), Protection.OPEN, False),
        (("Go", "C", "Rust"), Protection.OPEN, True),
        (("Go", "Rust"), Protection.OPEN, True),
        (("Go", "Rust", "C"), Protection.CODES, True),
    ],
)
def test_other_options_or_protection_change_the_ballot(
    options: Sequence[str], protection: Protection, other: bool
) -> None:
    draft = changed(PollDraft("Another title", options), protection=protection)
    assert changes_ballot(_poll(), draft) is other
