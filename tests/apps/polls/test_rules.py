"""What may be: drafts, rankings, when a poll is open, and who sees its results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable_apps.polls.entities import Poll, Protection, Results
from singletable_apps.polls.errors import Closed, Hidden, Invalid, NotThere
from singletable_apps.polls.rules import (
    FURTHEST,
    LATEST,
    Draft,
    check_open,
    check_there,
    check_visible,
    checked,
    checked_ranking,
    draft_of,
    is_final,
    is_open,
    is_other_question,
)
from singletable_apps.polls.text import same_option, tidy

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
PLAIN = Draft("Best?", ("Go", "Rust"))


def _poll(**changed: object) -> Poll:
    made = dict[str, object](
        id="1", title="Best?", candidates=["Go", "Rust", "C"], created_at=NOW, lanes=8, secret="S"
    )
    return Poll(**(made | changed))  # type: ignore[arg-type]


def _faults(draft: Draft, kept: datetime | None = None) -> dict[str, str]:
    with pytest.raises(Invalid) as refusal:
        checked(draft, NOW, kept=kept)
    assert all(text.endswith(".") for text in refusal.value.faults.values())
    return refusal.value.faults


def test_a_draft_is_kept_tidy() -> None:
    kept = checked(
        Draft("  Best\n language ", [" Go", "Rust  2 "], " Why?\r\n\r\nSo. \n", NOW + SECOND), NOW
    )
    assert kept == Draft(
        "Best language",
        ("Go", "Rust 2"),
        "Why?\n\nSo.",
        NOW + SECOND,
        protection=Protection.BROWSER,
    )


@pytest.mark.parametrize(
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
    ],
)
def test_a_fault_is_named_where_it_is(draft: Draft, field: str) -> None:
    assert [*_faults(draft)] == [field]


def test_all_faults_are_told_at_once() -> None:
    bad = Draft("", ["Go", "go", ""], "\0", NOW)
    assert set(_faults(bad)) == {
        "title",
        "description",
        "candidates/1",
        "candidates/2",
        "expiresAt",
    }


@pytest.mark.parametrize(
    "draft",
    [
        replace(PLAIN, title="a" * 200, description="b" * 2000),
        replace(PLAIN, candidates=[f"{n:0100}" for n in range(50)]),
        replace(PLAIN, candidates=("A", "B"), description="a\tb\r\nc"),
    ],
)
def test_what_is_as_long_as_may_be_is_kept(draft: Draft) -> None:
    kept = checked(draft, NOW)
    assert checked(kept, NOW) == kept


@given(st.lists(st.text(max_size=6), min_size=2, max_size=6))
def test_options_that_are_kept_are_tidy_and_tell_themselves_apart(options: list[str]) -> None:
    try:
        kept = checked(replace(PLAIN, candidates=options), NOW).candidates
    except Invalid:
        return
    assert list(kept) == [tidy(option) for option in options]
    assert len({same_option(option) for option in kept}) == len(options)
    assert checked_ranking(_poll(candidates=list(kept)), options) == list(kept)


class _Nowhere(tzinfo):
    """A zone that does not say where it is."""

    def utcoffset(self, when: datetime | None) -> None:
        return None

    dst = tzname = utcoffset


EAST, WEST = timezone(timedelta(hours=14)), timezone(-timedelta(hours=12))


@pytest.mark.parametrize(
    ("moment", "told"),
    [
        (NOW.replace(tzinfo=None) + SECOND, "with its zone"),
        ((NOW + SECOND).replace(tzinfo=_Nowhere()), "with its zone"),
        (NOW, "is over"),
        (NOW - SECOND, "is over"),
        (NOW + FURTHEST + SECOND, "ten years"),
        (datetime.min.replace(tzinfo=EAST), "is over"),
        (datetime.max.replace(tzinfo=WEST), "ten years"),
    ],
)
def test_a_closing_time_that_cannot_be_is_told(moment: datetime, told: str) -> None:
    assert told in _faults(replace(PLAIN, expires_at=moment))["expiresAt"]


@pytest.mark.parametrize("zone", [UTC, EAST, WEST])
def test_a_closing_time_is_kept_in_utc(zone: timezone) -> None:
    kept = checked(replace(PLAIN, expires_at=(NOW + FURTHEST).astimezone(zone)), NOW).expires_at
    assert kept == NOW + FURTHEST
    assert kept is not None
    assert kept.tzinfo is UTC


def test_a_closing_time_that_is_let_stand_may_be_over() -> None:
    over = NOW - SECOND
    assert checked(replace(PLAIN, expires_at=over), NOW, kept=over).expires_at == over
    assert "expiresAt" in _faults(replace(PLAIN, expires_at=over), kept=over - SECOND)


def test_a_poll_is_made_again_as_it_was() -> None:
    poll = _poll(description="D", results=Results.AFTER_VOTING, changeable=False)
    assert draft_of(poll) == Draft(
        "Best?", ("Go", "Rust", "C"), "D", None, Results.AFTER_VOTING, Protection.OPEN, False
    )


@pytest.mark.parametrize(
    ("rankings", "kept"),
    [
        (["Rust"], ["Rust"]),
        (["C", "Go", "Rust"], ["C", "Go", "Rust"]),
        ([" rust ", "GO", "ｃ"], ["Rust", "Go", "C"]),
    ],
)
def test_rankings_may_be_partial_and_sloppy(rankings: list[str], kept: list[str]) -> None:
    assert checked_ranking(_poll(), rankings) == kept


@pytest.mark.parametrize(
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
def test_rankings_that_cannot_be_are_told(rankings: list[str], fields: list[str]) -> None:
    with pytest.raises(Invalid) as refusal:
        checked_ranking(_poll(), rankings)
    assert [*refusal.value.faults] == fields
    assert len(str(refusal.value).encode()) < 600


def test_options_are_named_but_not_all() -> None:
    poll = _poll(candidates=[f"Option {n}" for n in range(50)])
    with pytest.raises(Invalid, match="Option 9 and 40 more"):
        checked_ranking(poll, ["Ada"])


@pytest.mark.parametrize(
    ("poll", "open_", "final"),
    [
        (_poll(), True, False),
        (_poll(expires_at=NOW + SECOND), True, False),
        (_poll(expires_at=NOW), False, False),
        (_poll(expires_at=NOW - LATEST + SECOND), False, False),
        (_poll(expires_at=NOW - LATEST), False, True),
        (_poll(closed=True), False, True),
        (_poll(closed=True, expires_at=NOW), False, True),
        (_poll(closed=True, expires_at=NOW + SECOND), False, True),
    ],
)
def test_a_poll_is_open_until_its_time_and_final_when_all_are_in(
    poll: Poll, open_: bool, final: bool
) -> None:
    assert (is_open(poll, NOW), is_final(poll, NOW)) == (open_, final)
    if open_:
        check_open(poll, NOW)
        return
    with pytest.raises(Closed, match="takes no votes any more"):
        check_open(poll, NOW)


# (who sees the results of an open poll, of a closed one) by voted and admin.
SEEN: dict[Results, Callable[[bool, bool, bool], bool]] = {
    Results.ALWAYS: lambda voted, admin, closed: True,
    Results.AFTER_VOTING: lambda voted, admin, closed: voted or admin or closed,
    Results.AFTER_CLOSING: lambda voted, admin, closed: admin or closed,
}


@pytest.mark.parametrize("results", Results)
@pytest.mark.parametrize("end", ["open", "by time", "by hand"])
def test_results_are_seen_by_those_who_may(results: Results, end: str) -> None:
    over = {"open": NOW + SECOND, "by time": NOW, "by hand": None}[end]
    poll = _poll(results=results, expires_at=over, closed=end == "by hand")
    for voted, admin in product((False, True), repeat=2):
        if SEEN[results](voted, admin, end != "open"):
            check_visible(poll, NOW, voted=voted, admin=admin)
        else:
            with pytest.raises(Hidden, match="results are shown"):
                check_visible(poll, NOW, voted=voted, admin=admin)


def test_what_is_deleted_or_never_was_is_not_there() -> None:
    poll = _poll()
    assert check_there(poll, "1") is poll
    for found in (None, _poll(deleted=True)):
        with pytest.raises(NotThere, match="no poll '1'"):
            check_there(found, "1")


@pytest.mark.parametrize(
    ("options", "protection", "other"),
    [
        (("Go", "Rust", "C"), Protection.OPEN, False),
        (("Go", "C", "Rust"), Protection.OPEN, True),
        (("Go", "Rust"), Protection.OPEN, True),
        (("Go", "Rust", "C"), Protection.CODES, True),
    ],
)
def test_other_options_or_voters_are_another_question(
    options: Sequence[str], protection: Protection, other: bool
) -> None:
    draft = Draft("Another title", options, protection=protection)
    assert is_other_question(_poll(), draft) is other
